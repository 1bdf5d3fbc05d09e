package plans

import (
	"context"

	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the plans.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Messages *messages.API
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Campaigns).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/follow_up_plans", ID: "listFollowUpPlans", Needs: read,
		Summary: "List follow-up plans, newest first",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(p, rest.Route{
		Path: "/follow_up_plans", ID: "createFollowUpPlan", Needs: write, AllLocations: true,
		Summary: "Create a follow-up plan",
		Text:    "It starts for each new lead from its sources. If several plans have a source, the newest starts. Messages are transactional answers to the inquiry, behind the send check. Text messages wait for quiet hours.",
		Assist:  assist.Never(assist.Settings),
	}, a.create)
	rest.Get(p, rest.Route{
		Path: "/follow_up_plans/{plan_id}", ID: "getFollowUpPlan", Needs: read,
		Summary: "Retrieve a follow-up plan",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(p, rest.Route{
		Path: "/follow_up_plans/{plan_id}", ID: "updateFollowUpPlan", Needs: write, AllLocations: true,
		Summary: "Update a follow-up plan",
		Text:    "Leads on which it runs keep their steps.",
		Assist:  assist.Never(assist.Settings),
	}, a.update)
	rest.Delete(p, rest.Route{
		Path: "/follow_up_plans/{plan_id}", ID: "deleteFollowUpPlan", Needs: write, AllLocations: true,
		Summary: "Delete a follow-up plan",
		Text:    "It goes on for leads on which it runs.",
		Assist:  assist.Never(assist.Deletes),
	}, a.delete)
	rest.Get(p, rest.Route{
		Path: "/leads/{lead_id}/plans", ID: "listLeadPlans", Needs: read,
		Summary: "List the follow-up plans of a lead, newest first",
		Assist:  assist.Read,
	}, a.ofLead)
	rest.PostCreated(p, rest.Route{
		Path: "/leads/{lead_id}/plans", ID: "startLeadPlan", Needs: write, NoIfMatch: true,
		Summary: "Start a follow-up plan on a lead",
		Text:    "It replaces a plan that runs. A message of the customer stops it, and so does closing or converting the lead.",
		Assist:  assist.Never(assist.Campaigns),
	}, a.start)
	rest.PostOK(p, rest.Route{
		Path: "/lead_plans/{lead_plan_id}/stop", ID: "stopLeadPlan", Needs: write,
		Summary: "Stop a follow-up plan on a lead",
		Assist:  assist.Never(assist.Campaigns),
		Urgent:  true,
	}, a.stop)
}

// ByPlan is the path parameter of a plan.
type ByPlan struct {
	PlanID string `path:"plan_id" example:"plan_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the plan."`
}

// ByLeadPlan is the path parameter of a plan on a lead.
type ByLeadPlan struct {
	LeadPlanID string `path:"lead_plan_id" example:"lpn_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the plan on the lead."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[FollowUpPlan], error) {
	return listPlans(ctx, tx, in.Query)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body FollowUpPlanCreate }) (FollowUpPlan, error) {
	p := in.Body.plan()
	if err := p.check(); err != nil {
		return p, err
	}
	err := insert(ctx, tx, &p)
	return p, err
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByPlan) (FollowUpPlan, error) {
	return plans.Find(ctx, tx, in.PlanID)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByPlan
	Body FollowUpPlanPatch
}) (FollowUpPlan, error) {
	return rest.Change(ctx, tx, plans.Find, in.PlanID, func(before FollowUpPlan, p *FollowUpPlan) error {
		if err := in.Body.apply(p); err != nil {
			return err
		}
		return save(ctx, tx, before, p)
	})
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByPlan) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, plans.Find, in.PlanID, func(p FollowUpPlan, _ *FollowUpPlan) error {
		return remove(ctx, tx, p)
	})
	return none, err
}

func (a *API) ofLead(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	page.Query
}) (page.Page[LeadPlan], error) {
	if _, err := leads.Find(ctx, tx, in.LeadID); err != nil {
		return page.Page[LeadPlan]{}, err
	}
	return listOfLead(ctx, tx, in.LeadID, in.Query)
}

func (a *API) start(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	Body LeadPlanStart
}) (LeadPlan, error) {
	l, err := leads.FindForUpdate(ctx, tx, in.LeadID)
	if err != nil {
		return LeadPlan{}, err
	}
	if l.Status == leads.Lost || l.Status == leads.Converted {
		return LeadPlan{}, fault.Conflict("The lead is %s. You can't start a plan on it.", l.Status).Detail("status", "state", "is %s", l.Status)
	}
	var bad fault.Fields
	p, err := plans.Find(ctx, tx, in.Body.PlanID)
	if err := bad.AddNotFound("plan_id", err); err != nil {
		return LeadPlan{}, err
	}
	if err := bad.Err(); err != nil {
		return LeadPlan{}, err
	}
	if err := end(ctx, tx, l.ID, Replaced); err != nil {
		return LeadPlan{}, err
	}
	return a.run(ctx, tx, p, l.ID)
}

func (a *API) stop(ctx context.Context, tx *db.Tx, in *ByLeadPlan) (LeadPlan, error) {
	return rest.Change(ctx, tx, leadPlans.FindForUpdate, in.LeadPlanID, func(before LeadPlan, p *LeadPlan) error {
		if err := p.stop(Manually, tx.Now); err != nil {
			return err
		}
		return saveOn(ctx, tx, before, p, "lead_plan.stopped")
	})
}
