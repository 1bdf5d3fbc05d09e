package testkit

import (
	"testing"

	"slipway/internal/vocab/version"
)

// All tests rely on this check, so it must be able to fail.
func TestContractIsChecked(t *testing.T) {
	c, err := contracts[version.Latest()]()
	check(t, err)
	s, err := c.schema("#/components/schemas/Hull")
	check(t, err)
	if s.Validate(map[string]any{"id": "hull_1"}) == nil {
		t.Error("a hull without its fields is valid, want an error")
	}
}

// A response of an older version must not have a property of a later one.
func TestContractOfOlderVersionIsChecked(t *testing.T) {
	for date, want := range map[string]bool{version.Published[0].Date: false, version.Latest(): true} {
		c, err := contracts[date]()
		check(t, err)
		s, err := c.schema("#/components/schemas/DealPatch")
		check(t, err)
		if valid := s.Validate(map[string]any{"taxes": []any{}}) == nil; valid != want {
			t.Errorf("%s: taxes are valid: %t, want %t", date, valid, want)
		}
	}
}

// An event is checked against the schema of its type, and against no other.
func TestContractOfEventsIsChecked(t *testing.T) {
	c, err := contracts[version.Latest()]()
	check(t, err)
	s, err := c.schema("#/components/schemas/Event")
	check(t, err)
	event := func(kind string, object map[string]any) error {
		return s.Validate(map[string]any{
			"id": "evt_1", "type": kind, "created_at": "2026-12-01T12:00:00Z", "environment": "test", "sequence": 1,
			"api_version": "2026-12-01", "request": map[string]any{"id": nil, "idempotency_key": nil},
			"data": map[string]any{"object": object, "previous": map[string]any{}},
		})
	}
	role := map[string]any{
		"id": "role_1", "name": "Desk", "scopes": []any{}, "built_in": false, "created_at": "2026-12-01T12:00:00Z",
		"updated_at": "2026-12-01T12:00:00Z", "version": 1, "manager": false, "own_locations": false,
	}
	check(t, event("role.created", role))
	for kind, object := range map[string]map[string]any{"role.created": {}, "hull.created": role, "boat.created": role} {
		if event(kind, object) == nil {
			t.Errorf("%s with %v is valid, want an error", kind, object)
		}
	}
}
