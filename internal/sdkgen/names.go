package sdkgen

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var wordPattern = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// words splits a name at underscores, punctuation and capital letters.
func words(name string) []string { return wordPattern.FindAllString(name, -1) }

// initialisms are the words that Go writes in capital letters.
var initialisms = map[string]string{
	"ach": "ACH", "acv": "ACV", "api": "API", "apr": "APR", "csv": "CSV", "dns": "DNS", "hin": "HIN", "html": "HTML", "id": "ID",
	"ids": "IDs", "ip": "IP", "jpeg": "JPEG", "json": "JSON", "mfa": "MFA", "ms": "MS", "msrp": "MSRP", "mso": "MSO", "ndjson": "NDJSON", "oidc": "OIDC",
	"pdf": "PDF", "png": "PNG", "pwc": "PWC", "saml": "SAML", "sha256": "SHA256", "sms": "SMS", "sso": "SSO", "totp": "TOTP", "uri": "URI",
	"uris": "URIs", "url": "URL", "urls": "URLs", "usd": "USD", "xml": "XML",
}

// GoName writes a name as an exported name of Go: price_usd is PriceUSD, and the order
// -price is PriceDescending.
func GoName(name string) string {
	if column, ok := strings.CutPrefix(name, "-"); ok {
		return GoName(column) + "Descending"
	}
	var b strings.Builder
	for _, w := range words(name) {
		if upper := initialisms[strings.ToLower(w)]; upper != "" {
			b.WriteString(upper)
			continue
		}
		b.WriteString(capitalize(w))
	}
	return b.String()
}

// goArgument writes a name as an argument of Go: hull_id is hullID.
func goArgument(name string) string {
	first := words(name)[0]
	return strings.ToLower(first) + strings.TrimPrefix(GoName(name), GoName(first))
}

// TSName writes a name as TypeScript does: hull_id is hullId.
func TSName(name string) string {
	var b strings.Builder
	for i, w := range words(name) {
		if i > 0 {
			w = capitalize(w)
		} else {
			w = strings.ToLower(w)
		}
		b.WriteString(w)
	}
	return b.String()
}

func capitalize(word string) string {
	r := []rune(word)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

func singular(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "ies"); ok {
		return stem + "y"
	}
	if strings.HasSuffix(noun, "ss") {
		return noun
	}
	return strings.TrimSuffix(noun, "s")
}

// familyName writes the name of a family as one word: Request logs is RequestLogs.
func familyName(tag string) string {
	var b strings.Builder
	for _, w := range words(tag) {
		b.WriteString(capitalize(w))
	}
	return b.String()
}

// twinSuffix ends the ID of an operation of the preview that /v1 has too.
const twinSuffix = "V2"

// methodName is the ID of an operation without the noun of its family: listHulls and
// listHullsV2 are list, listHullPhotos is listPhotos, getCashReport is getCash, acceptOffer in Deals is
// acceptOffer.
func methodName(family, operationID string) string {
	operationID = strings.TrimSuffix(operationID, twinSuffix)
	verb, nouns := words(operationID)[0], words(operationID)[1:]
	for _, noun := range [][]string{words(family), words(singular(family))} {
		at := len(nouns) - len(noun)
		switch {
		case at < 0:
		case slices.Equal(nouns[:len(noun)], noun):
			return verb + strings.Join(nouns[len(noun):], "")
		case slices.Equal(nouns[at:], noun):
			return verb + strings.Join(nouns[:at], "")
		}
	}
	return operationID
}

// wrap breaks a text into lines of at most this many bytes. Longer words stay whole.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}
