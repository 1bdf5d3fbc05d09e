// Package consent stores the consents and revocations of people. Records are
// only added, never changed. Fold calculates the current state from them.
//
// A record applies to addresses, not to people. After a STOP from a number, no
// lead or contact with that number receives text messages.
package consent

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// Channel is a way to contact a person.
type Channel string

// The channels.
const (
	SMS   Channel = "sms"
	Email Channel = "email"
	Voice Channel = "voice"
)

var allChannels = enum.Of("ConsentChannel", "Channel that a consent applies to.",
	SMS, Email, Voice)

func (Channel) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allChannels.Describe(s)
}

// Scope is the kind of messages that a record applies to.
type Scope string

// The scopes. A message is marketing or transactional. A record can apply to
// both.
const (
	Marketing     Scope = "marketing"
	Transactional Scope = "transactional"
	All           Scope = "all"
)

var allScopes = enum.Of("ConsentScope", "Messages that a consent applies to.",
	Marketing, Transactional, All)

func (Scope) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allScopes.Describe(s)
}

// Direction is whether a record gives or revokes consent.
type Direction string

// The directions.
const (
	Granted Direction = "granted"
	Revoked Direction = "revoked"
)

var allDirections = enum.Of("ConsentDirection", "Whether consent was given or revoked.",
	Granted, Revoked)

func (Direction) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDirections.Describe(s)
}

// Basis is the legal basis of a consent.
type Basis string

// Values that the code uses.
const (
	ExpressWritten  Basis = "express_written"
	ImpliedPurchase Basis = "implied_purchase"
	ImpliedInquiry  Basis = "implied_inquiry"
	EBR             Basis = "ebr"
)

var allBasis = enum.Of("ConsentBasis", "Legal basis of a consent. ebr is an established business relationship.",
	ExpressWritten, "express_oral", ImpliedPurchase, ImpliedInquiry, EBR)

func (Basis) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allBasis.Describe(s)
}

