package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
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
	minRatio = 0.5 // reads, compared with the bare server
	minOlder = 0.9 // an older version of the API, compared with the newest
	maxDepth = 1.3 // the last page, compared with the first
)

// cell is one comparison of the service with the bare server.
type cell struct {
	database   string
	operation  operation
	workers    int
	ours, bare tally
}

// deep compares the first page of a list with the last one.
type deep struct {
	database    string
	hulls       int
	first, last tally
}

func (d deep) ratio() float64 {
	return float64(quantile(d.last.took, 0.5)) / float64(quantile(d.first.took, 0.5))
}

type report struct {
	versions  []string
	cells     []cell
	depths    []deep
	found     []answer
	relayed   []relayed
	delays    []delays
	bulks     []bulk
	summaries []summary
	duels     []duelResult
	levels    []level
	idles     []idled
	streams   []streamed
	campaigns []sentCampaign
	citus     []citusResult
	steps     []step
	crowds    []crowd
	generator float64 // requests per second of the client alone
	uploads   []uploaded
	took      time.Duration

	disk         time.Duration // p50 of an fsync
	versusMemory []memory      // of Slipway and PocketBase
}

func newReport() *report { return &report{} }

// addVersion adds the version of a database to the report.
func (r *report) addVersion(ctx context.Context, d database, pool *sql.DB) error {
	v, err := texts(ctx, pool, d.version)
	if err == nil && !slices.Contains(r.versions, v[0]) {
		r.versions = append(r.versions, v[0])
	}
	return err
}

// addSQLite adds the version of SQLite to the report.
func (r *report) addSQLite(ctx context.Context) error {
	pool, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer pool.Close()
	return r.addVersion(ctx, sqliteIn(""), pool)
}

