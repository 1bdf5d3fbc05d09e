package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// pollWork is how often a command asks for the state of work in the background.
const pollWork = 500 * time.Millisecond

// waiter waits until the work of an operation is complete. It gets the first response, and
// returns the last one. If it returns both, the work is complete and has failed.
type waiter func(ctx context.Context, c *operationCall, text []byte) ([]byte, error)

// waits are the waiters by where the work of an operation goes on; see background. It is
// set in init, because the waiters call what reads it.
var waits map[string]waiter

const (
	allDeliveries = "/v1/webhooks/{webhook_id}/deliveries"
	deadLetters   = "/v1/webhooks/{webhook_id}/dead_letters"
)

func init() {
	waits = map[string]waiter{
		"/v1/hull_imports/{id}":                     waitForImport("/v1/hull_imports/"),
		"/v2-preview/contact_imports/{id}":          waitForImport("/v2-preview/contact_imports/"),
		"/v1/webhooks/{webhook_id}/deliveries/{id}": waitForDelivery,
		allDeliveries:                               waitForReplay,
		deadLetters:                                 waitForDrain,
	}
}

// waitForImport follows an import, whose path starts with the path of its kind.
func waitForImport(path string) waiter {
	return func(ctx context.Context, c *operationCall, text []byte) ([]byte, error) {
		bar := newBar(c.s, "Importing")
		defer bar.finish()
		for {
			var i struct {
				ID, State, Problem                        string
				Rows, Created, Updated, Unchanged, Failed int64
				Percent                                   int64 `json:"progress_percent"`
			}
			if err := json.Unmarshal(text, &i); err != nil {
				return nil, err
			}
			bar.set(i.Percent, 100, fmt.Sprintf("%d created, %d updated, %d failed", i.Created, i.Updated, i.Failed))
			switch i.State {
			case "completed":
				return text, nil
			case "failed":
				return text, fmt.Errorf("the import failed: %s", i.Problem)
			}
			var err error
			if text, err = c.again(ctx, path+i.ID); err != nil {
				return nil, err
			}
		}
	}
}

func waitForDelivery(ctx context.Context, c *operationCall, text []byte) ([]byte, error) {
	bar := newBar(c.s, "Delivering")
	defer bar.finish()
	for first := -1; ; {
		var d struct {
			ID, Status string
			Attempts   []json.RawMessage
			WebhookID  string `json:"webhook_id"`
		}
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, err
		}
		if first < 0 {
			first = len(d.Attempts)
		}
		switch {
		case d.Status == "succeeded":
			return text, nil
		case d.Status != "pending" || len(d.Attempts) > first:
			return text, errors.New("the delivery failed. The attempts show why")
		}
		var err error
		if text, err = c.again(ctx, "/v1/webhooks/"+d.WebhookID+"/deliveries/"+d.ID); err != nil {
			return nil, err
		}
	}
}

// prepareWait reads what exists before the request, to recognize what it changes.
func (c *operationCall) prepareWait(ctx context.Context) (err error) {
	switch background[c.ID] {
	case allDeliveries:
		var page struct{ Data []delivery }
		if err = c.client.Call(ctx, "GET", c.webhook()+"/deliveries?limit=1", nil, &page); err == nil && len(page.Data) > 0 {
			c.newest = page.Data[0].ID
		}
	case deadLetters:
		c.dead = map[string]bool{}
		err = c.eachDelivery(ctx, "/dead_letters", func(d delivery) bool {
			c.dead[d.ID] = true
			return true
		})
	}
	return err
}

// delivery is a delivery of a webhook. Its attempts are those that have ended: attempt_count
// also counts the one that is being made.
type delivery struct {
	ID, Status string
	Replay     bool `json:"is_replay"`
	Attempts   []json.RawMessage
}

func (c *operationCall) webhook() string {
	return "/v1/webhooks/" + url.PathEscape(c.ids["webhook_id"])
}

