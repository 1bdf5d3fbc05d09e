// Package leads is who wants a boat: the lead's way to a deal, whom it is
// assigned to, what it was sent and what it did.
package leads

import (
	"math"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// Lead is somebody's wish for a boat. What they wrote stays out of the audit
// log, which cannot forget.
type Lead struct {
	Env           auth.Env          `json:"-" db:"env"`
	ID            string            `json:"id" db:"id" example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID     string            `json:"contact_id" db:"contact_id" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Source        string            `json:"source" db:"source" enum:"web,phone,walk_in,referral,marketplace,event,import,other"`
	SourceDetail  *string           `json:"source_detail" db:"source_detail" audit:"-" doc:"Campaign, page, person or place." example:"Annapolis boat show"`
	Status        Status            `json:"status" db:"status" enum:"new,contacted,qualified,working,converted,lost"`
	HullID        *string           `json:"hull_id" db:"hull_id" doc:"The boat asked for." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LocationID    *string           `json:"location_id" db:"location_id" doc:"Where the lead is worked: that of the boat, unless said otherwise." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Interest      *string           `json:"interest" db:"interest" audit:"-" doc:"What they look for, in words." example:"A center console around 25 feet"`
	Message       *string           `json:"message" db:"message" audit:"-" doc:"What they wrote."`
	BudgetMinUSD  *int64            `json:"budget_min_usd" db:"budget_min_usd" example:"80000"`
	BudgetMaxUSD  *int64            `json:"budget_max_usd" db:"budget_max_usd" example:"130000"`
	Timeline      *string           `json:"timeline" db:"timeline" audit:"-" doc:"When they want to buy." example:"before summer"`
	OwnerID       *string           `json:"owner_id" db:"owner_id" doc:"The user who works the lead; see assign." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Score         int64             `json:"score" audit:"-" doc:"0 to 100: the weights of the signals, halved every 14 days." example:"42"`
	NeedsReview   bool              `json:"needs_review" db:"needs_review" doc:"Whether the lead wrote something that may be an opt-out. No marketing goes out until somebody has read it and set this to false."`
	LastTouchedAt time.Time         `json:"last_touched_at" db:"touched_at" audit:"-" doc:"When somebody of the dealership last did something about the lead."`
	StalledAt     *time.Time        `json:"stalled_at" db:"stalled_at" doc:"When the lead was found untouched for the dealership's stalled_after_hours; null again when it is touched."`
	LostReason    *string           `json:"lost_reason" db:"lost_reason" audit:"-"`
	DealID        *string           `json:"deal_id" db:"deal_id" doc:"The deal that the lead was converted into."`
	Metadata      map[string]string `json:"metadata" db:"metadata,json" audit:"-" doc:"Your own notes: up to 50 pairs."`
	Version       int64             `json:"version" db:"version" doc:"Counts the changes; the same as the ETag." example:"1"`
	CreatedAt     time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at" db:"updated_at"`

	ScoreSum float64   `json:"-" db:"score_sum"` // of the signals' weights, as of ScoreAt
	ScoreAt  time.Time `json:"-" db:"score_at"`
}

// Revision is the lead's version.
func (l Lead) Revision() int64 { return l.Version }

// LeadCreate is what a new lead needs: a contact, known or described.
type LeadCreate struct {
	ContactID    *string                            `json:"contact_id" required:"false" maxLength:"64" doc:"A known contact; or else give contact." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Contact      patch.Null[contacts.ContactCreate] `json:"contact,omitzero" doc:"Whoever it is. A contact with this email or phone is found, else a new one is made."`
	Source       string                             `json:"source,omitempty" enum:"web,phone,walk_in,referral,marketplace,event,import,other" default:"other"`
	SourceDetail *string                            `json:"source_detail" required:"false" maxLength:"200"`
	HullID       *string                            `json:"hull_id" required:"false" maxLength:"64"`
	LocationID   *string                            `json:"location_id" required:"false" maxLength:"64" doc:"Without it: that of the hull."`
	Interest     *string                            `json:"interest" required:"false" maxLength:"500"`
	Message      *string                            `json:"message" required:"false" maxLength:"10000"`
	BudgetMinUSD *int64                             `json:"budget_min_usd" required:"false" minimum:"0" maximum:"1000000000"`
	BudgetMaxUSD *int64                             `json:"budget_max_usd" required:"false" minimum:"0" maximum:"1000000000"`
	Timeline     *string                            `json:"timeline" required:"false" maxLength:"100"`
	OwnerID      *string                            `json:"owner_id" required:"false" maxLength:"64" doc:"Whom to assign it to; without it, assign it later."`
	Metadata     map[string]string                  `json:"metadata,omitempty" doc:"Up to 50 pairs; keys up to 40 characters, values up to 500."`
}

// Check says what the schema cannot.
func (n LeadCreate) Check(now time.Time) error {
	_, err := n.lead(now)
	return err
}

// lead makes the lead, without its contact, or says everything that is wrong
// with it.
func (n LeadCreate) lead(now time.Time) (Lead, error) {
	l := Lead{
		Source: n.Source, SourceDetail: n.SourceDetail, Status: New, HullID: n.HullID, LocationID: n.LocationID, Interest: n.Interest, Message: n.Message,
		BudgetMinUSD: n.BudgetMinUSD, BudgetMaxUSD: n.BudgetMaxUSD, Timeline: n.Timeline, Metadata: n.Metadata, LastTouchedAt: now, ScoreAt: now,
	}
	if l.Source == "" {
		l.Source = "other"
	}
	if l.Metadata == nil {
		l.Metadata = map[string]string{}
	}
	var bad fault.Fields
	switch {
	case n.ContactID == nil && n.Contact.V == nil:
		bad.Add("contact_id", "required", "is required, unless contact says who it is")
	case n.ContactID != nil && n.Contact.V != nil:
		bad.Add("contact", "exclusive", "cannot be combined with contact_id")
	case n.Contact.V != nil:
		within(&bad, "contact", n.Contact.V.Check(now))
	}
	l.check(&bad)
	return l, bad.Err()
}

// LeadPatch changes a lead. Its owner and its end have endpoints of their own:
// assign, close and convert.
type LeadPatch struct {
	Status       patch.Value[Status]            `json:"status,omitzero" enum:"new,contacted,qualified,working,converted,lost" doc:"Moves among the open statuses; working also reopens a lost lead."`
	Source       patch.Value[string]            `json:"source,omitzero" enum:"web,phone,walk_in,referral,marketplace,event,import,other"`
	SourceDetail patch.Null[string]             `json:"source_detail,omitzero" maxLength:"200"`
	HullID       patch.Null[string]             `json:"hull_id,omitzero" maxLength:"64"`
	LocationID   patch.Null[string]             `json:"location_id,omitzero" maxLength:"64"`
	Interest     patch.Null[string]             `json:"interest,omitzero" maxLength:"500"`
	Message      patch.Null[string]             `json:"message,omitzero" maxLength:"10000"`
	BudgetMinUSD patch.Null[int64]              `json:"budget_min_usd,omitzero" minimum:"0" maximum:"1000000000"`
	BudgetMaxUSD patch.Null[int64]              `json:"budget_max_usd,omitzero" minimum:"0" maximum:"1000000000"`
	Timeline     patch.Null[string]             `json:"timeline,omitzero" maxLength:"100"`
	NeedsReview  patch.Value[bool]              `json:"needs_review,omitzero" doc:"false says that somebody has read what the lead wrote."`
	Metadata     patch.Null[map[string]*string] `json:"metadata,omitzero" doc:"Pairs to add or change; a null value removes its key, null removes all."`
}

// apply changes the lead and returns the event that tells so.
func (p LeadPatch) apply(l *Lead, now time.Time) (event string, err error) {
	event = "lead.updated"
	if p.Status.Set && p.Status.V != l.Status {
		if event, err = l.move(p.Status.V); err != nil {
			return "", err
		}
	}
	p.Source.To(&l.Source)
	p.SourceDetail.To(&l.SourceDetail)
	p.HullID.To(&l.HullID)
	p.LocationID.To(&l.LocationID)
	p.Interest.To(&l.Interest)
	p.Message.To(&l.Message)
	p.BudgetMinUSD.To(&l.BudgetMinUSD)
	p.BudgetMaxUSD.To(&l.BudgetMaxUSD)
	p.Timeline.To(&l.Timeline)
	if p.Metadata.Set {
		l.Metadata = patch.MergeMetadata(l.Metadata, p.Metadata.V)
	}
	var bad fault.Fields
	if p.NeedsReview.V && !l.NeedsReview {
		bad.Add("needs_review", "enum", "must be false: a message sets it")
	}
	p.NeedsReview.To(&l.NeedsReview)
	l.check(&bad)
	l.touch(now)
	return event, bad.Err()
}

// check says what the schema cannot.
func (l *Lead) check(bad *fault.Fields) {
	if l.BudgetMinUSD != nil && l.BudgetMaxUSD != nil && *l.BudgetMinUSD > *l.BudgetMaxUSD {
		bad.Add("budget_min_usd", "maximum", "must not be more than budget_max_usd")
	}
	patch.CheckMetadata(bad, l.Metadata)
}

// touch notes that somebody of the dealership did something about the lead.
func (l *Lead) touch(now time.Time) { l.LastTouchedAt, l.StalledAt = now, nil }

// derive fills in what depends on the present moment.
func (l *Lead) derive(now time.Time) {
	l.Score = int64(math.Round(min(100, decay(l.ScoreSum, l.ScoreAt, now))))
}

// within puts the complaints about a part under the part's name.
func within(bad *fault.Fields, part string, err error) {
	f, ok := asFault(err)
	if !ok {
		return
	}
	for _, d := range f.Details {
		*bad = append(*bad, fault.Detail{Field: part + "." + d.Field, Code: d.Code, Message: d.Message})
	}
}

// forget takes out what tells who it was.
func (l *Lead) forget() {
	l.SourceDetail, l.Interest, l.Message, l.Timeline, l.LostReason = nil, nil, nil, nil, nil
	l.Metadata, l.NeedsReview = map[string]string{}, false
}
