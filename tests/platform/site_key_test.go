package platform

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

var sealed = []site.Sealed{
	{Table: "mfa_factors", Column: "secret"}, {Table: "webhooks", Column: "secrets"}, {Table: "inbound_secrets", Column: "secret"},
}

// start opens the database of a server with a master key, as a restart does.
func start(t *testing.T, s *testkit.Server, master []byte, replace bool) error {
	t.Helper()
	set := s.Settings()
	set.MasterKey, set.NewMasterKey = seal.Encode(master), replace
	a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = a.Migrate(t.Context())
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	return err
}

// A server with a lost or another master key doesn't start, instead of failing
// later, one secret at a time.
func TestOtherMasterKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		other := seal.NewKey()
		if err := start(t, s, other, false); !errors.Is(err, site.ErrMasterKey) {
			t.Errorf("got %v with another key, want site.ErrMasterKey", err)
		}
		if err := start(t, s, other, true); err != nil {
			t.Errorf("got %v with --new-master-key, want no error", err)
		}
		if err := start(t, s, other, false); err != nil {
			t.Errorf("got %v at the next start, want no error", err)
		}
		if err := start(t, s, s.Box.Master(), false); !errors.Is(err, site.ErrMasterKey) {
			t.Errorf("got %v with the lost key, want site.ErrMasterKey", err)
		}
	})
}

// A start without the key of an existing database leaves no new key behind, which people
// would take for the lost one.
func TestStartWithoutMasterKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		set := s.Settings()
		set.MasterKey = ""
		if err := os.Remove(filepath.Join(set.Data, "master.key")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
		assert.NoError(t, err)
		if err := a.Migrate(t.Context()); !errors.Is(err, site.ErrMasterKey) {
			t.Errorf("got %v without a key, want site.ErrMasterKey", err)
		}
		assert.NoError(t, a.Close())

		keys, err := filepath.Glob(filepath.Join(set.Data, "*.key"))
		assert.NoError(t, err)
		if len(keys) > 0 {
			t.Errorf("got the keys %q, want none", keys)
		}
	})
}

// The master key can be replaced while a server runs. Sign-in and webhooks keep
// working, before and after its restart, and the old key is rejected in the end.
func TestRotateMasterKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Post("/v1/webhooks", map[string]any{"url": "https://example.com/", "events": []string{"*"}}, 201, nil)
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"twilio_auth_token":"0123456789abcdef"}}}`, 200, nil)
		old, next := s.Box.Master(), seal.NewKey()

		// The command is another process, with its own boxes.
		box, err := seal.NewBox(old)
		assert.NoError(t, err)
		nextBox, err := seal.NewBox(next)
		assert.NoError(t, err)
		assert.NoError(t, site.LoadKeys(t.Context(), s.DB, box, false))

		// The first new key is lost before it is used. The old key must still work.
		lost, err := seal.NewBox(seal.NewKey())
		assert.NoError(t, err)
		assert.NoError(t, site.Rotate(t.Context(), s.DB, box, lost))
		if err := site.FinishRotation(t.Context(), s.DB, box); err == nil {
			t.Error("got no error when the rotation was finished with the old key, want one")
		}
		assert.NoError(t, site.Rotate(t.Context(), s.DB, box, nextBox))
		var changed int64
		for _, col := range sealed {
			n, err := site.Reseal(t.Context(), s.DB, box, col)
			assert.NoError(t, err)
			again, err := site.Reseal(t.Context(), s.DB, box, col)
			assert.NoError(t, err)
			assert.Equal(t, again, 0, "values changed by a second run", col.Table)
			changed += n
		}
		if changed < 3 {
			t.Errorf("got %d values encrypted again, want the secrets of a user, of a webhook and of Twilio", changed)
		}

		s.Test.Session() // the running server decrypts the new values
		assert.NoError(t, start(t, s, old, false))
		assert.NoError(t, start(t, s, next, false))
		if err := site.Rotate(t.Context(), s.DB, nextBox, box); err == nil {
			t.Error("got no error for a second rotation before the first is finished, want one")
		}

		assert.NoError(t, site.FinishRotation(t.Context(), s.DB, nextBox))
		assert.NoError(t, start(t, s, next, false))
		if err := start(t, s, old, false); !errors.Is(err, site.ErrMasterKey) {
			t.Errorf("got %v with the old key, want site.ErrMasterKey", err)
		}
	})
}
