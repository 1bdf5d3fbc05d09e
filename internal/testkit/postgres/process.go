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

// freeze pauses the processes of the server and returns their IDs, the main process first.
func (c *Cluster) freeze() ([]int, error) {
	if !c.running() {
		return nil, errNotRunning
	}
	// The main process starts the others. After it is paused, no new ones appear.
	first := []int{c.server.pid}
	signal(syscall.SIGSTOP, first...)
	if err := waitForState(first, "TZ"); err != nil {
		return nil, err
	}
	children, err := childrenOf(c.server.pid)
	if err != nil {
		return nil, err
	}
	signal(syscall.SIGSTOP, children...)
	return append(first, children...), waitForState(children, "TZ")
}

// signal ignores errors, because the process might have ended.
func signal(s syscall.Signal, pids ...int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s)
	}
}

// waitForState waits until each process has ended or is in one of the states: T (stopped), Z (zombie) or X (dead).
// Signals take effect some time after they are sent.
func waitForState(pids []int, states string) error {
	const limit = 10 * time.Second
	for deadline := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		waiting := slices.ContainsFunc(pids, func(pid int) bool {
			state, _, ok := status(pid)
			return ok && !strings.Contains(states, state)
		})
		if !waiting {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v did not reach one of the states %s within %s", pids, states, limit)
		}
	}
}

// childrenOf scans all processes, because the kernel's list of children can be incomplete while some of them end.
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

// status returns the state of a process and the ID of its parent. ok is false if the process has ended.
func status(pid int) (state, parent string, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", "", false
	}
	// The second field is the command in parentheses. It can contain spaces and parentheses.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return "", "", false
	}
	return fields[0], fields[1], true
}
