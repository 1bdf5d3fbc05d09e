package hulls

import (
	"slices"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Status is the stage of a hull between order and delivery.
type Status string

// The statuses of a hull.
const (
	OnOrder     Status = "on_order"
	InTransit   Status = "in_transit"
	Available   Status = "available"
	OnHold      Status = "on_hold"
	SalePending Status = "sale_pending"
	Sold        Status = "sold"
	Delivered   Status = "delivered"
	NotForSale  Status = "not_for_sale"
	Archived    Status = "archived"
)

var allStatuses = enum.Of("HullStatus", "Stage of a hull between order and delivery.",
	OnOrder, InTransit, Available, OnHold, SalePending, Sold, Delivered, NotForSale, Archived)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

// next lists the status changes that clients can make. Deals make the others.
// An archived hull returns to its earlier status.
var next = map[Status][]Status{
	OnOrder:    {InTransit, Available},
	InTransit:  {Available},
	Available:  {OnHold, NotForSale},
	OnHold:     {Available},
	NotForSale: {Available},
	Sold:       {Available},
}

// IsForSale reports whether a hull in this status can be shown to the public.
func (s Status) IsForSale() bool { return s == Available || s == OnHold || s == SalePending }

// IsComing reports whether a hull in this status can be offered before it arrives.
func (s Status) IsComing() bool { return s == OnOrder || s == InTransit }

// HullTransition is a change of status.
type HullTransition struct {
	_ struct{} `doc:"A change of a hull's status."`

	To        Status     `json:"to" doc:"Status to change to. Most changes after available are made by deals. The description of the operation lists those that you can make. For a hull that a deal has reserved before it arrived, this changes stock_state."`
	Reason    *string    `json:"reason" required:"false" maxLength:"500" doc:"Required to put a sold hull back on sale."`
	ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"When the hold expires, for on_hold. Defaults to now plus settings.default_hold_hours." example:"2026-12-01T17:00:00Z"`
	DealID    *string    `json:"deal_id" required:"false" minLength:"1" maxLength:"64" doc:"Deal that the hull is on hold for, for on_hold. Only this deal can be accepted while the hull is on hold." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID    *string    `json:"lead_id" required:"false" minLength:"1" maxLength:"64" doc:"Lead that the hull is on hold for, for on_hold. Its deals can be accepted." since:"next"`
	ContactID *string    `json:"contact_id" required:"false" minLength:"1" maxLength:"64" doc:"Contact that the hull is on hold for, for on_hold. The contact's deals can be accepted." since:"next"`
}

// IsHeld reports whether the hull is on hold. The job that ends an expired hold
// might not have run yet.
func (h Hull) IsHeld(now time.Time) bool { return h.Hold != nil && h.Hold.ExpiresAt.After(now) }

// move changes the status at the request of a client.
func (h *Hull) move(t HullTransition, by auth.Actor, now time.Time) error {
	if h.isFollowed() {
		return h.follow(t, now)
	}
	if err := h.checkMove(t.To); err != nil {
		return err
	}
	if err := t.check(h.Status, now); err != nil {
		return err
	}

	from := h.Status
	h.Status, h.Hold = t.To, nil
	switch {
	case t.To == OnHold:
		h.Hold = &Hold{Reason: t.Reason, DealID: t.DealID, LeadID: t.LeadID, ContactID: t.ContactID,
			ExpiresAt: t.ExpiresAt.UTC().Truncate(time.Millisecond)}
		if by.Type == "user" {
			h.Hold.UserID = &by.ID
		}
	case from == Archived:
		h.ArchivedAt, h.StatusBefore = nil, nil
	case from == Sold:
		h.SoldAt = nil
	}

	if !h.Status.IsComing() && h.ReceivedOn == nil {
		h.ReceivedOn = new(h.day(now))
	}
	return h.check(now, false) // a hull that arrives must have a HIN
}

// checkMove checks whether a client can change the status.
func (h Hull) checkMove(to Status) error {
	allowed := next[h.Status]
	if h.Status == Archived && h.StatusBefore != nil {
		allowed = []Status{*h.StatusBefore}
	}
	switch {
	case !slices.Contains(allowed, to):
		if len(allowed) == 0 {
			return fault.Conflict("You can't change the status from %s to %s. Only a deal can.", h.Status, to).
				Detail("to", "state", "can't be changed by you because the hull is %s", h.Status)
		}
		return fault.Conflict("You can't change the status from %s to %s.", h.Status, to).
			Detail("to", "state", "must be one of %s", list(allowed))
	case h.Status == Sold && h.DealID != nil:
		return fault.Conflict("The hull is sold. Cancel its deal first.").Detail("status", "state", "is set by a deal that is not cancelled")
	}
	return nil
}

func (t HullTransition) check(from Status, now time.Time) error {
	var bad fault.Fields
	switch {
	case t.To == OnHold && t.ExpiresAt == nil:
		bad.Add("expires_at", "required", "is required for on_hold")
	case t.To == OnHold && !t.ExpiresAt.After(now):
		bad.Add("expires_at", "minimum", "must be in the future")
	case t.To == OnHold && t.ExpiresAt.After(now.AddDate(1, 0, 0)):
		bad.Add("expires_at", "maximum", "must be within a year")
	case t.To != OnHold && t.ExpiresAt != nil:
		bad.Add("expires_at", "exclusive", "is only allowed for on_hold")
	}
	for _, r := range []struct {
		field string
		id    *string
	}{{"deal_id", t.DealID}, {"lead_id", t.LeadID}, {"contact_id", t.ContactID}} {
		if t.To != OnHold && r.id != nil {
			bad.Add(r.field, "exclusive", "is only allowed for on_hold")
		}
	}
	if from == Sold && t.Reason == nil {
		bad.Add("reason", "required", "is required to put a sold hull back on sale")
	}
	return bad.Err()
}

// archive removes the hull from the active inventory.
func (h *Hull) archive(now time.Time) error {
	switch {
	case h.Status == Archived:
		return fault.Conflict("The hull is already archived.").Detail("status", "state", "is archived")
	case h.DealID != nil || h.Status == SalePending:
		return fault.Conflict("The hull belongs to an open deal. Close or cancel the deal first.").Detail("status", "state", "is %s", h.Status)
	}
	before := h.Status
	if before == OnHold {
		before = Available // archiving ends a hold
	}
	h.Status, h.StatusBefore, h.ArchivedAt, h.Hold = Archived, &before, &now, nil
	return nil
}

func list(statuses []Status) string {
	text := ""
	for i, s := range statuses {
		if i > 0 {
			text += ", "
		}
		text += string(s)
	}
	return text
}

// HullChange is one entry of a hull's history: a new status, a new location, or
// both. For a hull that a deal has reserved, it can also be a new stock state.
type HullChange struct {
	_ struct{} `doc:"One change of a hull's status or location." columns:"at from to location_id reason actor"`

	Env            auth.Env   `json:"-" db:"env"`
	ID             string     `json:"id" db:"id" doc:"Identifies the change. Starts with hst_." example:"hst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID         string     `json:"hull_id" db:"hull_id" doc:"Hull that changed."`
	From           *string    `json:"from" db:"from_status" privacy:"plain" doc:"Status before. Null for a new hull. If only the stock state changed, the one before."`
	To             string     `json:"to" db:"to_status" privacy:"plain" doc:"Status after. If only the stock state changed, the one after."`
	FromLocationID *string    `json:"from_location_id" db:"from_location_id" doc:"Location before. Null for a new hull."`
	LocationID     string     `json:"location_id" db:"to_location_id" doc:"Location after."`
	Reason         *string    `json:"reason" db:"reason" doc:"Reason that was sent with the change. Null if none was sent."`
	Actor          auth.Actor `json:"actor" db:"actor,json" doc:"User, key, app or job that made the change."`
	At             time.Time  `json:"at" db:"at" doc:"When the change was made."`

	HeldFor *string `json:"-" db:"held_for"` // lead or contact of the hold
}
