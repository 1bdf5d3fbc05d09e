// Package effect says what an operation would do, in words for the person who approves it.
package effect

import (
	"slices"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

// ProposalEffect is what an operation would do. A feature fills in what it knows, and
// proposals add the rest. It is the same for everyone: Visible leaves out what a reader
// can't see.
type ProposalEffect struct {
	_ struct{} `doc:"What a proposed operation would do, in words. Parts that you can't read are left out."`

	Title        string             `json:"title" doc:"What would happen, in one line. If you can't read all objects that it names, the summary of the operation." example:"Accept $118,000 for the 2024 Grady-White Freedom 235"`
	Text         string             `json:"text" doc:"Adds to the title. Can be empty." example:"Ann Bell's offer on deal 1042. Asking $124,900."`
	Summary      string             `json:"summary" doc:"What the operation does, as in the API reference." example:"Accept an offer and reserve the hull"`
	Method       string             `json:"method" doc:"HTTP method of the operation." example:"POST"`
	Path         string             `json:"path" doc:"Path of the request." example:"/v1/deals/deal_01jcqz8t5n8m2x4v6b7c9d0e1f/offers/off_01jcqz8t5n8m2x4v6b7c9d0e1f/accept"`
	Warnings     []ProposalWarning  `json:"warnings" nullable:"false" doc:"What to know before you decide, such as a rule that refuses others."`
	Amounts      []ProposalAmount   `json:"amounts" nullable:"false" doc:"Prices to compare, such as the offer, the floor and the asking price."`
	Rows         []ProposalRow      `json:"rows" nullable:"false" doc:"The objects and what would change, from and to."`
	OtherOffers  []ProposalOffer    `json:"other_offers" nullable:"false" doc:"Other open offers for the same boat: first from buyers, and the highest first. At most 5. Empty in lists, and after the decision." since:"next"`
	Conversation []ProposalSentence `json:"conversation" nullable:"false" doc:"For a message, the last messages of the conversation, oldest first."`
	Facts        []ProposalFact     `json:"facts" nullable:"false" doc:"For a message, facts in the proposed text, such as prices, years and times, compared with the boat and the appointments of the lead. Others are not checked." since:"next"`
	Editable     []string           `json:"editable" nullable:"false" doc:"Fields of the body that the approver can change."`
	Confirm      *ProposalConfirm   `json:"confirm" doc:"Amount that the approver has to repeat, because the operation does damage if it is wrong. Null if there is none."`
	Pins         []ProposalPin      `json:"pins" nullable:"false" doc:"Versions of the objects that this describes. If one changes, the approval fails with the code changed."`
	Changed      []ProposalRow      `json:"changed" nullable:"false" doc:"What changed since it was proposed."`

	// Before is the object that the body changes, so that rows can say from what. Said are the
	// fields of the body that need no row.
	Before   any      `json:"-"`
	Said     []string `json:"-"`
	Replaces bool     `json:"-"` // the body replaces all of Before
}

// Level is how serious a warning is.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Caution Level = "caution"
	Danger  Level = "danger"
)

var allLevels = enum.Of("WarningLevel", "How serious a warning is: ok for something that was checked, caution, or danger for a likely loss.", OK, Caution, Danger)

// TransformSchema describes the values.
func (Level) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allLevels.Describe(s)
}

// ProposalWarning is what a person must know.
type ProposalWarning struct {
	_ struct{} `doc:"Something to know before you decide."`

	Level    Level       `json:"level" doc:"How serious it is."`
	Code     string      `json:"code" doc:"Rule that it is about." example:"below_floor"`
	Text     string      `json:"text" doc:"The warning in words." example:"Below the floor by $2,400. You may accept this, Sales assistant may not."`
	Requires *auth.Scope `json:"requires" doc:"Scope that you need to see it, in addition to the operation's. Null if there is none."`
	Hidden   string      `json:"-"` // what others see instead, or ""
	Named    string      `json:"-"` // what people who can read contacts see instead, or ""; never stored
}

