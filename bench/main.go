// Command bench measures the service. It compares it with a minimal net/http
// server that runs the same SQL on the same database (see bare.go), and it
// measures lists and searches on a million hulls.
//
// Times depend on the machine and its load. Ratios within one run depend on them
// much less, so the two servers are measured in turns, and the goals are ratios.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"slipway/internal/testkit/postgres"
)

type options struct {
	seconds    float64
	hulls      int
	rows       int
	pgMillion  bool
	only       *regexp.Regexp
	cpuProfile string
	out        string
	docs       string
	idle       time.Duration
	uploads    int
	temp       string
}

func main() {
	var o options
	short := flag.Bool("short", false, "run a short benchmark with 50,000 hulls; doesn't write a report")
	only := flag.String("only", "",
		"measure only names that match this `regexp`, such as sqlite/get/8, postgres, million, import, reports, "+
			"pocketbase/create/16, idle, streams, overload, campaign, uploads or citus (if it is installed); doesn't write a report")
	flag.Float64Var(&o.seconds, "seconds", 3, "seconds to measure each server, per number")
	flag.IntVar(&o.hulls, "hulls", 1_000_000, "number of hulls in the large inventory")
	flag.IntVar(&o.rows, "rows", 100_000, "number of rows in the imported file")
	flag.BoolVar(&o.pgMillion, "pg-million", false, "also measure the large inventory on PostgreSQL (takes minutes)")
	flag.StringVar(&o.cpuProfile, "cpuprofile", "", "`folder` for CPU profiles of the service, one for each number")
	flag.StringVar(&o.out, "out", "RESULTS.md", "file for the results of a full run")
	flag.StringVar(&o.docs, "docs", "../docs",
		"`folder` for the plots, and for the tables in performance.md; -short and -only write them only if you set it")
	flag.DurationVar(&o.idle, "idle", 30*time.Second, "how long to measure the idle server")
	flag.IntVar(&o.uploads, "uploads", 50, "number of photos to upload together")
	bareFolder := flag.String("bare", "", "serve the bare server on the database in this `folder`; the benchmark uses this itself")
	listen := flag.String("listen", "127.0.0.1:0", "`address` of the bare server")
	flag.Parse()

	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if *short {
		o.shorten(set)
	}
	if *short || *only != "" {
		o.out = ""
		if !set["docs"] {
			o.docs = ""
		}
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var err error
	if *bareFolder != "" {
		err = serveBare(ctx, *bareFolder, *listen)
	} else if o.only, err = regexp.Compile(*only); err == nil {
		err = run(ctx, o)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// shorten sets the values of a short run, unless they are set.
func (o *options) shorten(set map[string]bool) {
	for name, change := range map[string]func(){
		"seconds": func() { o.seconds = 0.4 },
		"hulls":   func() { o.hulls = 50_000 },
		"rows":    func() { o.rows = 5_000 },
		"idle":    func() { o.idle = 5 * time.Second },
		"uploads": func() { o.uploads = 4 },
	} {
		if !set[name] {
			change()
		}
	}
}

// run measures everything selected and reports it.
func run(ctx context.Context, o options) (err error) {
	temp, err := os.MkdirTemp("", "slipway-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()

	o.temp = temp
	r := newReport()
	start := time.Now()
	if err := onSQLite(ctx, o, r, temp); err != nil {
		return fmt.Errorf("SQLite: %w", err)
	}
	if err := onPostgres(ctx, o, r, temp); err != nil {
		return fmt.Errorf("PostgreSQL: %w", err)
	}
	if err := onProcesses(ctx, o, r); err != nil {
		return err
	}
	if strings.Contains(o.only.String(), "citus") { // only if it is named
		if err := cituses(ctx, o, r); err != nil {
			return fmt.Errorf("citus: %w", err)
		}
	}
	r.took = time.Since(start)

	if err := r.print(os.Stdout); err != nil {
		return err
	}
	if o.out != "" {
		if err := r.save(o.out); err != nil {
			return err
		}
	}
	if o.docs != "" {
		return r.publish(o.docs)
	}
	return nil
}

// onProcesses measures the real program over HTTP.
func onProcesses(ctx context.Context, o options, r *report) error {
	for _, part := range []struct {
		name    string
		measure func(context.Context, options, *report) error
	}{
		{"pocketbase/", against}, {"idle", idle}, {"streams", streams}, {"overload", overload}, {"campaign", sendCampaigns}, {"uploads", uploads},
	} {
		if !o.includes(part.name) {
			continue
		}
		if err := errors.Join(r.addSQLite(ctx), r.addDisk(o.temp)); err != nil {
			return err
		}
		if err := part.measure(ctx, o, r); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// others are measured on their own databases.
var others = map[string]func(context.Context, options, *report, database) error{"hooks": hooks, "import": imports, "reports": summaries}

func onSQLite(ctx context.Context, o options, r *report, temp string) error {
	if o.includes("sqlite/") {
		if err := compare(ctx, o, r, sqliteIn(temp+"/small")); err != nil {
			return err
		}
	}
	for name, measure := range others {
		if !o.includes("sqlite/" + name) {
			continue
		}
		if err := measure(ctx, o, r, sqliteIn(temp+"/"+name)); err != nil {
			return err
		}
	}
	if o.includes("sqlite/million") {
		return million(ctx, o, r, sqliteIn(temp+"/large"))
	}
	return nil
}

func onPostgres(ctx context.Context, o options, r *report, temp string) error {
	if !o.includes("postgres/") && !o.includes("postgres/hooks") && !o.includes("postgres/import") &&
		!o.includes("postgres/reports") && !o.pgMillion {
		return nil
	}
	progress("starting PostgreSQL")

	cluster, err := postgres.Start(ctx, postgres.Durable())
	if err != nil {
		return err
	}
	defer cluster.Stop()
	if o.includes("postgres/") {
		d, err := postgresIn(ctx, cluster, "small", temp+"/small-postgres")
		if err != nil {
			return err
		}
		if err := compare(ctx, o, r, d); err != nil {
			return err
		}
	}

	for name, measure := range others {
		if !o.includes("postgres/" + name) {
			continue
		}
		d, err := postgresIn(ctx, cluster, name, temp+"/"+name+"-postgres")
		if err != nil {
			return err
		}
		if err := measure(ctx, o, r, d); err != nil {
			return err
		}
	}

	if o.pgMillion {
		d, err := postgresIn(ctx, cluster, "large", temp+"/large-postgres")
		if err != nil {
			return err
		}
		return million(ctx, o, r, d)
	}

	return nil
}

// includes reports whether any number under a path is selected.
func (o options) includes(path string) bool {
	if o.only.String() == "" {
		return true
	}
	if !strings.HasSuffix(path, "/") {
		return o.only.MatchString(path)
	}
	names := cellNames(path)
	if path == "pocketbase/" {
		names = duelNames()
	}
	for _, name := range names {
		if o.only.MatchString(name) {
			return true
		}
	}
	return false
}

// progress prints what is being measured.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  "+format+"\n", append([]any{time.Now().Format(time.TimeOnly)}, args...)...)
}
