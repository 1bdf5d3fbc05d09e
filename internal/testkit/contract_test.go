package testkit

import "testing"

// All tests rely on this check, so it must be able to fail.
func TestContractIsChecked(t *testing.T) {
	c, err := contract()
	check(t, err)
	s, err := c.schema("#/components/schemas/Hull")
	check(t, err)
	if s.Validate(map[string]any{"id": "hull_1"}) == nil {
		t.Error("a hull without its fields is valid, want an error")
	}
}
