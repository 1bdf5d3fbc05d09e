package slipway

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// retries repeats what fails temporarily.
type retries struct {
	max    int
	sleep  func(context.Context, time.Duration) error
	random func() float64 // from 0 to 1
}

// maxWait is the longest Retry-After to wait for. The caller gets the error if it is longer.
const maxWait = time.Minute

// do calls try until it succeeds, fails permanently or again returns false.
func (r retries) do(ctx context.Context, try func(attempt int) error, again func() bool) error {
	for attempt := 1; ; attempt++ {
		err := try(attempt)
		if err == nil || attempt > r.max || !isTemporary(err) || ctx.Err() != nil || !again() {
			return err
		}
		wait := r.backoff(attempt)
		var e *Error
		if errors.As(err, &e) && e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
		if deadline, ok := ctx.Deadline(); wait > maxWait || ok && time.Until(deadline) < wait {
			return err
		}
		if canceled := r.sleep(ctx, wait); canceled != nil {
			return errors.Join(canceled, err)
		}
	}
}

// backoff is between half and all of 0.5, 1, 2, 4 and 8 seconds.
func (r retries) backoff(attempt int) time.Duration {
	most := min(8*time.Second, 500*time.Millisecond<<min(attempt-1, 4))
	return most/2 + time.Duration(r.random()*float64(most/2))
}

// isTemporary reports whether a request can succeed if it is sent again.
func isTemporary(err error) bool {
	var credential *credentialError
	if errors.As(err, &credential) {
		return false
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Status == http.StatusTooManyRequests || e.Status >= 500 || e.Status == http.StatusConflict && e.RetryAfter > 0
	}
	var lost *noResponse
	return errors.As(err, &lost)
}
