package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	bridge  = "slipway0"
	gateway = "10.213.7.1" // address of this process
)

// machine is a network namespace with an address on the bridge. Its processes can only
// reach other machines through the bridge.
type machine struct {
	name, address string
	folder        string // of configuration, data and logs
}

func (m *machine) namespace() string { return "slipway-" + m.name }
func (m *machine) cable() string     { return "slw-" + m.name } // its end on the bridge

// command runs a tool and returns its output.
func command(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// ip runs several commands of the tool ip, one per line.
func ip(ctx context.Context, lines string) error {
	for line := range strings.Lines(lines) {
		if args := strings.Fields(line); len(args) > 0 {
			if _, err := command(ctx, "ip", args...); err != nil {
				return err
			}
		}
	}
	return nil
}

// createNetwork creates the bridge and a namespace for each machine.
func createNetwork(ctx context.Context, machines []*machine) error {
	if err := ip(ctx, fmt.Sprintf("link add %s type bridge\n addr add %s/24 dev %[1]s\n link set %[1]s up", bridge, gateway)); err != nil {
		return err
	}
	for _, m := range machines {
		if err := ip(ctx, fmt.Sprintf(`
			netns add %[1]s
			link add %[2]s type veth peer name eth0 netns %[1]s
			link set %[2]s master %[3]s up
			-n %[1]s addr add %[4]s/24 dev eth0
			-n %[1]s link set eth0 up
			-n %[1]s link set lo up`, m.namespace(), m.cable(), bridge, m.address)); err != nil {
			return err
		}
	}
	return nil
}

// deleteNetwork kills the processes of all machines and deletes the network. It also
// removes what a killed run has left.
func deleteNetwork(ctx context.Context, machines []*machine) {
	for _, m := range machines {
		if _, err := os.Stat("/run/netns/" + m.namespace()); err == nil {
			m.signal(ctx, syscall.SIGKILL)
			_ = ip(ctx, "netns del "+m.namespace())
		}
		// The kernel deletes the namespace later, and its interfaces with it.
		if _, err := os.Stat("/sys/class/net/" + m.cable()); err == nil {
			_ = ip(ctx, "link del "+m.cable())
		}
	}
	if _, err := os.Stat("/sys/class/net/" + bridge); err == nil {
		_ = ip(ctx, "link del "+bridge)
	}
}

// disconnect drops all packets between the machine and the others. Connections are
// neither closed nor refused.
func (m *machine) disconnect(ctx context.Context) error {
	return ip(ctx, "link set "+m.cable()+" nomaster")
}

func (m *machine) connect(ctx context.Context) error {
	return ip(ctx, "link set "+m.cable()+" master "+bridge)
}

// pids returns the processes of the machine.
func (m *machine) pids(ctx context.Context) []int {
	out, err := command(ctx, "ip", "netns", "pids", m.namespace())
	if err != nil {
		return nil
	}
	var pids []int
	for _, field := range strings.Fields(out) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// signal sends a signal to all processes of the machine. After SIGKILL, it waits until
// they have ended.
func (m *machine) signal(ctx context.Context, s syscall.Signal) {
	for {
		pids := m.pids(ctx)
		for _, pid := range pids {
			_ = syscall.Kill(pid, s) // it might have ended
		}
		if s != syscall.SIGKILL || len(pids) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// process is a program on a machine.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts a program as a user. Its output goes to a log in the folder.
func (m *machine) start(user, name string, env []string, args ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(m.folder, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	all := append([]string{"netns", "exec", m.namespace(), "setpriv", "--reuid", user, "--regid", user, "--clear-groups"}, args...)
	cmd := exec.Command("ip", all...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.folder, log, log
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the terminal reaches only this process
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the log contains the reason
		close(p.done)
	}()
	return p, nil
}

// configure writes a file of the folder config for this machine.
func (m *machine) configure(file string, replacements ...string) (string, error) {
	text, err := os.ReadFile(filepath.Join("config", file))
	if err != nil {
		return "", err
	}
	changed := strings.NewReplacer(replacements...).Replace(string(text))
	path := filepath.Join(m.folder, file)
	return path, os.WriteFile(path, []byte(changed), 0o644)
}

// variables reads a file of environment variables.
func variables(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var env []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			env = append(env, line)
		}
	}
	return env, nil
}

// postmaster returns the main process of the machine's PostgreSQL server.
func (m *machine) postmaster() (int, error) {
	text, err := os.ReadFile(filepath.Join(m.data(), "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, errors.New("the PostgreSQL server of " + m.name + " is not running")
	}
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

func (m *machine) data() string { return filepath.Join(m.folder, "postgresql") }
