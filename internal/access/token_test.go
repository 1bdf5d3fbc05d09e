package access

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var tokenFormat = regexp.MustCompile(`^(sk|st)_(live|test)_[a-z2-7]{49}$`)

func TestTokenFormat(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range []string{kindKey, kindSession} {
		for _, mode := range []auth.Mode{auth.Live, auth.Test} {
			token, publicID := newToken(kind, mode)
			if !tokenFormat.MatchString(token) || !strings.HasPrefix(token, kind+"_"+string(mode)+"_"+publicID) || seen[publicID] {
				t.Errorf("%s %s: got token %s with public id %s; want a new one that matches %s", kind, mode, token, publicID, tokenFormat)
			}
			seen[publicID] = true
			if k, m, id, ok := parseToken(token); !ok || k != kind || m != mode || id != publicID {
				t.Errorf("%s: got %s %s %s %t; want %s %s %s true", token, k, m, id, ok, kind, mode, publicID)
			}
		}
	}
}

// Typos are rejected without a query: this Authenticator is not connected to a database.
func TestTypos(t *testing.T) {
	token, _ := newToken(kindKey, auth.Test)
	a := &Authenticator{AuthLog: authlog.New(&db.DB{Now: time.Now})}
	wantRejected := func(typo, how string) {
		t.Helper()
		if _, err := a.Authenticate(t.Context(), typo); fault.KindOf(err) != fault.KindUnauthenticated {
			t.Errorf("%s: got %v for %q, want unauthenticated", how, err, typo)
		}
	}

	for i := range token {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789_-ABCSK é" {
			if string(c) != token[i:i+1] {
				wantRejected(token[:i]+string(c)+token[i+1:], "wrong character")
			}
		}
		wantRejected(token[:i]+token[i+1:], "missing character")
		wantRejected(token[:i]+token[i:i+1]+token[i:], "repeated character")
		if i > 0 && token[i] != token[i-1] {
			wantRejected(token[:i-1]+token[i:i+1]+token[i-1:i]+token[i+1:], "swapped characters")
		}
		wantRejected(token[:i], "truncated")
	}

	otherKind, _ := newToken("pk", auth.Test)
	otherMode, _ := newToken(kindKey, "prod")
	for name, other := range map[string]string{
		"upper case": strings.ToUpper(token), "leading space": " " + token, "trailing space": token + " ", "repeated token": token + token,
		"other mode": strings.Replace(token, "_test_", "_live_", 1), "other kind": strings.Replace(token, "sk_", "st_", 1),
		"unknown kind with a checksum": otherKind, "unknown mode with a checksum": otherMode,
		"without the checksum": token[:len(token)-checksumLen], "only separators": "__", "empty": "",
	} {
		wantRejected(other, name)
	}
}

// An accepted token always has the prefix, the public ID and the checksum of a token.
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
			t.Errorf("%q: got %s %s %s, want a public ID of %d characters and a correct checksum", s, kind, mode, publicID, publicLen)
		}
	})
}
