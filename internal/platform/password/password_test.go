package password

import (
	"strings"
	"testing"
)

func TestHash(t *testing.T) {
	const password = "pâté on the aft deck"
	hash := Hash(password)
	if again := Hash(password); again == hash || strings.Contains(hash, password) {
		t.Errorf("got %s and %s; want two different hashes without the password", hash, again)
	}

	for name, c := range map[string]struct {
		password, hash string
		ok, invalid    bool
	}{
		"right password": {password, hash, true, false},
		"wrong password": {"pate on the aft deck", hash, false, false},
		"empty password": {"", hash, false, false},
		"decoy":          {password, Decoy, false, false},
		"other scheme":   {password, "$2b$12$x", false, true},
		"empty hash":     {password, "", false, true},
		"invalid cost":   {password, "$argon2id$v=19$m=x,t=2,p=1$c2FsdA$aGFzaA", false, true},
		"invalid salt":   {password, "$argon2id$v=19$m=8,t=1,p=1$!$aGFzaA", false, true},
		"invalid hash":   {password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$!", false, true},
	} {
		if ok, err := Matches(c.password, c.hash); ok != c.ok || (err != nil) != c.invalid {
			t.Errorf("%s: got %t, %v; want %t, an error: %t", name, ok, err, c.ok, c.invalid)
		}
	}

	// The decoy has the same cost as a real hash.
	cost := func(hash string) string { return hash[:strings.LastIndex(hash[:strings.LastIndex(hash, "$")], "$")] }
	if cost(hash) != cost(Decoy) {
		t.Errorf("got the cost %s for a real hash, want %s as for the decoy", cost(hash), cost(Decoy))
	}
}
