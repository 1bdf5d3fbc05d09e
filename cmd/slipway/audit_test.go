package main_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
)

// verify runs `slipway audit verify` and returns its exit code and its output.
func (p *program) verify(args ...string) (code int, lines []string, stderr string) {
	p.t.Helper()
	out, err := p.command(append([]string{"audit", "verify"}, args...)...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code, stderr = exit.ExitCode(), string(exit.Stderr)
	} else if err != nil {
		p.t.Fatal(err)
	}
	return code, strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), stderr
}

// exec changes the database directly.
func (p *program) exec(statement string, args ...any) {
	p.t.Helper()
	dsn := p.database
	if dsn == "" {
		dsn = "sqlite:" + filepath.Join(p.data, "slipway.db")
	}
	d, err := db.Open(p.t.Context(), dsn)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			p.t.Error(err)
		}
	}()
	n, err := db.Write(p.t.Context(), d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, statement, args...)
	})
	if err != nil || n != 1 {
		p.t.Fatalf("got %d changed rows and error %v, want 1 row", n, err)
	}
}

// checkAuditLog verifies the audit log after a crash, changes an entry and checks
// that verify finds the change.
func checkAuditLog(t *testing.T, p *program, dealership string) {
	t.Helper()
	for _, args := range [][]string{nil, {"--dealership", dealership}} {
		code, lines, stderr := p.verify(args...)
		if code != 0 || len(lines) != 2 || stderr != "" {
			t.Fatalf("got exit code %d, output %q and errors %q, want exit code 0 and two lines", code, lines, stderr)
		}
		for i, mode := range []string{"live", "test"} {
			testkit.Contains(t, lines[i], dealership+" "+mode+"  ok, ", args)
			testkit.Contains(t, lines[i], " entries, 0 not linked", args)
		}
	}
	testkit.Contains(t, p.fail("audit", "verify", "--dealership", "dlr_1"), "Dealership dlr_1 not found")

	p.exec(`UPDATE audit_entries SET actor_label = 'Another user'
		WHERE link = 3 AND env = (SELECT env FROM dealerships WHERE id = ? AND mode = 'test')`, dealership)
	code, lines, stderr := p.verify()
	testkit.Equal(t, code, 1, "exit code")
	testkit.Len(t, lines, 2)
	testkit.Contains(t, lines[0], " ok, ")
	testkit.Contains(t, lines[1], "test  BROKEN: entry aud_")
	testkit.Contains(t, stderr, "1 of 2 audit logs")
}
