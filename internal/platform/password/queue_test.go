package password

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"slipway/internal/vocab/fault"
)

// A flood fills the queue. Those who wait get a turn when one is free, or an error
// after three seconds.
func TestFloodFillsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1)
		leave, err := q.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		start := time.Now()
		_, err = q.Enter(t.Context())
		busy, ok := errors.AsType[*fault.Error](err)
		if !ok || busy.Kind != fault.KindRateLimited || busy.RetryAfter != 5*time.Second || time.Since(start) != 3*time.Second {
			t.Errorf("full queue: got %v after %s; want 429 with Retry-After 5 s after 3 s", err, time.Since(start))
		}

		turn := make(chan error)
		go func() {
			leave, err := q.Enter(t.Context())
			if err == nil {
				leave()
			}
			turn <- err
		}()
		time.Sleep(2 * time.Second) // of the test's own clock
		leave()
		if err := <-turn; err != nil {
			t.Errorf("free after 2 s: got %v, want a turn", err)
		}
	})
}

// A client that disconnects doesn't wait any longer.
func TestCanceledRequestLeavesQueue(t *testing.T) {
	q := NewQueue(1)
	if _, err := q.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Enter(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
