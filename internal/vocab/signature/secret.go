package signature

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"
)

// Secret signs requests. After a rotation, the old and the new secret both sign
// until the old one expires.
type Secret struct {
	Key   []byte     `json:"key"`
	Until *time.Time `json:"until,omitempty"`
}

// NewSecret generates a secret. It is as long as the hash.
func NewSecret() Secret {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return Secret{Key: key}
}

// Text returns the secret as users see it.
func (s Secret) Text() string { return Format(s.Key) }

// ParseSecret parses the output of Text.
func ParseSecret(text string) (Secret, error) {
	key, err := Parse(text)
	return Secret{Key: key}, err
}

// Overlap is how long the old secret still works after a rotation: the hours that the caller
// chose, or 7 days.
func Overlap(hours *int64) time.Duration {
	if hours == nil {
		return 7 * 24 * time.Hour
	}
	return time.Duration(*hours) * time.Hour
}

// Rotate adds a new secret, which is the first of the result. The others expire at
// the end of the overlap.
func Rotate(secrets []Secret, now time.Time, overlap time.Duration) []Secret {
	until := now.Add(overlap)
	rotated := []Secret{NewSecret()}
	for _, s := range unexpired(secrets, now) {
		if s.Until == nil || until.Before(*s.Until) {
			s.Until = &until
		}
		rotated = append(rotated, s)
	}
	return unexpired(rotated, now)
}

// unexpired returns the secrets that have not expired.
func unexpired(secrets []Secret, now time.Time) []Secret {
	return slices.DeleteFunc(slices.Clone(secrets), func(s Secret) bool { return s.Until != nil && !now.Before(*s.Until) })
}

// SignAll returns the webhook-signature header of a request. It contains one
// signature for each unexpired secret.
func SignAll(secrets []Secret, id string, at time.Time, body []byte) string {
	var signatures []string
	for _, s := range unexpired(secrets, at) {
		signatures = append(signatures, Sign(s.Key, id, at, body))
	}
	return strings.Join(signatures, " ")
}
