package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"slipway/internal/testkit/postgres"
)

// The goals at four times the capacity.
const (
	minGoodput  = 0.9 // of the peak
	maxAccepted = time.Second
	maxRejected = 50 * time.Millisecond
	maxProbe    = 100 * time.Millisecond // of /healthz
	maxOverload = 300 << 20              // bytes
)

// crowds are numbers of clients that write and wait for each response. Many must get as much
// as a few.
var crowds = []int{16, 1000}

var overloads = []float64{0.5, 0.75, 1, 1.5, 2, 3, 4} // offered load, in capacities

// step is an offered load and its result.
type step struct {
	database string
	load     float64
	outcome
	probes []time.Duration // of /healthz in the meantime
}

// crowd is the result of clients that wait for each response.
type crowd struct {
	database string
	clients  int
	outcome
}

// goodput is the number of accepted requests per second.
func (s step) goodput() float64 { return s.perSecond(s.inTime) }

// overload offers more than the server can do, on both databases.
func overload(ctx context.Context, o options, r *report) (err error) {
	if err := pinSelf(clientCores()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pinSelf(allCores())) }()
	if err := overloadOn(ctx, o, r, sqliteIn(filepath.Join(o.temp, "overload"))); err != nil {
		return err
	}

	cluster, err := postgres.Start(ctx, postgres.Durable())
	if err != nil {
		return err
	}
	defer cluster.Stop()
	d, err := postgresIn(ctx, cluster, "overload", filepath.Join(o.temp, "overload-postgres"))
	if err != nil {
		return err
	}
	return overloadOn(ctx, o, r, d)
}

func overloadOn(ctx context.Context, o options, r *report, d database) (err error) {
	s, err := openRealOn(ctx, o, d, true)
	if s != nil && s.process != nil {
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if err != nil {
		return err
	}
	length := 3 * o.length()
	if r.generator == 0 {
		if r.generator, err = generatorAlone(ctx, o, s, length); err != nil {
			return err
		}
	}

	for _, clients := range crowds {
		progress("overload on %s: %d clients that wait", d.name, clients)
		peak := s.watch()
		result := push(ctx, clients, length, s.creates)
		result.peak = peak()
		r.crowds = append(r.crowds, crowd{d.name, clients, result})
		openClient.CloseIdleConnections()
	}
	progress("overload on %s: capacity", d.name)
	push(ctx, connections, length/4, s.writes)
	measured := push(ctx, connections, length, s.writes)
	capacity := measured.perSecond(measured.inTime)
	for _, times := range overloads {
		progress("overload on %s: %.2g times the capacity, %.0f requests per second", d.name, times, times*capacity)
		peak, probes := s.watch(), knock(ctx, s.base+"/healthz")
		result := offer(ctx, times*capacity, length, s.writes)
		result.peak = peak()
		openClient.CloseIdleConnections()
		r.steps = append(r.steps, step{d.name, times, result, probes()})
		if result.failures > 0 {
			progress("overload: %d failures: %s", result.failures, result.failure)
		}
	}
	return nil
}

// generatorAlone returns how many requests per second the generator sends to a server
// that does nothing.
func generatorAlone(ctx context.Context, o options, s *realServer, length time.Duration) (rate float64, err error) {
	progress("overload: what the generator can do")
	folder := filepath.Join(o.temp, "nothing")
	seeded := sqliteIn(folder)
	if _, err := bootstrap(ctx, seeded); err != nil {
		return 0, err
	}
	p, err := startBare(ctx, folder, serverCores())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	nothing := func(ctx context.Context) (*http.Request, error) {
		return newJSON(ctx, http.MethodPost, p.base+"/nothing", "Bearer "+s.key, s.newHull())
	}
	return fastest(ctx, length, nothing)
}

// connections is how many clients wait for responses when the capacity is measured.
const connections = 32

// fastest returns the rate of clients that wait for responses: the highest of several
// rounds, because other programs on the machine can only make it lower.
func fastest(ctx context.Context, length time.Duration, request func(context.Context) (*http.Request, error)) (rate float64, err error) {
	const rounds = 5
	for range rounds {
		took, err := load(ctx, connections, length/rounds, closed(request))
		if err != nil {
			return 0, err
		}
		rate = max(rate, float64(len(took))/(length/rounds).Seconds())
	}
	return rate, nil
}

// The server has the first half of the cores, and the client has the rest. Otherwise,
// the client would take from the server what it needs to overload it.
func serverCores() string { return coreRange(0, max(1, runtime.NumCPU()/2)) }
func clientCores() string {
	return coreRange(min(runtime.NumCPU()-1, max(1, runtime.NumCPU()/2)), runtime.NumCPU())
}
func allCores() string { return coreRange(0, runtime.NumCPU()) }

func coreRange(from, to int) string { return fmt.Sprintf("%d-%d", from, to-1) }

// pinSelf moves all threads of this process to some cores. Later threads inherit it.
func pinSelf(cores string) error {
	from, to, _ := strings.Cut(cores, "-")
	first, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	last, err := strconv.Atoi(to)
	if err != nil {
		return err
	}
	var set unix.CPUSet
	for core := first; core <= last; core++ {
		set.Set(core)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
			return err
		}
	}
	return nil
}