// Consent is one consent record with its evidence. Personal data is excluded
// from the audit log because the log can't be erased.
type Consent struct {
	_ struct{} `doc:"A record that a person gave or revoked consent, with its evidence. Records never change." columns:"id address channels direction scope basis captured_at / method source expires_at"`

	Env                auth.Env         `json:"-" db:"env"`
	ID                 string           `json:"id" db:"id" doc:"Identifies the record. Starts with cns_." example:"cns_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactID          string           `json:"contact_id" db:"contact_id" doc:"Contact that the record belongs to." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	LeadID             *string          `json:"lead_id" db:"lead_id" doc:"Lead with which it was recorded. Null if it was not recorded with a lead." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Direction          Direction        `json:"direction" db:"direction" doc:"Whether the person gave or revoked consent."`
	Channels           []Channel        `json:"channels" db:"channels,json" nullable:"false" doc:"Channels that the record applies to."`
	Scope              Scope            `json:"scope" db:"scope" doc:"Which messages the record applies to."`
	Basis              *Basis           `json:"basis" db:"basis" doc:"Legal basis of the consent. ebr is an established business relationship. Null for a revocation or if none was recorded."`
	Address            *string          `json:"address" db:"address" doc:"Address of the first channel. Null after the contact is erased." example:"+14105550123"`
	Bindings           []ConsentBinding `json:"bindings" db:"bindings,json" nullable:"false" privacy:"personal" doc:"Address for each channel. Empty after the contact is erased."`
	PersonName         *string          `json:"person_name" db:"person_name" doc:"Name of the person who gave consent."`
	ConsentText        *string          `json:"consent_text" db:"consent_text" doc:"Exact text that the person agreed to. Null if none was recorded."`
	ConsentTextVersion *string          `json:"consent_text_version" db:"consent_text_version" doc:"Your version of the consent text, to find it again."`
	Source             *string          `json:"source" db:"source" doc:"Where the consent came from, such as web_form, phone or showroom. Null if unknown." example:"web_form"`
	SourceURL          *string          `json:"source_url" db:"source_url" doc:"Page on which the person agreed."`
	Method             *string          `json:"method" db:"method" doc:"How the person agreed, such as checkbox, signature or keyword. Null if unknown." example:"checkbox"`
	CapturedAt         time.Time        `json:"captured_at" db:"captured_at" doc:"When the consent was given or revoked. The latest record applies."`
	CapturedBy         *string          `json:"captured_by" db:"captured_by" doc:"User or API key that recorded it. system for a consent that Slipway recorded itself."`
	IP                 *string          `json:"ip" db:"ip" doc:"IP address of the person who agreed."`
	UserAgent          *string          `json:"user_agent" db:"user_agent" doc:"Browser of the person who agreed."`
	Evidence           map[string]any   `json:"evidence" db:"evidence,json" doc:"Evidence of the consent, such as hashes, document IDs or recordings."`
	ExpiresAt          *time.Time       `json:"expires_at" db:"expires_at" doc:"When the consent expires. Null if it never expires."`
	RevokesID          *string          `json:"revokes_id" db:"revokes_id" doc:"Consent record that this record revokes. Null unless it revokes a specific record."`
	Reason             *string          `json:"reason" db:"reason" doc:"Why the consent was revoked. Null if no reason was recorded."`
	RawText            *string          `json:"raw_text" db:"raw_text" doc:"Exact text that the person wrote."`
	CreatedAt          time.Time        `json:"created_at" db:"created_at" doc:"When the record was stored. captured_at is when the consent was given."`

	// ByPerson is set by Slipway if the person revoked the consent, with a message or a
	// link. A client can't set it, so a record of a user never has it.
	ByPerson bool `json:"-" db:"by_person"`
}

// Relationship is what an established business relationship is based on.
type Relationship string

// The values.
const (
	Purchase Relationship = "purchase"
	Inquiry  Relationship = "inquiry"
)

var allRelationships = enum.Of("ConsentRelationship", "What an established business relationship is based on.", Purchase, Inquiry)

func (Relationship) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allRelationships.Describe(s)
}

// ConsentBinding is the address of a record on one channel.
type ConsentBinding struct {
	_ struct{} `doc:"Address that a consent applies to on one channel."`

	Channel Channel `json:"channel" doc:"Channel that the address is for."`
	Address string  `json:"address" doc:"Phone number or email address that the record applies to." example:"+14105550123"`
}

// ConsentCreate is the body to add a consent record.
type ConsentCreate struct {
	_ struct{} `doc:"A new consent record."`

	Channels           []Channel      `json:"channels" minItems:"1" maxItems:"3" uniqueItems:"true" doc:"Channels that the record applies to. Each needs an address."`
	Scope              Scope          `json:"scope" doc:"A marketing message requires marketing or all. A transactional message requires transactional or all."`
	Direction          Direction      `json:"direction,omitempty" default:"granted" doc:"Whether the person gives or revokes consent."`
	Basis              *Basis         `json:"basis" required:"false" doc:"A marketing text message requires express_written. Implied consent expires two years after a purchase or six months after an inquiry. An established business relationship (ebr) expires 18 months after a purchase or three months after an inquiry."`
	Relationship       *Relationship  `json:"relationship" required:"false" doc:"What the established business relationship is based on. captured_at is its date. Only for ebr. Defaults to inquiry." since:"next"`
	Address            *string        `json:"address" required:"false" maxLength:"254" doc:"Phone number or email address that the record applies to. Defaults to the contact's."`
	PersonName         *string        `json:"person_name" required:"false" maxLength:"200" doc:"Defaults to the contact's name."`
	ConsentText        *string        `json:"consent_text" required:"false" maxLength:"10000" doc:"Exact text that the person agreed to. A marketing text message requires it." example:"I agree to receive texts from Chesapeake Marine."`
	ConsentTextVersion *string        `json:"consent_text_version" required:"false" maxLength:"100" doc:"Your version of the consent text, to find it again."`
	Source             *string        `json:"source" required:"false" maxLength:"100" doc:"Usually web_form, ai_chat, phone, showroom, text_keyword, email, import, api or paper." example:"web_form"`
	SourceURL          *string        `json:"source_url" required:"false" maxLength:"2000" format:"uri" doc:"Page on which the person agreed."`
	Method             *string        `json:"method" required:"false" maxLength:"100" doc:"Usually checkbox, signature, keyword, recorded_call, reply, list_unsubscribe or staff." example:"checkbox"`
	CapturedAt         *time.Time     `json:"captured_at" required:"false" doc:"Defaults to the current time."`
	CapturedBy         *string        `json:"captured_by" required:"false" maxLength:"200" doc:"Defaults to the caller."`
	IP                 *string        `json:"ip" required:"false" maxLength:"45" doc:"IP address of the person who agreed."`
	UserAgent          *string        `json:"user_agent" required:"false" maxLength:"500" doc:"Browser of the person who agreed."`
	Evidence           map[string]any `json:"evidence,omitempty" doc:"Evidence of the consent, such as hashes, document IDs or recordings. Any JSON object."`
	ExpiresAt          *time.Time     `json:"expires_at" required:"false" doc:"Defaults to the limit of the basis. You can set an earlier time, but not a later one. Express consent has no limit."`
	RevokesID          *string        `json:"revokes_id" required:"false" maxLength:"64" doc:"Consent record to revoke. Only for a revocation."`
	RawText            *string        `json:"raw_text" required:"false" maxLength:"10000" doc:"Exact text that the person wrote, such as the message that revoked consent."`
}

// skew is how far ahead a caller's clock can be.
const skew = 5 * time.Minute

// Check validates what the schema can't express. A record in the future
// would override every revocation until then.
func (n ConsentCreate) Check(now time.Time) error {
	var bad fault.Fields
	if n.CapturedAt != nil && n.CapturedAt.After(now.Add(skew)) {
		bad.Add("captured_at", "maximum", "must not be in the future")
	}
	switch {
	case n.ExpiresAt != nil && n.Direction == Revoked:
		bad.Add("expires_at", "exclusive", "is only allowed for a consent. A revocation doesn't expire")
	case n.ExpiresAt != nil && n.CapturedAt != nil && !n.ExpiresAt.After(*n.CapturedAt):
		bad.Add("expires_at", "minimum", "must be after captured_at")
	case n.ExpiresAt != nil:
		if limit := n.limit(now); limit != nil && n.ExpiresAt.After(*limit) {
			bad.Add("expires_at", "maximum", "must be at most %s, when %s expires", limit.Format(time.RFC3339), *n.Basis)
		}
	}
	if n.Relationship != nil && (n.Basis == nil || *n.Basis != EBR) {
		bad.Add("relationship", "exclusive", "is only allowed with the basis ebr")
	}
	if n.RevokesID != nil && n.Direction != Revoked {
		bad.Add("revokes_id", "exclusive", "is only allowed for a revocation")
	}
	return bad.Err()
}

// Record returns the consent record.
func (n ConsentCreate) Record(now time.Time) (Consent, error) {
	c := Consent{
		Direction: cmp.Or(n.Direction, Granted), Channels: n.Channels, Scope: n.Scope, Basis: n.Basis, PersonName: n.PersonName,
		ConsentText: n.ConsentText, ConsentTextVersion: n.ConsentTextVersion, Source: n.Source, SourceURL: n.SourceURL, Method: n.Method,
		CapturedBy: n.CapturedBy, IP: n.IP, UserAgent: n.UserAgent, Evidence: n.Evidence,
		RevokesID: n.RevokesID, RawText: n.RawText,
	}
	c.CapturedAt = n.captured(now)
	if n.ExpiresAt != nil {
		c.ExpiresAt = new(n.ExpiresAt.UTC().Truncate(time.Millisecond))
	} else if c.Direction == Granted {
		c.ExpiresAt = n.limit(now)
	}
	return c, n.Check(now)
}

// captured returns when the consent was given: now, or earlier.
func (n ConsentCreate) captured(now time.Time) time.Time {
	if n.CapturedAt != nil && n.CapturedAt.Before(now) {
		return n.CapturedAt.UTC().Truncate(time.Millisecond)
	}
	return now
}

// limit returns when a consent expires at the latest that follows from a purchase
// or an inquiry: implied consent under Canadian law (CASL), or an established
// business relationship (47 CFR 64.1200(f)(5)). Without a purchase, the
// relationship is an inquiry. Express consent has no limit.
func (n ConsentCreate) limit(now time.Time) *time.Time {
	captured := n.captured(now)
	switch {
	case n.Basis == nil:
		return nil
	case *n.Basis == ImpliedPurchase:
		return new(addMonths(captured, 24))
	case *n.Basis == ImpliedInquiry:
		return new(addMonths(captured, 6))
	case *n.Basis == EBR && n.Relationship != nil && *n.Relationship == Purchase:
		return new(addMonths(captured, 18))
	case *n.Basis == EBR:
		return new(AfterInquiry(captured))
	}
	return nil
}

// AfterInquiry returns when the business relationship ends that an inquiry
// established.
func AfterInquiry(at time.Time) time.Time { return addMonths(at, 3) }

// addMonths adds calendar months. It never goes past the end of the last month:
// three months after November 30 is February 28.
func addMonths(at time.Time, months int) time.Time {
	sum := at.AddDate(0, months, 0)
	if sum.Day() != at.Day() {
		sum = sum.AddDate(0, 0, -sum.Day())
	}
	return sum
}

// ConsentRevoke is the body to revoke a consent.
type ConsentRevoke struct {
	_ struct{} `doc:"Details of a revocation."`

	Reason  *string `json:"reason" required:"false" maxLength:"500" doc:"Why the consent is revoked."`
	Source  *string `json:"source" required:"false" maxLength:"100" doc:"Where the revocation came from, such as phone or email." example:"phone"`
	RawText *string `json:"raw_text" required:"false" maxLength:"10000" doc:"Exact text that the person wrote, such as the message that revoked consent."`
}

// Revocation returns the record that revokes a consent.
func (c Consent) Revocation(n ConsentRevoke, now time.Time) (Consent, error) {
	if c.Direction != Granted {
		return Consent{}, fault.Conflict("The record is a revocation. You can only revoke a consent.").
			Detail("consent_id", "state", "is a revocation")
	}
	return Consent{
		ContactID: c.ContactID, LeadID: c.LeadID, Direction: Revoked, Channels: c.Channels, Scope: c.Scope,
		Bindings: c.Bindings, PersonName: c.PersonName,
		Source: n.Source, Method: new("staff"), CapturedAt: now, RevokesID: &c.ID, Reason: n.Reason, RawText: n.RawText,
	}, nil
}

// covers reports whether a record of this scope applies to messages of a purpose.
func (s Scope) covers(purpose Scope) bool { return s == All || s == purpose }

// Codes for why a message can't be sent to an address.
const (
	CodeRevoked = "consent_revoked"
	CodeMissing = "consent_missing"
	CodeScope   = "consent_scope"
	CodeExpired = "consent_expired"
	// CodeInsufficient means that the consent is not enough for a marketing text message.
	CodeInsufficient = "consent_insufficient"

	CodeRecipientInvalid = "recipient_invalid"
)

// Standing is the current consent for messages of one purpose to an address.
type Standing struct {
	Code      string  // "" if there is consent
	ConsentID *string // the deciding record
}

// suffices reports whether a consent is enough for messages of a purpose on a
// channel. A marketing text message requires prior express written consent, with a
// record of what the person agreed to (47 CFR 64.1200(f)(9), 16 CFR 310.5(a)(8)).
func (c Consent) suffices(channel Channel, purpose Scope) bool {
	if channel != SMS || purpose != Marketing {
		return true
	}
	return c.Basis != nil && *c.Basis == ExpressWritten && c.ConsentText != nil && strings.TrimSpace(*c.ConsentText) != ""
}

// sorted returns the records in the order in which they apply. If two have the
// same time, the revocation is later.
func sorted(records []Consent) []Consent {
	records = slices.Clone(records)
	slices.SortFunc(records, func(a, b Consent) int {
		return cmp.Or(a.CapturedAt.Compare(b.CapturedAt), strings.Compare(string(a.Direction), string(b.Direction)), strings.Compare(a.ID, b.ID))
	})
	return records
}

// Fold calculates the standing from the records of an address and a channel. The
// latest record applies. If two have the same time, the revocation applies. An
// older consent stays valid if a newer one has expired. A consent that is not
// enough for the message doesn't replace a revocation.
func Fold(records []Consent, channel Channel, purpose Scope, now time.Time) Standing {
	s := Standing{Code: CodeMissing}
	for _, r := range sorted(records) {
		switch {
		case r.Direction == Granted && !r.Scope.covers(purpose):
			if s.Code == CodeMissing && !isExpired(r, now) {
				s = Standing{CodeScope, &r.ID}
			}
		case r.Direction == Revoked && r.Scope.covers(purpose):
			s = Standing{CodeRevoked, &r.ID}
		case r.Direction == Revoked:
			if s.Code == CodeScope {
				s = Standing{Code: CodeMissing}
			}
		case !r.suffices(channel, purpose):
			if s.Code == "" || s.Code == CodeRevoked {
				continue
			}
			if s = (Standing{CodeInsufficient, &r.ID}); isExpired(r, now) {
				s.Code = CodeExpired
			}
		case isExpired(r, now):
			if s.Code != "" {
				s = Standing{CodeExpired, &r.ID}
			}
		default:
			s = Standing{ConsentID: &r.ID}
		}
	}

	return s
}

func isExpired(c Consent, now time.Time) bool { return c.ExpiresAt != nil && !c.ExpiresAt.After(now) }

// Restore returns the consents of an address and a channel that a START restores:
// those that were valid before they were revoked and have not expired since then.
// Someone who had no consent gets none. It never restores what a user recorded as
// revoked: the person asked the dealership, not the mailbox or the phone.
func Restore(records []Consent, channel Channel, now time.Time) []Consent {
	records = sorted(records)
	held := map[Scope]Consent{}
	for _, purpose := range []Scope{Marketing, Transactional} {
		s := Fold(records, channel, purpose, now)
		if s.Code != CodeRevoked {
			continue
		}
		at := slices.IndexFunc(records, func(r Consent) bool { return r.ID == *s.ConsentID })
		if !records[at].ByPerson {
			continue
		}
		before := Fold(records[:at], channel, purpose, records[at].CapturedAt)
		if before.Code != "" {
			continue
		}
		i := slices.IndexFunc(records, func(r Consent) bool { return r.ID == *before.ConsentID })
		if !isExpired(records[i], now) {
			held[purpose] = records[i]
		}
	}

	m, hasMarketing := held[Marketing]
	t, hasTransactional := held[Transactional]
	switch {
	case hasMarketing && hasTransactional && m.ID == t.ID:
		return []Consent{m.again(channel, All)}
	case hasMarketing && hasTransactional:
		return []Consent{m.again(channel, Marketing), t.again(channel, Transactional)}
	case hasMarketing:
		return []Consent{m.again(channel, Marketing)}
	case hasTransactional:
		return []Consent{t.again(channel, Transactional)}
	}
	return nil
}

// IsRevokedByStaff reports whether a user recorded the revocation that applies to an
// address and a channel, for a purpose at least.
func IsRevokedByStaff(records []Consent, channel Channel, now time.Time) bool {
	return slices.ContainsFunc([]Scope{Marketing, Transactional}, func(purpose Scope) bool {
		s := Fold(records, channel, purpose, now)
		return s.Code == CodeRevoked && slices.ContainsFunc(records, func(r Consent) bool { return r.ID == *s.ConsentID && !r.ByPerson })
	})
}

// again returns a new record of an earlier consent, for one channel.
func (c Consent) again(channel Channel, scope Scope) Consent {
	return Consent{
		Direction: Granted, Channels: []Channel{channel}, Scope: scope, Basis: c.Basis, PersonName: c.PersonName,
		ConsentText: c.ConsentText, ConsentTextVersion: c.ConsentTextVersion, ExpiresAt: c.ExpiresAt,
		Evidence: map[string]any{"restores_id": c.ID},
	}
}
