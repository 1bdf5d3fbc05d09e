package documents_test

import (
	"strings"
	"testing"

	"slipway/internal/deals"
	"slipway/internal/testkit"
)

func deal(s *testkit.Server, id string) (d deals.Deal) {
	s.Test.Get("/v1/deals/"+id, 200, &d)
	return d
}

// eventTypes returns the types of the events of an object, oldest first.
func eventTypes(s *testkit.Server, objectID string) string {
	return strings.Join(testkit.Rows[string](s, `SELECT type FROM outbox WHERE object_id = ? ORDER BY sequence`, objectID), " ")
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
