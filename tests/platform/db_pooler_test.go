package platform

import (
	"errors"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"slipway/internal/app"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A pooler that rejects the parameters of a session is named, with the setting that it needs.
func TestPoolerWithoutDirectURL(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := pgproto3.NewBackend(conn, conn)
			if _, err := b.ReceiveStartupMessage(); err == nil { // as PgBouncer responds
				b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: statement_timeout"})
				_ = b.Flush()
			}
			_ = conn.Close()
		}
	}()
	d, err := db.Open(t.Context(), "postgres://slipway@"+l.Addr().String()+"/slipway?sslmode=disable")
	assert.NoError(t, err)
	defer func() { assert.NoError(t, d.Close()) }()
	for _, err := range []error{d.Ping(t.Context()), d.Migrate(t.Context())} {
		if err == nil {
			err = errors.New("no error")
		}
		assert.Contains(t, err.Error(), "Set SLIPWAY_DATABASE_DIRECT_URL to the URL of PostgreSQL itself")
	}
}

func TestPoolerSettings(t *testing.T) {
	for name, change := range map[string]func(s *app.Settings){
		"without a pooler": func(s *app.Settings) { s.DirectURL = "postgres://db/slipway" },
		"another URL":      func(s *app.Settings) { s.DatabaseURL, s.DirectURL = "postgres://pooler/slipway", "mysql://db/slipway" },
	} {
		set := testkit.OnSQLite(t).Settings()
		change(&set)
		err := set.Check()
		if err == nil {
			t.Fatalf("%s: got no error", name)
		}
		assert.Contains(t, err.Error(), "SLIPWAY_DATABASE_DIRECT_URL", name)
	}
}
