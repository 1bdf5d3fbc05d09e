// Package leads stores inquiries about boats: their status, owner, signals and
// score, and the consents that were recorded with them.
package leads

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
)

// Lead is an inquiry about a boat. Personal data is excluded from the audit log
// because the log can't be erased.
type Lead struct {
	_ struct{} `doc:"An inquiry about a boat." columns:"id status source contact_id hull_id owner_id last_activity_at / score needs_review location_id created_at version"`

	Env              auth.Env          `json:"-" db:"env"`
	ID               string            `json:"id" db:"id" doc:"Identifies the lead. Starts with lead_." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID        string            `json:"contact_id" db:"contact_id" doc:"Person or company that the lead is from." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	SubmittedContact *SubmittedContact `json:"submitted_contact" db:"submitted_contact,json" privacy:"personal" doc:"Contact as it was sent with the lead. Null if the lead was created with contact_id." since:"next"`
	PossibleMismatch bool              `json:"possible_mismatch" db:"possible_mismatch" doc:"Whether the name in submitted_contact differs from the name of the contact. It might be another person with the same email or phone." since:"next"`
	Source           Source            `json:"source" db:"source" doc:"How the lead reached the dealership." since:"next email=other sms=other"`
	SourceDetail     *string           `json:"source_detail" db:"source_detail" doc:"Campaign, page, person or place that the lead came from. Null if unknown." example:"Annapolis boat show"`
	Status           Status            `json:"status" db:"status" doc:"Progress of the lead. converted is set by convert, and lost by close."`
	HullID           *string           `json:"hull_id" db:"hull_id" doc:"Boat that the lead asked about. Null if the lead is not about a certain boat." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LocationID       *string           `json:"location_id" db:"location_id" doc:"Location that works the lead. Defaults to the location of the boat." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Interest         *string           `json:"interest" db:"interest" doc:"What the lead is looking for." example:"A center console around 25 feet"`
	Message          *string           `json:"message" db:"message" doc:"Message that the lead wrote."`
	BudgetMinUSD     *int64            `json:"budget_min_usd" db:"budget_min_usd" doc:"Lower end of the budget in whole US dollars. Null if unknown." example:"80000"`
	BudgetMaxUSD     *int64            `json:"budget_max_usd" db:"budget_max_usd" doc:"Upper end of the budget in whole US dollars. Null if unknown." example:"130000"`
	Timeline         *string           `json:"timeline" db:"timeline" doc:"When the lead plans to buy." example:"before summer"`
	OwnerID          *string           `json:"owner_id" db:"owner_id" doc:"User who works the lead. Set it with assign." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Score            int64             `json:"score" audit:"-" doc:"0 to 100. Sum of the weights of the signals, which halve every 14 days." example:"42"`
	Unrecorded       []consent.Channel `json:"unrecorded_consents" db:"unrecorded_consents,json" nullable:"false" doc:"Channels of the consents that were sent with the lead and could not be recorded, because the contact has no address for them." since:"next"`
	NeedsReview      bool              `json:"needs_review" db:"needs_review" doc:"Whether the lead sent a message that might be an opt-out, or an email that asks for messages again. Marketing messages are blocked until a user reads it and sets this to false."`
	LastTouchedAt    time.Time         `json:"last_touched_at" db:"touched_at" audit:"-" doc:"When a user or an integration last worked on the lead."`
	LastActivityAt   time.Time         `json:"last_activity_at" db:"last_activity_at" audit:"-" doc:"When the lead last wrote, or the dealership last worked on it." since:"next"`
	Awaiting         Turn              `json:"awaiting" audit:"-" doc:"Who has to answer next. The last message, call or visit of a person decides, and automatic messages don't count. nobody for a lead that is closed, snoozed or opted out." since:"next"`
	AwaitingSince    *time.Time        `json:"awaiting_since" audit:"-" doc:"Since when. For us, it is the first message without an answer, or the creation of the lead. A lead from the source phone, walk_in or import waits for the customer. Null if awaiting is nobody." since:"next"`
	SnoozedUntil     *time.Time        `json:"snoozed_until" db:"snoozed_until" doc:"When the lead is on the list of leads that wait for an answer again. Null if it is not snoozed." since:"next"`
	StalledAt        *time.Time        `json:"stalled_at" db:"stalled_at" doc:"When the lead was found without activity for the dealership's stalled_after_hours. Null again after the next activity."`
	LostReason       *string           `json:"lost_reason" db:"lost_reason" doc:"Why the lead was closed. Null unless the status is lost."`
	ReopenAt         *time.Time        `json:"reopen_at" db:"reopen_at" doc:"When the lead is open again. Null unless it is lost and was closed with a time." since:"next"`
	DealID           *string           `json:"deal_id" db:"deal_id" doc:"Deal that the lead was converted to."`
	Metadata         map[string]string `json:"metadata" db:"metadata,json" doc:"Your own key-value pairs. At most 50."`
	Version          int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt        time.Time         `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt        time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	ScoreSum float64   `json:"-" db:"score_sum"` // sum of the weights of the signals at ScoreAt
	ScoreAt  time.Time `json:"-" db:"score_at"`

	Turn      Turn       `json:"-" db:"turn"` // without the snooze
	TurnSince *time.Time `json:"-" db:"turn_since"`
}

