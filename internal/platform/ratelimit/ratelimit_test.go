package ratelimit

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

// clock is a clock that only moves when the test moves it.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

// take takes from a bucket of two seconds' worth, as the API's are.
func take(l *Limiter, bucket string, rate float64) Result {
	return l.Take(bucket, int(2*rate), time.Duration(float64(time.Second)/rate))
}

func TestTake(t *testing.T) {
	const ms = time.Millisecond
	c := newClock()
	l := New(func() time.Time { return c.now })
	for i, step := range []struct {
		after       time.Duration
		key         string
		rate        float64
		left        int
		reset, wait time.Duration
	}{
		{0, "a", 2, 3, 500 * ms, 0}, // four saved up, one of them taken
		{0, "a", 2, 2, 1000 * ms, 0},
		{0, "b", 2, 3, 500 * ms, 0}, // b has a bucket of its own
		{0, "a", 2, 1, 1500 * ms, 0},
		{0, "a", 2, 0, 2000 * ms, 0},
		{0, "a", 2, 0, 2000 * ms, 500 * ms}, // empty
		{0, "a", 2, 0, 2000 * ms, 500 * ms}, // a refusal costs nothing
		{499 * ms, "a", 2, 0, 1501 * ms, ms},
		{1 * ms, "a", 2, 0, 2000 * ms, 0}, // one came back
		{0, "a", 2, 0, 2000 * ms, 500 * ms},
		{1000 * ms, "a", 2, 1, 1500 * ms, 0},
		{time.Hour, "a", 2, 3, 500 * ms, 0}, // it has at most the requests of two seconds
	} {
		c.advance(step.after)
		got := take(l, step.key, step.rate)
		if want := (Result{step.left, step.reset, step.wait}); got != want {
			t.Fatalf("step %d: %+v, want %+v", i, got, want)
		}
	}
}

// However requests come, no more pass than the rate and the savings allow, and
// a caller that waits for the returned time passes.
func TestTakeKeepsTheRate(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, rate := range []float64{1, 3, 25, 100, 10_000} {
		c := newClock()
		l := New(func() time.Time { return c.now })
		passed, start := 0, c.now
		for range 5000 {
			c.advance(time.Duration(rng.ExpFloat64() / rate / 1.5 * float64(time.Second)))
			wait := take(l, "a", rate).Wait
			if wait > 0 {
				c.advance(wait)
				if again := take(l, "a", rate).Wait; again > 0 {
					t.Fatalf("at %g per second: got a wait of %s, then another of %s, want none", rate, wait, again)
				}
			}
			passed++
			// The step between two requests is rounded down to nanoseconds, so one in a million more can pass.
			if most := (rate*c.now.Sub(start).Seconds() + rate*2) * (1 + 1e-5); float64(passed) > most {
				t.Fatalf("got %d passed of %g allowed, want float64(passed) <= %v", passed, most, most)
			}
		}
	}
}

// An attacker with many addresses can't make the limiter use more memory, or look
// at all buckets for each request.
func TestFloodFromManyAddresses(t *testing.T) {
	c := newClock()
	l := New(func() time.Time { return c.now })
	for i := range maxBuckets + 1000 {
		take(l, strconv.Itoa(i), 100)
	}
	if len(l.buckets) != maxBuckets {
		t.Errorf("got %d buckets, want %d", len(l.buckets), maxBuckets)
	}

	c.advance(time.Second)
	take(l, "one more", 100)
	if want := maxBuckets - deletePerTake + 1; len(l.buckets) != want {
		t.Errorf("got %d buckets after one request, want %d", len(l.buckets), want)
	}
}

func TestTakeAddress(t *testing.T) {
	l := New(func() time.Time { return time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC) })
	for _, step := range []struct {
		address    string
		n, allowed int
	}{
		{"192.0.2.1", 4, 3},
		{"192.0.2.2", 1, 1},
		{"2001:db8:1:1::%x", 4, 3},
		{"2001:db8:1:ff%02x::1", 40, 26}, // of 30 for the /48
		{"2001:db8:2::1", 1, 1},
	} {
		for n := range step.n {
			address := step.address
			if strings.Contains(address, "%") {
				address = fmt.Sprintf(address, n)
			}
			if allowed := l.TakeAddress("sign-in", address, 3, time.Minute).Wait == 0; allowed != (n < step.allowed) {
				t.Errorf("attempt %d of %s: got allowed = %v", n, step.address, allowed)
			}
		}
	}
}

func TestNetworks(t *testing.T) {
	for address, want := range map[string][2]string{
		"203.0.113.7":               {"203.0.113.7", ""},
		"::ffff:203.0.113.7":        {"::ffff:203.0.113.7", ""},
		"2001:db8:1:2:3:4:5:6":      {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:2:ffff::1":      {"2001:db8:1:2::/64", "2001:db8:1::/48"},
		"2001:db8:1:3::1":           {"2001:db8:1:3::/64", "2001:db8:1::/48"},
		"fe80::1%eth0":              {"fe80::/64", "fe80::/48"},
		"not an address, such as @": {"not an address, such as @", ""},
	} {
		if narrow, wide := Networks(address); narrow != want[0] || wide != want[1] {
			t.Errorf("%s: got %q and %q, want %q and %q", address, narrow, wide, want[0], want[1])
		}
	}
}

// A clock that is set back does not block callers.
func TestClockSetBack(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	l := New(func() time.Time { return now })
	l.Take("a", 2, time.Second)
	now = now.Add(-time.Hour)
	if taken := l.Take("a", 2, time.Second); taken.Wait > 0 {
		t.Errorf("got %+v, want taken.Wait <= 0", taken)
	}
}

// A node learns what the others took, also if all together took more than allowed, and
// allows nothing until that is repaid.
func TestAdjust(t *testing.T) {
	c := newClock()
	l := New(func() time.Time { return c.now })
	for range 4 {
		take(l, "a", 2)
	}
	if got := l.Uses(10); len(got) != 1 || got[0] != (Use{"a", 4, 500 * time.Millisecond}) {
		t.Fatalf("got %+v, want 4 uses of a", got)
	}
	l.Adjust("a", 3*time.Second) // two more than the bucket has
	for i, step := range []struct{ after, wait time.Duration }{
		{0, 1500 * time.Millisecond}, {time.Second, 500 * time.Millisecond}, {500 * time.Millisecond, 0}, {0, 500 * time.Millisecond},
	} {
		c.advance(step.after)
		if got := take(l, "a", 2).Wait; got != step.wait {
			t.Fatalf("step %d: got a wait of %s, want %s", i, got, step.wait)
		}
	}

	if got := l.Uses(10); len(got) != 1 || got[0].Took != 1 {
		t.Errorf("got %+v, want only the use since the last time", got)
	}
	take(l, "b", 100) // one of 200
	if got := l.Uses(10); len(got) != 0 {
		t.Errorf("got %+v, want nothing about a bucket with little use", got)
	}
	l.Adjust("unknown", time.Second)
	if _, ok := l.buckets["unknown"]; ok {
		t.Error("got a bucket that was never used")
	}
}
