package sales

import (
	"strings"
	"testing"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

func deal(s *testkit.Server, id string) (d deals.Deal) {
	s.Test.Get("/v1/deals/"+id, 200, &d)
	return d
}

func hull(s *testkit.Server, id string) (h hulls.Hull) {
	s.Test.Get("/v1/hulls/"+id, 200, &h)
	return h
}

// accept accepts the opening offer.
func accept(s *testkit.Server, id string, want int) *testkit.Response {
	return s.Test.Post("/v1/deals/"+id+"/offers/"+s.Test.OpeningOffer(id)+"/accept", nil, want, nil)
}

func pay(s *testkit.Server, id string, cents int64) {
	s.Test.Post("/v1/deals/"+id+"/payments", map[string]any{"kind": "deposit", "method": "card", "amount_cents": cents}, 201, nil)
}

func envOf(s *testkit.Server, dealID string) auth.Env {
	return auth.Env(testkit.Rows[int64](s, `SELECT env FROM deals WHERE id = ?`, dealID)[0])
}

// eventTypes returns the types of the events of an object, oldest first.
func eventTypes(s *testkit.Server, objectID string) string {
	return strings.Join(testkit.Rows[string](s, `SELECT type FROM {emitted} WHERE object_id = ? ORDER BY sequence`, objectID), " ")
}

// audited returns the actions in the audit log about an object, oldest first.
func audited(s *testkit.Server, objectID string) string {
	return strings.Join(testkit.Rows[string](s, `SELECT action FROM audit_entries WHERE target_id = ? ORDER BY id`, objectID), " ")
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