// Source is how a lead reached the dealership.
type Source string

// Values that the code uses.
const (
	SourceEmail  Source = "email"
	SourceSMS    Source = "sms"
	SourcePhone  Source = "phone"
	SourceWalkIn Source = "walk_in"
	SourceImport Source = "import"

	SourceMarketplace Source = "marketplace"
	SourceOther       Source = "other"
)

var allSources = enum.Of("LeadSource", "How a lead reached the dealership.",
	"web", SourceEmail, SourceSMS, SourcePhone, SourceWalkIn, "referral", SourceMarketplace, "event", SourceImport, SourceOther)

func (Source) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSources.Describe(s)
}

// Revision is the version, for the ETag.
func (l Lead) Revision() int64 { return l.Version }

// SubmittedContact is what a customer wrote, such as in a form, before it was
// compared with the contacts.
type SubmittedContact struct {
	_           struct{}                 `doc:"A person or company as they were sent with a lead, before the match with existing contacts." nullable:"true"`
	FirstName   *string                  `json:"first_name" doc:"First name, as it was sent. Null if it was not sent or was erased." example:"Ann"`
	LastName    *string                  `json:"last_name" doc:"Last name, as it was sent. Null if it was not sent or was erased." example:"Bell"`
	CompanyName *string                  `json:"company_name" doc:"Company, as it was sent. Null if it was not sent or was erased."`
	Email       *string                  `json:"email" doc:"Email address, as it was sent. Null if it was not sent or was erased." example:"ann@example.com"`
	Phone       *string                  `json:"phone" doc:"Phone number, as it was sent. Null if it was not sent or was erased." example:"(410) 555-0123"`
	Address     *contacts.ContactAddress `json:"address" doc:"Postal address, as it was sent. Null if it was not sent or was erased."`
}

// submitted returns the contact as it was sent, or nil.
func (n LeadCreate) submitted() *SubmittedContact {
	c := n.Contact.V
	if c == nil {
		return nil
	}
	return &SubmittedContact{
		FirstName: c.FirstName, LastName: c.LastName, CompanyName: c.CompanyName, Email: c.Email, Phone: c.Phone, Address: c.Address.V,
	}
}

// differs reports whether the name is not the contact's.
func (s *SubmittedContact) differs(c contacts.Contact) bool {
	return s != nil && c.HasOtherName(s.FirstName, s.LastName, s.CompanyName)
}

// Met are the sources of leads whom someone has already talked to.
var Met = []Source{SourcePhone, SourceWalkIn, SourceImport}

// inquirySources are the sources of leads that wrote to the dealership.
var inquirySources = []Source{"web", SourceMarketplace, SourceEmail}

