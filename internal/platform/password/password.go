// Package password hashes passwords, limits how many are hashed at the same time,
// and rejects passwords that are easy to guess.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// The cost of a password hash: OWASP's first choice for Argon2id.
const (
	argonMemory  = 19 * 1024 // KiB
	argonTime    = 2
	argonThreads = 1
)

// Hash returns the hash in the usual encoded form. A server enters a Queue first.
func Hash(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	hash := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, 32)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonThreads,
		b64.EncodeToString(salt), b64.EncodeToString(hash))
}

// Decoy is the hash to compare with when the account is unknown, so that both
// cases take the same time.
const Decoy = "$argon2id$v=19$m=19456,t=2,p=1$c2xpcHdheS1kZWNveS0wMA$b3RoZXJzIGxvb2sgaGVyZSBhbmQgZmluZCBub3RoaW4"

// Matches reports whether the hash is of this password. A server enters a Queue
// first.
func Matches(password, encoded string) (bool, error) {
	parts := strings.Split(encoded, "$")
	var memory, time uint32
	var threads uint8
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("unknown password hash format")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); err != nil {
		return false, err
	}

	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, err
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, err
	}

	hash := argon2.IDKey([]byte(password), salt, time, memory, threads, 32)
	return subtle.ConstantTimeCompare(hash, want) == 1, nil
}
