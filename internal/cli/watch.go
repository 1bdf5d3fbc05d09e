package cli

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"time"
)

const (
	// pollEvents is how often events are read without the stream.
	pollEvents = 500 * time.Millisecond

	// idleEvents is how often they are read with it, in case it is blocked on the way.
	idleEvents = 15 * time.Second

	maxRetryDelay = 30 * time.Second
)

// Watch signals that there are new events. It follows the stream of the server, and
// connects again when it ends. Readers of the list never miss an event, because a new
// connection is a signal too. If a key can't use the stream, it signals twice per second.
func (c *Client) Watch(ctx context.Context) <-chan struct{} {
	signal := make(chan struct{}, 1)
	notify := func() {
		select {
		case signal <- struct{}{}:
		default: // a signal is waiting
		}
	}
	go func() {
		for failures := 0; ctx.Err() == nil; {
			connected := c.follow(ctx, notify)
			if connected {
				failures = 0
			} else {
				failures++
			}
			notify()
			_ = sleep(ctx, min(maxRetryDelay, pollEvents<<min(failures, 6))) // ends with the context
		}
	}()
	return c.paced(ctx, signal)
}

// paced adds a signal after a while without one.
func (c *Client) paced(ctx context.Context, signal <-chan struct{}) <-chan struct{} {
	out := make(chan struct{})
	go func() {
		defer close(out)
		for {
			wait := time.NewTimer(idleEvents)
			if !c.streaming.Load() {
				wait.Reset(pollEvents)
			}
			select {
			case <-ctx.Done():
				return
			case <-signal:
			case <-wait.C:
			}
			select {
			case <-ctx.Done():
				return
			case out <- struct{}{}:
			}
		}
	}()
	return out
}

// follow reads the stream until it ends, and reports whether it was connected.
func (c *Client) follow(ctx context.Context, notify func()) bool {
	res, err := c.once(ctx, Request{Verb: http.MethodGet, Path: "/v2-preview/events/stream", Header: http.Header{}, Stream: true})
	if err != nil {
		return false
	}
	defer res.Body.Close()
	c.streaming.Store(true)
	defer c.streaming.Store(false)
	notify()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") {
			notify()
		}
	}
	return true
}
