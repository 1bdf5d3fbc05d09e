package platform

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A server becomes unready if a newer version has made a change that it can't work with.
func TestUnreadyOnNewerSchema(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		assert.NoError(t, db.CheckSchema(t.Context(), s.DB))
		assert.Equal(t, readyz(t, s), 200)
		s.Exec(`UPDATE schema_floor SET version = ?`, db.Schema()+1)
		assert.Equal(t, errors.Is(db.CheckSchema(t.Context(), s.DB), db.ErrTooOld), true)
		assert.Equal(t, readyz(t, s), 503)
		s.Exec(`UPDATE schema_floor SET version = ?`, db.Schema())
		assert.Equal(t, readyz(t, s), 200)
	})
}

func readyz(t *testing.T, s *testkit.Server) int {
	t.Helper()
	w := httptest.NewRecorder()
	s.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return w.Code
}