// knock asks for a page ten times a second, each time with a new connection, until stop is
// called, which returns how long each took.
func knock(ctx context.Context, url string) (stop func() []time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	result := make(chan []time.Duration)
	go func() {
		var took []time.Duration
		fresh := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
		for tick := time.Tick(100 * time.Millisecond); ctx.Err() == nil; <-tick {
			start := time.Now()
			res, err := fresh.Get(url) //nolint:noctx // the last one ends too
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
			took = append(took, time.Since(start)) // a failure takes as long as the timeout, or is a refused connection
		}
		result <- took
	}()
	return func() []time.Duration { cancel(); return <-result }
}

// peakGoodput returns the highest goodput of all steps on a database.
func (r *report) peakGoodput(database string) (peak float64) {
	for _, s := range r.steps {
		if s.database == database {
			peak = max(peak, s.goodput())
		}
	}
	return peak
}

// crowdTable compares many clients with a few.
func (r *report) crowdTable() table {
	t := table{
		title: "Crowds",
		note: fmt.Sprintf("Clients create hulls, and each sends its next request when it has the response. A client that is rejected tries again "+
			"immediately, which is worse than what real ones do. Goal: many clients get at least %.1f of what a few get.", minGoodput),
		columns: []string{"database", "clients", "created/s", "of a few", "p50", "p99", "rejected/s", "rejected p99", "failed", "peak MB", "goal"},
	}
	few := map[string]float64{}
	for _, c := range r.crowds {
		rate := c.perSecond(c.inTime)
		goal := ""
		if c.clients == crowds[0] {
			few[c.database] = rate
		} else {
			goal = mark(rate >= minGoodput*few[c.database])
		}
		t.rows = append(t.rows, []string{
			c.database, fmt.Sprint(c.clients), fmt.Sprintf("%.0f", rate), fmt.Sprintf("%.2f", rate/few[c.database]), ms(quantile(c.accepted, 0.5)),
			ms(quantile(c.accepted, 0.99)), fmt.Sprintf("%.0f", c.perSecond(len(c.rejected))), ms(quantile(c.rejected, 0.99)),
			fmt.Sprint(c.failures), megabytes(c.peak.rss), goal,
		})
	}
	return t
}

// meets reports whether a step at or above four times the capacity reaches the goals.
func (s step) meets(peak float64) bool {
	return s.goodput() >= minGoodput*peak && quantile(s.accepted, 0.99) < maxAccepted && quantile(s.rejected, 0.99) < maxRejected &&
		quantile(s.probes, 0.99) < maxProbe && s.peak.rss < maxOverload && s.failures == 0 && s.retryAfter == len(s.rejected)
}

func (r *report) overloadTable() table {
	t := table{
		title: "Overload",
		note: fmt.Sprintf("Requests start at a fixed rate and don't wait for earlier ones: nine of ten create a hull, the others read one. "+
			"The capacity is the rate with %d connections that wait. The server has %s of %d cores and the client has the rest, so the client "+
			"doesn't slow down the server. Alone, the client can send %.0f requests per second. Rejected requests have the status 429 with "+
			"Retry-After. Failed requests have another status or none after 30 s. The client doesn't send a request if %d are already waiting. "+
			"Latency in milliseconds. Goals at 4 times the capacity: at least %.1f of the highest goodput, p99 of accepted requests under "+
			"%.0f s, p99 of rejected requests under %d ms, p99 of /healthz with a new connection under %d ms, memory under %d MB, no failures.",
			connections, cores(serverCores()), runtime.NumCPU(), r.generator,
			maxOpen, minGoodput, maxAccepted.Seconds(), maxRejected.Milliseconds(), maxProbe.Milliseconds(), maxOverload>>20),
		columns: []string{"database", "times capacity", "offered/s", "goodput/s", "of peak", "p50", "p99", "rejected/s", "rejected p99", "healthz p99", "failed",
			"not sent", "peak MB", "private MB", "client cores", "goal"},
	}
	for _, s := range r.steps {
		peak := r.peakGoodput(s.database)
		goal := ""
		if s.load >= 4 {
			goal = mark(s.meets(peak))
		}
		t.rows = append(t.rows, []string{
			s.database, fmt.Sprintf("%.2g", s.load), fmt.Sprintf("%.0f", s.rate), fmt.Sprintf("%.0f", s.goodput()), fmt.Sprintf("%.2f", s.goodput()/peak),
			ms(quantile(s.accepted, 0.5)), ms(quantile(s.accepted, 0.99)), fmt.Sprintf("%.0f", s.perSecond(len(s.rejected))),
			ms(quantile(s.rejected, 0.99)), ms(quantile(s.probes, 0.99)), fmt.Sprint(s.failures), fmt.Sprint(s.skipped), megabytes(s.peak.rss), megabytes(s.peak.private),
			fmt.Sprintf("%.2f", s.generator.Seconds()/s.length.Seconds()), goal,
		})
	}
	return t
}

// cores returns the number of cores in a range.
func cores(r string) string {
	from, to, _ := strings.Cut(r, "-")
	first, _ := strconv.Atoi(from) // written by coreRange
	last, _ := strconv.Atoi(to)
	return fmt.Sprint(last - first + 1)
}
