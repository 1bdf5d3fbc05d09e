package identity

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/db/hookstest"
)

func TestMissingHook(t *testing.T) {
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "slipway.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })

	holder := people.Holder{
		List:     func(context.Context, *db.Tx, people.Author) ([]people.UserAccessItem, error) { return nil, nil },
		End:      func(context.Context, *db.Tx, people.Author) error { return nil },
		HandOver: func(context.Context, *db.Tx, people.Author, people.User) error { return nil },
	}
	a, outside := &API{}, Hooks{
		DeleteWebhooks: func(context.Context, *db.Tx, string, people.Author) error { return nil },
		Webhooks:       holder, PushURLs: holder, Calendars: holder,
		Locate: map[string]access.Locate{"hull": func(context.Context, *db.Tx, string) (string, error) { return "", nil }},
	}
	c := Config{DB: d, Log: func(string) *slog.Logger { return slog.New(slog.DiscardHandler) }, Now: time.Now}
	hookstest.EachMissing(t, func() hooks { return a.hooks(outside) }, func(h hooks) { a.connect(c, h) })
}
