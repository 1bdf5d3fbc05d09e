// Command withpostgres starts a temporary PostgreSQL server and runs another command, with the address of the server in
// SLIPWAY_TEST_POSTGRES. If the variable is already set, it starts no server.
//
//	go run ./internal/testkit/postgres/withpostgres go test ./...
//	go run ./internal/testkit/postgres/withpostgres -citus go test ./...    with a coordinator and two workers of Citus
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"slipway/internal/testkit/postgres"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres [-citus] command [argument ...]")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
	}
	os.Exit(code)
}

// run is separate from main, because os.Exit skips deferred calls.
func run(command []string) (code int, err error) {
	caught := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, caught...)

	if err := useMemory(); err != nil {
		return 1, err
	}
	if command[0] == "-citus" {
		ctx, cancel := signal.NotifyContext(context.Background(), caught...)
		defer cancel()
		all, err := postgres.StartCitus(ctx, 2)
		if err != nil {
			return 1, err
		}
		var workers []string
		for _, c := range all {
			defer c.Stop()
			workers = append(workers, c.Address())
		}
		err = errors.Join(os.Setenv(postgres.URLVariable, all[0].URL("postgres")), os.Setenv(postgres.WorkersVariable, strings.Join(workers[1:], ",")))
		if err != nil {
			return 1, err
		}
		command = command[1:]
	}
	if os.Getenv(postgres.URLVariable) == "" {
		ctx, cancel := signal.NotifyContext(context.Background(), caught...)
		defer cancel()
		folder, err := os.Getwd()
		if err != nil {
			return 1, err
		}
		cluster, err := postgres.Start(ctx, postgres.SamePort(folder))
		if err != nil {
			return 1, err
		}
		defer cluster.Stop()
		if err := os.Setenv(postgres.URLVariable, cluster.URL("postgres")); err != nil {
			return 1, err
		}
	}

	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 127, err
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	return exitCode(cmd.Wait())
}

// useMemory puts temporary files in memory if there is room, because the databases of tests wait for the disk
// otherwise.
func useMemory() error {
	const folder, enough = "/dev/shm", 4 << 30
	var disk syscall.Statfs_t
	exists := syscall.Statfs(folder, &disk) == nil
	if exists && disk.Bavail*uint64(disk.Bsize) >= enough && os.Getenv("TMPDIR") == "" {
		return os.Setenv("TMPDIR", folder)
	}
	return nil
}

// exitCode returns the same code as a shell: 128 plus the signal number if a signal ended the command.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if err == nil {
		return 0, nil
	}
	if !errors.As(err, &exit) {
		return 1, err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return exit.ExitCode(), nil
}
