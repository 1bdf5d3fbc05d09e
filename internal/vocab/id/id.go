// Package id makes and checks the ids of resources.
//
// An id is a prefix and a ULID in lower case: hull_01jcqz8t5n8m2x4v6b7c9d0e1f.
// Ids sort as text by creation, so an id alone is a position in a list.
package id

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Source gives out ids that never go backwards, whatever the clock does.
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

// New returns a fresh id made at the given time.
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

// Next is the id that sorts right after this valid one.
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

// Floor is the smallest id that could have been made at the given time, which
// turns a condition on creation time into one on the primary key.
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
