package hulls

import (
	"slices"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Status is where a hull stands between order and delivery.
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

// next lists the moves a hull may make by hand; deals make the others. An
// archived hull goes back to where it was.
var next = map[Status][]Status{
	OnOrder:    {InTransit, Available},
	InTransit:  {Available},
	Available:  {OnHold, NotForSale},
	OnHold:     {Available},
	NotForSale: {Available},
	Sold:       {Available},
}

// needsHIN reports whether a hull in this status must have its number. One that
// is promised or sold may still be on its way.
func (s Status) needsHIN() bool {
	return s != OnOrder && s != InTransit && s != SalePending && s != Sold
}

// inStock reports whether a hull in this status has arrived.
func (s Status) inStock() bool { return s != OnOrder && s != InTransit }

// HullTransition asks for another status.
type HullTransition struct {
	To        Status     `json:"to" enum:"in_transit,available,on_hold,not_for_sale,on_order,sale_pending,sold,delivered,archived"`
	Reason    *string    `json:"reason" required:"false" maxLength:"500" doc:"Needed to put a sold hull back on sale."`
	ExpiresAt *time.Time `json:"expires_at" required:"false" doc:"When a hold ends by itself; needed for on_hold." example:"2026-12-01T17:00:00Z"`
}

// move changes the status by hand.
func (h *Hull) move(t HullTransition, by auth.Actor, now time.Time) error {
	if err := h.mayMove(t.To); err != nil {
		return err
	}
	if err := t.check(h.Status, now); err != nil {
		return err
	}
	from := h.Status
	h.Status, h.Hold = t.To, nil
	switch {
	case t.To == OnHold:
		h.Hold = &Hold{Reason: t.Reason, ExpiresAt: t.ExpiresAt.UTC().Truncate(time.Millisecond)}
		if by.Type == "user" {
			h.Hold.UserID = &by.ID
		}
	case from == Archived:
		h.ArchivedAt, h.StatusBefore = nil, nil
	case from == Sold:
		h.SoldAt = nil
	}
	if h.Status.inStock() && h.ReceivedOn == nil {
		h.ReceivedOn = new(now.Format(time.DateOnly))
	}
	return h.check(now) // a hull that arrives needs its HIN
}

// mayMove says whether the status may change to another by hand.
func (h Hull) mayMove(to Status) error {
	allowed := next[h.Status]
	if h.Status == Archived && h.StatusBefore != nil {
		allowed = []Status{*h.StatusBefore}
	}
	switch {
	case !slices.Contains(allowed, to):
		f := fault.Conflict("A hull cannot go from %s to %s by hand.", h.Status, to)
		if len(allowed) == 0 {
			return f.Detail("to", "state", "is not possible: a hull that is %s is moved by its deal", h.Status)
		}
		return f.Detail("to", "state", "must be one of %s", list(allowed))
	case h.Status == Sold && h.DealID != nil:
		return fault.Conflict("The hull is sold. Cancel its deal first.").Detail("status", "state", "belongs to a deal that is not cancelled")
	}
	return nil
}

func (t HullTransition) check(from Status, now time.Time) error {
	var bad fault.Fields
	switch {
	case t.To == OnHold && t.ExpiresAt == nil:
		bad.Add("expires_at", "required", "is required for a hold")
	case t.To == OnHold && !t.ExpiresAt.After(now):
		bad.Add("expires_at", "minimum", "must be in the future")
	case t.To == OnHold && t.ExpiresAt.After(now.AddDate(1, 0, 0)):
		bad.Add("expires_at", "maximum", "must be within a year")
	case t.To != OnHold && t.ExpiresAt != nil:
		bad.Add("expires_at", "exclusive", "is only for a hold")
	}
	if from == Sold && t.Reason == nil {
		bad.Add("reason", "required", "is required to put a sold hull back on sale")
	}
	return bad.Err()
}

// archive takes the hull out of the working inventory.
func (h *Hull) archive(now time.Time) error {
	switch {
	case h.Status == Archived:
		return fault.Conflict("The hull is archived already.").Detail("status", "state", "is archived")
	case h.DealID != nil || h.Status == SalePending:
		return fault.Conflict("The hull belongs to a deal that is not closed.").Detail("status", "state", "is %s", h.Status)
	}
	before := h.Status
	if before == OnHold {
		before = Available // a hold does not outlive the archive
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

// HullChange is one line of a hull's history: a new status, a new location, or
// both.
type HullChange struct {
	Env            auth.Env   `json:"-" db:"env"`
	ID             string     `json:"id" db:"id" example:"hst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HullID         string     `json:"hull_id" db:"hull_id"`
	From           *Status    `json:"from" db:"from_status" doc:"Status before; null for a new hull."`
	To             Status     `json:"to" db:"to_status" doc:"Status after."`
	FromLocationID *string    `json:"from_location_id" db:"from_location_id"`
	LocationID     string     `json:"location_id" db:"to_location_id" doc:"Where it was then."`
	Reason         *string    `json:"reason" db:"reason"`
	Actor          auth.Actor `json:"actor" db:"actor,json"`
	At             time.Time  `json:"at" db:"at"`
}
