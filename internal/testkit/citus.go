package testkit

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"

	"slipway/internal/platform/db"
	"slipway/internal/platform/shards"
	"slipway/internal/testkit/postgres"
)

// With make test-citus, the databases of tests are distributed over two workers. A copy of a
// database is a copy on each of the servers.

// shardsPerTest is low, because each shard of a table is a table, and each test copies them.
const shardsPerTest = 4

// Workers returns the hosts and ports of the workers of Citus, or nothing.
func Workers() []string {
	text := os.Getenv(postgres.WorkersVariable)
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// workers are connections for copies, like admin.
var workers = sync.OnceValues(func() (all []*sql.DB, err error) {
	for _, address := range Workers() {
		d, err := sql.Open("pgx", atServer(os.Getenv(postgres.URLVariable), address))
		if err != nil {
			return nil, err
		}
		d.SetMaxOpenConns(1)
		all = append(all, d)
	}
	return all, nil
})

// execAdmin executes a statement on each server.
func execAdmin(statement string) error {
	d, err := admin()
	if err != nil {
		return err
	}
	all, err := workers()
	for _, d := range append(all[:len(all):len(all)], d) { // the coordinator last
		if err == nil {
			_, err = d.ExecContext(context.Background(), statement)
		}
	}
	return err
}

// atServer returns a URL with another host and port.
func atServer(url, address string) string {
	start, rest, _ := strings.Cut(url, "@")
	return start + "@" + address + rest[strings.Index(rest, "/"):]
}

// distribute distributes a database.
func distribute(name string) error {
	ctx := context.Background()
	d, err := db.Open(ctx, urlOf(name))
	if err != nil {
		return err
	}
	coordinator, _, _ := strings.Cut(strings.SplitN(urlOf(name), "@", 2)[1], "/")
	steps, err := shards.Plan(ctx, d, shards.Settings{URL: urlOf(name), Coordinator: coordinator, Workers: Workers(), Shards: shardsPerTest})
	if err == nil {
		err = shards.Run(ctx, d, steps, func(string) {})
	}
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("distribute a database: %w", err)
	}
	for _, statement := range []string{ // the daemon of Citus is connected to each database
		"ALTER DATABASE " + name + " ALLOW_CONNECTIONS false",
		"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
	} {
		if err := execAdmin(statement); err != nil {
			return err
		}
	}
	return nil
}