// ProposalAmount is a price to compare.
type ProposalAmount struct {
	_ struct{} `doc:"A price to compare with others."`

	Label     string      `json:"label" doc:"What it is." example:"floor"`
	AmountUSD int64       `json:"amount_usd" doc:"Amount in whole US dollars." example:"121000"`
	Requires  *auth.Scope `json:"requires" doc:"Scope that you need to see it, in addition to the operation's. Null if there is none."`
}

// ProposalOffer is an open offer of another deal for the same boat.
type ProposalOffer struct {
	_ struct{} `doc:"An open offer of another deal for the same boat."`

	DealID    string     `json:"deal_id" doc:"Deal of the offer." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Buyer     *string    `json:"buyer" doc:"Name of the buyer. Null if you can't read contacts." example:"Maren Holt"`
	Ours      bool       `json:"ours" doc:"Whether the dealership made the offer."`
	AmountUSD int64      `json:"amount_usd" doc:"Amount in whole US dollars." example:"138000"`
	ExpiresAt *time.Time `json:"expires_at" doc:"When the offer expires. Null if it never expires."`
}

// ProposalConfirm is an amount that the approver has to type.
type ProposalConfirm struct {
	_ struct{} `doc:"An amount that the approver has to repeat." nullable:"true"`

	AmountUSD int64       `json:"amount_usd" doc:"Amount in whole US dollars." example:"118000"`
	Requires  *auth.Scope `json:"requires" doc:"Scope that you need to see it, in addition to the operation's. Null if there is none."`
}

// ProposalRow is an object or a field, with what would become of it.
type ProposalRow struct {
	_ struct{} `doc:"An object or a field, and what becomes of it."`

	Label    string  `json:"label" doc:"Name of the object or the field." example:"Price"`
	ObjectID *string `json:"object_id" doc:"Object that the row is about. Null if it is about a field." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	From     *string `json:"from" doc:"What it is now. Null if nothing is replaced." example:"$124,900"`
	To       string  `json:"to" doc:"What it becomes, or what it is." example:"$118,000"`
}

// ProposalSentence is a message of a conversation.
type ProposalSentence struct {
	_ struct{} `doc:"A message of the conversation that a proposed message belongs to."`

	By      string    `json:"by" doc:"Who wrote it." example:"Ann Bell"`
	Ours    bool      `json:"ours" doc:"Whether the dealership wrote it."`
	Channel string    `json:"channel" doc:"How it was sent." example:"email"`
	Text    string    `json:"text" doc:"Text of the message. Empty if it was erased."`
	At      time.Time `json:"at" doc:"When it was written."`
}

// FactResult is the result of comparing a fact in a text with what is known.
type FactResult string

// The results.
const (
	Matches FactResult = "matches"
	Differs FactResult = "differs"
	Unknown FactResult = "unknown"
)

var factResults = enum.Of("FactResult", "Result of comparing a fact in a text with what is known: matches, differs if it is certainly wrong, or unknown.", Matches, Differs, Unknown)

// TransformSchema describes the values.
func (FactResult) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return factResults.Describe(s)
}

// ProposalFact is a fact in a proposed text.
type ProposalFact struct {
	_ struct{} `doc:"A fact in a proposed text, compared with what is known."`

	Text   string     `json:"text" doc:"The fact, as it is in the text." example:"$149,900"`
	Result FactResult `json:"result" doc:"Whether it is right."`
	Note   string     `json:"note" doc:"What it was compared with." example:"Asking price"`
}

