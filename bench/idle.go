package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The goals for a server without requests.
const (
	maxIdleCPU    = 0.003    // of a core
	maxIdleMemory = 60 << 20 // bytes
	maxAfterLoad  = 120 << 20
)

// rest is how long the server rests after its start and after load.
const rest = 20 * time.Second

// idled is a server before and after load.
type idled struct {
	length         time.Duration
	cpu            float64 // cores
	before, after  memory
	loaded         memory // during the load
	requests, rate int
}

// idle measures a server without requests, then after load.
func idle(ctx context.Context, o options, r *report) (err error) {
	s, err := openReal(ctx, o, "idle", false)
	if s != nil && s.process != nil {
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if err != nil {
		return err
	}

	result := idled{length: o.idle}
	progress("idle: %s without requests", o.idle)
	if err := pause(ctx, rest); err != nil { // the work of the start
		return err
	}
	used, begin := s.cpu(), time.Now()
	if err := pause(ctx, o.idle); err != nil {
		return err
	}
	result.cpu, result.before = (s.cpu()-used).Seconds()/time.Since(begin).Seconds(), s.memory()

	length := 6 * o.length()
	progress("idle: %s of mixed work, then %s without requests", length, rest)
	peak := s.watch()
	took, err := load(ctx, 16, length, closed(s.mixed))
	result.loaded = peak()
	if err != nil {
		return err
	}
	result.requests, result.rate = len(took), int(float64(len(took))/length.Seconds())
	if err := pause(ctx, rest); err != nil {
		return err
	}
	result.after = s.memory()
	r.idles = append(r.idles, result)
	return nil
}

// pause waits. Time is what is measured here.
func pause(ctx context.Context, length time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(length):
		return nil
	}
}

func (i idled) meets() bool {
	return i.cpu < maxIdleCPU && i.before.private < maxIdleMemory && i.after.private < maxAfterLoad
}

func (r *report) idleTable() table {
	t := table{
		title: "Idle server",
		note: fmt.Sprintf("A server with %d hulls on SQLite without requests, %.0f s after its start and %.0f s after mixed work with 16 "+
			"connections. Memory is in megabytes, without the pages of files, and in parentheses with them: the program and the database, "+
			"which the system drops when it needs memory. Goals: under %.1f %% of a core, %d MB idle, and %d MB after load.",
			small, rest.Seconds(), rest.Seconds(), maxIdleCPU*100, maxIdleMemory>>20, maxAfterLoad>>20),
		columns: []string{"seconds", "% of a core", "idle MB", "requests", "requests/s", "highest MB", "after load MB", "goal"},
	}
	both := func(m memory) string { return megabytes(m.private) + " (" + megabytes(m.rss) + ")" }
	for _, i := range r.idles {
		t.rows = append(t.rows, []string{
			fmt.Sprintf("%.0f", i.length.Seconds()), fmt.Sprintf("%.2f", i.cpu*100), both(i.before), fmt.Sprint(i.requests), fmt.Sprint(i.rate),
			both(i.loaded), both(i.after), mark(i.meets()),
		})
	}
	return t
}
