package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"slipway/internal/platform/db"
	"slipway/internal/platform/shards"
	"slipway/internal/testkit/postgres"
)

// The goals for Citus with two workers, compared with one PostgreSQL server on the same machine.
const (
	minCitusRead   = 0.7
	minCitusCreate = 0.6
	citusHulls     = 20_000
	citusShards    = 32
)

// citusResult is one comparison with PostgreSQL.
type citusResult struct {
	duel         duel
	connections  int
	citus, plain tally
	one, several int64 // statements of Citus for one shard, and for several
}

// cituses compares a database that is distributed over two workers with one on a single
// server. It runs only if -only names it, because Citus must be installed.
func cituses(ctx context.Context, o options, r *report) (err error) {
	all, err := postgres.StartCitus(ctx, 2, postgres.Durable())
	if err != nil {
		return err
	}
	for _, c := range all {
		defer c.Stop()
	}
	single, err := postgres.Start(ctx, postgres.Durable())
	if err != nil {
		return err
	}
	defer single.Stop()

	plain, err := postgresIn(ctx, single, "plain", filepath.Join(o.temp, "citus-plain"))
	if err != nil {
		return err
	}
	spread, err := spreadIn(ctx, all, filepath.Join(o.temp, "citus-spread"))
	if err != nil {
		return err
	}
	var sides []*versus
	for _, d := range []database{spread, plain} {
		v := &versus{}
		if v.inventory, err = seed(ctx, d, citusHulls); err != nil {
			return err
		}
		if err := v.readIDs(ctx, d); err != nil {
			return err
		}
		if d.name == "citus" {
			if err := distribute(ctx, d, all); err != nil {
				return err
			}
		}
		if v.slipway, err = startSlipway(ctx, o, d.settings.Data, false, "SLIPWAY_DATABASE_URL="+d.settings.DatabaseURL); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.slipway.stop()) }()
		sides = append(sides, v)
	}
	return o.compareCitus(ctx, r, spread, sides)
}

// spreadIn creates a database on the coordinator and on the workers.
func spreadIn(ctx context.Context, all []*postgres.Cluster, folder string) (d database, err error) {
	for _, c := range all[1:] {
		if _, err := postgresIn(ctx, c, "spread", folder); err != nil {
			return d, err
		}
	}
	d, err = postgresIn(ctx, all[0], "spread", folder)
	d.name = "citus"
	return d, err
}

// distribute does what slipway shards init does.
func distribute(ctx context.Context, d database, all []*postgres.Cluster) error {
	progress("citus: distributing the tables")
	var workers []string
	for _, c := range all[1:] {
		workers = append(workers, c.Address())
	}
	opened, err := db.Open(ctx, d.writer)
	if err != nil {
		return err
	}
	steps, err := shards.Plan(ctx, opened, shards.Settings{URL: d.writer, Coordinator: all[0].Address(), Workers: workers, Shards: citusShards})
	if err == nil {
		err = shards.Run(ctx, opened, steps, func(string) {})
	}
	return errors.Join(err, opened.Close())
}

func (o options) compareCitus(ctx context.Context, r *report, d database, sides []*versus) error {
	counters, err := sql.Open("pgx", d.writer)
	if err != nil {
		return err
	}
	defer counters.Close()
	count := func(into *[2]int64) error {
		return counters.QueryRowContext(ctx, `SELECT query_execution_single_shard, query_execution_multi_shard FROM citus_stat_counters
			WHERE name = current_database()`).Scan(&into[0], &into[1])
	}
	for _, u := range duels {
		if u.name != "get" && u.name != "list" && u.name != "create" {
			continue
		}
		for _, n := range []int{1, 8, 16} {
			if !o.only.MatchString(fmt.Sprintf("citus/%s/%d", u.name, n)) {
				continue
			}
			progress("citus: %s, %d connections", u.title, n)
			var before, after [2]int64
			if err := count(&before); err != nil {
				return err
			}
			tallies, err := turns(ctx, n, o.length(), sides[0].sides(u)[0], sides[1].sides(u)[0])
			if err != nil {
				return err
			}
			if err := count(&after); err != nil {
				return err
			}
			r.citus = append(r.citus, citusResult{u, n, tallies[0], tallies[1], after[0] - before[0], after[1] - before[1]})
		}
	}
	return nil
}

func (r *report) citusTables() []table {
	t := table{
		title: "Citus",
		note: fmt.Sprintf("Requests per second, and the share of the statements of Citus that went to one shard, including those of background jobs. "+
			"A coordinator and two workers, and one PostgreSQL server, all on this machine. Goals: a ratio of at least %.1f for reads and %.1f for writes.",
			minCitusRead, minCitusCreate),
		columns: []string{"operation", "connections", "Citus/s", "PostgreSQL/s", "ratio", "goal", "Citus p50", "PostgreSQL p50", "one shard"},
	}
	for _, c := range r.citus {
		by, least := ratio(c.citus, c.plain), minCitusRead
		if c.duel.write {
			least = minCitusCreate
		}
		t.rows = append(t.rows, []string{
			c.duel.title, fmt.Sprint(c.connections), fmt.Sprintf("%.0f", c.citus.rate()), fmt.Sprintf("%.0f", c.plain.rate()),
			fmt.Sprintf("%.2f", by), mark(by >= least), ms(quantile(c.citus.took, 0.5)), ms(quantile(c.plain.took, 0.5)),
			fmt.Sprintf("%.2f %%", 100*float64(c.one)/float64(max(1, c.one+c.several))),
		})
	}
	return []table{t}
}
