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
		l.reopen(now)
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

	Reason   string     `json:"reason" minLength:"1" maxLength:"500" doc:"Why the lead is lost. It becomes lost_reason. The report counts the reasons that settings.lost_reasons lists." example:"Bought elsewhere"`
	ReopenAt *time.Time `json:"reopen_at" required:"false" doc:"When the lead is open again and waits for an answer, such as after the winter. Defaults to never." example:"2027-03-01T14:00:00Z" since:"next"`
}

// longestLoss is how far in the future a lead can be open again.
const longestLoss = 5 * 365 * 24 * time.Hour

func (c LeadClose) check(now time.Time) error {
	var bad fault.Fields
	switch {
	case c.ReopenAt == nil:
	case !c.ReopenAt.After(now):
		bad.Add("reopen_at", "minimum", "must be in the future")
	case c.ReopenAt.After(now.Add(longestLoss)):
		bad.Add("reopen_at", "maximum", "must be within five years")
	}
	return bad.Err()
}

// lose closes the lead as lost.
func (l *Lead) lose(c LeadClose, now time.Time) error {
	if !l.Status.isOpen() {
		return fault.Conflict("The lead is already %s.", l.Status).Detail("status", "state", "is %s", l.Status)
	}
	if err := c.check(now); err != nil {
		return err
	}
	l.Status, l.LostReason = Lost, &c.Reason
	if c.ReopenAt != nil {
		l.ReopenAt = new(c.ReopenAt.UTC().Truncate(time.Millisecond))
	}
	l.begin(Nobody, now)
	l.touch(now)
	return nil
}

// reopen opens a lost lead. It waits for an answer.
func (l *Lead) reopen(now time.Time) {
	l.Status, l.LostReason, l.ReopenAt = Working, nil, nil
	l.begin(Us, now)
	l.touch(now)
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
