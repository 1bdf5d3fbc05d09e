package people

import "slipway/internal/vocab/auth"

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

// FindByPassword returns the candidate with this password, or nil. It computes at
// least one hash, so that an unknown account takes as long as an existing one.
func FindByPassword(candidates []Candidate, password string) (*Candidate, error) {
	if len(candidates) == 0 {
		_, err := checkPassword(password, decoy)
		return nil, err
	}
	var found *Candidate
	for i, c := range candidates {
		hash := decoy
		if c.PasswordHash != nil {
			hash = *c.PasswordHash
		}
		ok, err := checkPassword(password, hash)
		if err != nil {
			return nil, err
		}
		if ok && c.PasswordHash != nil && found == nil {
			found = &candidates[i]
		}
	}
	return found, nil
}
