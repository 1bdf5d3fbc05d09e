package access

import (
	"crypto/sha256"
	"sync"
	"time"

	"slipway/internal/vocab/auth"
)

// refusals remembers for a moment which tokens were refused, so that a flood
// of one costs no look-ups. A token that was refused does not become good: to
// be remembered for a second wrongs nobody.
type refusals struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]refusal
}

type refusal struct {
	why   error
	until time.Time

	// Whose token it is, for the audit log; env is 0 if it is nobody's.
	env      auth.Env
	kind, id string
}

const (
	rememberFor   = time.Second
	maxRemembered = 10_000
)

// add takes note of a refusal.
func (r *refusals) add(token string, what refusal, now time.Time) {
	what.until = now.Add(rememberFor)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxRemembered {
		r.known = map[[sha256.Size]byte]refusal{}
	}
	r.known[sha256.Sum256([]byte(token))] = what
}

// find returns the refusal of a token, if there was one a moment ago.
func (r *refusals) find(token string, now time.Time) (refusal, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) == 0 {
		return refusal{}, false
	}
	what, ok := r.known[sha256.Sum256([]byte(token))]
	// A clock that was set back must not make a moment last.
	return what, ok && now.Before(what.until) && what.until.Sub(now) <= rememberFor
}
