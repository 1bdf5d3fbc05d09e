package app

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/audit"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// records sends log records to a channel.
type records struct {
	slog.Handler
	all chan slog.Record
}

func (r records) Enabled(context.Context, slog.Level) bool { return true }

func (r records) Handle(_ context.Context, record slog.Record) error {
	r.all <- record
	return nil
}

func attributes(r slog.Record) map[string]string {
	all := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		all[a.Key] = a.Value.String()
		return true
	})
	return all
}

// A server whose audit log was changed logs an error when it starts, and still
// serves, because the dealership must be able to work. It also logs the heads.
func TestStartWithChangedAuditLog(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Exec(`UPDATE audit_entries SET actor_label = 'Another user' WHERE env = ? AND link = 2`, s.TestEnv())

		log := records{slog.DiscardHandler, make(chan slog.Record, 1000)}
		a, err := app.Open(t.Context(), s.Settings(), slog.New(log))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		address, stopped := make(chan string, 1), make(chan error, 1)
		go func() { stopped <- a.Serve(ctx, func(addr string) { address <- addr }) }()
		url := "http://" + <-address

		problems, head := []string{}, ""
		for head == "" {
			r := <-log.all
			switch {
			case r.Level >= slog.LevelError:
				problems = append(problems, attributes(r)["problem"])
			case r.Message == "heads of the audit logs":
				head = attributes(r)["head"]
			}
		}
		assert.Len(t, problems, 1)
		assert.Contains(t, problems[0], "(link 2) was changed")
		heads, err := audit.ParseHeads(head)
		if err != nil || len(heads) != 4 {
			t.Errorf("got heads %v, %v; want those of 4 environments", heads, err)
		}

		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/me", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.Test.Key)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		assert.Equal(t, res.StatusCode, 200)
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}
