package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// The goals.
const (
	leastRatio = 0.5 // reads beside the bare server
	mostDepth  = 1.3 // the last page beside the first
)

// cell is one comparison.
type cell struct {
	database   string
	operation  operation
	workers    int
	ours, bare tally
}

// deep is what depth costs.
type deep struct {
	database    string
	hulls       int
	first, last tally
}

func (d deep) ratio() float64 {
	return float64(quantile(d.last.took, 0.5)) / float64(quantile(d.first.took, 0.5))
}

type report struct {
	versions []string
	cells    []cell
	sales    []sale
	depths   []deep
	found    []answer
	relayed  []relayed
	delays   []delays
	floods   []flooded
	bulks    []bulk
	took     time.Duration
}

func newReport() *report { return &report{} }

// meet takes note of a database's version.
func (r *report) meet(ctx context.Context, d database, pool *sql.DB) error {
	v, err := texts(ctx, pool, d.version)
	if err == nil && !slices.Contains(r.versions, v[0]) {
		r.versions = append(r.versions, v[0])
	}
	return err
}

// table is a heading, the names of its columns and its rows.
type table struct {
	title, note string
	columns     []string
	rows        [][]string
}

func (r *report) tables() []table {
	compared := table{
		title: "The service beside a bare server",
		note: fmt.Sprintf("Requests a second, milliseconds, and milliseconds of processor time of server and client together. "+
			"Goal for reads: a ratio of at least %.1f.", leastRatio),
		columns: []string{"database", "operation", "at once", "ours/s", "bare/s", "ratio", "goal", "ours p50", "ours p99", "bare p50", "bare p99", "ours CPU", "bare CPU"},
	}

	for _, c := range r.cells {
		by, goal := ratio(c.ours, c.bare), ""
		if c.operation.read {
			goal = mark(by >= leastRatio)
		}
		compared.rows = append(compared.rows, []string{
			c.database, c.operation.title, fmt.Sprint(c.workers), fmt.Sprintf("%.0f", c.ours.rate()), fmt.Sprintf("%.0f", c.bare.rate()),
			fmt.Sprintf("%.2f", by), goal, ms(quantile(c.ours.took, 0.5)), ms(quantile(c.ours.took, 0.99)),
			ms(quantile(c.bare.took, 0.5)), ms(quantile(c.bare.took, 0.99)), ms(c.ours.perRequest()), ms(c.bare.perRequest()),
		})
	}

	sold := table{
		title:   "Deals",
		note:    "The service by itself: every deal on a hull of its own, which accepting the offer reserves.",
		columns: []string{"database", "operation", "at once", "a second", "p50", "p99", "CPU"},
	}
	for _, s := range r.sales {
		sold.rows = append(sold.rows, []string{
			s.database, s.title, fmt.Sprint(s.workers), fmt.Sprintf("%.0f", s.ours.rate()), ms(quantile(s.ours.took, 0.5)), ms(quantile(s.ours.took, 0.99)), ms(s.ours.perRequest()),
		})
	}

	depth := table{
		title:   "Depth",
		note:    fmt.Sprintf("Milliseconds for 50 hulls at the newest and at the oldest end. Goal: at most %.1f times.", mostDepth),
		columns: []string{"database", "hulls", "first page p50", "last page p50", "ratio", "goal"},
	}
	for _, d := range r.depths {
		depth.rows = append(depth.rows, []string{
			d.database, fmt.Sprint(d.hulls), ms(quantile(d.first.took, 0.5)), ms(quantile(d.last.took, 0.5)), fmt.Sprintf("%.2f", d.ratio()), mark(d.ratio() <= mostDepth),
		})
	}

	found := table{
		title:   "Lists and searches on the large inventory",
		note:    "Milliseconds for the first page of 25, one request at a time.",
		columns: []string{"database", "what", "p50", "worst", "hulls"},
	}

	for _, a := range r.found {
		row := []string{a.database, a.title, ms(quantile(a.took, 0.5)), ms(quantile(a.took, 1)), fmt.Sprint(a.rows)}
		if a.more {
			row[4] += "+"
		}
		if a.err != nil {
			row[2], row[3], row[4] = "failed", "", a.err.Error()
		}
		found.rows = append(found.rows, row)
	}

	work := table{
		title: "Imports and feeds",
		note: fmt.Sprintf("One at a time, with its job. Peak is the most of the heap in use at once, client included. Goals: 100,000 rows in %.0f s, and a peak of %d MB at any size.",
			importGoal.Seconds(), memoryGoal>>20),
		columns: []string{"database", "what", "rows", "seconds", "rows/s", "peak MB", "goal"},
	}
	for _, b := range r.bulks {
		work.rows = append(work.rows, []string{
			b.database, b.title, fmt.Sprint(b.rows), fmt.Sprintf("%.1f", b.took.Seconds()), fmt.Sprintf("%.0f", float64(b.rows)/b.took.Seconds()), fmt.Sprint(b.peak >> 20), mark(b.goal),
		})
	}

	return append([]table{compared, sold, depth, found, work}, r.relayTables()...)
}

func mark(reached bool) string {
	if reached {
		return "✓"
	}
	return "✗"
}

func ms(d time.Duration) string {
	if d >= 100*time.Millisecond {
		return fmt.Sprintf("%.0f", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.2f", d.Seconds()*1000)
}

func (r *report) machine() string {
	return fmt.Sprintf("%d cores, %s, %s; %s.", runtime.NumCPU(), runtime.Version(), strings.Join(r.versions, ", "), r.took.Round(time.Second))
}

// print writes the tables for a terminal.
func (r *report) print(w io.Writer) error {
	var b bytes.Buffer
	for _, t := range r.tables() {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n%s\n\n", t.title, t.note)
		tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{t.columns}, t.rows...) {
			_, _ = fmt.Fprintln(tw, strings.Join(row, "\t")) // to memory
		}
		_ = tw.Flush()
	}
	fmt.Fprintf(&b, "\n%s\n", r.machine())
	_, err := w.Write(b.Bytes())
	return err
}

// save writes the tables as Markdown.
func (r *report) save(path string) error {
	var b strings.Builder
	b.WriteString(introduction)
	fmt.Fprintf(&b, "\nThis run: %s\n", r.machine())
	for _, t := range r.tables() {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", t.title, t.note)
		for i, row := range append([][]string{t.columns}, t.rows...) {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
			if i == 0 {
				b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
			}
		}
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

const introduction = `# Benchmark

Written by ` + "`make bench`" + `. Times depend on the machine and on who else uses it; compare ratios, which were taken in
turns within one run.

The bare server is the ceiling: net/http and database/sql by hand, for exactly these requests. It looks the key up and
compares its hash, runs the same SQL through prepared statements and pools of the same size, scans into a struct and
writes the same bytes; create is one transaction, as durable, with the same rows in the same tables. It has no
validation, rate limits, scopes, request ids, log, metrics, time limits or error handling, passes JSON columns through
as text, and its create checks nothing and encrypts nothing. The client runs in the same process and costs both
servers the same.
`
