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
