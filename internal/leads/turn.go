package leads

import (
	"time"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Turn is who has to answer next.
type Turn string

// The values.
const (
	Us     Turn = "us"
	Them   Turn = "them"
	Nobody Turn = "nobody"
)

var allTurns = enum.Of("LeadAwaiting", "Who has to answer next: the dealership (us), the customer (them), or nobody, because the lead is closed, snoozed or opted out.",
	Us, Them, Nobody)

func (Turn) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allTurns.Describe(s)
}

// begin sets whose turn it is. The wait for us begins with the first message that has no
// answer. Each change of the turn ends a snooze.
func (l *Lead) begin(turn Turn, at time.Time) {
	if turn != Us || l.Turn != Us || l.TurnSince == nil {
		l.TurnSince = &at
	}
	l.Turn, l.SnoozedUntil = turn, nil
}

// answered records that a person of the dealership wrote to the customer, called or met them.
// The first answer moves a new lead to contacted.
func (l *Lead) answered(now time.Time) {
	l.begin(Them, now)
	l.touch(now)
	if l.Status == StatusNew {
		l.Status = Contacted
	}
}

// asked records that the customer wrote. A customer who only opts out waits for nobody.
func (l *Lead) asked(at time.Time, optsOut bool) {
	if optsOut {
		l.begin(Nobody, at)
		return
	}
	l.begin(Us, at)
}

// turnAt returns who has to answer at a time, and since when.
func (l *Lead) turnAt(now time.Time) (Turn, *time.Time) {
	if l.Turn == Nobody || l.isSnoozed(now) {
		return Nobody, nil
	}
	return l.Turn, new(l.turnSince())
}

func (l *Lead) isSnoozed(now time.Time) bool {
	return l.SnoozedUntil != nil && l.SnoozedUntil.After(now)
}

func (l *Lead) turnSince() time.Time {
	if l.TurnSince == nil {
		return l.CreatedAt
	}
	return *l.TurnSince
}

// LeadSnooze is the body to snooze a lead.
type LeadSnooze struct {
	_ struct{} `doc:"How long a lead is off the list of leads that wait for an answer."`

	Until *time.Time `json:"until" required:"false" doc:"When the lead is on the list again. Defaults to when the customer writes again: use that for a message that needs no answer." example:"2026-12-01T15:00:00Z"`
}

// maxSnooze is how long a lead can be snoozed.
const maxSnooze = 366 * 24 * time.Hour

// apply snoozes the lead.
func (s LeadSnooze) apply(l *Lead, now time.Time) error {
	if l.Turn != Us {
		return fault.Conflict("The lead doesn't wait for an answer. You can't snooze it.").Detail("awaiting", "state", "is %s", l.Turn)
	}
	if s.Until == nil {
		l.begin(Nobody, now)
		return nil
	}

	var bad fault.Fields
	switch {
	case !s.Until.After(now):
		bad.Add("until", "minimum", "must be in the future")
	case s.Until.After(now.Add(maxSnooze)):
		bad.Add("until", "maximum", "must be within a year")
	}
	l.SnoozedUntil = new(s.Until.UTC().Truncate(time.Millisecond))
	return bad.Err()
}

// wake puts a lead that is off the list on it again.
func (l *Lead) wake(now time.Time) error {
	if !l.Status.isOpen() {
		return fault.Conflict("The lead is %s.", l.Status).Detail("status", "state", "is %s", l.Status)
	}
	if l.Turn == Nobody {
		l.begin(Us, now)
	}
	l.SnoozedUntil = nil
	return nil
}

// AwaitingLeads are the counts of the leads that wait for an answer.
type AwaitingLeads struct {
	_ struct{} `doc:"How many leads wait for an answer of the dealership."`

	Everyone      int64      `json:"everyone" db:"everyone" doc:"All leads that wait for an answer." example:"11"`
	Mine          int64      `json:"mine" db:"mine" doc:"Leads that wait for an answer of your user, or that have no owner. 0 without a user." example:"4"`
	OldestSince   *time.Time `json:"oldest_since" db:"oldest_since" doc:"Since when the first of them has waited. Null if none waits."`
	Snoozed       int64      `json:"snoozed" db:"snoozed" doc:"Leads that are snoozed and would otherwise wait for an answer." example:"3"`
	NextWakeAt    *time.Time `json:"next_wake_at" db:"next_wake_at" doc:"When the next snoozed lead is on the list again. Null if none is snoozed."`
	AnsweredToday int64      `json:"answered_today" db:"answered_today" doc:"Leads that got their last answer today, in the dealership's time zone." example:"9"`
}
