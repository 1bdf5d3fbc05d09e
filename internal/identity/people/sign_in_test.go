package people

import (
	"slices"
	"testing"

	"slipway/internal/platform/password"
)

// A sign-in compares the password once, at the same cost, for an unknown account, an
// account without a password, a wrong password and several accounts.
func TestSignInTakesEquallyLong(t *testing.T) {
	known := Candidate{ID: "usr_known", PasswordHash: new("hash of right")}
	other, invited := Candidate{ID: "usr_other", PasswordHash: new("hash of wrong")}, Candidate{ID: "usr_invited"}
	again := Candidate{ID: "usr_again", PasswordHash: new("hash of right")}

	for name, c := range map[string]struct {
		candidates []Candidate
		password   string
		found      []string
	}{
		"unknown account":                {nil, "right", nil},
		"one account, wrong password":    {[]Candidate{known}, "guess", nil},
		"one account, right password":    {[]Candidate{known}, "right", []string{"usr_known"}},
		"one account without a password": {[]Candidate{invited}, "right", nil},
		"two accounts, wrong password":   {[]Candidate{invited, known}, "guess", nil},
		"two accounts, right password":   {[]Candidate{invited, known}, "right", []string{"usr_known"}},
		"several with the same password": {[]Candidate{known, other, again}, "right", []string{"usr_known", "usr_again"}},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			found, err := matching(c.candidates, c.password, []byte("salt"), func(given string, hashes []string, _ []byte) ([]bool, error) {
				calls++
				matches := make([]bool, len(hashes))
				for i, h := range hashes {
					matches[i] = h == "hash of "+given
				}
				return matches, nil
			})
			var ids []string
			for _, f := range found {
				ids = append(ids, f.ID)
			}
			if err != nil || !slices.Equal(ids, c.found) || calls != 1 {
				t.Errorf("got users %v, error %v, %d comparisons; want users %v, no error, one comparison", ids, err, calls, c.found)
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
