package token_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

var format = regexp.MustCompile(`^(sk|st|at|rt|ac|cs|scim)_(live|test)_[a-z2-7]{49}$`)

// The public ID has 16 characters and the checksum 7.
const publicLen, checksumLen = 16, 7

func TestFormat(t *testing.T) {
	seen := map[string]bool{}
	for _, kind := range []token.Kind{token.Key, token.Session, token.Access, token.Refresh, token.Code, token.ClientSecret, token.SCIM} {
		for _, mode := range []auth.Mode{auth.Live, auth.Test} {
			text, publicID := token.New(kind, mode, 60_000)
			if !format.MatchString(text) || !strings.HasPrefix(text, string(kind)+"_"+string(mode)+"_"+publicID) || seen[publicID] {
				t.Errorf("%s %s: got token %s with public id %s; want a new one that matches %s", kind, mode, text, publicID, format)
			}
			seen[publicID] = true
			if got, ok := token.Parse(text); !ok || got != (token.Token{Kind: kind, Mode: mode, PublicID: publicID, Env: 60_000}) {
				t.Errorf("%s: got %v %t; want %s %s %s true", text, got, ok, kind, mode, publicID)
			}
		}
	}
}

func TestDerive(t *testing.T) {
	random := bytes.Repeat([]byte("slipway"), 4)
	text, publicID := token.Derive(token.Refresh, auth.Live, 7, random)
	if again, _ := token.Derive(token.Refresh, auth.Live, 7, random); again != text {
		t.Errorf("got %s and %s, want the same token twice", text, again)
	}
	if got, ok := token.Parse(text); !ok || got != (token.Token{Kind: token.Refresh, Mode: auth.Live, PublicID: publicID, Env: 7}) {
		t.Errorf("got %v %t for %s, want its parts", got, ok, text)
	}

	random[26] ^= 0x40 // the last bit that counts
	if other, _ := token.Derive(token.Refresh, auth.Live, 7, random); other == text {
		t.Error("got the same token for other bytes")
	}
}

// A token names its environment. A released one doesn't, except for one in 1024 by accident.
func TestEnvironments(t *testing.T) {
	const most = 1<<25 - 1
	for _, env := range []auth.Env{1, 2, 31, 32, 1023, 60_000, most} {
		text, _ := token.New(token.Key, auth.Test, env)
		if got, ok := token.Parse(text); !ok || got.Env != env {
			t.Errorf("got environment %d for %s, want %d", got.Env, text, env)
		}
		if got := token.LinkEnv(token.Link(env)); got != env {
			t.Errorf("got environment %d for a link, want %d", got, env)
		}
	}

	released := "sk_test_ls4due2bijfr72gqkwuxwzuqhmsvrp3tyjvhrxiz4l3vs5owa" // an example of the format, without a valid checksum
	if _, ok := token.Parse(released); ok {
		t.Errorf("%s was accepted", released)
	}
	named := 0
	for range 10_240 {
		for _, env := range []auth.Env{0, most + 1} {
			text, _ := token.New(token.Key, auth.Test, env)
			got, ok := token.Parse(text)
			if !ok {
				t.Fatalf("%s was rejected", text)
			}
			if got.Env != 0 {
				named++
			}
		}
	}
	if named > 60 {
		t.Errorf("%d of 20480 tokens without an environment seem to name one, want about 20", named)
	}
	for _, text := range []string{"", "k3v9", strings.Repeat("a", 51), strings.Repeat("é", 30), token.Link(1)[1:]} {
		if got := token.LinkEnv(text); got != 0 {
			t.Errorf("got environment %d for the link %q, want none", got, text)
		}
	}
}

// Typos are rejected without a query.
func TestTypos(t *testing.T) {
	text, _ := token.New(token.Key, auth.Test, 1)
	wantRejected := func(typo, how string) {
		t.Helper()
		if _, ok := token.Parse(typo); ok {
			t.Errorf("%s: %q was accepted", how, typo)
		}
	}

	for i := range text {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789_-ABCSK é" {
			if string(c) != text[i:i+1] {
				wantRejected(text[:i]+string(c)+text[i+1:], "wrong character")
			}
		}
		wantRejected(text[:i]+text[i+1:], "missing character")
		wantRejected(text[:i]+text[i:i+1]+text[i:], "repeated character")
		if i > 0 && text[i] != text[i-1] {
			wantRejected(text[:i-1]+text[i:i+1]+text[i-1:i]+text[i+1:], "swapped characters")
		}
		wantRejected(text[:i], "truncated")
	}

	otherKind, _ := token.New("pk", auth.Test, 1)
	otherMode, _ := token.New(token.Key, "prod", 1)
	for name, other := range map[string]string{
		"upper case": strings.ToUpper(text), "leading space": " " + text, "trailing space": text + " ", "repeated token": text + text,
		"other mode": strings.Replace(text, "_test_", "_live_", 1), "other kind": strings.Replace(text, "sk_", "st_", 1),
		"unknown kind with a checksum": otherKind, "unknown mode with a checksum": otherMode,
		"without the checksum": text[:len(text)-checksumLen], "only separators": "__", "empty": "",
	} {
		wantRejected(other, name)
	}
}

// An accepted token always has the prefix and the public ID of a token.
func FuzzParse(f *testing.F) {
	text, _ := token.New(token.Key, auth.Test, 1)
	session, _ := token.New(token.Session, auth.Live, 1)
	for _, seed := range []string{text, session, text[1:], text + "a", "sk_test_", "__", "", strings.ToUpper(text)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := token.Parse(s)
		if !ok {
			return
		}
		start := string(got.Kind) + "_" + string(got.Mode) + "_" + got.PublicID
		if !strings.HasPrefix(s, start) || len(got.PublicID) != publicLen || len(s) != len("sk_test_")+49 {
			t.Errorf("%q: got %v, want a public ID of %d characters", s, got, publicLen)
		}
	})
}
