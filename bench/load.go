package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"
)

// client keeps its connections and doesn't request compression, so both servers
// send the same bytes.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}

// send sends a request and returns the response body.
func send(req *http.Request, want int) ([]byte, error) {
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != want {
		return nil, fmt.Errorf("%s %s: status %d, want %d: %.300s", req.Method, req.URL, res.StatusCode, want, body)
	}
	return body, nil
}

// load sends requests with several workers and returns how long each request took.
// A worker sends its next request when it has the response.
func load(ctx context.Context, workers int, length time.Duration, once func(context.Context) error) ([]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := make([][]time.Duration, workers)
	end := time.Now().Add(length)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for start := time.Now(); start.Before(end); start = time.Now() {
				if err := once(ctx); err != nil {
					cancel(err)
					return
				}
				all[w] = append(all[w], time.Since(start))
			}
		})
	}
	wg.Wait()
	return slices.Concat(all...), context.Cause(ctx)
}

// tally is the result of one server in all rounds.
type tally struct {
	rates []float64 // requests per second, by round
	took  []time.Duration
	cpu   time.Duration // of the server, and of the client if both are one process
}

// side is a server in a comparison: a request to it, and the CPU time used so far.
type side struct {
	once func(context.Context) error
	cpu  func() time.Duration
}

// round measures a server once and adds the result.
func (t *tally) round(ctx context.Context, workers int, length time.Duration, s side) error {
	start, used := time.Now(), s.cpu()
	took, err := load(ctx, workers, length, s.once)
	t.rates = append(t.rates, float64(len(took))/time.Since(start).Seconds())
	t.took = append(t.took, took...)
	t.cpu += s.cpu() - used
	return err
}

func (t *tally) rate() float64 { return quantile(t.rates, 0.5) }

// perRequest returns the CPU time of one request.
func (t *tally) perRequest() time.Duration { return t.cpu / time.Duration(max(1, len(t.took))) }

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // can't fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// quantile returns the value below which the fraction q of the values lies.
func quantile[T float64 | time.Duration](values []T, q float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// rounds is the number of turns in a comparison. Noise then affects both servers,
// and the median ignores the rounds where it affects only one.
const rounds = 15

// takeTurns measures two servers that run in this process.
func takeTurns(ctx context.Context, workers int, length time.Duration, a, b func(context.Context) error) (ta, tb tally, err error) {
	tallies, err := turns(ctx, workers, length, side{a, cpuTime}, side{b, cpuTime})
	return tallies[0], tallies[1], err
}

// turns measures the sides alternately, each for a total length. The order in a
// round changes too, because a later one has warmer caches and the garbage of
// the others.
func turns(ctx context.Context, workers int, length time.Duration, sides ...side) ([]tally, error) {
	tallies := make([]tally, len(sides))
	for i := range rounds {
		for j := range sides {
			next := (i + j) % len(sides)
			if err := tallies[next].round(ctx, workers, length/rounds, sides[next]); err != nil {
				return tallies, err
			}
		}
	}
	return tallies, nil
}

// ratio returns the rate of a divided by the rate of b: the median of the rounds.
func ratio(a, b tally) float64 {
	var all []float64
	for i := range a.rates {
		all = append(all, a.rates[i]/b.rates[i])
	}
	return quantile(all, 0.5)
}
