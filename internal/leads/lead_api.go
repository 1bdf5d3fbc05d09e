package leads

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the leads. Package deals serves the endpoint that converts a lead.
type API struct {
	DB *db.DB
}

// Hooks are what leads call in features that depend on them.
type Hooks struct {
	// Reviewed marks the messages of a lead as read.
	Reviewed func(ctx context.Context, tx *db.Tx, leadID string) error
	// Created starts the follow-up plan of a new lead.
	Created func(ctx context.Context, tx *db.Tx, l Lead) error
	// Wrote stops the plan of a lead that wrote.
	Wrote func(ctx context.Context, tx *db.Tx, leadID string) error
	// Ended stops the plan of a lead that was closed or converted.
	Ended func(ctx context.Context, tx *db.Tx, leadID string) error
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Leads)
	rest.Get(r, rest.Route{
		Path: "/leads", ID: "listLeads", Needs: read,
		Summary: "List leads, newest first",
		Text:    "Returns the leads that match all filters.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(r, rest.Route{
		Path: "/leads", ID: "createLead", Needs: write,
		Summary: "Create a lead",
		Text:    "Send an existing `contact_id`, or the details in `contact`. If a contact with that email or phone exists, it is used, and the fields that it lacks are filled in. Otherwise a contact is created. `submitted_contact` keeps what was sent. `possible_mismatch` is true if the name differs.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(createEffect),
		First:   true,
	}, a.create)
	rest.Get(r, rest.Route{
		Path: "/leads/{lead_id}", ID: "getLead", Needs: read,
		Summary: "Retrieve a lead",
		Text:    "Returns the lead with its current score. The contact, messages, signals and consents have their own endpoints.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(r, rest.Route{
		Path: "/leads/{lead_id}", ID: "updateLead", Needs: write,
		Summary: "Update or reopen a lead",
		Text:    "JSON merge patch. Omitted fields keep their values, null clears a field. Set `status` to new, contacted, qualified or working. Working also reopens a lost lead.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(updateEffect),
	}, a.update)

	rest.PostOK(r, rest.Route{
		Path: "/leads/{lead_id}/assign", ID: "assignLead", Needs: write,
		Summary: "Assign a lead",
		Text:    "Send `user_id` to assign the lead to a user. Send `strategy` `round_robin` to assign it to the next active user with leads:write who takes leads (`takes_leads`) at the lead's location.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(assignEffect),
	}, a.assign)
	rest.Get(r, rest.Route{
		Path: "/leads/{lead_id}/assignments", ID: "listLeadAssignments", Needs: read,
		Summary: "List the assignment history of a lead",
		Text:    "Returns who the lead was assigned to, when, and by whom. Newest first.",
		Assist:  assist.Read,
	}, a.assignments)
	rest.PostOK(r, rest.Route{
		Path: "/leads/{lead_id}/close", ID: "closeLead", Needs: write,
		Summary: "Close a lead as lost",
		Text:    "Use this if the customer does not buy. The status becomes lost. To reopen the lead, set its status to working.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(closeEffect),
	}, a.close)

	a.mountConsents(r)
	a.mountTurns(r.Preview("2026-11-18"))
	rest.Get(r, rest.Route{
		Path: "/leads/{lead_id}/signals", ID: "listLeadSignals", Needs: read,
		Summary: "List the intent signals of a lead",
		Text:    "Returns the signals that the score of the lead is calculated from. Newest first.",
		Assist:  assist.Read,
	}, a.signals)
	rest.PostCreated(r, rest.Route{
		Path: "/leads/{lead_id}/signals", ID: "recordLeadSignal", Needs: write,
		Summary:   "Record an intent signal",
		Text:      "Each kind of signal has a weight, which halves every 14 days. The score of the lead is the sum of the weights, at most 100. When the score reaches the dealership's `qualify_at_score`, a new or contacted lead becomes qualified.",
		Assist:    assist.Propose,
		Effect:    rest.Describe(signalEffect),
		NoIfMatch: true,
	}, a.recordSignal)
}

