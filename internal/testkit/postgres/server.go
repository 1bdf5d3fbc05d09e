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

// startLimit is generous: crash recovery on a busy two-core machine takes seconds.
const startLimit = time.Minute

// server is one run of the postgres program; a restarted cluster has a new one.
type server struct {
	pid  int
	gone chan struct{} // closed when it has ended
}

// Kill crashes the server as a failing machine would: no goodbye to the clients, no checkpoint. Commits survive it.
func (c *Cluster) Kill() error {
	pids, err := c.freeze()
	if err != nil {
		return err
	}
	signal(syscall.SIGKILL, pids...)
	// A new server refuses the data while a process of the old one still holds the shared memory.
	if err := settle(pids, "ZX"); err != nil {
		return err
	}
	<-c.server.gone
	return nil
}

// Restart starts the server again on the same port and data, after killing it if it runs.
func (c *Cluster) Restart(ctx context.Context) error {
	if c.running() {
		if err := c.Kill(); err != nil {
			return err
		}
	}
	return c.launch(ctx)
}

// Pause stops every process of the server without ending it: connections stay open, new ones are accepted by the
// kernel, and nothing answers.
func (c *Cluster) Pause() error {
	pids, err := c.freeze()
	if err != nil {
		return err
	}
	c.paused = pids
	return c.watcher.guard(pids...)
}

// Resume ends a Pause; the server carries on where it stood.
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
	case <-c.server.gone:
		return false
	default:
		return true
	}
}

// launch returns once the server takes connections.
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
	// In its own process group, so that an interrupt from the terminal reaches us and not the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.server = &server{pid: cmd.Process.Pid, gone: make(chan struct{})}
	c.paused = nil
	if err := c.watcher.guard(c.server.pid); err != nil {
		return errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	go func(s *server) {
		_ = cmd.Wait()        // the log says why
		_ = c.watcher.guard() // the number may soon be another process's
		close(s.gone)
	}(c.server)

	for !c.ready() {
		select {
		case <-c.server.gone:
			return fmt.Errorf("the server ended at once; its log:\n%s", c.logTail())
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w; its log:\n%s", context.Cause(ctx), c.logTail())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// ready reads what the server says of itself in its lock file: the pid in line 1 (a killed predecessor leaves its own
// there) and the state in line 8.
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
