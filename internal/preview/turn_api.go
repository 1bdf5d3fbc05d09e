package preview

import (
	"context"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
)

// mountTurns registers the endpoints that take leads off the list of leads that wait for an
// answer, and put them on it again.
func mountTurns(r *rest.Router) {
	rest.Put(r, rest.Route{
		Path: "/leads/{lead_id}/snooze", ID: "snoozeLead", Needs: auth.Require(auth.LeadsWrite),
		Summary: "Take a lead off the list of leads that wait for an answer",
		Text:    "The lead is on the list again at the time in `until`, or as soon as the customer writes. Without `until`, only when the customer writes.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(snoozeEffect),
	}, snoozeLead)
	rest.PostOK(r, rest.Route{
		Path: "/leads/{lead_id}/wake", ID: "wakeLead", Needs: auth.Require(auth.LeadsWrite),
		Summary: "End the snooze of a lead",
		Text:    "The lead is on the list of leads that wait for an answer again. If it was snoozed until the customer writes, its wait begins now.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(wakeEffect),
	}, wakeLead)
}

type snoozeIn struct {
	leads.ByLead
	Body leads.LeadSnooze
}

func snoozeLead(ctx context.Context, tx *db.Tx, in *snoozeIn) (PreviewLead, error) {
	l, err := leads.Snooze(ctx, tx, in.LeadID, in.Body)
	return PreviewLead{Resource[leads.Lead, leadLinks]{V: l}}, err
}

func wakeLead(ctx context.Context, tx *db.Tx, in *leads.ByLead) (PreviewLead, error) {
	l, err := leads.Wake(ctx, tx, in.LeadID)
	return PreviewLead{Resource[leads.Lead, leadLinks]{V: l}}, err
}

func snoozeEffect(ctx context.Context, tx *db.Tx, in *snoozeIn) (e effect.ProposalEffect, err error) {
	d, err := leads.Describe(ctx, tx, &e, in.LeadID)
	e.Title = "Snooze the lead of " + d.Contact.Called()
	if in.Body.Until == nil {
		e.Text = "The lead is off the list until the customer writes."
	}
	return e, err
}

func wakeEffect(ctx context.Context, tx *db.Tx, in *leads.ByLead) (e effect.ProposalEffect, err error) {
	d, err := leads.Describe(ctx, tx, &e, in.LeadID)
	e.Title = "End the snooze of the lead of " + d.Contact.Called()
	return e, err
}
