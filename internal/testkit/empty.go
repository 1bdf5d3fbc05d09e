package testkit

import (
	"fmt"
	"os"
	"testing"
)

// EmptyPostgres makes a database without any table, for a process that brings
// its own, and returns its URL.
func EmptyPostgres(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("empty_%d_%d", os.Getpid(), copies.Add(1))
	check(t, administer("CREATE DATABASE "+name))
	t.Cleanup(func() { check(t, administer("DROP DATABASE "+name+" WITH (FORCE)")) })
	return urlOf(name)
}