// addDisk adds how long the disk takes to store a change. It decides how fast durable
// writes can be, and other programs can make it slower.
func (r *report) addDisk(folder string) (err error) {
	if r.disk > 0 {
		return nil
	}
	f, err := os.CreateTemp(folder, "disk-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var took []time.Duration
	for range 100 {
		start := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	r.disk = quantile(took, 0.5)
	return nil
}

// table is a heading, the names of its columns and its rows.
type table struct {
	title, note string
	columns     []string
	rows        [][]string
}

func (r *report) tables() []table {
	compared := table{
		title: "Comparison with a bare server",
		note: fmt.Sprintf("Requests per second, latency in milliseconds, and CPU time of server and client together in milliseconds. "+
			"Goal: a ratio of at least %.1f for reads, and %.1f for an older version of the API compared with the newest.",
			minRatio, minOlder),
		columns: []string{"database", "operation", "concurrency", "Slipway/s", "bare/s", "ratio", "goal", "Slipway p50", "Slipway p99",
			"bare p50", "bare p99", "Slipway CPU", "bare CPU"},
	}

	for _, c := range r.cells {
		by, goal := ratio(c.ours, c.bare), ""
		if c.operation.goal > 0 {
			goal = mark(by >= c.operation.goal)
		}
		compared.rows = append(compared.rows, []string{
			c.database, c.operation.title, fmt.Sprint(c.workers), fmt.Sprintf("%.0f", c.ours.rate()), fmt.Sprintf("%.0f", c.bare.rate()),
			fmt.Sprintf("%.2f", by), goal, ms(quantile(c.ours.took, 0.5)), ms(quantile(c.ours.took, 0.99)),
			ms(quantile(c.bare.took, 0.5)), ms(quantile(c.bare.took, 0.99)), ms(c.ours.perRequest()), ms(c.bare.perRequest()),
		})
	}

	depth := table{
		title:   "Depth",
		note:    fmt.Sprintf("Milliseconds for the newest and the oldest 50 hulls. Goal: a ratio of at most %.1f.", maxDepth),
		columns: []string{"database", "hulls", "first page p50", "last page p50", "ratio", "goal"},
	}
	for _, d := range r.depths {
		depth.rows = append(depth.rows, []string{
			d.database, fmt.Sprint(d.hulls), ms(quantile(d.first.took, 0.5)), ms(quantile(d.last.took, 0.5)),
			fmt.Sprintf("%.2f", d.ratio()), mark(d.ratio() <= maxDepth),
		})
	}

	found := table{
		title: "Lists and searches on the large inventory",
		note: fmt.Sprintf("Milliseconds for the first page of 25, one request at a time. Goal: a p50 of at most %d ms.",
			searchGoal.Milliseconds()),
		columns: []string{"database", "query", "p50", "goal", "max", "hulls"},
	}

	for _, a := range r.found {
		row := []string{a.database, a.title, ms(quantile(a.took, 0.5)), "", ms(quantile(a.took, 1)), fmt.Sprint(a.rows)}
		if a.goal > 0 {
			row[3] = mark(a.err == nil && quantile(a.took, 0.5) <= a.goal)
		}
		if a.more {
			row[5] += "+"
		}
		if a.err != nil {
			row[2], row[4], row[5] = "failed", "", a.err.Error()
		}
		found.rows = append(found.rows, row)
	}

	work := table{
		title: "Imports and feeds",
		note: fmt.Sprintf("One at a time, including the job. Peak is the maximum heap in use, including the client. During the import, "+
			"a client edits a hull 50 times per second. Goals: 100,000 rows in %.0f s on SQLite and %.0f s on PostgreSQL, edits with a p99 "+
			"under %s and %s ms, and a peak of at most %d MB at any size.", importGoal["sqlite"].Seconds(), importGoal["postgres"].Seconds(),
			ms(editGoal["sqlite"]), ms(editGoal["postgres"]), memoryGoal>>20),
		columns: []string{"database", "operation", "rows", "seconds", "rows/s", "peak MB", "edits", "edit p50", "edit p99", "goal"},
	}
	for _, b := range r.bulks {
		edits := []string{"", "", ""}
		if len(b.edits) > 0 {
			edits = []string{fmt.Sprint(len(b.edits)), ms(quantile(b.edits, 0.5)), ms(quantile(b.edits, 0.99))}
		}
		work.rows = append(work.rows, []string{
			b.database, b.title, fmt.Sprint(b.rows), fmt.Sprintf("%.1f", b.took.Seconds()), fmt.Sprintf("%.0f", float64(b.rows)/b.took.Seconds()),
			fmt.Sprint(b.peak >> 20), edits[0], edits[1], edits[2], mark(b.goal),
		})
	}

	return slices.Concat([]table{compared}, r.versusTables(), []table{depth, found, work, r.summaryTable()}, r.citusTables(), r.relayTables(),
		[]table{r.idleTable(), r.streamsTable(), r.overloadTable(), r.crowdTable(), r.campaignTable(), r.uploadsTable()})
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
	all := append([]string{fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.Version()}, r.versions...)
	if r.disk > 0 {
		all = append(all, "fsync in "+ms(r.disk)+" ms")
	}
	return strings.Join(all, ", ")
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
	fmt.Fprintf(&b, "\n%s; %s.\n", r.machine(), r.took.Round(time.Second))
	_, err := w.Write(b.Bytes())
	return err
}

// save writes the tables as Markdown.
func (r *report) save(path string) error {
	var b strings.Builder
	b.WriteString(introduction)
	fmt.Fprintf(&b, "\nThis run: %s; %s.\n", r.machine(), r.took.Round(time.Second))
	for _, t := range r.tables() {
		if len(t.rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s", t.title, t.note, t.markdown())
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

const introduction = `# Benchmark

` + "`make bench`" + ` writes this file. Times depend on the machine and its load. Compare the ratios: the servers are measured in
turns within one run.

The bare server shows the maximum: net/http and database/sql, written by hand for exactly these requests. It finds the
API key and compares its hash, runs the same SQL with prepared statements and pools of the same size, scans into a struct
and writes the same bytes. Create is one transaction, equally durable, with the same rows in the same tables. The bare
server has no validation, rate limits, scopes, request IDs, logs, metrics, timeouts or error handling, and it copies JSON
columns as text. Its create checks nothing and encrypts nothing. The client runs in the same process and costs both
servers the same.
`
