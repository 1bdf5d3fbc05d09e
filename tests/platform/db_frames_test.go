package platform

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Most of the time of a write on SQLite is its statements and its pages, because there is
// one writer, and each page goes to the log.
func TestFrames(t *testing.T) {
	s := testkit.OnSQLite(t)
	home := s.Test.Location()
	file, err := sql.Open("sqlite", "file:"+filepath.Join(s.Settings().Data, "slipway.db")+"?_pragma=busy_timeout(3500)")
	assert.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	// frames returns how many pages are in the log, and lets it start again.
	frames := func() (n int64) {
		var busy, copied int64
		assert.NoError(t, file.QueryRow("PRAGMA wal_checkpoint(RESTART)").Scan(&busy, &n, &copied))
		return n
	}

	least := int64(1000)
	for n := range 20 {
		frames()
		s.Test.Hull(home, map[string]any{"stock_number": fmt.Sprintf("T-%d", n)})
		least = min(least, frames())
	}
	t.Logf("%d frames", least)
	if most := int64(32); least > most {
		t.Errorf("got %d frames, want at most %d", least, most)
	}
}
