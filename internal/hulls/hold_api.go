package hulls

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/fault"
)

// hold is who can place a hold: people who change the inventory, and people who sell.
var hold = auth.Either(auth.HullsWrite, auth.DealsWrite)

func (a *API) mountHolds(r *rest.Router) {
	rest.Put(r, rest.Route{
		Path: "/hulls/{hull_id}/hold", ID: "holdHull", Needs: hold,
		Summary: "Place or change a hold",
		Text: "Puts an available hull on hold, or replaces the hold that it has, for example to extend it. With deals:write and without hulls:write, " +
			"the hold can last 14 days at most, and the hold of another user can't be changed.",
		Assist: assist.Propose,
		Effect: rest.Describe(holdEffect),
	}, a.hold)
	rest.DeleteOK(r, rest.Route{
		Path: "/hulls/{hull_id}/hold", ID: "endHullHold", Needs: hold,
		Summary: "End a hold",
		Text:    "The hull is available again. With deals:write and without hulls:write, you can only end a hold that you placed.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(endHoldEffect),
	}, a.endHold)
}

// HullHold is the body of a hold.
type HullHold struct {
	_ struct{} `doc:"A hold to place on a hull."`

	Reason    *string    `json:"reason" required:"false" maxLength:"500" doc:"Reason for the hold."`
	ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"When the hold expires. Defaults to now plus settings.default_hold_hours." example:"2026-12-01T17:00:00Z"`
	DealID    *string    `json:"deal_id" required:"false" minLength:"1" maxLength:"64" doc:"Deal that the hull is on hold for. Only this deal can be accepted while the hull is on hold." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID    *string    `json:"lead_id" required:"false" minLength:"1" maxLength:"64" doc:"Lead that the hull is on hold for. Its deals can be accepted."`
	ContactID *string    `json:"contact_id" required:"false" minLength:"1" maxLength:"64" doc:"Contact that the hull is on hold for. The contact's deals can be accepted."`
}

type holdIn struct {
	ByHull
	Body HullHold
}

func (a *API) hold(ctx context.Context, tx *db.Tx, in *holdIn) (Hull, error) {
	return change(ctx, tx, in.HullID, func(h *Hull) (string, *string, error) {
		b := in.Body
		t := HullTransition{To: OnHold, Reason: b.Reason, ExpiresAt: b.ExpiresAt, DealID: b.DealID, LeadID: b.LeadID, ContactID: b.ContactID}
		if err := a.completeHold(ctx, tx, &t); err != nil {
			return "", nil, err
		}
		caller := auth.From(ctx)
		if err := h.canHold(caller); err != nil {
			return "", nil, err
		}
		if err := t.checkLength(caller, tx.Now); err != nil {
			return "", nil, err
		}

		event := "hull.status_changed"
		if h.Status == OnHold {
			h.Status, event = Available, "hull.updated" // the new hold replaces the old one
		}
		if err := h.move(t, caller.Actor, tx.Now); err != nil {
			return "", nil, err
		}
		return event, b.Reason, a.Jobs.Enqueue(ctx, tx, ReleaseHold{h.Env, h.ID}, h.Hold.ExpiresAt)
	})
}

func (a *API) endHold(ctx context.Context, tx *db.Tx, in *ByHull) (Hull, error) {
	return change(ctx, tx, in.HullID, func(h *Hull) (string, *string, error) {
		if h.Hold == nil {
			return "", nil, fault.Conflict("The hull is not on hold.").Detail("status", "state", "is %s", h.Status)
		}
		if err := h.canHold(auth.From(ctx)); err != nil {
			return "", nil, err
		}
		h.Status, h.Hold = Available, nil
		return "hull.status_changed", nil, nil
	})
}

func holdEffect(ctx context.Context, tx *db.Tx, in *holdIn) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	e.Title = "Put the " + h.Name() + " on hold"
	if h.Hold != nil {
		e.Title = "Change the hold on the " + h.Name()
	}
	e.Change("Status", h.ID, effect.Word(h.Status), "on hold")
	return e, err
}

func endHoldEffect(ctx context.Context, tx *db.Tx, in *ByHull) (e effect.ProposalEffect, err error) {
	h, err := Describe(ctx, tx, &e, in.HullID)
	e.Title = "End the hold on the " + h.Name()
	e.Change("Status", h.ID, effect.Word(h.Status), "available")
	return e, err
}