// InquiredBy reports whether the lead wrote to the dealership within the last months and left this
// email address or phone number, so that it expects an answer there.
func (l Lead) InquiredBy(channel consent.Channel, address string, c contacts.Contact, now time.Time) bool {
	if address == "" || !slices.Contains(inquirySources, l.Source) || strings.TrimSpace(null.Text(l.Message)) == "" {
		return false
	}
	left := c.AddressOn(channel)
	if l.SubmittedContact != nil {
		left, _ = contacts.ParseAddress(channel, null.Text(l.SubmittedContact.on(channel)))
	}
	return left == address && consent.AfterInquiry(l.CreatedAt).After(now)
}

// on returns the address of a channel as it was sent.
func (s SubmittedContact) on(channel consent.Channel) *string {
	if channel == consent.Email {
		return s.Email
	}
	return s.Phone
}

// LeadCreate is the body to create a lead.
type LeadCreate struct {
	_ struct{} `doc:"A new lead."`

	ContactID    *string                            `json:"contact_id" required:"false" maxLength:"64" doc:"Existing contact. Send either this or contact." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Contact      patch.Null[contacts.ContactCreate] `json:"contact,omitzero" doc:"Person or company that the lead is from. If a contact with this email or phone exists, it is used, and what it lacks is filled in. Otherwise a contact is created."`
	Source       Source                             `json:"source,omitempty" doc:"How the lead reached the dealership." since:"next email=other sms=other" default:"other"`
	SourceDetail *string                            `json:"source_detail" required:"false" maxLength:"200" doc:"Campaign, page, person or place that the lead came from."`
	HullID       *string                            `json:"hull_id" required:"false" maxLength:"64" doc:"Boat that the lead asked about."`
	LocationID   *string                            `json:"location_id" required:"false" maxLength:"64" doc:"Defaults to the location of the hull."`
	Interest     *string                            `json:"interest" required:"false" maxLength:"500" doc:"What the lead is looking for, in your own words."`
	Message      *string                            `json:"message" required:"false" maxLength:"10000" doc:"Message that the lead wrote, such as the text of a form."`
	BudgetMinUSD *int64                             `json:"budget_min_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"Lower end of the budget in whole US dollars."`
	BudgetMaxUSD *int64                             `json:"budget_max_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"Upper end of the budget in whole US dollars."`
	Timeline     *string                            `json:"timeline" required:"false" maxLength:"100" doc:"When the lead plans to buy, in your own words."`
	OwnerID      *string                            `json:"owner_id" required:"false" maxLength:"64" doc:"User to assign the lead to."`
	Consents     []consent.ConsentCreate            `json:"consents,omitempty" maxItems:"10" doc:"Consents that were given with the lead, such as the checkboxes of a form. A channel that the contact has no address for is left out and listed in unrecorded_consents." since:"next" assist:"never"`
	Metadata     map[string]string                  `json:"metadata,omitempty" doc:"At most 50 pairs. Keys have at most 40 characters, values 500."`

	ForReview bool `json:"-"` // a user must read it
}

// Check validates what the schema can't express.
func (n LeadCreate) Check(now time.Time) error {
	_, err := n.lead(now)
	return err
}

// lead returns the new lead without its contact, or every invalid field.
func (n LeadCreate) lead(now time.Time) (Lead, error) {
	l := Lead{
		SubmittedContact: n.submitted(), Source: n.Source, SourceDetail: n.SourceDetail, Status: StatusNew, HullID: n.HullID, LocationID: n.LocationID,
		Interest: n.Interest, Message: n.Message,
		BudgetMinUSD: n.BudgetMinUSD, BudgetMaxUSD: n.BudgetMaxUSD, Timeline: n.Timeline, Metadata: n.Metadata, NeedsReview: n.ForReview, ScoreAt: now,
	}
	l.touch(now)
	if l.Source == "" {
		l.Source = "other"
	}
	if l.Metadata == nil {
		l.Metadata = map[string]string{}
	}
	l.Unrecorded = []consent.Channel{}
	if l.begin(Us, now); slices.Contains(Met, l.Source) {
		l.begin(Them, now)
	}

	var bad fault.Fields
	switch {
	case n.ContactID == nil && n.Contact.V == nil:
		bad.Add("contact_id", "required", "is required unless you send contact")
	case n.ContactID != nil && n.Contact.V != nil:
		bad.Add("contact", "exclusive", "can't be combined with contact_id")
	case n.Contact.V != nil:
		addNested(&bad, "contact", n.Contact.V.Check(now))
	}

	for i, c := range n.Consents {
		addNested(&bad, fmt.Sprintf("consents[%d]", i), c.Check(now))
	}
	l.check(&bad)
	return l, bad.Err()
}