// eachDelivery calls fn for the deliveries of a list, newest first, until it returns false.
func (c *operationCall) eachDelivery(ctx context.Context, list string, fn func(delivery) bool) error {
	r := Request{Verb: "GET", Path: c.webhook() + list, Query: url.Values{"limit": {"100"}}}
	return eachPage(ctx, c.client, r, func(page []json.RawMessage) (bool, error) {
		for _, item := range page {
			var d delivery
			if err := json.Unmarshal(item, &d); err != nil || !fn(d) {
				return false, err
			}
		}
		return true, nil
	})
}

// waitForReplay waits until each event of a replay was sent once.
func waitForReplay(ctx context.Context, c *operationCall, text []byte) ([]byte, error) {
	return c.waitForCount(ctx, text, "Replaying", "events", func() (sent int64, err error) {
		err = c.eachDelivery(ctx, "/deliveries", func(d delivery) bool {
			if d.ID > c.newest && d.Replay && (d.Status != "pending" || len(d.Attempts) > 0) {
				sent++
			}
			return d.ID > c.newest // IDs contain the time
		})
		return sent, err
	})
}

// waitForDrain waits until the dead letters are no longer dead.
func waitForDrain(ctx context.Context, c *operationCall, text []byte) ([]byte, error) {
	return c.waitForCount(ctx, text, "Draining", "dead letters", func() (int64, error) {
		still := 0
		err := c.eachDelivery(ctx, "/dead_letters", func(d delivery) bool {
			if c.dead[d.ID] {
				still++
			}
			return true
		})
		return int64(len(c.dead) - still), err
	})
}

// waitForCount waits until as many objects are done as the response counts.
func (c *operationCall) waitForCount(ctx context.Context, text []byte, label, noun string, done func() (int64, error)) ([]byte, error) {
	var counted struct{ Count int64 }
	if err := json.Unmarshal(text, &counted); err != nil {
		return nil, err
	}
	bar := newBar(c.s, label)
	defer bar.finish()
	for {
		n, err := done()
		if err != nil {
			return nil, err
		}
		bar.set(n, counted.Count, fmt.Sprintf("%d of %d %s", n, counted.Count, noun))
		if n >= counted.Count {
			return text, nil
		}
		if err := c.client.Sleep(ctx, pollWork); err != nil {
			return nil, err
		}
	}
}

// again waits, and reads a resource.
func (c *operationCall) again(ctx context.Context, path string) ([]byte, error) {
	if err := c.client.Sleep(ctx, pollWork); err != nil {
		return nil, err
	}
	res, err := c.client.Send(ctx, Request{Verb: "GET", Path: path})
	if err != nil {
		return nil, err
	}
	return res.Text, nil
}

// bar is a progress bar. It is nil without a terminal.
type bar struct {
	out   io.Writer
	label string
	line  string
	done  bool
}

func newBar(s *Session, label string) *bar {
	if !s.Interactive {
		return nil
	}
	return &bar{out: s.Err, label: printable(label)}
}

const barWidth = 24

// set draws the bar. If the total is unknown, it only shows the text.
func (b *bar) set(done, total int64, text string) {
	if b == nil || b.done {
		return
	}
	line := b.label + "  " + text
	if total > 0 {
		full := int(min(done, total) * barWidth / total)
		line = fmt.Sprintf("%s [%s%s] %3d%%  %s", b.label, strings.Repeat("#", full), strings.Repeat("-", barWidth-full), min(done, total)*100/total, text)
	}
	if line != b.line {
		_, _ = fmt.Fprintf(b.out, "\r%s\x1b[K", line) // the terminal might be closed
		b.line = line
	}
}

// finish ends the line of the bar.
func (b *bar) finish() {
	if b != nil && !b.done && b.line != "" {
		b.done = true
		_, _ = fmt.Fprintln(b.out) // the terminal might be closed
	}
}
