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

// victim makes this test binary start a cluster and wait to be killed.
const victim = "SLIPWAY_TEST_POSTGRES_VICTIM"

func TestMain(m *testing.M) {
	if os.Getenv(victim) != "" {
		beVictim()
	}
	os.Exit(m.Run())
}

func beVictim() {
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

func ping(t *testing.T, db *sql.DB, patience time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
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
					t.Errorf("%s = %s, want %s", setting, got, want)
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
		t.Fatal("a killed server answers")
	}
	if err := c.Pause(); err == nil {
		t.Fatal("a killed server can be paused")
	}
	for range 2 { // from dead and from alive
		if err := c.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		var name string
		if err := db.QueryRowContext(t.Context(), "SELECT name FROM boats").Scan(&name); err != nil || name != "Aurora" {
			t.Fatalf(`after the restart: got %q, %v; want no error, name = "Aurora"`, name, err)
		}
	}
}

func TestPause(t *testing.T) {
	t.Parallel()
	c, known := start(t)
	mustExec(t, known, "SELECT 1")
	if err := c.Pause(); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*sql.DB{"an open connection": known, "a new connection": open(t, c.URL("postgres"))} {
		if err := ping(t, db, 300*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s on a paused server: %v, want a deadline exceeded", name, err)
		}
	}
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := ping(t, known, 5*time.Second); err != nil {
		t.Fatalf("after the pause: %v", err)
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	c, db := start(t)
	if err := c.Pause(); err != nil { // the hard case
		t.Fatal(err)
	}
	c.Stop()
	c.Stop()
	if err := ping(t, db, 5*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("after the stop: %v, want a refused connection", err)
	}
}

// A server whose owner was killed while the server was paused must go too, and take its folder along.
func TestNothingOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	temp := openTempDir(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), victim+"=1", "TMPDIR="+temp)
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
		t.Fatalf(`the owner says %q %q, %v; want no error, url to start with "postgres://"`, url, rest, err)
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
			t.Fatalf("still there: %v", left)
		}
	}
	if err := ping(t, db, 5*time.Second); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("after the owner's death: %v, want a refused connection", err)
	}
}

// openTempDir is a t.TempDir that the server's user may enter too, when we are root.
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

func TestFailedStartSaysWhyAndLeavesNothing(t *testing.T) {
	temp := openTempDir(t)
	t.Setenv("TMPDIR", temp)
	c, err := Start(t.Context(), func(c *Cluster) { c.settings = []string{"no_such_setting=on"} })
	if err == nil {
		c.Stop()
		t.Fatal("started with a setting that does not exist")
	}
	if !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf(`the error does not show the server's log: got %v, want err.Error() to contain "no_such_setting"`, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: got %v, %v; want no error, len(left) <= 0", left, err)
	}
}
