package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"slipway/internal/vocab/auth"
)

// Shards is a PostgreSQL database that is distributed over several servers with Citus: see
// docs/scaling.md. All rows of an environment are on one worker. The coordinator has the
// tables of the installation, and each server has a copy of small tables that others join.
type Shards struct {
	Database  string       `json:"-"`
	Available string       `json:"available"` // version of Citus that can be created, or ""
	Version   string       `json:"version"`   // version in this database, or ""
	Nodes     []ShardNode  `json:"nodes"`
	Tables    []ShardTable `json:"-"`
	Count     int64        `json:"shards"`

	// Sequential means that a transaction uses one connection to each worker. Otherwise, it
	// can't change a copied table after it has read all shards.
	Sequential bool `json:"-"`
}

// ShardNode is a server.
type ShardNode struct {
	ID          int64  `db:"id" json:"id"`
	Host        string `db:"host" json:"host"`
	Port        int64  `db:"port" json:"port"`
	Coordinator bool   `db:"coordinator" json:"coordinator"`
	Active      bool   `db:"active" json:"active"`
	Shards      int64  `db:"shards" json:"shards"` // groups of shards that are together
	Bytes       int64  `db:"bytes" json:"bytes"`
}

// Address returns the host and the port.
func (n ShardNode) Address() string { return net.JoinHostPort(n.Host, strconv.FormatInt(n.Port, 10)) }

// ShardTable is a table that belongs on the workers.
type ShardTable struct {
	Name        string  `db:"name"`
	Distributed *string `db:"distributed"` // how, nil if it is not
	Refers      string  `db:"refers"`      // tables that it refers to, separated by commas
}

// copied are tables that each server has a copy of. Authentication joins them in all
// environments, and they are found without one.
var copied = []string{"dealerships", "apps", "websites"}

// OldestCitus is the oldest version that Slipway works with.
const OldestCitus = 13

const tablesOfShards = `
	SELECT t.relname::text AS name,
		{distributed} AS distributed,
		COALESCE((SELECT string_agg(DISTINCT f.confrelid::regclass::text, ',') FROM pg_constraint f
			WHERE f.conrelid = t.oid AND f.contype = 'f' AND f.confrelid <> t.oid), '') AS refers
	FROM pg_class t
	JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
	JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (k.conkey) AND a.attname = 'env'
	WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace ORDER BY 1`

const nodesOfShards = `
	SELECT n.nodeid AS id, n.nodename::text AS host, n.nodeport AS port, n.groupid = 0 AS coordinator, n.isactive AS active,
		(SELECT COUNT(*) FROM pg_dist_placement p JOIN pg_dist_shard s USING (shardid)
			WHERE p.groupid = n.groupid AND s.logicalrelid = to_regclass('locations')) AS shards,
		COALESCE((SELECT SUM(shard_size) FROM citus_shards c WHERE c.nodename = n.nodename AND c.nodeport = n.nodeport), 0)::bigint AS bytes
	FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.groupid, n.nodeid`

// Shards returns how the database is distributed.
func (d *DB) Shards(ctx context.Context) (s Shards, err error) {
	if d.SQLite() {
		return s, nil
	}
	_, err = Read(ctx, d, func(ctx context.Context, tx *Tx) (struct{}, error) {
		found, err := One[struct {
			Database  string `db:"database"`
			Available string `db:"available"`
			Version   string `db:"version"`
			Mode      string `db:"mode"`
		}](ctx, tx, `SELECT current_database()::text AS database,
			COALESCE((SELECT default_version FROM pg_available_extensions WHERE name = 'citus'), '') AS available,
			COALESCE((SELECT extversion FROM pg_extension WHERE extname = 'citus'), '') AS version,
			COALESCE(current_setting('citus.multi_shard_modify_mode', true), '') AS mode`)
		if err != nil {
			return struct{}{}, err
		}
		s.Database, s.Available, s.Version = found.Database, found.Available, found.Version
		s.Sequential = found.Mode == "sequential"
		distributed := "NULL::text"
		if s.Version != "" {
			distributed = "(SELECT p.partmethod::text FROM pg_dist_partition p WHERE p.logicalrelid = t.oid)"
		}
		s.Tables, err = All[ShardTable](ctx, tx, strings.ReplaceAll(tablesOfShards, "{distributed}", distributed))
		if err != nil || s.Version == "" {
			return struct{}{}, err
		}
		if s.Nodes, err = All[ShardNode](ctx, tx, nodesOfShards); err != nil {
			return struct{}{}, err
		}
		s.Count, err = One[int64](ctx, tx, `SELECT COUNT(*) FROM pg_dist_shard WHERE logicalrelid = to_regclass('locations')`)
		return struct{}{}, err
	})
	return s, err
}

// Workers returns the servers that have shards.
func (s Shards) Workers() []ShardNode {
	return slices.DeleteFunc(slices.Clone(s.Nodes), func(n ShardNode) bool { return n.Coordinator })
}

// Used reports whether the database is distributed.
func (s Shards) Used() bool { return len(s.Nodes) > 0 && s.Count > 0 }

