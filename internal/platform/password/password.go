// Package password hashes passwords, limits how many are hashed at the same time,
// and rejects passwords that are easy to guess.
package password

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Cost is how much work an Argon2id hash is.
type Cost struct {
	Memory, Time uint32 // in KiB, and in passes
	Threads      uint8
}

// Standard is OWASP's first choice for Argon2id.
var Standard = Cost{Memory: 19 * 1024, Time: 2, Threads: 1}

const (
	saltLen  = 16
	nonceLen = 16
	// maxHashes limits the hashes that one request computes.
	maxHashes = 5
)

// Salt returns the salt for the passwords of an email address. It is the same for
// all users with this address, so one Argon2id hash checks the passwords of all of
// them. MAC authenticates with a key of the installation.
func Salt(mac func([]byte) []byte, email string) []byte {
	return mac([]byte("password salt/" + email))[:saltLen]
}

// Hash returns the stored form of a password. A server enters a Queue first.
func Hash(password string, salt []byte) string { return HashAt(Standard, password, salt) }

// HashAt does the same as Hash with another cost.
//
// The stored form has the salt, a nonce, and a MAC of the nonce with the Argon2id
// hash. Because of the nonce, no one can see that two users have the same password.
func HashAt(c Cost, password string, salt []byte) string {
	nonce := make([]byte, nonceLen)
	_, _ = rand.Read(nonce) // never fails
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s$%s", argon2.Version, c.Memory, c.Time, c.Threads,
		b64.EncodeToString(salt), b64.EncodeToString(nonce), b64.EncodeToString(bind(derive(password, salt, c), nonce)))
}

// derive computes the slow part of a hash.
func derive(password string, salt []byte, c Cost) []byte {
	return argon2.IDKey([]byte(password), salt, c.Time, c.Memory, c.Threads, 32)
}

// bind computes the fast part of a hash.
func bind(key, nonce []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(nonce)
	return h.Sum(nil)
}

// stored is a parsed hash.
type stored struct {
	Cost
	salt, nonce, want []byte // the nonce is nil in hashes from before there were nonces
}

func parse(encoded string) (s stored, err error) {
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 && len(parts) != 7 || parts[1] != "argon2id" {
		return s, errors.New("unknown password hash format")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &s.Memory, &s.Time, &s.Threads); err != nil {
		return s, err
	}

	into := []*[]byte{&s.salt, &s.nonce, &s.want}
	if len(parts) == 6 {
		into = []*[]byte{&s.salt, &s.want}
	}
	for i, text := range parts[4:] {
		if *into[i], err = base64.RawStdEncoding.DecodeString(text); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s stored) matches(key []byte) bool {
	if s.nonce != nil {
		key = bind(key, s.nonce)
	}
	return hmac.Equal(key, s.want)
}

// Match reports for each hash whether it is of this password. An empty hash is of
// no password. A server enters a Queue first.
//
// It computes one Argon2id hash for all hashes with the same salt, and also one if
// there are none. An address that no user has takes as long as others.
func Match(password string, hashes []string, salt []byte) ([]bool, error) {
	return match(password, hashes, salt, derive)
}

func match(password string, hashes []string, salt []byte, derive func(string, []byte, Cost) []byte) ([]bool, error) {
	matches, computed := make([]bool, len(hashes)), map[string][]byte{}
	for i, encoded := range hashes {
		if encoded == "" {
			continue
		}
		s, err := parse(encoded)
		if err != nil {
			return nil, err
		}
		work := fmt.Sprintf("%v %x", s.Cost, s.salt)
		if computed[work] == nil && len(computed) < maxHashes {
			computed[work] = derive(password, s.salt, s.Cost)
		}
		matches[i] = computed[work] != nil && s.matches(computed[work])
	}

	if len(computed) == 0 {
		derive(password, salt, Standard)
	}
	return matches, nil
}

// HasSalt reports whether a hash has this salt and the current format. Others are
// replaced at the next sign-in.
func HasSalt(encoded string, salt []byte) bool {
	s, err := parse(encoded)
	return err == nil && s.nonce != nil && bytes.Equal(s.salt, salt)
}
