package app

import (
	"context"
	"net/http"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A full disk makes writes fail with 503, and takes the server out of the load balancer
// until a write succeeds again. Reads continue.
func TestFullDisk(t *testing.T) {
	s := testkit.OnSQLite(t)
	location := s.Test.Location()
	limit := func(pages string) {
		t.Helper()
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([]int64, error) {
			return db.All[int64](ctx, tx, "PRAGMA max_page_count = "+pages)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	ready := func() (status int) {
		t.Helper()
		res, err := http.Get(s.URL + "/readyz") //nolint:noctx // ends with the server
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	assert.Equal(t, ready(), 200)

	limit("1") // SQLite raises it to the current size
	status := 201
	for i := 0; i < 1000 && status == 201; i++ {
		status = send(t, s.Test, "POST", "/v1/hulls", testkit.HullBody(location, nil)).StatusCode
	}
	assert.Equal(t, status, 503, "a write that needs space")
	assert.Equal(t, ready(), 503, "ready while the disk is full")
	assert.Equal(t, ready(), 503, "still")
	s.Test.Get("/v1/locations/"+location, 200, nil)

	limit("1000000000")
	assert.Equal(t, ready(), 200, "ready with space")
	s.Test.Hull(location, nil)
}
