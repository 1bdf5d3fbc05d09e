package people

import (
	"slipway/internal/platform/password"
	"slipway/internal/vocab/auth"
)

// Candidate is a user who might be signing in. Several dealerships of an
// installation can have users with the same email address.
type Candidate struct {
	Env          auth.Env  `db:"env"`
	ID           string    `db:"id"`
	PasswordHash *string   `db:"password_hash"`
	Mode         auth.Mode `db:"mode"`
	KnownHere    bool      `db:"known_here"` // has signed in from this IP address before
}

// AnyKnownHere reports whether a candidate has signed in from this IP address before.
func AnyKnownHere(candidates []Candidate) bool {
	for _, c := range candidates {
		if c.KnownHere {
			return true
		}
	}
	return false
}

// queueFor returns the queue for the password hashes of a sign-in.
func queueFor(candidates []Candidate) *password.Queue {
	if AnyKnownHere(candidates) {
		return password.Known
	}
	return password.Unknown
}

// findByPassword returns the candidate with this password, or nil. It compares at
// least one hash, so that an unknown account takes as long as an existing one.
func findByPassword(candidates []Candidate, given string, matches func(given, hash string) (bool, error)) (*Candidate, error) {
	if len(candidates) == 0 {
		_, err := matches(given, password.Decoy)
		return nil, err
	}
	var found *Candidate
	for i, c := range candidates {
		hash := password.Decoy
		if c.PasswordHash != nil {
			hash = *c.PasswordHash
		}
		ok, err := matches(given, hash)
		if err != nil {
			return nil, err
		}
		if ok && c.PasswordHash != nil && found == nil {
			found = &candidates[i]
		}
	}
	return found, nil
}
