package access

import (
	"regexp"
	"strings"
	"testing"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var tokenForm = regexp.MustCompile(`^(sk|st)_(live|test)_[a-z2-7]{49}$`)

func TestTokenForm(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range []string{kindKey, kindSession} {
		for _, mode := range []auth.Mode{auth.Live, auth.Test} {
			token, publicID := newToken(kind, mode)
			if !tokenForm.MatchString(token) || !strings.HasPrefix(token, kind+"_"+string(mode)+"_"+publicID) || seen[publicID] {
				t.Errorf("%s %s: got token %s with public id %s; want a new one that matches %s", kind, mode, token, publicID, tokenForm)
			}
			seen[publicID] = true
			if k, m, id, ok := parseToken(token); !ok || k != kind || m != mode || id != publicID {
				t.Errorf("%s is read as %s %s %s %t; want ok = true, k = %q, m = %q, id = %q", token, k, m, id, ok, kind, mode, publicID)
			}
		}
	}
}

// A typo is refused before anything is looked up: this Authenticator has no
// database to look at.
func TestTypos(t *testing.T) {
	token, _ := newToken(kindKey, auth.Test)
	refused := func(typo, how string) {
		t.Helper()
		if _, err := (&Authenticator{}).Authenticate(t.Context(), typo); fault.KindOf(err) != fault.KindUnauthenticated {
			t.Errorf("%s: %q gets %v, want the kind fault.KindUnauthenticated", how, typo, err)
		}
	}
	for i := range token {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789_-ABCSK é" {
			if string(c) != token[i:i+1] {
				refused(token[:i]+string(c)+token[i+1:], "a wrong character")
			}
		}
		refused(token[:i]+token[i+1:], "a lost character")
		refused(token[:i]+token[i:i+1]+token[i:], "a character twice")
		if i > 0 && token[i] != token[i-1] {
			refused(token[:i-1]+token[i:i+1]+token[i-1:i]+token[i+1:], "two characters swapped")
		}
		refused(token[:i], "cut off")
	}
	foreign, _ := newToken("pk", auth.Test)
	nowhere, _ := newToken(kindKey, "prod")
	for name, other := range map[string]string{
		"upper case": strings.ToUpper(token), "a space before": " " + token, "a space after": token + " ", "twice": token + token,
		"of the other mode": strings.Replace(token, "_test_", "_live_", 1), "of another kind": strings.Replace(token, "sk_", "st_", 1),
		"a checksummed token of an unknown kind": foreign, "a checksummed token of an unknown mode": nowhere,
		"without its checksum": token[:len(token)-checksumLen], "only separators": "__", "nothing": "",
	} {
		refused(other, name)
	}
}

// Whatever comes, what is accepted is a token that we could have made.
func FuzzParseToken(f *testing.F) {
	token, _ := newToken(kindKey, auth.Test)
	session, _ := newToken(kindSession, auth.Live)
	for _, seed := range []string{token, session, token[1:], token + "a", "sk_test_", "__", "", strings.ToUpper(token)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kind, mode, publicID, ok := parseToken(s)
		if !ok {
			return
		}
		start := kind + "_" + string(mode) + "_" + publicID
		if end := len(s) - checksumLen; !strings.HasPrefix(s, start) || len(publicID) != publicLen || s[end:] != checksum(s[:end]) {
			t.Errorf("%q is read as %s %s %s; want prefix %q, a public id of %d characters and a correct checksum", s, kind, mode, publicID, start, publicLen)
		}
	})
}
