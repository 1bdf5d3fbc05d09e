package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	workers = 6
	pause   = 40 * time.Millisecond // between the writes of a worker
	// hangs is when a request without a response counts as hung. Slipway responds within
	// 5 seconds, and HAProxy can repeat a request on the other nodes.
	hangs = 15 * time.Second
	// firstOffer is the amount of the first deal. The amount identifies the write.
	firstOffer = 100_000
)

// load opens deals through HAProxy. Each deal has an idempotency key, and is repeated
// with it until it is confirmed, like a client should.
type load struct {
	url, key    string
	hull, buyer string
	client      *http.Client
	next        atomic.Int64

	mu        sync.Mutex
	confirmed map[int64]string // number of the write → ID of the deal
	last      time.Time        // of the newest confirmed write
	current   tally
}

// tally is what happened in one scenario.
type tally struct {
	confirmed  int
	gap        time.Duration // longest time without a confirmed write
	hung       int
	broken     int // connections that HAProxy closed without a response
	statuses   map[int]int
	unexpected int // statuses other than 2xx, 4xx and 503
}

func newLoad(key, hull, buyer string) *load {
	return &load{url: "http://10.213.7.31:8080", key: key, hull: hull, buyer: buyer, confirmed: map[int64]string{},
		client: &http.Client{Timeout: hangs, Transport: &http.Transport{MaxIdleConnsPerHost: workers}}}
}

// run sends requests until ctx ends.
func (l *load) run(ctx context.Context) {
	l.begin()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				l.write(ctx, l.next.Add(1))
				time.Sleep(pause)
			}
		})
	}
	wg.Wait()
}

// write sends one write until it is confirmed.
func (l *load) write(ctx context.Context, number int64) {
	body, _ := json.Marshal(map[string]any{"hull_id": l.hull, "buyer_id": l.buyer, "offer_usd": firstOffer + number})
	for ctx.Err() == nil {
		start := time.Now()
		status, answer, err := l.send(ctx, http.MethodPost, "/v1/deals", idempotencyKey(number), body)
		if ctx.Err() != nil {
			return
		}
		l.count(number, status, answer, err, time.Since(start))
		if status == http.StatusCreated {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// idempotencyKey returns a UUID, always the same one for the same number.
func idempotencyKey(number int64) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", number) }

func (l *load) send(ctx context.Context, method, path, key string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, l.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+l.key)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := l.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

func (l *load) count(number int64, status int, answer []byte, err error, took time.Duration) {
	var created struct{ ID string }
	_ = json.Unmarshal(answer, &created) // HAProxy's own responses have no ID
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil && took >= hangs-time.Second:
		l.current.hung++
	case err != nil:
		l.current.broken++
	case status == http.StatusCreated:
		now := time.Now()
		l.current.confirmed++
		l.current.gap = max(l.current.gap, now.Sub(l.last))
		l.last, l.confirmed[number] = now, created.ID
	}
	if err == nil {
		l.current.statuses[status]++
		if expected := status/100 == 2 || status/100 == 4 || status == http.StatusServiceUnavailable; !expected {
			l.current.unexpected++
			progress("status %d: %.300s", status, answer)
		}
	}
}

// begin starts to count again.
func (l *load) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.current = time.Now(), tally{statuses: map[int]int{}}
}

// end returns what was counted.
func (l *load) end() tally {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current.gap = max(l.current.gap, time.Since(l.last))
	return l.current
}

// waitForWrites waits until some more writes are confirmed.
func (l *load) waitForWrites(ctx context.Context, n int) error {
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.confirmed)
	}
	want := count() + n
	for deadline := time.Now().Add(2 * time.Minute); count() < want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("fewer than %d writes were confirmed within 2 minutes", n)
		}
	}
	return nil
}

// compare counts the confirmed writes that are missing in the database, and the writes
// that are in it more than once.
func (l *load) compare(rows []string) (lost, duplicated int, err error) {
	found := map[int64][]string{}
	for _, row := range rows {
		id, amount, _ := strings.Cut(row, "|")
		number, err := strconv.ParseInt(amount, 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("row %q: %w", row, err)
		}
		found[number-firstOffer] = append(found[number-firstOffer], id)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for number, id := range l.confirmed {
		if ids := found[number]; len(ids) == 0 || ids[0] != id && len(ids) == 1 {
			lost++
		}
	}
	for _, ids := range found {
		duplicated += len(ids) - 1
	}
	return lost, duplicated, nil
}
