package postgres

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// freeze stops the server's processes and names them, its first process before all others.
func (c *Cluster) freeze() ([]int, error) {
	if !c.running() {
		return nil, errNotRunning
	}
	// The first process forks the others: once it stands still, no new one can slip by.
	first := []int{c.server.pid}
	signal(syscall.SIGSTOP, first...)
	if err := settle(first, "TZ"); err != nil {
		return nil, err
	}
	children, err := childrenOf(c.server.pid)
	if err != nil {
		return nil, err
	}
	signal(syscall.SIGSTOP, children...)
	return append(first, children...), settle(children, "TZ")
}

// signal ignores errors: a process that has ended needs none.
func signal(s syscall.Signal, pids ...int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s)
	}
}

// settle waits until each process has ended or is in one of the states: T stopped, Z ended but not yet collected,
// X ending. Signals only take effect some time after they are sent.
func settle(pids []int, states string) error {
	const patience = 10 * time.Second
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		moving := slices.ContainsFunc(pids, func(pid int) bool {
			state, _, ok := status(pid)
			return ok && !strings.Contains(states, state)
		})
		if !moving {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v have not reached the state %s in %s", pids, states, patience)
		}
	}
}

// childrenOf scans all processes: the kernel's own list of a process's children may skip some while others end.
func childrenOf(parent int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if _, ppid, ok := status(pid); ok && ppid == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// status returns a process's state letter and its parent's number, and false for a process that has gone.
func status(pid int) (state, parent string, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", "", false
	}
	// The second field is the command in parentheses, which may hold spaces and parentheses itself.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return "", "", false
	}
	return fields[0], fields[1], true
}
