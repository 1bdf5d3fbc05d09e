package plans

import (
	"context"
	"slices"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/page"
)

var (
	plans     = db.Table[FollowUpPlan]{Name: "follow_up_plans", Prefix: "plan", Noun: "follow-up plan"}
	leadPlans = db.Table[LeadPlan]{Name: "lead_plans", Prefix: "lpn", Noun: "plan"}
)

func listPlans(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[FollowUpPlan], error) {
	return plans.List(ctx, tx, q, nil)
}

// findFor returns the newest active plan for leads of a source.
func findFor(ctx context.Context, tx *db.Tx, source leads.Source) (FollowUpPlan, bool, error) {
	all, err := db.All[FollowUpPlan](ctx, tx, `SELECT {cols} FROM follow_up_plans WHERE env = ? AND active ORDER BY id DESC`, tx.Env)
	i := slices.IndexFunc(all, func(p FollowUpPlan) bool { return slices.Contains(p.Sources, source) })
	if err != nil || i < 0 {
		return FollowUpPlan{}, false, err
	}
	return all[i], true, nil
}

func insert(ctx context.Context, tx *db.Tx, p *FollowUpPlan) error {
	if err := plans.Insert(ctx, tx, p); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "follow_up_plan.created", p.ID, events.Change{After: *p})
}

func save(ctx context.Context, tx *db.Tx, before FollowUpPlan, p *FollowUpPlan) error {
	if err := plans.Save(ctx, tx, p); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "follow_up_plan.updated", p.ID, events.Change{Before: before, After: *p})
}

func remove(ctx context.Context, tx *db.Tx, p FollowUpPlan) error {
	if err := plans.Delete(ctx, tx, p.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "follow_up_plan.deleted", p.ID, events.Change{After: p})
}

func listOfLead(ctx context.Context, tx *db.Tx, leadID string, q page.Query) (page.Page[LeadPlan], error) {
	var w db.Where
	w.And("lead_id = ?", leadID)
	return leadPlans.List(ctx, tx, q, &w)
}

// findRunning returns the plan that runs on a lead.
func findRunning(ctx context.Context, tx *db.Tx, leadID string) (LeadPlan, bool, error) {
	all, err := db.All[LeadPlan](ctx, tx, `SELECT {cols} FROM lead_plans WHERE env = ? AND lead_id = ? AND status = 'running'`, tx.Env, leadID)
	if err != nil || len(all) == 0 {
		return LeadPlan{}, false, err
	}
	return all[0], true, nil
}

func insertOn(ctx context.Context, tx *db.Tx, p *LeadPlan) error {
	if err := leadPlans.Insert(ctx, tx, p); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "lead_plan.started", p.ID, events.Change{After: *p})
}

func saveOn(ctx context.Context, tx *db.Tx, before LeadPlan, p *LeadPlan, event string) error {
	if err := leadPlans.Save(ctx, tx, p); err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, p.ID, events.Change{Before: before, After: *p})
}

// LocationOf returns the location of the lead of a plan, or "".
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	p, err := leadPlans.Find(ctx, tx, id)
	if err != nil {
		return "", err
	}
	return leads.LocationOf(ctx, tx, p.LeadID)
}
