// Package postgres runs temporary PostgreSQL servers for tests and benchmarks. It can also crash and pause them.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"strconv"
	"syscall"
)

// URLVariable is the environment variable with the address of the "postgres" database of a running cluster. All
// packages of a test run share this server.
const URLVariable = "SLIPWAY_TEST_POSTGRES"

// Cluster is a PostgreSQL server with its data. It stops when the process that started it ends, even if that process
// is killed. URL is safe for concurrent use, the other methods are not.
type Cluster struct {
	programs string // folder of initdb and postgres
	folder   string // contains the data, the socket and the log
	port     int
	settings []string
	as       *syscall.Credential // user of the server, nil for the current user
	watcher  *watcher
	server   *server
	paused   []int    // processes that Pause or Promote stopped
	primary  *Cluster // that a standby replicates
}

// Option changes how a cluster is set up.
type Option func(*Cluster)

// Durable keeps the settings that make a commit survive a power loss. Benchmarks need them, but they slow down tests.
func Durable() Option {
	return func(c *Cluster) { c.settings = common }
}

// SamePort uses the same port each time for a folder, if it is free. Then the URL is the same too, and Go can reuse the
// results of tests that read it.
func SamePort(folder string) Option {
	return func(c *Cluster) {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(folder)) // never fails
		c.port = lowPort + int(hash.Sum32()%(highPort-lowPort))
	}
}

var (
	common = []string{
		"max_connections=300",
		"shared_buffers=128MB",
		"listen_addresses=127.0.0.1",
		// Containers often limit shared memory to 64 MB, and a killed server doesn't release its part.
		"dynamic_shared_memory_type=mmap",
	}
	// synchronous_commit stays on. It costs nothing without fsync, and a commit must survive Kill.
	fast = append([]string{"fsync=off", "full_page_writes=off"}, common...)
)

// Start creates a cluster and returns when it accepts connections. If PostgreSQL is missing, it installs it, but only
// as root on Debian. ctx limits only the start. The server runs until Stop.
func Start(ctx context.Context, options ...Option) (*Cluster, error) {
	c := &Cluster{settings: fast}
	for _, option := range options {
		option(c)
	}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) (err error) {
	if c.programs, err = programs(ctx); err != nil {
		return err
	}
	if c.as, err = unprivileged(); err != nil {
		return err
	}
	if c.port == 0 || !isFree(c.port) {
		if c.port, err = freePort(); err != nil {
			return err
		}
	}
	if c.folder, err = os.MkdirTemp("", "slipway-postgres-"); err != nil {
		return err
	}
	if c.watcher, err = watch(c.folder); err != nil {
		return err
	}
	if c.as != nil {
		if err := os.Chown(c.folder, int(c.as.Uid), int(c.as.Gid)); err != nil {
			return err
		}
	}
	if err := c.initialize(ctx); err != nil {
		return err
	}
	return c.launch(ctx)
}

func (c *Cluster) initialize(ctx context.Context) error {
	if c.primary != nil {
		return c.copyPrimary(ctx)
	}
	return c.program(ctx, "initdb", "--pgdata=data", "--username=postgres",
		"--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
}

// URL returns the address of a database in the cluster. The database doesn't have to exist. "postgres" always exists.
func (c *Cluster) URL(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User("postgres"),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Stop stops the server immediately, in any state, and removes its folder. You can call it twice.
func (c *Cluster) Stop() {
	if c.watcher != nil {
		c.watcher.finish()
	}
}

// freePort picks a port below the range for outgoing connections, so that none of them uses the port between Kill and
// Restart.
func freePort() (int, error) {
	for range 100 {
		if port := lowPort + rand.IntN(highPort-lowPort); isFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("no free port found")
}

const lowPort, highPort = 20000, 32000

func isFree(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	return err == nil && l.Close() == nil
}
