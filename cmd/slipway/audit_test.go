package main_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit/assert"
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

// checkCommandsAreLinked checks that the entries of commands are linked although no
// server has run.
func checkCommandsAreLinked(t *testing.T, p *program) {
	t.Helper()
	code, lines, _ := p.verify()
	assert.Equal(t, code, 0, "exit code")
	assert.Len(t, lines, 3)
	for _, line := range lines[:2] {
		assert.Contains(t, line, "ok, ")
		assert.Contains(t, line, " entries, 0 not linked yet")
		assert.Excludes(t, line, "ok, 0 entries")
	}
}

// checkRefusals checks that a running server saves rejected credentials.
func checkRefusals(t *testing.T, p *program, s *server) {
	t.Helper()
	if a := s.send("GET", "/v1/me", "sk_test_wrong", "", nil); a.status != 401 {
		t.Fatalf("got %d with an invalid key, want 401", a.status)
	}
	var refusals []struct {
		Kind, Reason string
		IP           *string
		Times        int
	}
	assert.Eventually(t, "the refusal is saved", func() bool {
		p.run(&refusals, "audit", "refusals", "--json")
		return len(refusals) > 0
	})
	assert.Len(t, refusals, 1)
	assert.Equal(t, refusals[0].Kind, "api_key")
	assert.Equal(t, refusals[0].IP, new("127.0.0.1"))
	assert.Equal(t, refusals[0].Times, 1)

	out, err := p.command("audit", "refusals", "--since", "1h", "--limit", "5").Output()
	if err != nil {
		t.Fatal(err)
	}
	assert.Contains(t, string(out), "LAST")
	assert.Contains(t, string(out), refusals[0].Reason)
}

// checkAuditLog verifies the audit log after a crash, changes an entry and checks
// that verify finds the change.
func checkAuditLog(t *testing.T, p *program, dealership string) {
	t.Helper()
	for _, args := range [][]string{nil, {"--dealership", dealership}} {
		code, lines, stderr := p.verify(args...)
		if code != 0 || len(lines) != 3 || stderr != "" {
			t.Fatalf("got exit code %d, output %q and errors %q, want exit code 0 and three lines", code, lines, stderr)
		}
		for i, mode := range []string{"live", "test"} {
			assert.Contains(t, lines[i], dealership+" "+mode+"  ok, ", args)
			assert.Contains(t, lines[i], " entries, 0 not linked", args)
		}
		head, ok := strings.CutPrefix(lines[2], "To compare later: slipway audit verify --head ")
		if code, lines, _ := p.verify("--head", head); !ok || code != 0 {
			t.Fatalf("got exit code %d and output %q with the head %q, want exit code 0", code, lines, head)
		}
		code, lines, _ = p.verify("--head", strings.Replace(head, "1.", "1.1000", 1))
		assert.Equal(t, code, 1, "exit code with a newer head")
		assert.Contains(t, lines[0], "the database is an older copy")
	}
	assert.Contains(t, p.fail("audit", "verify", "--head", "1"), "is not a head")
	assert.Contains(t, p.fail("audit", "verify", "--dealership", "dlr_1"), "Dealership dlr_1 not found")

	p.exec(`UPDATE audit_entries SET actor_label = 'Another user'
		WHERE link = 3 AND env = (SELECT env FROM dealerships WHERE id = ? AND mode = 'test')`, dealership)
	code, lines, stderr := p.verify()
	assert.Equal(t, code, 1, "exit code")
	assert.Len(t, lines, 2)
	assert.Contains(t, lines[0], " ok, ")
	assert.Contains(t, lines[1], "test  BROKEN: entry aud_")
	assert.Contains(t, stderr, "1 of 2 audit logs")
}
