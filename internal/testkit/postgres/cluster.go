// Package postgres runs private, throwaway PostgreSQL servers for tests and benchmarks, and breaks them on purpose.
package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// URLVariable names the environment variable that carries the address of a running cluster's "postgres" database to
// the tests, so that all packages of one run share one server.
const URLVariable = "SLIPWAY_TEST_POSTGRES"

// Cluster is one PostgreSQL server with its data. It never outlives the process that started it, however that
// process ends. URL is safe for everyone; the other methods are for one goroutine at a time.
type Cluster struct {
	programs string // the folder of initdb and postgres
	folder   string // data, socket and log
	port     int
	settings []string
	as       *syscall.Credential // whom the server runs as, nil for ourselves
	watcher  *watcher
	server   *server
	paused   []int // the processes that Pause stopped
}

// Option changes how a cluster is set up.
type Option func(*Cluster)

// Durable keeps the settings under which an acknowledged commit survives power loss: benchmarks need them, tests only
// wait for them.
func Durable() Option {
	return func(c *Cluster) { c.settings = common }
}

var (
	common = []string{
		"max_connections=300",
		"shared_buffers=128MB",
		"listen_addresses=127.0.0.1",
		// Containers often give shared memory 64 MB, and what a killed server leaves there would outlive our folder.
		"dynamic_shared_memory_type=mmap",
	}
	// synchronous_commit stays on: without fsync it costs nothing, and a commit must survive Kill.
	fast = append([]string{"fsync=off", "full_page_writes=off"}, common...)
)

// Start creates a cluster and returns once it takes connections. As root on Debian it installs PostgreSQL if it must.
// ctx bounds the start only; the server runs until Stop.
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
	if c.port, err = freePort(); err != nil {
		return err
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
	cmd := exec.CommandContext(ctx, filepath.Join(c.programs, "initdb"), "--pgdata=data", "--username=postgres",
		"--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
	cmd.Dir = c.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// URL returns the address of a database in the cluster, which need not exist yet; "postgres" always does.
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

// Stop ends the server at once, whatever state it is in, and removes its folder. Stopping twice is harmless.
func (c *Cluster) Stop() {
	if c.watcher != nil {
		c.watcher.finish()
	}
}

// freePort picks below the ports that the kernel gives to outgoing connections, so that none of those takes the
// server's place between Kill and Restart.
func freePort() (int, error) {
	const low, high = 20000, 32000
	var err error
	for range 100 {
		port := low + rand.IntN(high-low)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}
