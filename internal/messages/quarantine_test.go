package messages

import (
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

// A new hour of the clock doesn't start from zero: otherwise a flood around it would create
// twice as many leads.
func TestInLastHour(t *testing.T) {
	hour := time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC)
	before, now := newSenders{hour.Add(-time.Hour), 60}, newSenders{hour, 7}
	for name, c := range map[string]struct {
		counts []newSenders
		into   time.Duration
		want   int64
	}{
		"none":                      {nil, 0, 0},
		"only this hour":            {[]newSenders{now}, 59 * time.Minute, 7},
		"the hour before, at once":  {[]newSenders{before}, 0, 60},
		"the hour before, soon":     {[]newSenders{before, now}, 6 * time.Minute, 54 + 7},
		"the hour before, half":     {[]newSenders{now, before}, 30 * time.Minute, 30 + 7},
		"the hour before, too late": {[]newSenders{before, now}, time.Hour - time.Second, 7},
	} {
		assert.Equal(t, inLastHour(c.counts, hour.Add(c.into)), c.want, name)
	}
}
