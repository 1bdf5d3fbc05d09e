package null

import (
	"testing"

	"slipway/internal/testkit/assert"
)

func TestText(t *testing.T) {
	assert.Equal(t, Text[string](nil), "")
	assert.Equal(t, Text(new("Whaler")), "Whaler")
	assert.Equal(t, From(""), nil)
	assert.Equal(t, From("Whaler"), new("Whaler"))
}
