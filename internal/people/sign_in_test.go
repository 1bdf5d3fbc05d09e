package people

import (
	"testing"

	"slipway/internal/platform/password"
)

// A sign-in computes as many hashes, at the same cost, for an unknown account, an
// account without a password and a wrong password.
func TestSignInTakesEquallyLong(t *testing.T) {
	const right, hash = "right", "hash of right"
	known, invited := Candidate{ID: "usr_known", PasswordHash: new(hash)}, Candidate{ID: "usr_invited"}

	for name, c := range map[string]struct {
		candidates []Candidate
		password   string
		found      string
		hashes     int
	}{
		"unknown account":                          {nil, right, "", 1},
		"one account, wrong password":              {[]Candidate{known}, "wrong", "", 1},
		"one account, right password":              {[]Candidate{known}, right, "usr_known", 1},
		"one account without a password":           {[]Candidate{invited}, right, "", 1},
		"two accounts, wrong password":             {[]Candidate{invited, known}, "wrong", "", 2},
		"two accounts, right password":             {[]Candidate{invited, known}, right, "usr_known", 2},
		"two accounts in the other order, correct": {[]Candidate{known, invited}, right, "usr_known", 2},
	} {
		t.Run(name, func(t *testing.T) {
			count := 0
			matches := func(given, stored string) (bool, error) {
				count++
				return given == right && (stored == hash || stored == password.Decoy), nil
			}
			found, err := findByPassword(c.candidates, c.password, matches)
			if err != nil || (found == nil) != (c.found == "") || found != nil && found.ID != c.found || count != c.hashes {
				t.Errorf("got user %+v, error %v, %d hashes; want user %q, no error, %d hashes", found, err, count, c.found, c.hashes)
			}
		})
	}
}

// A flood of sign-ins from unknown addresses doesn't fill the queue of users who
// sign in from an address that they have used before.
func TestFloodDoesNotDelayKnownAddresses(t *testing.T) {
	for name, c := range map[string]struct {
		candidates []Candidate
		want       *password.Queue
	}{
		"unknown account":                  {nil, password.Unknown},
		"account from a new address":       {[]Candidate{{}}, password.Unknown},
		"account from its own address":     {[]Candidate{{KnownHere: true}}, password.Known},
		"one of two accounts is from here": {[]Candidate{{}, {KnownHere: true}}, password.Known},
	} {
		if queueFor(c.candidates) != c.want {
			t.Errorf("%s uses the wrong queue", name)
		}
	}
	if password.Known == password.Unknown {
		t.Error("both use the same queue")
	}
}
