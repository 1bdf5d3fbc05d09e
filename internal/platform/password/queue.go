package password

import (
	"context"
	"runtime"
	"time"

	"slipway/internal/vocab/fault"
)

const (
	// maxWait is how long a request waits for its turn.
	maxWait = 3 * time.Second
	// retryIn is when a request that had to wait too long can try again.
	retryIn = 5 * time.Second
)

// Queue limits the simultaneous hashes. Each uses a core and 19 MiB, and
// unauthenticated clients decide how many are computed.
type Queue struct{ slots chan struct{} }

// NewQueue returns a queue that computes n hashes at the same time.
func NewQueue(n int) *Queue { return &Queue{make(chan struct{}, n)} }

// Each of the queues uses at most half of the cores. A flood of sign-ins fills
// Unknown. Users who sign in from an address that they have used before, or who
// have already proved who they are, use Known and don't wait for the flood.
var (
	Unknown = NewQueue(max(1, runtime.GOMAXPROCS(0)/2))
	Known   = NewQueue(max(1, runtime.GOMAXPROCS(0)/2))
)

// Enter waits for a turn to compute hashes, for three seconds at most. Call leave
// when they are computed.
func (q *Queue) Enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-q.slots }
	select {
	case q.slots <- struct{}{}:
		return leave, nil
	default:
	}

	wait := time.NewTimer(maxWait)
	defer wait.Stop()
	select {
	case q.slots <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-wait.C:
		return nil, fault.Busy("Too many sign-ins at the moment. Retry after the time in Retry-After.").RetryIn(retryIn)
	}
}
