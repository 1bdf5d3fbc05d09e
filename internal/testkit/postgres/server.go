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
	"time"
)

// startLimit is long, because crash recovery on a busy machine takes seconds.
const startLimit = time.Minute

// server is one run of the postgres program. Restart starts another one.
type server struct {
	pid  int
	done chan struct{} // closed when it has ended
}

// Kill crashes the server without a shutdown or a checkpoint. Committed data survives.
func (c *Cluster) Kill() error {
	pids, err := c.freeze()
	if err != nil {
		return err
	}
	signal(syscall.SIGKILL, pids...)
	// A new server can't start while a process of the old one still uses the shared memory.
	if err := waitForState(pids, "ZX"); err != nil {
		return err
	}
	<-c.server.done
	return nil
}

// Restart starts the server again with the same port and data. It kills a running server first.
func (c *Cluster) Restart(ctx context.Context) error {
	if c.running() {
		if err := c.Kill(); err != nil {
			return err
		}
	}
	return c.launch(ctx)
}

// Pause pauses all processes of the server. Connections stay open and the kernel accepts new ones, but the server
// doesn't respond.
func (c *Cluster) Pause() error {
	pids, err := c.freeze()
	if err != nil {
		return err
	}
	c.paused = pids
	return c.watcher.guard(pids...)
}

// Resume ends a Pause. The server continues.
func (c *Cluster) Resume() error {
	if !c.running() {
		return errNotRunning
	}
	signal(syscall.SIGCONT, c.paused...)
	c.paused = nil
	return c.watcher.guard(c.server.pid)
}

var errNotRunning = errors.New("the PostgreSQL server is not running")

func (c *Cluster) running() bool {
	select {
	case <-c.server.done:
		return false
	default:
		return true
	}
}

// launch starts the server and returns when it accepts connections.
func (c *Cluster) launch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	log, err := os.OpenFile(filepath.Join(c.folder, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()

	args := []string{"-D", "data", "-p", strconv.Itoa(c.port), "-k", c.folder}
	for _, setting := range c.settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.Command(filepath.Join(c.programs, "postgres"), args...)
	cmd.Dir = c.folder
	cmd.Stdout, cmd.Stderr = log, log
	// In its own process group, so that an interrupt from the terminal doesn't reach the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.server = &server{pid: cmd.Process.Pid, done: make(chan struct{})}
	c.paused = nil
	if err := c.watcher.guard(c.server.pid); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	go func(s *server) {
		_ = cmd.Wait()        // the log contains the reason
		_ = c.watcher.guard() // the system can reuse the process ID
		close(s.done)
	}(c.server)

	for !c.ready() {
		select {
		case <-c.server.done:
			return fmt.Errorf("the server stopped immediately. Its log:\n%s", c.logTail())
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w. Its log:\n%s", context.Cause(ctx), c.logTail())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// ready reads the lock file of the server. Line 1 is the process ID, which might be the ID of an earlier, killed
// server. Line 8 is the state.
func (c *Cluster) ready() bool {
	lock, err := os.ReadFile(filepath.Join(c.folder, "data", "postmaster.pid"))
	lines := strings.Split(string(lock), "\n")
	return err == nil && len(lines) > 7 && lines[0] == strconv.Itoa(c.server.pid) && strings.TrimSpace(lines[7]) == "ready"
}

func (c *Cluster) logTail() string {
	const limit = 2000
	log, err := os.ReadFile(filepath.Join(c.folder, "log"))
	if err != nil {
		return err.Error()
	}
	return string(log[max(0, len(log)-limit):])
}
