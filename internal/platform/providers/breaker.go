// Package providers stops calls to the providers of email and text messages when they don't
// answer, so that what waits for them doesn't hold up the rest.
package providers

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A breaker opens after this many failures in a row. It then lets one call through after
// firstWait, and twice as long after each failure, up to maxWait.
const (
	failuresToOpen = 3
	firstWait      = 30 * time.Second
	maxWait        = 5 * time.Minute
)

// Open is the error of a call that was not made, because the provider doesn't answer.
type Open struct {
	Provider string
	Wait     time.Duration // until the next attempt can succeed
}

func (o *Open) Error() string {
	return fmt.Sprintf("%s doesn't answer; the next attempt is in %s", o.Provider, o.Wait.Round(time.Second))
}

// RetryIn is when the job runs again. See package jobs.
func (o *Open) RetryIn() time.Duration { return o.Wait }

// Breaker decides whether a provider is called.
type Breaker struct {
	Provider string
	// Changed is called when the provider stops answering, after each further attempt that
	// fails, and when it answers again. The time is when it stopped, or zero.
	Changed func(ctx context.Context, provider string, since time.Time)

	now func() time.Time

	mu       sync.Mutex
	failures int // in a row
	since    time.Time
	retryAt  time.Time // zero while calls are made
}

// NewBreaker returns a breaker that lets calls through.
func NewBreaker(provider string, now func() time.Time) *Breaker {
	return &Breaker{Provider: provider, now: now}
}

// Failing reports whether the provider doesn't answer.
func (b *Breaker) Failing() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.retryAt.IsZero()
}

// allow returns an error if the provider must not be called now. While it fails, one caller
// at a time is let through.
func (b *Breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.retryAt.IsZero() {
		return nil
	}
	if wait := b.retryAt.Sub(now); wait > 0 {
		return &Open{b.Provider, wait}
	}
	b.retryAt = now.Add(b.wait())
	return nil
}

// wait is how long the next attempt is away.
func (b *Breaker) wait() time.Duration {
	return min(maxWait, firstWait<<min(b.failures-failuresToOpen, 10))
}

// record notes the result of a call, and reports whether it changed something that others
// should know.
func (b *Breaker) record(answered bool) (since time.Time, changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answered {
		changed = !b.retryAt.IsZero()
		b.failures, b.since, b.retryAt = 0, time.Time{}, time.Time{}
		return b.since, changed
	}
	if b.failures == 0 {
		b.since = b.now()
	}
	b.failures++
	if b.failures < failuresToOpen {
		return b.since, false
	}
	b.retryAt = b.now().Add(b.wait())
	return b.since, true
}

// call makes a call if the provider is expected to answer.
func (b *Breaker) call(ctx context.Context, call func() error, answered func(err error) bool) error {
	if err := b.allow(); err != nil {
		return err
	}
	err := call()
	if since, changed := b.record(err == nil || answered(err)); changed && b.Changed != nil {
		b.Changed(ctx, b.Provider, since)
	}
	return err
}
