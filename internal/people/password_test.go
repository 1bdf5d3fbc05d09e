package people

import (
	"encoding/base64"
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
		ok, invalid    bool
	}{
		"right password": {password, hash, true, false},
		"wrong password": {"pate on the aft deck", hash, false, false},
		"empty password": {"", hash, false, false},
		"decoy":          {password, decoy, false, false},
		"other scheme":   {password, "$2b$12$x", false, true},
		"empty hash":     {password, "", false, true},
		"invalid cost":   {password, "$argon2id$v=19$m=x,t=2,p=1$c2FsdA$aGFzaA", false, true},
		"invalid salt":   {password, "$argon2id$v=19$m=8,t=1,p=1$!$aGFzaA", false, true},
		"invalid hash":   {password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$!", false, true},
	} {
		if ok, err := checkPassword(c.password, c.hash); ok != c.ok || (err != nil) != c.invalid {
			t.Errorf("%s: got %t, %v; want %t, an error: %t", name, ok, err, c.ok, c.invalid)
		}
	}
}

// A sign-in computes as many hashes, at the same cost, for an unknown account, an
// account without a password and a wrong password.
func TestSignInTakesEquallyLong(t *testing.T) {
	const password = "right"
	hash := argon2.IDKey([]byte(password), []byte("saltsalt"), 1, 8, 1, 32)
	cheap := "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$" + base64.RawStdEncoding.EncodeToString(hash)
	known, invited := Candidate{ID: "usr_known", PasswordHash: &cheap}, Candidate{ID: "usr_invited"}

	for name, c := range map[string]struct {
		candidates []Candidate
		password   string
		found      string
		hashes     int64
	}{
		"unknown account":                          {nil, password, "", 1},
		"one account, wrong password":              {[]Candidate{known}, "wrong", "", 1},
		"one account, right password":              {[]Candidate{known}, password, "usr_known", 1},
		"one account without a password":           {[]Candidate{invited}, password, "", 1},
		"two accounts, wrong password":             {[]Candidate{invited, known}, "wrong", "", 2},
		"two accounts, right password":             {[]Candidate{invited, known}, password, "usr_known", 2},
		"two accounts in the other order, correct": {[]Candidate{known, invited}, password, "usr_known", 2},
	} {
		t.Run(name, func(t *testing.T) {
			count := countHashes(t)
			found, err := FindByPassword(c.candidates, c.password)
			if err != nil || (found == nil) != (c.found == "") || found != nil && found.ID != c.found || count() != c.hashes {
				t.Errorf("got user %+v, error %v, %d hashes; want user %q, no error, %d hashes", found, err, count(), c.found, c.hashes)
			}
		})
	}

	// The decoy has the same cost as a real hash.
	cost := func(hash string) string { return hash[:strings.LastIndex(hash[:strings.LastIndex(hash, "$")], "$")] }
	if real := HashPassword(password); cost(real) != cost(decoy) {
		t.Errorf("got the cost %s for a real hash, want %s as for the decoy", cost(real), cost(decoy))
	}
}

// countHashes replaces the channel that limits the hashes with one that counts
// them. It allows one hash at a time.
func countHashes(t *testing.T) func() int64 {
	t.Helper()
	var n atomic.Int64
	before, counter, done := hashing, make(chan struct{}), make(chan struct{})
	hashing = counter
	go func() {
		for {
			select {
			case <-counter:
				n.Add(1)
				counter <- struct{}{} // received when the hash is computed
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