// Missing returns the tables that must be distributed, those first that others refer to.
func (s Shards) Missing() (names []string) {
	done := map[string]bool{}
	for _, t := range s.Tables {
		done[t.Name] = t.Distributed != nil
	}
	var add func(t ShardTable)
	add = func(t ShardTable) {
		if done[t.Name] {
			return
		}
		done[t.Name] = true
		for _, other := range s.Tables {
			if slices.Contains(strings.Split(t.Refers, ","), other.Name) {
				add(other)
			}
		}
		names = append(names, t.Name)
	}
	for _, name := range copied {
		for _, t := range s.Tables {
			if t.Name == name {
				add(t)
			}
		}
	}
	for _, t := range s.Tables {
		add(t)
	}
	return names
}

// ShardsConn is a session without a limit for statements, for the work on shards.
type ShardsConn struct{ conn *sql.Conn }

// OnShards calls fn with a session on the coordinator.
func (d *DB) OnShards(ctx context.Context, fn func(ctx context.Context, c ShardsConn) error) (err error) {
	if d.SQLite() {
		return errors.New("SQLite can't be distributed. Use PostgreSQL")
	}
	conn, err := d.migrating().Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		_, reset := conn.ExecContext(context.WithoutCancel(ctx), "SET statement_timeout = 60000")
		err = errors.Join(err, reset, conn.Close())
	}()
	if _, err := conn.ExecContext(ctx, "SET statement_timeout = 0"); err != nil {
		return err
	}
	return fn(ctx, ShardsConn{conn})
}

// Exec executes a statement.
func (c ShardsConn) Exec(ctx context.Context, statement string, args ...any) error {
	_, err := c.conn.ExecContext(ctx, statement, args...)
	return err
}

// Text returns a value as text, or "" if it is null or there is no row.
func (c ShardsConn) Text(ctx context.Context, query string, args ...any) (string, error) {
	var text sql.NullString
	err := c.conn.QueryRowContext(ctx, query, args...).Scan(&text)
	if IsNoRows(err) {
		err = nil
	}
	return text.String, err
}

// Placement is where the rows of an environment are.
type Placement struct {
	Shard int64
	Alone bool // the shard has no other environment
	Host  string
	Port  int
}

// PlaceOf returns where the rows of an environment are.
func (c ShardsConn) PlaceOf(ctx context.Context, env auth.Env) (p Placement, err error) {
	err = c.conn.QueryRowContext(ctx, `SELECT s.shardid, s.shardminvalue = s.shardmaxvalue, n.nodename, n.nodeport
		FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n USING (groupid)
		WHERE s.shardid = get_shard_id_for_distribution_column('locations', $1::bigint) AND n.noderole = 'primary'`, int64(env)).
		Scan(&p.Shard, &p.Alone, &p.Host, &p.Port)
	return p, err
}

// Distribute distributes a table over a number of shards. With the first table, it decides
// how many there are.
func (c ShardsConn) Distribute(ctx context.Context, table string, shards int) error {
	if slices.Contains(copied, table) {
		return c.Exec(ctx, "SELECT create_reference_table($1::text::regclass)", table)
	}
	with, err := c.Text(ctx, `SELECT logicalrelid::text FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY logicalrelid LIMIT 1`)
	if err != nil {
		return err
	}
	if with != "" {
		return c.Exec(ctx, "SELECT create_distributed_table($1::text::regclass, 'env', colocate_with => $2)", table, with)
	}
	return c.Exec(ctx, "SELECT create_distributed_table($1::text::regclass, 'env', colocate_with => 'none', shard_count => $2)", table, shards)
}

// OthersWrite reports whether other processes of Slipway are connected.
func (c ShardsConn) OthersWrite(ctx context.Context) (bool, error) {
	found, err := c.Text(ctx, `SELECT COUNT(*)::text FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`, writer)
	return found != "0", err
}

// PrepareWorker checks a worker with the credentials of the database, and creates the
// extension there.
func (d *DB) PrepareWorker(ctx context.Context, dsn, host, port, version string) error {
	conn, err := pgx.ParseConfig(dsn)
	if err != nil {
		return errors.New("DATABASE_URL is not a PostgreSQL URL")
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return fmt.Errorf("%s: not a port", port)
	}
	conn.Host, conn.Port, conn.Fallbacks, conn.ValidateConnect = host, uint16(number), nil, nil
	worker, err := pgx.ConnectConfig(ctx, conn)
	if err != nil {
		return err
	}
	defer func() { _ = worker.Close(context.WithoutCancel(ctx)) }()
	if _, err := worker.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS citus"); err != nil {
		return err
	}
	var found, prepared string
	err = worker.QueryRow(ctx, `SELECT extversion, current_setting('max_prepared_transactions') FROM pg_extension WHERE extname = 'citus'`).
		Scan(&found, &prepared)
	switch {
	case err != nil:
		return err
	case found != version:
		return fmt.Errorf("it has Citus %s, and the coordinator has %s. Install the same version", found, version)
	case prepared == "0":
		return errors.New("max_prepared_transactions is 0. Set it to max_connections or more, and restart PostgreSQL")
	}
	return nil
}
