package providers

import (
	"context"
	"errors"
	"testing"
	"time"

	"slipway/internal/platform/sms"
	"slipway/internal/testkit/assert"
)

// provider is a stand-in that answers with err.
type provider struct {
	sms.Sender
	err   error
	calls int
}

func (p *provider) Send(context.Context, sms.Message) (string, error) {
	p.calls++
	return "SM1", p.err
}

// A provider that fails is called again after a while, one caller at a time, and less often
// if it still fails. A rejection is an answer.
func TestBreaker(t *testing.T) {
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	start := now
	b := NewBreaker("twilio", func() time.Time { return now })
	var changes []time.Time
	b.Changed = func(_ context.Context, name string, since time.Time) {
		assert.Equal(t, name, "twilio")
		changes = append(changes, since)
	}
	p := &provider{}
	texts := Texts(p, b)
	send := func(err error) (called bool, wait time.Duration) {
		before := p.calls
		p.err = err
		_, got := texts.Send(t.Context(), sms.Message{})
		if open, ok := errors.AsType[*Open](got); ok {
			wait = open.RetryIn()
		}
		return p.calls > before, wait
	}

	down, rejected := errors.New("timeout"), &sms.Rejected{Code: "21211"}
	steps := []struct {
		after  time.Duration
		result error
		called bool
		wait   time.Duration
	}{
		{0, nil, true, 0}, {0, down, true, 0}, {0, down, true, 0},
		{0, rejected, true, 0}, // an answer, so it counts from the start
		{0, down, true, 0}, {0, down, true, 0}, {0, down, true, 0},
		{0, nil, false, 30 * time.Second},
		{20 * time.Second, nil, false, 10 * time.Second},
		{10 * time.Second, down, true, 0}, // one attempt
		{0, nil, false, time.Minute},
		{time.Minute, down, true, 0},
		{0, nil, false, 2 * time.Minute},
		{2 * time.Minute, down, true, 0}, {4 * time.Minute, down, true, 0},
		{0, nil, false, 5 * time.Minute}, // at most
		{5 * time.Minute, nil, true, 0},
		{0, down, true, 0}, {0, nil, true, 0},
	}
	for i, step := range steps {
		now = now.Add(step.after)
		called, wait := send(step.result)
		assert.Equal(t, called, step.called, "step", i)
		assert.Equal(t, wait, step.wait, "step", i)
	}
	assert.Equal(t, changes, []time.Time{start, start, start, start, start, {}})
	assert.Equal(t, b.Failing(), false)

	// While one caller tries, the others wait.
	for range failuresToOpen {
		send(down)
	}
	now = now.Add(firstWait)
	assert.NoError(t, b.allow())
	assert.Equal(t, b.allow() != nil, true)
}
