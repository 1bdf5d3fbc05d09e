// Package id generates and validates the IDs of resources.
//
// An id is a prefix and a ULID in lower case: hull_01jcqz8t5n8m2x4v6b7c9d0e1f.
// IDs sort by creation time, so an ID is also a position in a list.
package id

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Source generates IDs that always increase, even if the clock is set back.
type Source struct {
	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
	last    uint64
}

// NewSource returns a source of ids.
func NewSource() *Source {
	// The increment bound keeps neighboring ids unguessable within one millisecond.
	return &Source{entropy: ulid.Monotonic(rand.Reader, 1<<40-1)}
}

// New returns a new ID for the given time.
func (s *Source) New(prefix string, at time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, ulid.Timestamp(at))
	u, err := ulid.New(s.last, s.entropy)
	if err != nil { // 2^80 spent in this millisecond: borrow the next one
		s.last++
		u = ulid.MustNew(s.last, s.entropy)
	}
	return prefix + "_" + strings.ToLower(u.String())
}

// Next returns the ID that sorts directly after a valid ID.
func Next(s string) string {
	prefix, digits, _ := strings.Cut(s, "_")
	u := ulid.MustParseStrict(digits)
	for i := len(u) - 1; i >= 0; i-- {
		if u[i]++; u[i] != 0 {
			break // nothing to carry
		}
	}
	return prefix + "_" + strings.ToLower(u.String())
}

// Floor returns the smallest ID of the given time. Use it to filter by creation
// time with the primary key.
func Floor(prefix string, at time.Time) string {
	var u ulid.ULID
	if ms := at.UnixMilli(); ms > 0 {
		_ = u.SetTime(min(uint64(ms), ulid.MaxTime())) // cannot fail: the time is in range
	}
	return prefix + "_" + strings.ToLower(u.String())
}

// Valid reports whether s has the form of an id with this prefix.
func Valid(prefix, s string) bool {
	digits, ok := strings.CutPrefix(s, prefix+"_")
	if !ok || len(digits) != ulid.EncodedSize || strings.ToLower(digits) != digits {
		return false
	}
	_, err := ulid.ParseStrict(digits)
	return err == nil
}
