package access

import (
	"crypto/sha256"
	"sync"
	"time"

	"slipway/internal/vocab/auth"
)

// rejections caches rejected tokens for a second, so that a flood of requests
// with the same token causes no queries. This is safe, because a rejected token
// never becomes valid.
type rejections struct {
	mu      sync.Mutex
	byToken map[[sha256.Size]byte]rejection
}

type rejection struct {
	err   error
	until time.Time

	// Owner of the token, for the audit log. Env is 0 if the token is unknown.
	env      auth.Env
	kind, id string
}

const (
	rejectionLifetime = time.Second
	maxRejections     = 10_000
)

func (r *rejections) add(token string, what rejection, now time.Time) {
	what.until = now.Add(rejectionLifetime)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byToken == nil || len(r.byToken) >= maxRejections {
		r.byToken = map[[sha256.Size]byte]rejection{}
	}
	r.byToken[sha256.Sum256([]byte(token))] = what
}

func (r *rejections) find(token string, now time.Time) (rejection, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.byToken) == 0 {
		return rejection{}, false
	}
	what, ok := r.byToken[sha256.Sum256([]byte(token))]
	// The second check is for a clock that was set back.
	return what, ok && now.Before(what.until) && what.until.Sub(now) <= rejectionLifetime
}
