package leads

import (
	"errors"
	"slices"
	"time"

	"slipway/internal/vocab/fault"
)

// Status is how far a lead has come.
type Status string

// The statuses of a lead.
const (
	New       Status = "new"
	Contacted Status = "contacted"
	Qualified Status = "qualified"
	Working   Status = "working"
	Converted Status = "converted"
	Lost      Status = "lost"
)

// open are the statuses among which people move a lead as they see fit.
var open = []Status{New, Contacted, Qualified, Working}

// isOpen reports whether the lead may still become a deal.
func (s Status) isOpen() bool { return slices.Contains(open, s) }

// move changes the status by hand and returns the event that tells so.
func (l *Lead) move(to Status) (event string, err error) {
	switch {
	case l.Status == Lost && to == Working:
		l.Status, l.LostReason = Working, nil
		return "lead.updated", nil
	case l.Status == Lost:
		return "", l.refuse(to, "must be working: a lost lead is reopened by that")
	case l.Status == Converted:
		return "", l.refuse(to, "is final: the lead is a deal now")
	case to == Lost:
		return "", l.refuse(to, "must be one of new, contacted, qualified, working; a lead is closed with a reason by close")
	case to == Converted:
		return "", l.refuse(to, "must be one of new, contacted, qualified, working; a lead is converted with an offer by convert")
	}
	l.Status = to
	if to == Qualified {
		return "lead.qualified", nil
	}
	return "lead.updated", nil
}

func (l *Lead) refuse(to Status, why string) error {
	return fault.Conflict("A lead cannot go from %s to %s by a change.", l.Status, to).Detail("status", "state", "%s", why)
}

// LeadClose says why a lead is lost.
type LeadClose struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" example:"Bought elsewhere"`
}

// lose closes the lead.
func (l *Lead) lose(reason string, now time.Time) error {
	if !l.Status.isOpen() {
		return fault.Conflict("The lead is %s already.", l.Status).Detail("status", "state", "is %s", l.Status)
	}
	l.Status, l.LostReason = Lost, &reason
	l.touch(now)
	return nil
}

// convert ends the lead in a deal.
func (l *Lead) convert(dealID string, now time.Time) error {
	if !l.Status.isOpen() {
		f := fault.Conflict("The lead is %s.", l.Status).Detail("status", "state", "is %s", l.Status)
		if l.DealID != nil {
			f = f.Detail("deal_id", "state", "is %s", *l.DealID)
		}
		return f
	}
	l.Status, l.DealID = Converted, &dealID
	l.touch(now)
	return nil
}

func asFault(err error) (*fault.Error, bool) { return errors.AsType[*fault.Error](err) }
