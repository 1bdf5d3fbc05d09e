package testkit

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// checkEvents fails a test that emitted an event whose type is not listed, so
// that clients can't subscribe to it. It also records the types that were
// emitted, for the opposite check.
func checkEvents(t *testing.T, a *app.App) {
	t.Helper()
	types, err := db.Read(context.Background(), a.DB, func(ctx context.Context, tx *db.Tx) ([]string, error) {
		return db.All[string](ctx, tx, `SELECT type FROM outbox UNION SELECT type FROM events`)
	})
	if err != nil {
		return // the test closed or broke the database
	}

	for _, name := range types {
		if !slices.ContainsFunc(app.Kinds(), func(k events.Kind) bool { return k.Type == name }) {
			t.Errorf("the event type %s is not listed in the Events of its feature; add it there", name)
		}
	}
	check(t, recordEvents(types))
}

// recordEvents appends event types to the file in SLIPWAY_EVENTS_SEEN, if set.
// `make test` compares the file with the listed types; see eventsseen.
func recordEvents(types []string) error {
	file := os.Getenv("SLIPWAY_EVENTS_SEEN")
	if file == "" || len(types) == 0 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}

	_, err = f.WriteString(strings.Join(types, "\n") + "\n") // one write, because test processes append at the same time
	return errors.Join(err, f.Close())
}