// ByLead is the path parameter of a lead.
type ByLead struct {
	LeadID string `path:"lead_id" doc:"ID of the lead." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *LeadFilter) (page.Page[Lead], error) {
	return leads.List(ctx, tx, in.Query, in.where())
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body LeadCreate }) (Lead, error) {
	return Create(ctx, tx, in.Body)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByLead) (Lead, error) {
	return Find(ctx, tx, in.LeadID)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadPatch
}) (Lead, error) {
	return rest.Change(ctx, tx, Find, in.LeadID, func(before Lead, l *Lead) error {
		event, err := in.Body.apply(l, tx.Now)
		if err != nil {
			return err
		}
		if before.NeedsReview && !l.NeedsReview {
			if err := db.Attached[Hooks](tx).Reviewed(ctx, tx, l.ID); err != nil {
				return err
			}
		}
		if err := checkReferences(ctx, tx, l, before); err != nil {
			return err
		}

		return save(ctx, tx, before, l, event)
	})
}

func (a *API) close(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadClose
}) (Lead, error) {
	return rest.Change(ctx, tx, Find, in.LeadID, func(before Lead, l *Lead) error {
		if err := l.lose(in.Body, tx.Now); err != nil {
			return err
		}
		return save(ctx, tx, before, l, "lead.lost")
	})
}

func (a *API) assign(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadAssign
}) (Lead, error) {
	return rest.Change(ctx, tx, Find, in.LeadID, func(before Lead, l *Lead) error {
		if err := in.Body.Check(tx.Now); err != nil {
			return err
		}
		if !l.Status.isOpen() {
			return fault.Conflict("The lead is %s. You can't assign it.", l.Status).Detail("status", "state", "is %s", l.Status)
		}

		if in.Body.UserID == nil {
			user, err := takeTurn(ctx, tx, null.Text(l.LocationID))
			if err != nil {
				return err
			}
			return assign(ctx, tx, before, l, LeadAssignment{To: user, Method: "round_robin", Reason: in.Body.Reason})
		}

		if err := checkOwner(ctx, tx, "user_id", *in.Body.UserID); err != nil {
			return err
		}
		return assign(ctx, tx, before, l, LeadAssignment{To: *in.Body.UserID, Method: "manual", Reason: in.Body.Reason})
	})
}

func (a *API) assignments(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	page.Query
}) (page.Page[LeadAssignment], error) {
	if _, err := Find(ctx, tx, in.LeadID); err != nil {
		return page.Page[LeadAssignment]{}, err
	}
	return assignments.ListIn(ctx, tx, in.LeadID, in.Query)
}

func (a *API) signals(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	page.Query
}) (page.Page[LeadSignal], error) {
	if _, err := Find(ctx, tx, in.LeadID); err != nil {
		return page.Page[LeadSignal]{}, err
	}
	return signals.ListIn(ctx, tx, in.LeadID, in.Query)
}

func (a *API) recordSignal(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadSignalCreate
}) (LeadSignal, error) {
	l, err := FindForUpdate(ctx, tx, in.LeadID)
	if err != nil {
		return LeadSignal{}, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return LeadSignal{}, err
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return LeadSignal{}, err
	}

	s, err := insertSignal(ctx, tx, l, in.Body)
	if err != nil {
		return s, err
	}

	before := l
	if err := rescore(ctx, tx, &l); err != nil {
		return s, err
	}
	qualified := l.qualifyByScore(d.Settings.QualifyAtScore)
	if err := update(ctx, tx, &l); err != nil {
		return s, err
	}
	if err := events.Emit(ctx, tx, "lead.signal_recorded", l.ID, events.Change{After: s}); err != nil || !qualified {
		return s, err
	}
	return s, events.Emit(ctx, tx, "lead.qualified", l.ID, events.Change{Before: before, After: l})
}
