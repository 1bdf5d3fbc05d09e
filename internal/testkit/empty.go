package testkit

import (
	"fmt"
	"os"
	"testing"
)

// EmptyPostgres creates a database without tables, for a process that migrates
// it, and returns its URL.
func EmptyPostgres(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("empty_%d_%d", os.Getpid(), copies.Add(1))
	check(t, execAdmin("CREATE DATABASE "+name))
	t.Cleanup(func() { check(t, execAdmin("DROP DATABASE "+name+" WITH (FORCE)")) })
	return urlOf(name)
}