// LeadPatch is the body to change a lead. The owner is changed by assign, and
// the lead is ended by close and convert.
type LeadPatch struct {
	_ struct{} `doc:"Changes to a lead. Omitted fields keep their values, null clears a field."`

	Status       patch.Value[Status]            `json:"status,omitzero" doc:"Use new, contacted, qualified or working. working also reopens a lost lead."`
	Source       patch.Value[Source]            `json:"source,omitzero" doc:"How the lead reached the dealership." since:"next email=other sms=other"`
	SourceDetail patch.Null[string]             `json:"source_detail,omitzero" maxLength:"200" doc:"Campaign, page, person or place that the lead came from. Null removes it."`
	HullID       patch.Null[string]             `json:"hull_id,omitzero" maxLength:"64" doc:"Boat that the lead asked about. Null removes it."`
	LocationID   patch.Null[string]             `json:"location_id,omitzero" maxLength:"64" doc:"Location that works the lead. Null removes it."`
	Interest     patch.Null[string]             `json:"interest,omitzero" maxLength:"500" doc:"What the lead is looking for. Null removes it."`
	Message      patch.Null[string]             `json:"message,omitzero" maxLength:"10000" doc:"Message that the lead wrote. Null removes it."`
	BudgetMinUSD patch.Null[int64]              `json:"budget_min_usd,omitzero" minimum:"0" maximum:"1000000000" doc:"Lower end of the budget in whole US dollars. Null removes it."`
	BudgetMaxUSD patch.Null[int64]              `json:"budget_max_usd,omitzero" minimum:"0" maximum:"1000000000" doc:"Upper end of the budget in whole US dollars. Null removes it."`
	Timeline     patch.Null[string]             `json:"timeline,omitzero" maxLength:"100" doc:"When the lead plans to buy. Null removes it."`
	NeedsReview  patch.Value[bool]              `json:"needs_review,omitzero" doc:"Set to false after reading the messages of the lead."`
	Metadata     patch.Null[map[string]*string] `json:"metadata,omitzero" doc:"Pairs to add or change. A null value removes the key. Null removes all pairs."`
}

// apply changes the lead and returns the type of the event.
func (p LeadPatch) apply(l *Lead, now time.Time) (event string, err error) {
	event = "lead.updated"
	if p.Status.Set && p.Status.V != l.Status {
		if event, err = l.move(p.Status.V, now); err != nil {
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
		bad.Add("needs_review", "enum", "must be false. It is set to true automatically")
	}
	p.NeedsReview.To(&l.NeedsReview)
	l.check(&bad)
	l.touch(now)

	return event, bad.Err()
}

// check validates what the schema can't express.
func (l *Lead) check(bad *fault.Fields) {
	if l.BudgetMinUSD != nil && l.BudgetMaxUSD != nil && *l.BudgetMinUSD > *l.BudgetMaxUSD {
		bad.Add("budget_min_usd", "maximum", "must be at most budget_max_usd")
	}
	patch.CheckMetadata(bad, l.Metadata)
}

// touch records that the dealership worked on the lead.
func (l *Lead) touch(now time.Time) { l.LastTouchedAt, l.LastActivityAt, l.StalledAt = now, now, nil }

// derive calculates the score at a time, and who has to answer.
func (l *Lead) derive(now time.Time) {
	l.Awaiting, l.AwaitingSince = l.turnAt(now)
	l.Score = int64(math.Round(min(100, decay(l.ScoreSum, l.ScoreAt, now))))
}

// addNested adds the details of a nested object's error, with the path of each
// field.
func addNested(bad *fault.Fields, part string, err error) {
	f, ok := asFault(err)
	if !ok {
		return
	}
	for _, d := range f.Details {
		*bad = append(*bad, fault.Detail{Field: part + "." + d.Field, Code: d.Code, Message: d.Message})
	}
}
