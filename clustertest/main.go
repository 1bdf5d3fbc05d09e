// Command clustertest runs three PostgreSQL servers with Patroni and etcd, three Slipway
// nodes and HAProxy on one machine, and fails parts of it while clients write. Each
// machine is a network namespace, so it needs root. Run it with `make test-cluster`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type options struct {
	slipway  string
	defaults bool
	only     *regexp.Regexp
	out      string
	keep     bool
}

// longestGap is the goal for the time without a write. Patroni's own defaults replace a
// lost primary after 30 seconds.
func (o options) longestGap() time.Duration {
	if o.defaults {
		return 50 * time.Second
	}
	return 15 * time.Second
}

func main() {
	var o options
	flag.StringVar(&o.slipway, "slipway", "../bin/slipway", "the `program` to test")
	flag.BoolVar(&o.defaults, "defaults", false, "use Patroni's defaults for ttl, loop_wait and retry_timeout")
	only := flag.String("only", "", "run only scenarios that match this `regexp`; doesn't write a report")
	flag.StringVar(&o.out, "out", "RESULTS.md", "`file` for the results of a full run")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder with the logs")
	flag.Parse()
	if *only != "" || o.defaults {
		o.out = ""
	}
	var err error
	if o.only, err = regexp.Compile(*only); err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = run(ctx, o)
		stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clustertest:", err)
		os.Exit(1)
	}
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// cluster is everything that the test runs.
type cluster struct {
	options   options
	folder    string
	programs  string // folder of the programs of PostgreSQL
	databases []*machine
	nodes     []*machine
	balancer  *machine
	running   map[*machine]*process // Slipway on each node
	load      *load
}

// run starts the cluster, runs the scenarios and reports the results.
func run(ctx context.Context, o options) (err error) {
	c, err := newCluster(o)
	if err != nil {
		return err
	}
	deleteNetwork(ctx, c.machines())
	defer func() {
		ctx := context.WithoutCancel(ctx)
		deleteNetwork(ctx, c.machines())
		if o.keep || err != nil {
			progress("logs: %s", c.folder)
		} else {
			err = os.RemoveAll(c.folder)
		}
	}()
	if err := c.start(ctx); err != nil {
		return err
	}

	loading, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.load.run(loading)
	}()
	results, err := c.runScenarios(ctx)
	stop()
	<-done
	if err != nil {
		return err
	}
	return c.report(ctx, results)
}

func newCluster(o options) (*cluster, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		return nil, errors.Join(err, errors.New("PostgreSQL is not installed"))
	}
	c := &cluster{options: o, programs: filepath.Dir(found[len(found)-1]), running: map[*machine]*process{}}
	if c.options.slipway, err = filepath.Abs(o.slipway); err != nil {
		return nil, err
	}
	if c.folder, err = os.MkdirTemp("", "slipway-cluster-"); err != nil {
		return nil, err
	}
	for i := 1; i <= 3; i++ {
		c.databases = append(c.databases, c.newMachine("db", i, 10+i))
		c.nodes = append(c.nodes, c.newMachine("app", i, 20+i))
	}

	c.balancer = c.newMachine("lb", 1, 31)

	owner, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, uidErr := strconv.Atoi(owner.Uid)
	gid, gidErr := strconv.Atoi(owner.Gid)
	errs := []error{uidErr, gidErr, os.Chmod(c.folder, 0o755)}
	for _, m := range c.machines() {
		errs = append(errs, os.Mkdir(m.folder, 0o755), os.Chown(m.folder, uid, gid))
	}
	return c, errors.Join(errs...)
}

func (c *cluster) newMachine(prefix string, n, address int) *machine {
	name := prefix + strconv.Itoa(n)
	return &machine{name: name, address: "10.213.7." + strconv.Itoa(address), folder: filepath.Join(c.folder, name)}
}

func (c *cluster) machines() []*machine {
	return slices.Concat(c.databases, c.nodes, []*machine{c.balancer})
}

// start starts all machines and creates the data that the load uses.
func (c *cluster) start(ctx context.Context) error {
	if err := createNetwork(ctx, c.machines()); err != nil {
		return err
	}
	for _, m := range c.databases {
		if err := c.startDatabase(m); err != nil {
			return err
		}
	}
	progress("waiting for Patroni to create the databases")
	if err := c.waitUntilComplete(ctx); err != nil {
		return err
	}
	leader, err := c.primary(ctx)
	if err != nil {
		return err
	}
	for _, statement := range []string{"CREATE ROLE slipway LOGIN PASSWORD 'secret'", "CREATE DATABASE slipway OWNER slipway"} {
		if _, err := c.query(ctx, leader, "postgres", statement); err != nil {
			return err
		}
	}

	if err := c.createData(ctx); err != nil {
		return err
	}
	for _, m := range c.nodes {
		if err := c.startNode(ctx, m); err != nil {
			return err
		}
	}
	return c.startBalancer(ctx)
}

// environment returns the variables of a Slipway node.
func (c *cluster) environment(m *machine) ([]string, error) {
	path, err := m.configure("slipway.env", "/var/lib/slipway", filepath.Join(m.folder, "data"))
	if err != nil {
		return nil, err
	}
	env, err := variables(path)
	return append(env, "SLIPWAY_METRICS_LISTEN="), err
}

// startNode starts Slipway and waits until it is ready.
func (c *cluster) startNode(ctx context.Context, m *machine) error {
	env, err := c.environment(m)
	if err != nil {
		return err
	}
	if c.running[m], err = m.start("postgres", "slipway", env, c.options.slipway, "serve"); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		res, err := command(ctx, "curl", "--silent", "--max-time", "5", "http://"+m.address+":8080/readyz")
		if err == nil && strings.TrimSpace(res) == "ok" {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready", m.name)
}

func (c *cluster) startBalancer(ctx context.Context) error {
	path, err := c.balancer.configure("haproxy.cfg")
	if err != nil {
		return err
	}
	if _, err := command(ctx, "haproxy", "-c", "-f", path); err != nil {
		return err
	}
	if _, err := c.balancer.start("postgres", "haproxy", nil, "haproxy", "-f", path); err != nil {
		return err
	}
	return c.load.waitUntilUp(ctx)
}
