package leads

import (
	"errors"
	"slices"
	"time"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Status is the status of a lead.
type Status string

// The statuses of a lead.
const (
	StatusNew Status = "new"
	Contacted Status = "contacted"
	Qualified Status = "qualified"
	Working   Status = "working"
	Converted Status = "converted"
	Lost      Status = "lost"
)

var allStatuses = enum.Of("LeadStatus", "Progress of a lead.",
	StatusNew, Contacted, Qualified, Working, Converted, Lost)

func (Status) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatuses.Describe(s)
}

// StatusCategory summarizes the status.
type StatusCategory string

// The values.
const (
	CategoryOpen      StatusCategory = "open"
	CategoryConverted StatusCategory = "converted"
	CategoryLost      StatusCategory = "lost"
)

var allStatusCategories = enum.Of("LeadStatusCategory", "Summary of the status of a lead.",
	CategoryOpen, CategoryConverted, CategoryLost)

func (StatusCategory) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStatusCategories.Describe(s)
}

// open are the statuses that a user can change freely.
var open = []Status{StatusNew, Contacted, Qualified, Working}

// isOpen reports whether the lead can still be converted or closed.
func (s Status) isOpen() bool { return slices.Contains(open, s) }

// category returns open, converted or lost.
func (s Status) category() StatusCategory {
	if s.isOpen() {
		return CategoryOpen
	}
	return StatusCategory(s)
}

// move changes the status manually and returns the type of the event. A lead that someone marks
// as contacted was answered, and one that is reopened waits for an answer.
func (l *Lead) move(to Status, now time.Time) (event string, err error) {
	switch {
	case l.Status == Lost && to == Working:
		l.Status, l.LostReason = Working, nil
		l.begin(Us, now)
		return "lead.updated", nil
	case l.Status == Lost:
		return "", l.reject(to, "must be working, which reopens a lost lead")
	case l.Status == Converted:
		return "", l.reject(to, "is final because the lead was converted to a deal")
	case to == Lost:
		return "", l.reject(to, "must be one of new, contacted, qualified, working. Use close to mark the lead as lost")
	case to == Converted:
		return "", l.reject(to, "must be one of new, contacted, qualified, working. Use convert to convert the lead to a deal")
	}
	if l.Status == StatusNew && to == Contacted {
		l.begin(Them, now)
	}
	l.Status = to
	if to == Qualified {
		return "lead.qualified", nil
	}
	return "lead.updated", nil
}

func (l *Lead) reject(to Status, why string) error {
	return fault.Conflict("You can't change the status from %s to %s.", l.Status, to).Detail("status", "state", "%s", why)
}

// LeadClose is the body to close a lead.
type LeadClose struct {
	_ struct{} `doc:"Why a lead is closed."`

	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why the lead is lost. It becomes lost_reason." example:"Bought elsewhere"`
}

// lose closes the lead as lost.
func (l *Lead) lose(reason string, now time.Time) error {
	if !l.Status.isOpen() {
		return fault.Conflict("The lead is already %s.", l.Status).Detail("status", "state", "is %s", l.Status)
	}
	l.Status, l.LostReason = Lost, &reason
	l.begin(Nobody, now)
	l.touch(now)
	return nil
}

// convert marks the lead as converted to a deal.
func (l *Lead) convert(dealID string, now time.Time) error {
	if !l.Status.isOpen() {
		f := fault.Conflict("The lead is already %s.", l.Status).Detail("status", "state", "is %s", l.Status)
		if l.DealID != nil {
			f = f.Detail("deal_id", "state", "is %s", *l.DealID)
		}
		return f
	}
	l.Status, l.DealID = Converted, &dealID
	l.begin(Nobody, now)
	l.touch(now)
	return nil
}

func asFault(err error) (*fault.Error, bool) { return errors.AsType[*fault.Error](err) }
