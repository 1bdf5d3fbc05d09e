package sso

import (
	"encoding/base32"
	"fmt"
	"strings"

	"golang.org/x/net/idna"

	"slipway/internal/vocab/auth"
)

// recordPrefix is the name of the TXT record below the domain.
const recordPrefix = "_slipway."

// valuePrefix is how the value of the TXT record starts.
const valuePrefix = "slipway-domain-verification="

// normalizeDomain returns a domain in lower case and in ASCII, or the problem.
func normalizeDomain(text string) (domain, problem string) {
	domain, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.TrimSpace(text), "."))
	switch {
	case err != nil || domain == "" || len(domain) > 253 || strings.ContainsAny(domain, "@/: "):
		return "", "is not a domain"
	case !strings.Contains(domain, ".") || strings.HasPrefix(domain, "xn--") && strings.Count(domain, ".") == 0:
		return "", "must have at least two parts, such as example.com"
	case publicMail[domain]:
		return "", "belongs to a public email service"
	}
	return domain, ""
}

// publicMail are domains where anyone can get an address. The DNS check would reject
// them, too. This is for the operator's command.
var publicMail = map[string]bool{
	"gmail.com": true, "googlemail.com": true, "outlook.com": true, "hotmail.com": true, "live.com": true, "msn.com": true, "yahoo.com": true,
	"aol.com": true, "icloud.com": true, "me.com": true, "mac.com": true, "proton.me": true, "protonmail.com": true, "gmx.com": true,
	"mail.com": true, "zoho.com": true, "comcast.net": true, "verizon.net": true, "att.net": true,
}

// domainOf returns the domain of an email address, as it is stored, or "".
func domainOf(email string) string {
	at := strings.LastIndexByte(email, '@')
	if at < 1 {
		return ""
	}
	domain, problem := normalizeDomain(email[at+1:])
	if problem != "" {
		return ""
	}
	return domain
}

// recordValue returns the value of the TXT record. It depends on the environment, so
// that a record for one dealership doesn't verify the domain for another.
func recordValue(mac func([]byte) []byte, env auth.Env, domain string) string {
	sum := mac(fmt.Appendf(nil, "sso/domain/%d/%s", env, domain))
	return valuePrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:20]))
}

// hasRecord reports whether TXT records contain the value.
func hasRecord(records []string, value string) bool {
	for _, r := range records {
		if strings.TrimSpace(r) == value {
			return true
		}
	}
	return false
}
