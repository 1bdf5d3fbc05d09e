// Package access issues and checks credentials.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"slipway/internal/fault"
	"slipway/internal/principal"
	"slipway/internal/scope"
)

// An API key is sk_<mode>_ followed by a public part that finds its row, the
// secret, and a checksum that exposes a typo without a look-up. All three are
// lower-case base 32, so that a double click selects the whole key.
const (
	publicLen   = 16
	secretLen   = 26 // 130 bits
	checksumLen = 7
)

// APIKey is the record of a key; the key itself is not kept.
type APIKey struct {
	Env       principal.Env   `json:"-" db:"env"`
	ID        string          `json:"id" db:"id"`
	PublicID  string          `json:"-" db:"public_id"`
	Hash      []byte          `json:"-" db:"hash"`
	Name      string          `json:"name" db:"name"`
	Scopes    []scope.Scope   `json:"scopes" db:"scopes,json"`
	RateLimit *int64          `json:"rate_limit" db:"rate_limit"`
	Lineage   string          `json:"-" db:"lineage"`
	Pin       string          `json:"service_version" db:"pin"`
	CreatedBy principal.Actor `json:"created_by" db:"created_by,json"`
	CreatedAt time.Time       `json:"created_at" db:"created_at"`
	ExpiresAt *time.Time      `json:"expires_at" db:"expires_at"`
	RevokedAt *time.Time      `json:"revoked_at" db:"revoked_at"`
}

// newKey makes a key for a mode.
func newKey(mode principal.Mode) (key, publicID string) {
	publicID = strings.ToLower(rand.Text()[:publicLen])
	key = "sk_" + string(mode) + "_" + publicID + strings.ToLower(rand.Text()[:secretLen])
	return key + checksum(key), publicID
}

// parseKey returns the mode and public part of a well-formed key.
func parseKey(key string) (mode principal.Mode, publicID string, ok bool) {
	for _, m := range []principal.Mode{principal.Live, principal.Test} {
		rest, found := strings.CutPrefix(key, "sk_"+string(m)+"_")
		if found && len(rest) == publicLen+secretLen+checksumLen && checksum(key[:len(key)-checksumLen]) == key[len(key)-checksumLen:] {
			return m, rest[:publicLen], true
		}
	}
	return "", "", false
}

func checksum(s string) string {
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum))
}

// hashKey needs no salt and no slowness: the secret is random.
func hashKey(key string) []byte {
	h := sha256.Sum256([]byte(key))
	return h[:]
}

// admit fails unless the key presented is this one and still good.
func (k APIKey) admit(presented string, now time.Time) error {
	switch {
	case subtle.ConstantTimeCompare(k.Hash, hashKey(presented)) != 1:
		return errUnknownKey()
	case k.RevokedAt != nil:
		return fault.Unauthenticated("This API key was revoked.")
	case k.ExpiresAt != nil && !now.Before(*k.ExpiresAt):
		return fault.Unauthenticated("This API key was rotated and has ended.")
	}
	return nil
}

func errUnknownKey() error { return fault.Unauthenticated("This API key is not known.") }

// checkScopes refuses a set of scopes that cannot be granted.
func checkScopes(scopes []scope.Scope) error {
	var bad fault.Fields
	if len(scopes) == 0 {
		bad.Add("scopes", "too_few", "must have at least 1 items")
	}
	for i, s := range scopes {
		switch {
		case !scope.Known(s):
			bad.Add("scopes", "enum", "has the unknown scope %q", s)
		case slices.Contains(scopes[:i], s):
			bad.Add("scopes", "duplicate", "repeats %q", s)
		}
	}
	return bad.Err()
}
