package leads

import (
	"context"
	"log/slog"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Need(auth.LeadsRead)
	write = auth.Need(auth.LeadsWrite)
)

// API serves the leads. Converting one into a deal is mounted by the deals.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Log      *slog.Logger
	BaseURL  string // where links in email lead
	Mail     mail.Sender
	MailFrom string // for dealerships that set no sender of their own
	SMS      sms.Sender
	SMSFrom  string
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Leads")
	rest.Get(r, "/leads", "listLeads", read, "List leads, newest first", a.list)
	rest.PostCreated(r, "/leads", "createLead", write, "Create a lead", a.create,
		rest.Describe("Name a contact by `contact_id`, or describe whoever it is in `contact`: a contact with that email or phone is found, else a new one is made."),
		rest.Example(`{"contact": {"first_name": "Ann", "last_name": "Bell", "email": "ann@example.com", "phone": "(410) 555-0123"}, "source": "web", "interest": "A center console around 25 feet", "budget_max_usd": 130000}`))
	rest.Get(r, "/leads/{lead_id}", "getLead", read, "Retrieve a lead", a.get)
	rest.Patch(r, "/leads/{lead_id}", "updateLead", write, "Change a lead, or reopen it", a.update,
		rest.Describe("A JSON merge patch: what is left out stays, null clears. `status` moves among new, contacted, qualified and working; working also reopens a lost lead."),
		rest.Example(`{"status": "contacted", "timeline": "before summer"}`))
	rest.PostOK(r, "/leads/{lead_id}/assign", "assignLead", write, "Assign the lead's owner", a.assign,
		rest.Describe("Either to a user or, by `round_robin`, to the next in turn of the active users with leads:write at the lead's location."),
		rest.Example(`{"strategy": "round_robin"}`))
	rest.Get(r, "/leads/{lead_id}/assignments", "listLeadAssignments", read, "List the assignment history", a.assignments)
	rest.PostOK(r, "/leads/{lead_id}/close", "closeLead", write, "Close a lead as lost", a.close,
		rest.Example(`{"reason": "Bought elsewhere"}`))
	a.mountConsents(r)
	rest.Get(r, "/leads/{lead_id}/signals", "listLeadSignals", read, "List intent signals", a.signals)
	rest.PostCreated(r, "/leads/{lead_id}/signals", "recordLeadSignal", write, "Record an intent signal", a.recordSignal, rest.NoIfMatch,
		rest.Describe("Every kind of signal has a weight, which halves every 14 days; their sum, up to 100, is the lead's score. A new or contacted lead whose score reaches the dealership's `qualify_at_score` becomes qualified."),
		rest.Example(`{"kind": "sea_trial_request", "source": "website"}`))
	a.mountMessages(r)
}

// ByLead names a lead.
type ByLead struct {
	LeadID string `path:"lead_id" example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *LeadFilter) (page.Page[Lead], error) {
	return list(ctx, tx, *in)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body LeadCreate }) (Lead, error) {
	l, err := in.Body.lead(tx.Now)
	if err != nil {
		return l, err
	}
	if err := checkReferences(ctx, tx, &l, Lead{}); err != nil {
		return l, err
	}
	c, err := contactOf(ctx, tx, in.Body)
	if err != nil {
		return l, err
	}
	l.ContactID = c.ID
	if err := insert(ctx, tx, &l); err != nil || in.Body.OwnerID == nil {
		return l, err
	}
	if err := mayOwn(ctx, tx, "owner_id", *in.Body.OwnerID); err != nil {
		return l, err
	}
	return l, assign(ctx, tx, &l, *in.Body.OwnerID, "manual", nil)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByLead) (Lead, error) {
	return Find(ctx, tx, in.LeadID)
}

// change is how a lead is changed: found, matched against If-Match, edited by
// a rule and saved, in one transaction. Edit returns the event.
func (a *API) change(ctx context.Context, tx *db.Tx, id string, edit func(l *Lead) (event string, err error)) (Lead, error) {
	l, err := Find(ctx, tx, id)
	if err != nil {
		return l, err
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return l, err
	}
	before := l
	event, err := edit(&l)
	if err != nil {
		return l, err
	}
	if err := checkReferences(ctx, tx, &l, before); err != nil {
		return l, err
	}
	return l, save(ctx, tx, before, &l, event)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadPatch
}) (Lead, error) {
	return a.change(ctx, tx, in.LeadID, func(l *Lead) (string, error) {
		waited := l.NeedsReview
		event, err := in.Body.apply(l, tx.Now)
		if err == nil && waited && !l.NeedsReview {
			err = reviewed(ctx, tx, *l)
		}
		return event, err
	})
}

func (a *API) close(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadClose
}) (Lead, error) {
	return a.change(ctx, tx, in.LeadID, func(l *Lead) (string, error) {
		return "lead.lost", l.lose(in.Body.Reason, tx.Now)
	})
}

func (a *API) assign(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadAssign
}) (Lead, error) {
	l, err := Find(ctx, tx, in.LeadID)
	if err != nil {
		return l, err
	}
	if err := rest.CheckIfMatch(ctx, l.Version); err != nil {
		return l, err
	}
	if err := in.Body.Check(tx.Now); err != nil {
		return l, err
	}
	if !l.Status.isOpen() {
		return l, fault.Conflict("The lead is %s.", l.Status).Detail("status", "state", "is %s", l.Status)
	}
	if in.Body.UserID == nil {
		user, err := takeTurn(ctx, tx, deref(l.LocationID))
		if err != nil {
			return l, err
		}
		return l, assign(ctx, tx, &l, user, "round_robin", in.Body.Reason)
	}
	if err := mayOwn(ctx, tx, "user_id", *in.Body.UserID); err != nil {
		return l, err
	}
	return l, assign(ctx, tx, &l, *in.Body.UserID, "manual", in.Body.Reason)
}

func (a *API) assignments(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	page.Query
}) (page.Page[LeadAssignment], error) {
	return listOf[LeadAssignment](ctx, tx, "lead_assignments", "asg", in.LeadID, in.Query)
}

func (a *API) signals(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	page.Query
}) (page.Page[LeadSignal], error) {
	return listOf[LeadSignal](ctx, tx, "lead_signals", "sig", in.LeadID, in.Query)
}

func (a *API) recordSignal(ctx context.Context, tx *db.Tx, in *struct {
	ByLead
	Body LeadSignalCreate
}) (LeadSignal, error) {
	l, err := findAlone(ctx, tx, in.LeadID)
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
	ripe := l.ripen(d.Settings.QualifyAtScore)
	if err := update(ctx, tx, before, &l); err != nil {
		return s, err
	}
	if err := events.Emit(ctx, tx, "lead.signal_recorded", l.ID, nil, s); err != nil || !ripe {
		return s, err
	}
	return s, events.Emit(ctx, tx, "lead.qualified", l.ID, before, l)
}
