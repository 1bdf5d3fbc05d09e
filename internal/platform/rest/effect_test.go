package rest

import (
	"context"
	"fmt"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/effect"
)

// The service doesn't start with an operation that can be proposed and says nothing about
// what it does, nor with one that says it in vain.
func TestProposableWithoutEffect(t *testing.T) {
	says := Describe(func(context.Context, *db.Tx, *struct{}) (effect.ProposalEffect, error) {
		return effect.ProposalEffect{}, nil
	})
	for name, c := range map[string]struct {
		route Route
		want  string
	}{
		"without an effect":  {Route{ID: "sinkHull", Assist: assist.Propose}, "rest: sinkHull can be proposed, so its route must have an Effect that people can judge"},
		"with an effect":     {Route{ID: "sinkHull", Assist: assist.Propose, Effect: says}, "<nil>"},
		"can't be proposed":  {Route{ID: "sinkHull", Assist: assist.Never(assist.Deletes)}, "<nil>"},
		"effect that nobody": {Route{ID: "sinkHull", Assist: assist.Never(assist.Deletes), Effect: says}, "rest: sinkHull has an Effect but can't be proposed"},
	} {
		var got any
		func() {
			defer func() { got = recover() }()
			(&Operation{Route: c.route}).mustHaveEffect()
		}()
		assert.Equal(t, fmt.Sprint(got), c.want, name)
	}
}
