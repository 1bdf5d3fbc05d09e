package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
)

// The lifetimes of codes and tokens.
const (
	codeLifetime    = 60 * time.Second
	accessLifetime  = 60 * time.Minute
	refreshLifetime = 30 * 24 * time.Hour // starts again at each use
	// refreshGrace is how long a used refresh token returns its successor again, in
	// case the first response was lost or several processes refresh together.
	refreshGrace = 30 * time.Second
)

// maxURI limits the length of a redirect URI.
const maxURI = 500

var (
	// printable matches the characters of a redirect URI. It excludes the ones that
	// parsers treat differently, such as a backslash, and those that would start a
	// fragment or a wildcard.
	printable = regexp.MustCompile(`^[A-Za-z0-9\-._~:/?\[\]@!$&'()+,;=%]+$`)
	hostname  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
)

// checkRedirectURI returns what is wrong with a redirect URI of an app, or "".
func checkRedirectURI(text string) string {
	if len(text) > maxURI {
		return "must have at most 500 characters"
	}
	if !printable.MatchString(text) {
		return "must be a URL without spaces, wildcards, fragments or special characters"
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.User != nil {
		return "must be an https URL without a user name"
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return "must have a port from 1 to 65535"
	}

	switch {
	case strings.HasPrefix(text, "https://") && hostname.MatchString(u.Hostname()):
		return ""
	case strings.HasPrefix(text, "http://") && isLoopback(u.Hostname()):
		return ""
	}
	return "must be an https URL, or an http URL with the host 127.0.0.1, [::1] or localhost"
}

func isLoopback(host string) bool {
	return host == "localhost" || host == netip.IPv6Loopback().String() || host == "127.0.0.1"
}

// matchRedirectURI reports whether a requested redirect URI is a registered one.
// They must be equal, except for the port of a loopback URL: a native app listens
// on any free port (RFC 8252).
func matchRedirectURI(registered []string, requested string) bool {
	if slices.Contains(registered, requested) {
		return true
	}
	want, ok := withoutPort(requested)
	return ok && slices.ContainsFunc(registered, func(uri string) bool {
		got, ok := withoutPort(uri)
		return ok && got == want
	})
}

// withoutPort removes the port of a loopback URL.
func withoutPort(text string) (string, bool) {
	if !strings.HasPrefix(text, "http://") || checkRedirectURI(text) != "" {
		return "", false
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", false
	}
	host := u.Host
	if port := u.Port(); port != "" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return host + strings.TrimPrefix(text, "http://"+u.Host), true
}

// addParams adds parameters to the query of a redirect URI.
func addParams(uri string, params url.Values) string {
	separator := "?"
	if strings.Contains(uri, "?") {
		separator = "&"
	}
	return uri + separator + params.Encode()
}

// formAction returns the source that a page's policy must allow, so that a form
// on it can redirect to a redirect URI.
func formAction(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	if strings.Contains(u.Host, "[") { // a policy can't name an IPv6 address
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

var (
	challengeFormat = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	verifierFormat  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// verifyPKCE reports whether a verifier belongs to the challenge of a code. A code
// without a challenge accepts no verifier: otherwise an attacker could inject a code
// that was requested without PKCE into a client that uses it.
func verifyPKCE(challenge, verifier string) bool {
	if challenge == "" {
		return verifier == ""
	}
	sum := sha256.Sum256([]byte(verifier))
	got := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierFormat.MatchString(verifier) && subtle.ConstantTimeCompare([]byte(got), []byte(challenge)) == 1
}

// parseScopes parses a list that is separated by spaces. It returns the scopes in
// the order of the documentation, and the first one that is unknown.
func parseScopes(text string) (scopes []auth.Scope, unknown string) {
	var given []auth.Scope
	for name := range strings.FieldsSeq(text) {
		if !auth.KnownScope(auth.Scope(name)) {
			return nil, name
		}
		given = append(given, auth.Scope(name))
	}
	return union(given), ""
}

// union returns all scopes of the lists, in the order of the documentation.
func union(lists ...[]auth.Scope) []auth.Scope {
	return selectScopes(func(s auth.Scope) bool {
		return slices.ContainsFunc(lists, func(list []auth.Scope) bool { return slices.Contains(list, s) })
	})
}

// common returns the scopes that are in all lists.
func common(lists ...[]auth.Scope) []auth.Scope {
	return selectScopes(func(s auth.Scope) bool {
		return !slices.ContainsFunc(lists, func(list []auth.Scope) bool { return !slices.Contains(list, s) })
	})
}

// missing returns the scopes that are not in a list.
func missing(scopes, from []auth.Scope) []auth.Scope {
	return selectScopes(func(s auth.Scope) bool { return slices.Contains(scopes, s) && !slices.Contains(from, s) })
}

func selectScopes(keep func(auth.Scope) bool) []auth.Scope {
	selected := []auth.Scope{}
	for _, known := range auth.Scopes {
		if keep(known.Scope) {
			selected = append(selected, known.Scope)
		}
	}
	return selected
}

// join formats scopes for the protocol.
func join(scopes []auth.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}
