package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// minute is a part of the soak: a minute, or a fifth of a short soak.
type minute struct {
	memory     memory
	goroutines float64
	wal        int64
	p50, p99   time.Duration
	rate       float64
	failures   int
}

// soak runs mixed work at a third of the capacity for a long time.
func soak(ctx context.Context, o options, r *report) (err error) {
	if o.soak == 0 {
		return nil
	}
	s, err := openReal(ctx, o, "soak", false)
	if s != nil && s.process != nil {
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if err != nil {
		return err
	}
	capacity, err := fastest(ctx, 5*time.Second, s.mixed)
	if err != nil {
		return err
	}

	rate, length := capacity/3, min(time.Minute, o.soak/5)
	for i := range int(o.soak / length) {
		progress("soak: part %d, %.0f requests per second", i+1, rate)
		result := offer(ctx, rate, length, s.mixed)
		if err := ctx.Err(); err != nil {
			return err
		}
		openClient.CloseIdleConnections() // each has a goroutine
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
		goroutines, err := s.metric(ctx, "go_goroutines")
		if err != nil {
			return err
		}
		r.minutes = append(r.minutes, minute{
			memory: s.memory(), goroutines: goroutines, wal: fileSize(filepath.Join(s.folder, "slipway.db-wal")),
			p50: quantile(result.accepted, 0.5), p99: quantile(result.accepted, 0.99), rate: result.perSecond(result.inTime),
			failures: result.failures + len(result.rejected) + result.skipped,
		})
		if result.failures > 0 {
			progress("soak: %d failures: %s", result.failures, result.failure)
		}
	}
	return nil
}

// growth returns what the last minute has clearly more of than the second. The first
// fills the caches.
func growth(minutes []minute) (all []string) {
	if len(minutes) < 3 {
		return nil
	}
	second, last := minutes[1], minutes[len(minutes)-1]
	check := func(name string, before, after, factor, slack float64) {
		if after > before*factor+slack {
			all = append(all, fmt.Sprintf("%s grew from %.1f to %.1f", name, before, after))
		}
	}

	mb := func(n int64) float64 { return float64(n) / (1 << 20) }
	check("memory (MB)", mb(second.memory.private), mb(last.memory.private), 1.2, 10)
	check("goroutines", second.goroutines, last.goroutines, 1.2, 10)
	check("the write-ahead log (MB)", mb(second.wal), mb(last.wal), 1.2, 4)
	check("p99 (ms)", second.p99.Seconds()*1000, last.p99.Seconds()*1000, 1.5, 10)
	if failed := last.failures; failed > 0 {
		all = append(all, fmt.Sprintf("%d requests failed in the last minute", failed))
	}
	return all
}

// grown fails if something grew in the soak.
func (r *report) grown() error {
	if all := growth(r.minutes); len(all) > 0 {
		return errors.New("soak: " + strings.Join(all, "; "))
	}
	return nil
}

func (r *report) soakTable() table {
	t := table{
		title: "Soak",
		note: "Mixed work at a third of the capacity on SQLite: reads, lists, searches, edits and new hulls. Memory and the write-ahead log in " +
			"megabytes, latency in milliseconds. Private memory doesn't contain the pages of files, which grow with the database. " +
			"Goal: the last minute has no more private memory, goroutines, write-ahead log or p99 than the second, except for noise.",
		columns: []string{"minute", "requests/s", "p50", "p99", "private MB", "resident MB", "goroutines", "WAL MB", "failed", "goal"},
	}
	for i, m := range r.minutes {
		goal := ""
		if i == len(r.minutes)-1 {
			goal = mark(len(growth(r.minutes)) == 0)
		}
		t.rows = append(t.rows, []string{
			fmt.Sprint(i + 1), fmt.Sprintf("%.0f", m.rate), ms(m.p50), ms(m.p99), megabytes(m.memory.private), megabytes(m.memory.rss),
			fmt.Sprintf("%.0f", m.goroutines), megabytes(m.wal), fmt.Sprint(m.failures), goal,
		})
	}
	return t
}