// ProposalPin is the version of an object.
type ProposalPin struct {
	_ struct{} `doc:"Version of an object that a preview describes."`

	ObjectID string `json:"object_id" maxLength:"64" doc:"ID of the object." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Part     string `json:"part" required:"false" maxLength:"40" doc:"What the version is of, for people." example:"Boat"`
	Version  int64  `json:"version" doc:"Version of the object." example:"3"`
}

// Pin adds the version of an object that the effect describes.
func (e *ProposalEffect) Pin(part, id string, version int64) {
	p := ProposalPin{Part: part, ObjectID: id, Version: version}
	if !slices.Contains(e.Pins, p) {
		e.Pins = append(e.Pins, p)
	}
}

// Fact adds a row that says what something is.
func (e *ProposalEffect) Fact(label, id, what string) { e.row(label, id, nil, what) }

// Change adds a row that says what something becomes.
func (e *ProposalEffect) Change(label, id, from, to string) { e.row(label, id, &from, to) }

func (e *ProposalEffect) row(label, id string, from *string, to string) {
	r := ProposalRow{Label: label, From: from, To: to}
	if id != "" {
		r.ObjectID = &id
	}
	e.Rows = append(e.Rows, r)
}

// Amount adds a price. Requires is the scope to see it, or "".
func (e *ProposalEffect) Amount(label string, usd int64, requires auth.Scope) {
	e.Amounts = append(e.Amounts, ProposalAmount{Label: label, AmountUSD: usd, Requires: scope(requires)})
}

// Warn adds a warning that everyone sees.
func (e *ProposalEffect) Warn(level Level, code, text string) {
	e.Warnings = append(e.Warnings, ProposalWarning{Level: level, Code: code, Text: text})
}

// Loss adds a danger that those with a scope see. Others see the text hidden, or nothing.
func (e *ProposalEffect) Loss(requires auth.Scope, code, text, hidden string) {
	e.Warnings = append(e.Warnings, ProposalWarning{Level: Danger, Code: code, Text: text, Requires: &requires, Hidden: hidden})
}

func scope(s auth.Scope) *auth.Scope {
	if s == "" {
		return nil
	}
	return &s
}

// SamePins reports whether two effects describe the same versions.
func SamePins(a, b []ProposalPin) bool {
	holds := func(all []ProposalPin, p ProposalPin) bool {
		return slices.ContainsFunc(all, func(o ProposalPin) bool { return o.ObjectID == p.ObjectID && o.Version == p.Version })
	}
	for _, p := range a {
		if !holds(b, p) {
			return false
		}
	}
	return !slices.ContainsFunc(b, func(p ProposalPin) bool { return !holds(a, p) })
}

// Diff returns what changed between an earlier effect and this one. Objects that changed
// without a difference in the words are listed by name.
func (e ProposalEffect) Diff(earlier ProposalEffect) []ProposalRow {
	changed := []ProposalRow{}
	for _, r := range e.Rows {
		i := slices.IndexFunc(earlier.Rows, func(o ProposalRow) bool { return o.Label == r.Label })
		if i < 0 {
			continue
		}
		switch was := earlier.Rows[i]; {
		case was.To != r.To:
			changed = append(changed, ProposalRow{Label: r.Label, ObjectID: r.ObjectID, From: &was.To, To: r.To})
		case was.From != nil && r.From != nil && *was.From != *r.From:
			changed = append(changed, ProposalRow{Label: r.Label, ObjectID: r.ObjectID, From: was.From, To: *r.From})
		}
	}
	if n := len(e.Conversation); n > 0 && (len(earlier.Conversation) == 0 || earlier.Conversation[len(earlier.Conversation)-1].At.Before(e.Conversation[n-1].At)) {
		last := e.Conversation[n-1]
		changed = append(changed, ProposalRow{Label: "New message", To: last.By + ": " + last.Text})
	}
	if len(changed) > 0 {
		return changed
	}
	for _, p := range e.Pins {
		if !slices.ContainsFunc(earlier.Pins, func(o ProposalPin) bool {
			return o.ObjectID == p.ObjectID && o.Part == p.Part && o.Version == p.Version
		}) {
			changed = append(changed, ProposalRow{Label: p.Part, ObjectID: &p.ObjectID, To: "was changed"})
		}
	}
	return changed
}
