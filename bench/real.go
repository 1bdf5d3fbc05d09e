package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// realServer is the real program on its own filled SQLite database.
type realServer struct {
	inventory
	*process
	hulls, editable []string
}

// openReal fills a database and starts the program. If it is pinned, it has one
// half of the cores, and this process has the other.
func openReal(ctx context.Context, o options, name string, pinned bool, set ...string) (*realServer, error) {
	return openRealOn(ctx, o, sqliteIn(filepath.Join(o.temp, name)), pinned, set...)
}

// openRealOn is openReal for a database.
func openRealOn(ctx context.Context, o options, d database, pinned bool, set ...string) (*realServer, error) {
	if d.settings.DatabaseURL != "" {
		set = append(set, "SLIPWAY_DATABASE_URL="+d.settings.DatabaseURL)
	}
	inv, err := seed(ctx, d, small)
	if err != nil {
		return nil, err
	}
	v := versus{inventory: inv}
	if err := v.readIDs(ctx, d); err != nil {
		return nil, err
	}
	p, err := startSlipway(ctx, o, d.settings.Data, pinned, set...)
	return &realServer{inv, p, v.hulls, v.editable}, err
}

// request returns a request to the server.
func (s *realServer) request(ctx context.Context, method, path string, body map[string]any) (*http.Request, error) {
	req, err := newJSON(ctx, method, s.base+path, "Bearer "+s.key, body)
	if err == nil && method == http.MethodPost {
		req.Header.Set("Idempotency-Key", uuid.NewString())
	}
	return req, err
}

func (s *realServer) get(ctx context.Context) (*http.Request, error) {
	return s.request(ctx, http.MethodGet, "/v1/hulls/"+anyOf(s.hulls), nil)
}

// mixed returns a request of a normal day: mostly reads, some edits and new hulls.
func (s *realServer) mixed(ctx context.Context) (*http.Request, error) {
	switch n := rand.IntN(100); {
	case n < 50:
		return s.get(ctx)
	case n < 65:
		return s.request(ctx, http.MethodGet, "/v1/hulls?limit=50", nil)
	case n < 75:
		return s.request(ctx, http.MethodGet, "/v1/hulls?limit=25&q=235+grady", nil)
	case n < 90:
		return s.request(ctx, http.MethodPatch, "/v1/hulls/"+anyOf(s.editable), newText())
	default:
		return s.request(ctx, http.MethodPost, "/v1/hulls", s.newHull())
	}
}

// writes returns a request of an overload: nine of ten are new hulls, which cost
// the server much more than the client.
func (s *realServer) writes(ctx context.Context) (*http.Request, error) {
	if rand.IntN(10) == 0 {
		return s.get(ctx)
	}
	return s.request(ctx, http.MethodPost, "/v1/hulls", s.newHull())
}

// creates returns a request for a new hull.
func (s *realServer) creates(ctx context.Context) (*http.Request, error) {
	return s.request(ctx, http.MethodPost, "/v1/hulls", s.newHull())
}

// closed returns a function for load that sends requests and expects success.
func closed(request func(context.Context) (*http.Request, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := request(ctx)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err == nil && res.StatusCode >= 300 {
			err = fmt.Errorf("%s %s: status %d: %.300s", req.Method, req.URL, res.StatusCode, body)
		}
		return err
	}
}

// maxOpen limits the requests in flight of the open-loop generator, and with them its
// memory and its connections.
const maxOpen = 8192

// openClient keeps a connection for each request in flight. A request fails after 30
// seconds, like those of most clients.
var openClient = &http.Client{
	Timeout:   30 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: maxOpen, DisableCompression: true},
}

// outcome is the result of requests that start at a fixed rate.
type outcome struct {
	rate               float64 // offered per second
	length             time.Duration
	sent               int
	skipped            int // not sent, because too many were in flight
	inTime             int // accepted and complete within the length
	accepted, rejected []time.Duration
	failures           int
	failure            string        // one of them
	retryAfter         int           // rejections with Retry-After
	generator          time.Duration // CPU time of this process
	peak               memory        // of the server
}

func (o outcome) perSecond(n int) float64 { return float64(n) / o.length.Seconds() }

// offer starts requests at a fixed rate. It doesn't wait for earlier ones, so a slow
// server doesn't slow it down. It returns when all are complete.
func offer(ctx context.Context, rate float64, length time.Duration, request func(context.Context) (*http.Request, error)) outcome {
	o := outcome{rate: rate, length: length}
	var mu sync.Mutex
	var wg sync.WaitGroup
	open := make(chan struct{}, maxOpen)
	begin, used := time.Now(), cpuTime()

	send := func() {
		defer func() { <-open }()
		o.once(ctx, &mu, begin, request)
	}

	started := 0
	for tick := time.Tick(time.Millisecond); ctx.Err() == nil && time.Since(begin) < length; <-tick {
		for due := int(rate * time.Since(begin).Seconds()); started < due; started++ {
			select {
			case open <- struct{}{}:
				o.sent++
				wg.Go(send)
			default:
				o.skipped++
			}
		}
	}
	o.generator = cpuTime() - used
	wg.Wait()
	return o
}

// once sends a request and adds its result.
func (o *outcome) once(ctx context.Context, mu *sync.Mutex, begin time.Time, request func(context.Context) (*http.Request, error)) {
	start := time.Now()
	status, retry, err := ask(ctx, request)
	end := time.Now()
	mu.Lock()
	defer mu.Unlock()
	switch {
	case err == nil && status < 300:
		o.accepted = append(o.accepted, end.Sub(start))
		if end.Sub(begin) <= o.length {
			o.inTime++
		}
	case err == nil && (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests):
		o.rejected = append(o.rejected, end.Sub(start))
		if retry > 0 {
			o.retryAfter++
		}
	default:
		o.failures++
		o.failure = fmt.Sprint(status, " ", err)
	}
}

// push sends requests with clients that wait for each response, accepted or not.
func push(ctx context.Context, clients int, length time.Duration, request func(context.Context) (*http.Request, error)) outcome {
	o := outcome{length: length}
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := time.Now()
	for range clients {
		wg.Go(func() {
			for time.Since(begin) < length && ctx.Err() == nil {
				o.once(ctx, &mu, begin, request)
			}
		})
	}
	wg.Wait()
	return o
}

// ask sends a request and reads the response. It returns the seconds of Retry-After.
func ask(ctx context.Context, request func(context.Context) (*http.Request, error)) (status, retry int, err error) {
	req, err := request(ctx)
	if err != nil {
		return 0, 0, err
	}
	res, err := openClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	_, err = io.Copy(io.Discard, res.Body)
	retry, _ = strconv.Atoi(res.Header.Get("Retry-After")) // 0 without it
	return res.StatusCode, retry, errors.Join(err, res.Body.Close())
}
