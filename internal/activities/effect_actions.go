package activities

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

func createEffect(_ context.Context, _ *db.Tx, in *struct{ Body ActivityCreate }) (e effect.ProposalEffect, err error) {
	e.Title = "Add a " + effect.Word(in.Body.Kind)
	e.Text = in.Body.Body
	e.Said = []string{"kind", "body"}
	return e, nil
}

func updateEffect(ctx context.Context, tx *db.Tx, in *struct {
	ByActivity
	Body ActivityPatch
}) (e effect.ProposalEffect, err error) {
	act, err := activities.Find(ctx, tx, in.ActivityID)
	e.Title = "Change a " + effect.Word(act.Kind)
	if in.Body.DoneAt.V != nil && act.DoneAt == nil {
		e.Title = "Mark a " + effect.Word(act.Kind) + " as done"
	}
	e.Pin("Activity", act.ID, act.Version)
	e.Before = act
	if act.Body != nil {
		e.Text = *act.Body
	}
	e.Fact("About", act.ObjectID, act.ObjectID) // named by proposals
	return e, err
}
