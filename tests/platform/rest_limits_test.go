package platform

import (
	"context"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// Three servers that share a limit allow at most 5 % more than one server, at three times
// the limit. Without sharing, they allow three times as much.
func TestSharedLimits(t *testing.T) {
	s := testkit.OnPostgres(t)
	const rate, seconds = 100, 20
	allowed := func(shared bool, bucket string) (first, second int) {
		now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
		nodes := make([]*ratelimit.Limiter, 3)
		for i := range nodes {
			nodes[i] = ratelimit.New(func() time.Time { return now })
		}
		clock := func(context.Context, *db.Tx) (time.Time, error) { return now, nil }
		for tick := range seconds * 100 { // 10 ms
			now = now.Add(10 * time.Millisecond)
			for i, n := range nodes {
				if n.Take(bucket, rate*ratelimit.BurstSeconds, time.Second/rate).Wait == 0 {
					if tick < seconds*50 {
						first++
					} else {
						second++
					}
				}
				if shared && (tick+3*i)%10 == 0 { // each node every 100 ms
					if err := n.Share(t.Context(), s.DB, clock); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		return first, second
	}

	const half = rate * seconds / 2
	first, second := allowed(true, "key_shared")
	t.Logf("allowed %d and %d of %d", first, second, half)
	if most := half + rate*ratelimit.BurstSeconds; float64(first) > 1.05*float64(most) || float64(second) > 1.05*half || second < half*9/10 {
		t.Errorf("got %d and then %d requests, want at most 5 %% more than %d and %d", first, second, most, half)
	}
	if first, second := allowed(false, "key_alone"); first+second < 5*half {
		t.Errorf("got %d and %d requests without sharing, want three times the limit", first, second)
	}
}

// What one server allowed counts on another one, through the API.
func TestSharedLimitOfAKey(t *testing.T) {
	a := testkit.OnPostgres(t)
	b := a.Node()
	now := a.DB.Now()
	a.StopClock(now)
	b.StopClock(now)
	key := a.KeyWith(access.KeyRequest{Name: "Slow", Scopes: []auth.Scope{auth.HullsRead}, RateLimit: new(int64(5))})
	share := func() {
		t.Helper()
		for _, s := range []*testkit.Server{a, b} {
			if err := s.Router.ShareLimits(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 9 {
		a.As(key).Get("/v1/me", 200, nil)
	}
	b.As(key).Get("/v1/me", 200, nil)
	share()
	b.As(key).Do("GET", "/v1/me", nil, 429, nil)
	for _, name := range testkit.Rows[string](a, `SELECT bucket FROM rate_limits`) {
		assert.Equal(t, len(name), 32, "hashed name")
	}
}

// If the database is unavailable, each server applies the limit alone, and the outage does
// not become a debt.
func TestSharedLimitsDuringAnOutage(t *testing.T) {
	s := testkit.OnSQLite(t)
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	clock := func(context.Context, *db.Tx) (time.Time, error) { return now, nil }
	l := ratelimit.New(func() time.Time { return now })
	take := func() time.Duration { return l.Take("a", 2, time.Second).Wait }
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		assert.Equal(t, take(), 0)
		if err := l.Share(canceled, s.DB, clock); err == nil {
			t.Fatal("got no error, want one")
		}
		now = now.Add(time.Second)
	}
	assert.Equal(t, take(), 0)
	if err := l.Share(t.Context(), s.DB, clock); err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, take(), 0)
	assert.Equal(t, take(), time.Second, "the limit of this server")
	assert.Equal(t, testkit.Rows[int64](s, `SELECT full_at FROM rate_limits`), []int64{now.Add(time.Second).UnixMicro()})

	n, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		tx.Now = now.Add(2 * time.Hour)
		return ratelimit.Purge(ctx, tx)
	})
	if err != nil || n != 1 {
		t.Errorf("got %d deleted and error %v, want 1", n, err)
	}
}
