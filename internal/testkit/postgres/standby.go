package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Standby starts a server that replicates c, and returns when it accepts connections.
func (c *Cluster) Standby(ctx context.Context) (*Cluster, error) {
	s := &Cluster{settings: c.settings, primary: c}
	if err := s.start(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("start a standby: %w", err)
	}
	return s, nil
}

// copyPrimary creates the data of a standby.
func (c *Cluster) copyPrimary(ctx context.Context) error {
	return c.program(ctx, "pg_basebackup", "--pgdata=data", "--write-recovery-conf", "--checkpoint=fast", "--no-sync",
		"--dbname="+c.primary.URL("postgres"))
}

// Promote makes a standby the primary, and pauses its checkpoints. The first one after a promotion is slow: on a busy
// server it takes minutes.
func (c *Cluster) Promote(ctx context.Context) error {
	children, err := childrenOf(c.server.pid)
	if err != nil {
		return err
	}
	for _, pid := range children {
		command, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil || !strings.Contains(string(command), "checkpointer") {
			continue
		}
		signal(syscall.SIGSTOP, pid)
		if err := waitForState([]int{pid}, "TZ"); err != nil {
			return err
		}
		c.paused = []int{pid}
		if err := c.watcher.guard(c.server.pid, pid); err != nil {
			return err
		}
		return c.program(ctx, "pg_ctl", "promote", "--pgdata=data", "--wait")
	}
	return errors.New("the server has no checkpointer")
}

// program runs a program of PostgreSQL in the folder of the cluster.
func (c *Cluster) program(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(c.programs, name), args...)
	cmd.Dir = c.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
