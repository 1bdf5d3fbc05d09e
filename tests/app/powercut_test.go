package app

import (
	"database/sql"
	"path/filepath"
	"sync"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/powercut"
)

// A power cut directly after the response to a write doesn't lose the write, because its
// transaction was synced to the disk before. The test looks at what was synced when each
// response arrives: after each operation that changes data, and after many at the same
// time, which share transactions.
func TestResponsesAfterSync(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	disk := powercut.Follow(t, filepath.Dir(folder)) // the folders of all databases of this test
	s := testkit.OnSQLite(t)

	var mu sync.Mutex
	last := 0
	survives := func(t *testing.T, what string, res *testkit.Response) {
		mu.Lock()
		defer mu.Unlock()
		path, syncs := disk.Cut(t, filepath.Join(s.Data, "slipway.db"), folder)
		d, err := sql.Open("sqlite", "file:"+path)
		assert.NoError(t, err)
		defer d.Close()
		var n int
		assert.NoError(t, d.QueryRow(`SELECT COUNT(*) FROM audit_entries WHERE request_id = ?`, res.Header.Get("Request-Id")).Scan(&n))
		if n == 0 {
			t.Errorf("%s: a power cut after the response loses the write; %d syncs, %d of them since the last response", what, syncs, syncs-last)
		}
		last = syncs
	}
	for _, o := range operations() {
		if writes(o) {
			survives(t, o.OperationID, succeed(t, s, o))
		}
	}

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 8 {
				res, err := s.Test.Send("POST", "/v1/contacts", `{"last_name": "Bell", "email": "ann@example.com"}`)
				if err != nil || res.StatusCode != 201 {
					t.Errorf("got %v %v, want 201", res, err)
					return
				}
				survives(t, "createContact with others", res)
			}
		})
	}
	all.Wait()
}
