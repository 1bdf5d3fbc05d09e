package testkit

import "testing"

// The check that every test relies on must itself be able to fail.
func TestContractIsChecked(t *testing.T) {
	c, err := contract()
	check(t, err)
	s, err := c.schema("#/components/schemas/Hull")
	check(t, err)
	if s.Validate(map[string]any{"id": "hull_1"}) == nil {
		t.Error("a hull without its fields passes")
	}
}
