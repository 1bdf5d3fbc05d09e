package leads

import (
	"math"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// LeadSignal is something that a lead did that indicates interest.
type LeadSignal struct {
	_ struct{} `doc:"Something that a lead did that indicates interest." columns:"occurred_at kind value hull_id / id source"`

	Env        auth.Env   `json:"-" db:"env"`
	ID         string     `json:"id" db:"id" doc:"Identifies the signal. Starts with sig_." example:"sig_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID     string     `json:"lead_id" db:"lead_id" doc:"Lead that the signal belongs to." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind       SignalKind `json:"kind" db:"kind" doc:"What the lead did. Each kind has its own weight in the score."`
	HullID     *string    `json:"hull_id" db:"hull_id" doc:"Boat that the signal is about. Null if it is not about a certain boat."`
	Value      *float64   `json:"value" db:"value" doc:"Number that belongs to the signal, such as a calculated payment. It does not affect the score."`
	Source     *string    `json:"source" db:"source" doc:"System or page that observed the signal." example:"website"`
	OccurredAt time.Time  `json:"occurred_at" db:"occurred_at" doc:"When the lead did it. The weight of the signal halves every 14 days from then."`
	CreatedAt  time.Time  `json:"created_at" db:"created_at" doc:"When the signal was recorded."`
}

// SignalKind is what a lead did.
type SignalKind string

var allSignalKinds = enum.Of[SignalKind]("LeadSignalKind", "What a lead did. Each kind has its own weight in the score.",
	"page_view", "price_view", "payment_calculator", "trade_valuation", "credit_start", "brochure", "chat", "call",
	"email_open", "sms_reply", "sea_trial_request", "return_visit")

func (SignalKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSignalKinds.Describe(s)
}

// LeadSignalCreate is the body to record a signal.
type LeadSignalCreate struct {
	_ struct{} `doc:"A signal to record."`

	Kind       SignalKind `json:"kind" doc:"What the lead did. Each kind has its own weight in the score."`
	HullID     *string    `json:"hull_id" required:"false" maxLength:"64" doc:"Boat that the signal is about."`
	Value      *float64   `json:"value" required:"false" minimum:"-1000000000000" maximum:"1000000000000" doc:"Number that belongs to the signal, such as a calculated payment. It does not affect the score."`
	Source     *string    `json:"source" required:"false" maxLength:"200" doc:"System or page that observed the signal."`
	OccurredAt *time.Time `json:"occurred_at" required:"false" doc:"Defaults to the current time."`
}

// Check validates what the schema can't express.
func (n LeadSignalCreate) Check(now time.Time) error {
	var bad fault.Fields
	if n.OccurredAt != nil && n.OccurredAt.After(now.Add(ClockSkew)) {
		bad.Add("occurred_at", "maximum", "must not be in the future")
	}
	return bad.Err()
}

// ClockSkew is how far ahead a caller's clock can be.
const ClockSkew = 5 * time.Minute

// PastTime is the time that a caller sent, or now if the time is missing or in
// the future because the caller's clock is ahead.
func PastTime(at *time.Time, now time.Time) time.Time {
	if at == nil || at.After(now) {
		return now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// weights are the points of each kind of signal on the day it occurs.
var weights = map[SignalKind]float64{
	"page_view": 2, "email_open": 2, "price_view": 5, "return_visit": 6, "brochure": 8, "payment_calculator": 10, "chat": 10,
	"sms_reply": 10, "trade_valuation": 12, "call": 15, "credit_start": 30, "sea_trial_request": 35,
}

// halfLife is the time after which the weight of a signal halves.
const halfLife = 14 * 24 * time.Hour

// maxAge is the age at which less than a thousandth of the weight remains.
const maxAge = 10 * halfLife

// decay returns the remaining part of a sum after a time.
func decay(sum float64, from, to time.Time) float64 {
	return sum * math.Exp2(-float64(to.Sub(from))/float64(halfLife))
}

// rate calculates the score from the signals.
func (l *Lead) rate(signals []LeadSignal, now time.Time) {
	l.ScoreSum, l.ScoreAt = 0, now
	for _, s := range signals {
		l.ScoreSum += decay(weights[s.Kind], s.OccurredAt, now)
	}
	l.derive(now)
}

// qualifyByScore qualifies a new or contacted lead whose score has reached the
// threshold. It reports whether it did.
func (l *Lead) qualifyByScore(threshold int64) bool {
	if l.Score < threshold || l.Status != StatusNew && l.Status != Contacted {
		return false
	}
	l.Status = Qualified
	return true
}
