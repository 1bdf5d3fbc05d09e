package people

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/argon2"
)

func TestPasswordHash(t *testing.T) {
	const password = "pâté on the aft deck"
	hash := HashPassword(password)
	if again := HashPassword(password); again == hash || strings.Contains(hash, password) {
		t.Errorf("got %s and %s; want two different hashes without the password", hash, again)
	}
	for name, c := range map[string]struct {
		password, hash string
		ok, broken     bool
	}{
		"the one":          {password, hash, true, false},
		"another":          {"pate on the aft deck", hash, false, false},
		"none":             {"", hash, false, false},
		"the decoy's":      {password, decoy, false, false},
		"a foreign scheme": {password, "$2b$12$x", false, true},
		"no scheme":        {password, "", false, true},
		"a broken cost":    {password, "$argon2id$v=19$m=x,t=2,p=1$c2FsdA$aGFzaA", false, true},
		"a broken salt":    {password, "$argon2id$v=19$m=8,t=1,p=1$!$aGFzaA", false, true},
		"a broken hash":    {password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$!", false, true},
	} {
		if ok, err := checkPassword(c.password, c.hash); ok != c.ok || (err != nil) != c.broken {
			t.Errorf("%s: got %t, %v; want %t, an error: %t", name, ok, err, c.ok, c.broken)
		}
	}
}

// Whether an account is there, has a password or gets the right one: a sign-in
// takes as many hashes, at the same cost.
func TestSignInTakesAsLongForStrangers(t *testing.T) {
	const password = "right"
	cheap := fmt.Sprintf("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$%s", base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), []byte("saltsalt"), 1, 8, 1, 32)))
	known, uninvited := Candidate{ID: "usr_known", PasswordHash: &cheap}, Candidate{ID: "usr_without"}
	for name, c := range map[string]struct {
		candidates []Candidate
		password   string
		found      string
		hashes     int64
	}{
		"nobody":                            {nil, password, "", 1},
		"somebody, wrong password":          {[]Candidate{known}, "wrong", "", 1},
		"somebody, right password":          {[]Candidate{known}, password, "usr_known", 1},
		"somebody who has none yet":         {[]Candidate{uninvited}, password, "", 1},
		"two of them, wrong password":       {[]Candidate{uninvited, known}, "wrong", "", 2},
		"two of them, right password":       {[]Candidate{uninvited, known}, password, "usr_known", 2},
		"two of them, the other way around": {[]Candidate{known, uninvited}, password, "usr_known", 2},
	} {
		t.Run(name, func(t *testing.T) {
			count := countHashes(t)
			found, err := FindByPassword(c.candidates, c.password)
			if err != nil || (found == nil) != (c.found == "") || found != nil && found.ID != c.found || count() != c.hashes {
				t.Errorf("got user %+v, error %v, %d hashes; want user %q, no error, %d hashes", found, err, count(), c.found, c.hashes)
			}
		})
	}
	// The decoy costs what a real one costs.
	cost := func(hash string) string { return hash[:strings.LastIndex(hash[:strings.LastIndex(hash, "$")], "$")] }
	if real := HashPassword(password); cost(real) != cost(decoy) {
		t.Errorf("got %s and %s, want cost(real) = %q", real, decoy, cost(decoy))
	}
}

// countHashes stands at the gate that every hash passes, and counts. It lets
// one at a time through.
func countHashes(t *testing.T) func() int64 {
	t.Helper()
	var n atomic.Int64
	before, gate, done := hashing, make(chan struct{}), make(chan struct{})
	hashing = gate
	go func() {
		for {
			select {
			case <-gate:
				n.Add(1)
				gate <- struct{}{} // taken when the hash is worked out
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() {
		hashing = before
		close(done)
	})
	return n.Load
}
