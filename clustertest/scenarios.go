package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// scenario is one failure. It returns when the cluster is complete again.
type scenario struct {
	name string
	run  func(ctx context.Context, c *cluster) error
}

var scenarios = []scenario{
	{"Kill the primary's PostgreSQL", killServer},
	{"Kill the primary's machine", killMachine},
	{"Pause the primary's machine for 20 s", pauseMachine},
	{"Isolate the primary from the network for 40 s", isolateMachine},
	{"Bring the old primary back writable", bringBackWritable},
	{"Switchover", switchOver},
	{"Rolling restart of the nodes", restartNodes},
}

// result is the outcome of one scenario.
type result struct {
	name string
	tally
}

func (c *cluster) runScenarios(ctx context.Context) ([]result, error) {
	var results []result
	for _, s := range scenarios {
		if !c.options.only.MatchString(s.name) {
			continue
		}
		if err := c.load.waitForWrites(ctx, 50); err != nil {
			return nil, fmt.Errorf("before %q: %w", s.name, err)
		}
		progress("%s", s.name)
		c.load.begin()
		if err := s.run(ctx, c); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if err := errors.Join(c.waitUntilComplete(ctx), c.load.waitForWrites(ctx, 50)); err != nil {
			return nil, fmt.Errorf("after %q: %w", s.name, err)
		}
		r := result{s.name, c.load.end()}
		progress("%d writes, longest time without one %.1f s, statuses %v, %d hung, %d broken",
			r.confirmed, r.gap.Seconds(), r.statuses, r.hung, r.broken)
		results = append(results, r)
	}
	return results, nil
}

// killServer kills only PostgreSQL. Patroni still runs.
func killServer(ctx context.Context, c *cluster) error {
	m, err := c.primary(ctx)
	if err != nil {
		return err
	}
	pid, err := m.postmaster()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	return wait(ctx, 10*time.Second)
}

// killMachine kills PostgreSQL, Patroni and etcd together, and starts them again.
func killMachine(ctx context.Context, c *cluster) error {
	m, err := c.primary(ctx)
	if err != nil {
		return err
	}
	c.kill(ctx, m)
	if err := c.waitForOther(ctx, m); err != nil {
		return err
	}
	return c.startDatabase(m)
}

// pauseMachine pauses all processes, like a virtual machine that is moved. When they
// continue, they don't know that time has passed.
func pauseMachine(ctx context.Context, c *cluster) error {
	m, err := c.primary(ctx)
	if err != nil {
		return err
	}
	m.signal(ctx, syscall.SIGSTOP)
	defer m.signal(context.WithoutCancel(ctx), syscall.SIGCONT)
	return wait(ctx, 20*time.Second)
}

func isolateMachine(ctx context.Context, c *cluster) error {
	m, err := c.primary(ctx)
	if err != nil {
		return err
	}
	if err := m.disconnect(ctx); err != nil {
		return err
	}
	return errors.Join(wait(ctx, 40*time.Second), m.connect(context.WithoutCancel(ctx)))
}

// bringBackWritable kills the primary's machine, and starts its PostgreSQL without Patroni.
// Nothing must be written to it, also not by a node that is started then.
func bringBackWritable(ctx context.Context, c *cluster) error {
	m, err := c.primary(ctx)
	if err != nil {
		return err
	}
	c.kill(ctx, m)
	if err := c.waitForOther(ctx, m); err != nil {
		return err
	}
	if err := c.startEtcd(m); err != nil {
		return err
	}
	if err := c.startOutsidePatroni(ctx, m); err != nil {
		return err
	}
	before, err := c.query(ctx, m, "slipway", "SELECT count(*) FROM deals")
	if err != nil {
		return err
	}

	if err := c.restartNode(ctx, c.nodes[0]); err != nil {
		return err
	}
	if err := wait(ctx, 10*time.Second); err != nil {
		return err
	}
	after, err := c.query(ctx, m, "slipway", "SELECT count(*) FROM deals")
	if err != nil {
		return err
	}
	if before[0] != after[0] {
		return fmt.Errorf("the old primary has %s deals, want %s: nodes wrote to it", after[0], before[0])
	}
	pid, err := m.postmaster()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil { // fast shutdown
		return err
	}
	if err := waitForEnd(ctx, pid); err != nil {
		return err
	}
	return c.startPatroni(m)
}

func waitForEnd(ctx context.Context, pid int) error {
	for deadline := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("process %d did not end within a minute", pid)
		}
	}
	return nil
}

func switchOver(ctx context.Context, c *cluster) error { return c.switchOver(ctx) }

func restartNodes(ctx context.Context, c *cluster) error {
	for _, m := range c.nodes {
		if err := c.restartNode(ctx, m); err != nil {
			return err
		}
		if err := wait(ctx, 2*time.Second); err != nil { // until HAProxy has seen that the node is ready
			return err
		}
	}
	return nil
}

func (c *cluster) restartNode(ctx context.Context, m *machine) error {
	if err := c.running[m].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-c.running[m].done:
	case <-time.After(time.Minute):
		return fmt.Errorf("%s did not stop within a minute", m.name)
	}
	return c.startNode(ctx, m)
}

// waitForOther waits until another machine is the primary.
func (c *cluster) waitForOther(ctx context.Context, old *machine) error {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if m, err := c.primary(ctx); err == nil && m != old {
			if _, err := c.query(ctx, m, "slipway", "SELECT pg_current_wal_lsn()"); err == nil {
				return nil
			}
		}
	}
	return errors.New("no other machine became the primary within 2 minutes")
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// report compares the confirmed writes with the database and prints the table.
func (c *cluster) report(ctx context.Context, results []result) error {
	leader, err := c.primary(ctx)
	if err != nil {
		return err
	}
	rows, err := c.query(ctx, leader, "slipway", "SELECT deal_id, amount_usd FROM offers")
	if err != nil {
		return err
	}
	lost, duplicated, err := c.load.compare(rows)
	if err != nil {
		return err
	}

	var table strings.Builder
	fmt.Fprintf(&table, "| Failure | Confirmed writes | Longest time without a write | Hung | Other than 2xx, 4xx, 503 |\n|---|---|---|---|---|\n")
	var failures []error
	for _, r := range results {
		fmt.Fprintf(&table, "| %s | %d | %.1f s | %d | %d |\n", r.name, r.confirmed, r.gap.Seconds(), r.hung, r.unexpected+r.broken)
		if r.gap > c.options.longestGap() {
			failures = append(failures, fmt.Errorf("%s: %.1f s without a write, want at most %s",
				r.name, r.gap.Seconds(), c.options.longestGap()))
		}
		if r.hung+r.unexpected+r.broken > 0 {
			failures = append(failures, fmt.Errorf("%s: %d requests hung, %d had unexpected statuses, %d had no response",
				r.name, r.hung, r.unexpected, r.broken))
		}
	}
	fmt.Fprintf(&table, "\nConfirmed writes: %d. Lost: %d. Duplicated: %d.\n", len(c.load.confirmed), lost, duplicated)
	if lost+duplicated > 0 {
		failures = append(failures, fmt.Errorf("%d confirmed writes were lost, %d were duplicated", lost, duplicated))
	}
	fmt.Print(table.String())
	if c.options.out != "" && len(failures) == 0 {
		err = os.WriteFile(c.options.out, []byte("# Results of `make test-cluster`\n\n"+table.String()), 0o644)
	}
	return errors.Join(append(failures, err)...)
}
