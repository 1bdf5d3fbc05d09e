package main

import (
	"context"
	"database/sql"
	"encoding/base64"
	"path/filepath"
	"regexp"
	"runtime"

	_ "github.com/jackc/pgx/v5/stdlib" // the "pgx" driver

	"slipway/internal/app"
	"slipway/internal/testkit/postgres"
)

// database is an empty database for the benchmark, with the SQL that differs
// between SQLite and PostgreSQL.
type database struct {
	name     string // as in -only: sqlite or postgres
	settings app.Settings
	driver   string
	writer   string // DSN
	reader   string // DSN
	writers  int
	readers  int

	argument string                 // SQL: how internal/platform/db writes the argument $0
	stamp    func(ms string) string // SQL: a time column's value from milliseconds
	day      func(ms string) string // SQL: the date in UTC, as text, from milliseconds
	indexes  string                 // SQL: name and definition of the indexes of hulls and hull_terms, in order
	bulk     []string               // SQL: settings for fast, unsafe bulk loading
	loaded   []string               // SQL: maintenance that the database would run automatically later
	version  string                 // SQL: name and version of the database
}

func settings(folder, url string) app.Settings {
	return app.Settings{
		Data: folder, DatabaseURL: url, MasterKey: base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef")),
		Listen: "127.0.0.1:0", BaseURL: "http://localhost", LogLevel: "info",
		ListMemory: 16, LiveRate: 1e6, TestRate: 1e6, AddressRate: 1e6, // the limiter runs, but rejects nothing
	}
}

// sqliteIn uses the pragmas and pool sizes of internal/platform/db, so that the bare
// server has the same durability and concurrency as the service.
func sqliteIn(folder string) database {
	file := "file:" + filepath.Join(folder, "slipway.db") + "?_pragma=busy_timeout(3500)&_pragma=journal_mode(WAL)" +
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=cache_size(-65536)&_pragma=mmap_size(268435456)"
	return database{
		name: "sqlite", settings: settings(folder, ""), driver: "sqlite",
		writer: file + "&_txlock=immediate", writers: 1,
		reader: file + "&_pragma=query_only(1)", readers: max(2, runtime.GOMAXPROCS(0)),
		argument: "$0 COLLATE BINARY",
		stamp:    func(ms string) string { return ms },
		day:      func(ms string) string { return "date((" + ms + ") / 1000, 'unixepoch')" },
		indexes: `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('hulls', 'hull_terms')
			ORDER BY rowid`,
		bulk:    []string{`PRAGMA journal_mode = OFF`, `PRAGMA synchronous = OFF`, `PRAGMA cache_size = -500000`, `PRAGMA threads = 2`},
		version: `SELECT 'SQLite ' || sqlite_version()`,
	}
}

func postgresIn(ctx context.Context, cluster *postgres.Cluster, name, folder string) (database, error) {
	url := cluster.URL(name)
	d := database{
		name: "postgres", settings: settings(folder, url), driver: "pgx",
		writer: url, writers: 16, reader: url + "&default_transaction_read_only=on", readers: 16,
		argument: "$0",
		stamp:    func(ms string) string { return "to_timestamp((" + ms + ") / 1000.0)" },
		day: func(ms string) string {
			return "to_char(to_timestamp((" + ms + ") / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
		},
		indexes: `SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('hulls', 'hull_terms') AND indexname NOT LIKE '%_pkey'
			ORDER BY indexname`,
		bulk:    []string{`SET synchronous_commit = off`, `SET maintenance_work_mem = '512MB'`, `SET work_mem = '256MB'`},
		loaded:  []string{`VACUUM (ANALYZE) hulls`, `VACUUM (ANALYZE) hull_terms`, `CHECKPOINT`},
		version: `SELECT 'PostgreSQL ' || current_setting('server_version')`,
	}
	admin, err := sql.Open("pgx", cluster.URL("postgres"))
	if err != nil {
		return d, err
	}
	defer admin.Close()
	_, err = admin.ExecContext(ctx, "CREATE DATABASE "+name)
	return d, err
}

var argument = regexp.MustCompile(`\$[0-9]+`)

// asSent returns a query in the form that internal/platform/db sends.
func (d database) asSent(query string) string { return argument.ReplaceAllString(query, d.argument) }

// open opens the two pools of the bare server.
func (d database) open() (write, read *sql.DB, err error) {
	if write, err = sql.Open(d.driver, d.writer); err != nil {
		return nil, nil, err
	}
	if read, err = sql.Open(d.driver, d.reader); err != nil {
		return nil, nil, err
	}
	write.SetMaxOpenConns(d.writers)
	write.SetMaxIdleConns(d.writers)
	read.SetMaxOpenConns(d.readers)
	read.SetMaxIdleConns(d.readers)
	return write, read, nil
}
