package postgres

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// ownerVariable makes this test binary start a cluster and wait until it is killed.
const ownerVariable = "SLIPWAY_TEST_POSTGRES_OWNER"

func TestMain(m *testing.M) {
	if os.Getenv(ownerVariable) != "" {
		runOwner()
	}
	os.Exit(m.Run())
}

func runOwner() {
	c, err := Start(context.Background())
	if err == nil {
		err = c.Pause()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.URL("postgres"))
	select {}
}

func start(t *testing.T, options ...Option) (*Cluster, *sql.DB) {
	t.Helper()
	c, err := Start(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	return c, open(t, c.URL("postgres"))
}

func open(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func ping(t *testing.T, db *sql.DB, timeout time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	return db.PingContext(ctx)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options []Option
		fsync   string
	}{
		"fast":    {nil, "off"},
		"durable": {[]Option{Durable()}, "on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, db := start(t, test.options...)
			for setting, want := range map[string]string{
				"fsync": test.fsync, "full_page_writes": test.fsync, "synchronous_commit": "on",
				"max_connections": "300", "server_encoding": "UTF8",
			} {
				var got string
				if err := db.QueryRowContext(t.Context(), "SELECT current_setting($1)", setting).Scan(&got); err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Errorf("%s: got %s, want %s", setting, got, want)
				}
			}
		})
	}
}

func TestCommitsSurviveKill(t *testing.T) {
	t.Parallel()
	c, db := start(t)
	mustExec(t, db, "CREATE TABLE boats (name text)")
	mustExec(t, db, "INSERT INTO boats VALUES ('Aurora')")
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := ping(t, db, 5*time.Second); err == nil {
		t.Fatal("a killed server responds, want an error")
	}
	if err := c.Pause(); err == nil {
		t.Fatal("a killed server can be paused, want an error")
	}
	for range 2 { // after Kill, and while it runs
		if err := c.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		var name string
		if err := db.QueryRowContext(t.Context(), "SELECT name FROM boats").Scan(&name); err != nil || name != "Aurora" {
			t.Fatalf("after the restart: got %q and error %v, want Aurora", name, err)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	c, connected := start(t)
	mustExec(t, connected, "SELECT 1")
	if err := c.Pause(); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*sql.DB{"an open connection": connected, "a new connection": open(t, c.URL("postgres"))} {
		if err := ping(t, db, 300*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s on a paused server: got error %v, want deadline exceeded", name, err)
		}
	}
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := ping(t, connected, 5*time.Second); err != nil {
		t.Fatalf("after Resume: %v", err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	c, db := start(t)
	if err := c.Pause(); err != nil { // the most difficult case
		t.Fatal(err)
	}
	c.Stop()
	c.Stop()
	if err := ping(t, db, 5*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("after Stop: got error %v, want a refused connection", err)
	}
}

// If the owner of a paused server is killed, the server stops and its folder is removed.
func TestServerStopsWithItsOwner(t *testing.T) {
	t.Parallel()
	temp := openTempDir(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerVariable+"=1", "TMPDIR="+temp)
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "postgres://") {
		rest, _ := io.ReadAll(stdout)
		t.Fatalf("got output %q %q and error %v, want a URL", url, rest, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()

	db := open(t, strings.TrimSpace(url))
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left, err := os.ReadDir(temp)
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("got files %v, want none", left)
		}
	}
	if err := ping(t, db, 5*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("after the owner was killed: got error %v, want a refused connection", err)
	}
}

// openTempDir returns a temporary folder that the server's user can access, even if the test runs as root.
func openTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "slipway-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFailedStart(t *testing.T) {
	temp := openTempDir(t)
	t.Setenv("TMPDIR", temp)
	c, err := Start(t.Context(), func(c *Cluster) { c.settings = []string{"no_such_setting=on"} })
	if err == nil {
		c.Stop()
		t.Fatal("the server started with an unknown setting, want an error")
	}
	if !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("got error %v, want the server's log with no_such_setting", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("got files %v and error %v, want none", left, err)
	}
}
