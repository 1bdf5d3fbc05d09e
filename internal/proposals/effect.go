package proposals

import (
	"maps"
	"slices"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/fault"
)

// reads are the scopes to read objects, by the prefix of their IDs. Everyone can see the
// names of users, locations and activities' texts that a proposal repeats.
var reads = map[string]auth.Scope{
	"hull": auth.HullsRead, "chn": auth.HullsRead,
	"con": auth.LeadsRead, "lead": auth.LeadsRead, "msg": auth.LeadsRead, "apt": auth.LeadsRead,
	"deal": auth.DealsRead, "off": auth.DealsRead, "fund": auth.DealsRead, "doc": auth.DealsRead,
}

// canRead reports whether a caller can read an object. Nil means no object.
func canRead(caller auth.Principal, id *string) bool {
	if id == nil {
		return true
	}
	scope, limited := reads[effect.Prefix(*id)]
	return !limited || caller.Can(scope)
}

// canJudge reports whether a caller can read all objects that an effect names.
func canJudge(e effect.ProposalEffect, caller auth.Principal) bool {
	return !slices.ContainsFunc(e.Pins, func(p effect.ProposalPin) bool { return !canRead(caller, &p.ObjectID) })
}

// visible returns the part of an effect that a caller can see.
func visible(e effect.ProposalEffect, caller auth.Principal) effect.ProposalEffect {
	if e.Title == "" || !canJudge(e, caller) {
		e.Title, e.Text, e.Conversation, e.OtherOffers, e.Facts = e.Summary, "", nil, nil, nil
	}
	allowed := func(s *auth.Scope) bool { return s == nil || caller.Can(*s) }
	warnings := []effect.ProposalWarning{}
	for _, w := range e.Warnings {
		if !allowed(w.Requires) {
			w.Level, w.Text, w.Hidden = effect.Caution, w.Hidden, ""
		}
		if w.Named != "" && caller.Can(auth.LeadsRead) {
			w.Text = w.Named
		}
		if w.Text != "" {
			warnings = append(warnings, w)
		}
	}
	e.Warnings = warnings
	e.Amounts = keep(e.Amounts, func(a effect.ProposalAmount) bool { return allowed(a.Requires) })
	if e.Confirm != nil && !allowed(e.Confirm.Requires) {
		e.Confirm = nil
	}

	readable := func(r effect.ProposalRow) bool { return canRead(caller, r.ObjectID) }
	e.Rows, e.Changed = keep(e.Rows, readable), keep(e.Changed, readable)
	e.OtherOffers = keep(e.OtherOffers, func(o effect.ProposalOffer) bool { return canRead(caller, &o.DealID) })
	for i := range e.OtherOffers {
		if !caller.Can(auth.LeadsRead) {
			e.OtherOffers[i].Buyer = nil
		}
	}
	e.Conversation = keep(e.Conversation, func(effect.ProposalSentence) bool { return true })
	e.Facts = keep(e.Facts, func(effect.ProposalFact) bool { return true })
	e.Editable = keep(e.Editable, func(string) bool { return true })
	e.Pins = keep(e.Pins, func(effect.ProposalPin) bool { return true })
	return e
}

// keep returns the parts that are kept, never null.
func keep[T any](all []T, is func(T) bool) []T {
	kept := []T{}
	for _, one := range all {
		if is(one) {
			kept = append(kept, one)
		}
	}
	return kept
}

// check returns why a caller can't approve what would happen now. Seen are the pins of when
// it was proposed.
func (asked ProposalApprove) check(now effect.ProposalEffect, seen []effect.ProposalPin, caller auth.Principal) error {
	if !canJudge(now, caller) {
		return fault.Forbidden("You can't read everything that this changes, so you can't approve it.").
			Detail("Authorization", "scope", "must have the scopes to read what it changes")
	}
	if asked.Pins != nil {
		seen = asked.Pins
	}
	if !effect.SamePins(seen, now.Pins) {
		return errChanged()
	}

	var bad fault.Fields
	for _, name := range slices.Sorted(maps.Keys(asked.Edits)) {
		if !slices.Contains(now.Editable, name) {
			bad.Add("edits."+name, "unknown_field", "can't be edited")
		}
	}
	confirm := visible(now, caller).Confirm
	switch {
	case confirm == nil || asked.ConfirmUSD != nil && *asked.ConfirmUSD == confirm.AmountUSD:
	case asked.ConfirmUSD == nil:
		bad.Add("confirm_usd", "required", "is required: %s", effect.USD(confirm.AmountUSD))
	default:
		bad.Add("confirm_usd", "mismatch", "must be %s", effect.USD(confirm.AmountUSD))
	}
	return bad.Err()
}

// body returns the body with the edits of the approver.
func (c ProposalContent) body() map[string]any {
	if c.Arguments.Body == nil {
		return nil
	}
	body := maps.Clone(*c.Arguments.Body)
	for name, text := range c.Edits {
		body[name] = text
	}
	return body
}
