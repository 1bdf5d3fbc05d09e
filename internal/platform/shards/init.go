// Package shards distributes a PostgreSQL database over several servers with Citus. See
// docs/scaling.md.
package shards

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"slipway/internal/platform/db"
)

// Settings is how a database is distributed.
type Settings struct {
	URL         string   // of the coordinator
	Coordinator string   // host and port, as the workers reach it
	Workers     []string // hosts and ports, as the coordinator reaches them
	Shards      int      // groups of environments that can be moved
}

// Step is a part of the work.
type Step struct {
	Text string
	run  func(ctx context.Context, c db.ShardsConn) error
}

func statement(text string, args ...any) func(ctx context.Context, c db.ShardsConn) error {
	return func(ctx context.Context, c db.ShardsConn) error { return c.Exec(ctx, text, args...) }
}

// Plan returns what must be done to distribute the database. It changes nothing. If
// everything was done, it returns no step.
func Plan(ctx context.Context, d *db.DB, set Settings) (steps []Step, err error) {
	now, err := d.Shards(ctx)
	if err != nil {
		return nil, err
	}
	if err := check(ctx, d, now); err != nil {
		return nil, err
	}
	nodes, err := nodeSteps(d, now, set)
	if err != nil {
		return nil, err
	}

	version := now.Version
	if version == "" {
		version = now.Available
		steps = append(steps, Step{"Create the extension citus " + version + " on the coordinator", statement("CREATE EXTENSION citus")})
	}
	if !now.Sequential {
		name := `"` + strings.ReplaceAll(now.Database, `"`, `""`) + `"`
		steps = append(steps, Step{"Let each transaction use one connection to each worker",
			statement("ALTER DATABASE " + name + " SET citus.multi_shard_modify_mode = 'sequential'")})
	}
	steps = append(steps, nodes...)
	missing := now.Missing()
	separate := slices.Contains(missing, "installs")
	if separate {
		steps = append(steps, Step{"Drop the reference of installs to apps", statement(dropAppReference)})
	}
	for _, table := range missing {
		steps = append(steps, Step{"Distribute " + table, func(ctx context.Context, c db.ShardsConn) error {
			return c.Distribute(ctx, table, set.Shards)
		}})
	}
	if len(missing) > 0 {
		steps = append(steps, Step{"Remove the rows from the coordinator that were copied to the workers", func(ctx context.Context, c db.ShardsConn) error {
			for _, table := range slices.Backward(missing) { // those first that refer to others
				if err := c.Exec(ctx, "SELECT truncate_local_data_after_distributing_table($1::text::regclass)", table); err != nil {
					return fmt.Errorf("%s: %w", table, err)
				}
			}
			return nil
		}})
	}
	if separate || !slices.ContainsFunc(now.Tables, refersToApps) {
		steps = append(steps, Step{"Add the reference of installs to apps again", statement(addAppReference)})
	}
	return steps, nil
}

// Citus would treat the tables that refer to a copied table as tables of the coordinator, and
// these can't be distributed one after the other.
const (
	dropAppReference = `ALTER TABLE installs DROP CONSTRAINT IF EXISTS installs_app_env_app_id_fkey`
	addAppReference  = `ALTER TABLE installs ADD CONSTRAINT installs_app_env_app_id_fkey FOREIGN KEY (app_env, app_id) REFERENCES apps (env, id)`
)

func refersToApps(t db.ShardTable) bool {
	return t.Name == "installs" && slices.Contains(strings.Split(t.Refers, ","), "apps")
}

// check returns an error if the database can't be distributed.
func check(ctx context.Context, d *db.DB, now db.Shards) error {
	version := now.Version
	if version == "" {
		version = now.Available
	}
	major, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(major)
	switch pending, err := d.PendingMigrations(ctx); {
	case d.SQLite():
		return errors.New("the database is SQLite, which can't be distributed. Use PostgreSQL")
	case version == "":
		return errors.New("the PostgreSQL server has no Citus. Install its package, such as postgresql-15-citus-13.2 from Citus' repository, " +
			"on each database server, set shared_preload_libraries = 'citus', and restart PostgreSQL")
	case n < db.OldestCitus:
		return fmt.Errorf("the server has Citus %s. Slipway needs %d.0 or later", version, db.OldestCitus)
	case err != nil:
		return err
	case len(pending) > 0:
		return errors.New("the schema is not current. Run slipway migrate first")
	}
	return nil
}

// nodeSteps registers the coordinator and the workers that are not registered.
func nodeSteps(d *db.DB, now db.Shards, set Settings) (steps []Step, err error) {
	known := map[string]bool{}
	for _, n := range now.Nodes {
		known[n.Address()] = true
	}
	if len(now.Nodes) == 0 {
		host, port, err := split(set.Coordinator)
		if err != nil {
			return nil, fmt.Errorf("--coordinator: %w", err)
		}
		steps = append(steps, Step{"Register " + set.Coordinator + " as the coordinator", statement("SELECT citus_set_coordinator_host($1, $2)", host, port)})
	}
	for _, address := range set.Workers {
		host, port, err := split(address)
		if err != nil {
			return nil, fmt.Errorf("--workers: %w", err)
		}
		if known[net.JoinHostPort(host, strconv.Itoa(port))] {
			continue
		}
		steps = append(steps, Step{"Create the extension on " + address + " and register it as a worker", func(ctx context.Context, c db.ShardsConn) error {
			version, err := c.Text(ctx, "SELECT extversion FROM pg_extension WHERE extname = 'citus'")
			if err == nil {
				err = d.PrepareWorker(ctx, set.URL, host, strconv.Itoa(port), version)
			}
			if err != nil {
				return err
			}
			return c.Exec(ctx, "SELECT citus_add_node($1, $2)", host, port)
		}})
	}
	if len(now.Workers()) == 0 && len(set.Workers) == 0 {
		return nil, errors.New("name the workers with --workers HOST:PORT,HOST:PORT")
	}
	return steps, nil
}

// split returns the parts of a host and a port.
func split(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	if err != nil || host == "" || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("%q is not a host and a port", address)
	}
	return host, port, nil
}

// Run does the steps. Before each, it calls report.
func Run(ctx context.Context, d *db.DB, steps []Step, report func(text string)) error {
	return d.OnShards(ctx, func(ctx context.Context, c db.ShardsConn) error {
		busy, err := c.OthersWrite(ctx)
		if err != nil {
			return err
		}
		if busy {
			return errors.New("a Slipway server is connected to the database. Stop all servers first")
		}
		for _, s := range steps {
			report(s.Text)
			if err := s.run(ctx, c); err != nil {
				return fmt.Errorf("%s: %w", s.Text, err)
			}
		}
		return nil
	})
}
