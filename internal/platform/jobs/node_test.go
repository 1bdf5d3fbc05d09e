package jobs

import (
	"context"
	"testing"

	"slipway/internal/testkit/assert"
)

// The jobs of a node that the others might have given up end, and later ones run.
func TestGuard(t *testing.T) {
	n := newNode("here")
	ctx, release := n.guard(t.Context())
	defer release()
	n.heard(true)
	assert.NoError(t, ctx.Err())

	n.heard(false)
	<-ctx.Done()
	assert.Equal(t, context.Cause(ctx), error(errSilent))
	silent, releaseSilent := n.guard(t.Context())
	defer releaseSilent()
	<-silent.Done()

	n.heard(true)
	again, releaseAgain := n.guard(t.Context())
	assert.NoError(t, again.Err())
	releaseAgain()
	assert.Equal(t, again.Err(), context.Canceled)
}
