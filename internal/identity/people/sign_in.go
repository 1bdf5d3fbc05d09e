package people

import (
	"crypto/sha256"
	"net/url"
	"strings"

	"slipway/internal/platform/password"
	"slipway/internal/vocab/auth"
)

// AuthPath returns the path of {auth_url} on this server.
func AuthPath(authURL string) string {
	u, err := url.Parse(authURL)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

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

// matching returns the candidates with this password. It calls match once, also for
// an unknown account, so that both take the same time.
func matching(
	candidates []Candidate, given string, salt []byte, match func(given string, hashes []string, salt []byte) ([]bool, error),
) (found []Candidate, err error) {
	hashes := make([]string, len(candidates))
	for i, c := range candidates {
		if c.PasswordHash != nil {
			hashes[i] = *c.PasswordHash
		}
	}
	matches, err := match(given, hashes, salt)
	if err != nil {
		return nil, err
	}
	for i, c := range candidates {
		if matches[i] {
			found = append(found, c)
		}
	}
	return found, nil
}

// PasswordMark identifies the password of a user without revealing its hash. It
// changes when the password is set, even to the same one. It is nil if the user has
// no password.
func PasswordMark(hash *string) []byte {
	if hash == nil {
		return nil
	}
	mark := sha256.Sum256([]byte(*hash))
	return mark[:]
}
