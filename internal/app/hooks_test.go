package app

import (
	"log/slog"
	"testing"

	"slipway/internal/platform/db/hookstest"
)

func TestMissingHook(t *testing.T) {
	s := Settings{Data: t.TempDir(), BaseURL: "http://localhost:8080", Listen: "localhost:0", LiveRate: 1, TestRate: 1, AddressRate: 1}
	a, err := Open(t.Context(), s, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })

	f := &features{}
	hookstest.EachMissing(t, func() hooks { return a.hooks(f) }, func(h hooks) {
		if err := a.connect(f, s, h); err != nil {
			t.Error(err)
		}
	})
}
