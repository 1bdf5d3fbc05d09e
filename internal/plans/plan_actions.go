package plans

import (
	"context"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
)

// Begin starts the plan for the source of a new lead, if there is one.
func (a *API) Begin(ctx context.Context, tx *db.Tx, l leads.Lead) error {
	p, found, err := findFor(ctx, tx, l.Source)
	if err != nil || !found {
		return err
	}
	_, err = a.run(ctx, tx, p, l.ID)
	return err
}

// run starts a plan on a lead.
func (a *API) run(ctx context.Context, tx *db.Tx, p FollowUpPlan, leadID string) (LeadPlan, error) {
	on := p.on(leadID, tx.Now)
	if err := insertOn(ctx, tx, &on); err != nil {
		return on, err
	}
	return on, a.enqueue(ctx, tx, on)
}

// Answer stops the plan of a lead because the customer wrote. The message that created the lead is no answer.
func Answer(ctx context.Context, tx *db.Tx, leadID string) error {
	return end(ctx, tx, leadID, Answered)
}

// Close stops the plan of a lead that was closed or converted.
func Close(ctx context.Context, tx *db.Tx, leadID string) error { return end(ctx, tx, leadID, Closed) }

func end(ctx context.Context, tx *db.Tx, leadID string, why LeadPlanEnd) error {
	p, found, err := findRunning(ctx, tx, leadID)
	if err != nil || !found || why == Answered && p.StartedAt.Equal(tx.Now) {
		return err
	}
	before := p
	if err := p.stop(why, tx.Now); err != nil {
		return err
	}
	return saveOn(ctx, tx, before, &p, "lead_plan.stopped")
}
