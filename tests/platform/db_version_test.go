package platform

import (
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The data version changes with each commit, also with one of another process, and not
// without one.
func TestDataVersion(t *testing.T) {
	s := testkit.OnSQLite(t)
	other := s.Node()
	last := int64(-1)
	for name, write := range map[string]func(){"here": func() { s.Test.Location() }, "elsewhere": func() { other.Test.Location() }} {
		write()
		version, ok := s.DB.DataVersion(t.Context())
		again, _ := s.DB.DataVersion(t.Context())
		if !ok || version == last || again != version {
			t.Errorf("after a write %s: got %d and %d after %d (known: %t), expected a new number that stays", name, version, again, last, ok)
		}
		last = version
	}

	_, ok := testkit.OnPostgres(t).DB.DataVersion(t.Context())
	assert.Equal(t, ok, false, "PostgreSQL has no such number")
}
