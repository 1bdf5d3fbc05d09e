package messages

import (
	"cmp"
	"context"
	"slices"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

// shownMessages limits how much of a conversation the approver sees.
const shownMessages = 5

// sendEffect shows the conversation, the address and the result of the send check. The
// approver can edit the words, but not where they go.
func (a *API) sendEffect(ctx context.Context, tx *db.Tx, in *struct {
	leads.ByLead
	Body LeadMessageSend
}) (e effect.ProposalEffect, err error) {
	l, err := leads.Describe(ctx, tx, &e, in.LeadID)
	if err != nil {
		return e, err
	}
	kind := map[consent.Channel]string{consent.SMS: "Text message", consent.Email: "Email"}[in.Body.Channel]
	e.Title = kind + " to " + l.Contact.Called()
	e.Editable, e.Said = []string{"body"}, []string{"channel", "subject", "body"}
	if in.Body.Channel == consent.Email {
		e.Editable = []string{"subject", "body"}
	}
	e.Fact("To", l.ContactID, cmp.Or(l.Contact.AddressOn(in.Body.Channel), "no address"))

	if err := a.describeReach(ctx, tx, &e, l, in.Body); err != nil {
		return e, err
	}
	if err := describeFacts(ctx, tx, &e, l, null.Text(in.Body.Subject)+"\n"+in.Body.Body); err != nil {
		return e, err
	}
	return e, describeConversation(ctx, tx, &e, l)
}

// describeFacts compares the text with the boat and the appointments of the lead.
func describeFacts(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, l leads.Described, text string) error {
	f := facts{now: tx.Now}
	var sheet hulls.HullSpecs
	if l.HullID != nil {
		h, err := hulls.Find(ctx, tx, *l.HullID)
		if err != nil {
			return err
		}
		sheets, err := hulls.FindAllSpecs(ctx, tx, []string{h.ID})
		if err != nil {
			return err
		}
		sheet = sheets[h.ID]
		f.boat, f.hours = &h, sheet.EngineHours()
	}
	var err error
	if f.planned, err = db.Attached[Hooks](tx).Planned(ctx, tx, l.ID); err != nil {
		return err
	}

	for _, one := range f.find(text) {
		e.Facts = append(e.Facts, one.ProposalFact)
		if one.isHours {
			e.Pin("Specifications", *l.HullID, sheet.Version)
		}
		if one.planned != nil {
			e.Pin("Appointment", one.planned.ID, one.planned.Version)
		}
	}
	return nil
}

// describeReach adds the result of the send check.
func (a *API) describeReach(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, l leads.Described, in LeadMessageSend) error {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return err
	}
	m := draft(l.Lead, in.Channel, in.Purpose)
	t, err := a.attempt(ctx, tx, d, l.Contact, &m)
	if err != nil {
		return err
	}
	record, err := deciding(ctx, tx, m)
	if err != nil {
		return err
	}
	r := check(t).reach(m, record)
	switch {
	case !r.Allowed:
		e.Warn(effect.Danger, *r.Code, "This can't be sent. "+r.Reason)
	case r.QuietUntil != nil:
		e.Warn(effect.Caution, quietHoursCode, r.Reason)
	default:
		e.Warn(effect.OK, "reach", "May be sent to "+null.Text(r.Address)+". "+r.Reason)
	}
	return nil
}

// describeConversation adds the last messages of a lead. A new one changes the effect.
func describeConversation(ctx context.Context, tx *db.Tx, e *effect.ProposalEffect, l leads.Described) error {
	list, err := listByLead(ctx, tx, l.ID, page.Query{Limit: shownMessages})
	if err != nil {
		return err
	}
	if l.Message != nil && len(list.Data) < shownMessages {
		e.Conversation = append(e.Conversation, effect.ProposalSentence{By: l.Contact.Called(), Channel: string(l.Source), Text: *l.Message, At: l.CreatedAt})
	}
	for i, m := range slices.Backward(list.Data) {
		if i == 0 {
			e.Pin("Last message", m.ID, 1)
		}
		e.Conversation = append(e.Conversation, m.sentence(l.Contact))
	}
	return nil
}

// sentence is a message for a person who reads the conversation.
func (m LeadMessage) sentence(c contacts.Contact) effect.ProposalSentence {
	s := effect.ProposalSentence{By: c.Called(), Channel: string(m.Channel), Text: null.Text(m.Body), At: m.CreatedAt}
	if m.Direction == Outbound {
		s.By, s.Ours = "We", true
	}
	return s
}
