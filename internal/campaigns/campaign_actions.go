package campaigns

import (
	"context"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/sms"
	"slipway/internal/templates"
	"slipway/internal/vocab/fault"
)

// preview counts who would get a campaign now.
func (a *API) preview(ctx context.Context, tx *db.Tx, c Campaign) (CampaignAudience, error) {
	out, t := CampaignAudience{}, &tally{counts: map[string]int64{}, reasons: map[string]string{}}
	seen, addresses := map[string]bool{}, map[string]bool{}
	for before := ""; ; {
		found, last, err := leads.ListSegment(ctx, tx, c.Filter, before)
		if err != nil {
			return out, err
		}
		out.Leads += int64(len(found))
		found = slices.DeleteFunc(found, func(l leads.Lead) bool {
			known := seen[l.ContactID]
			seen[l.ContactID] = true
			return known
		})
		if err := a.count(ctx, tx, c, found, &batchOf{&out, t, addresses}); err != nil {
			return out, err
		}
		if before = last; before == "" {
			break
		}
	}
	out.People, out.Allowed = t.people, t.counts[""]
	out.Excluded, out.Examples = t.excluded(), t.examples
	if out.Examples == nil {
		out.Examples = []CampaignPerson{}
	}
	return out, nil
}

// batchOf is what a batch of leads is counted in.
type batchOf struct {
	out       *CampaignAudience
	tally     *tally
	addresses map[string]bool
}

// count adds a batch of leads to the preview.
func (a *API) count(ctx context.Context, tx *db.Tx, c Campaign, found []leads.Lead, into *batchOf) error {
	var ids []string
	for _, l := range found {
		ids = append(ids, l.ContactID)
	}
	to, err := contacts.FindAll(ctx, tx, ids)
	if err != nil {
		return err
	}
	all := make([]messages.Outgoing, len(found))
	for i, l := range found {
		all[i] = c.outgoing(l, templates.Values{})
	}
	verdicts, err := a.Messages.CheckAll(ctx, tx, all, to)
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		l, person := found[i], to[found[i].ContactID]
		if v.Code == "" && into.addresses[v.Address] {
			v.Code, v.Reason = sameAddress, sameAddressWords
		}
		if v.Code == "" {
			into.addresses[v.Address] = true
			if !v.QuietUntil.IsZero() {
				into.out.Held++
			}
			if err := into.show(ctx, tx, c, l, person); err != nil {
				return err
			}
		}
		into.tally.add(CampaignPerson{ContactID: l.ContactID, LeadID: l.ID, Name: person.Called()}, v.Code, v.Reason)
	}
	return nil
}

// show adds the text for the first contact, and the number of SMS segments. It uses the first contact's
// number for everyone, because counting exactly would mean reading the values of each contact.
func (b *batchOf) show(ctx context.Context, tx *db.Tx, c Campaign, l leads.Lead, to contacts.Contact) error {
	if b.out.ExampleOf == nil {
		v, err := templates.ValuesOf(ctx, tx, l, to)
		if err != nil {
			return err
		}
		o := c.outgoing(l, v)
		b.out.ExampleOf = &CampaignText{To: to.Called(), Subject: o.Subject, Body: o.Text()}
	}
	if c.Channel == "sms" {
		b.out.Segments += sms.Segments(b.out.ExampleOf.Body)
	}
	return nil
}

// prepare makes the next leads of the segment recipients.
func prepare(ctx context.Context, tx *db.Tx, c *Campaign) error {
	found, last, err := leads.ListSegment(ctx, tx, c.Filter, c.PreparedTo)
	if err != nil {
		return err
	}
	var all []CampaignRecipient
	for _, l := range found {
		all = append(all, CampaignRecipient{CampaignID: c.ID, ContactID: l.ContactID, LeadID: l.ID, State: Waiting, DueAt: c.SendAt})
	}
	if err := addRecipients(ctx, tx, all); err != nil {
		return err
	}
	c.Prepared, c.PreparedTo = last == "", last
	return proceed(ctx, tx, *c)
}

// hand queues the message of a recipient, or records why there is none.
func (a *API) hand(ctx context.Context, tx *db.Tx, c Campaign, r CampaignRecipient) error {
	l, err := leads.Find(ctx, tx, r.LeadID)
	if err != nil {
		return err
	}
	to, err := contacts.Find(ctx, tx, l.ContactID)
	if err != nil {
		return err
	}
	v, err := templates.ValuesOf(ctx, tx, l, to)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	r.DueAt = nil

	o := c.outgoing(l, v)
	known, err := a.isTaken(ctx, tx, c, to)
	if err != nil {
		return err
	}
	if known {
		r.State, r.Reason = Excluded, new(sameAddress)
		return settle(ctx, tx, r)
	}
	m, verdict, err := a.Messages.Queue(ctx, tx, o)
	switch {
	case err != nil:
		return err
	case verdict.Code != "":
		r.State, r.Reason = Excluded, &verdict.Code
	case !verdict.QuietUntil.IsZero():
		r.DueAt = &verdict.QuietUntil
	default:
		r.State, r.MessageID, r.AddressHash = Handed, &m.ID, m.AddressHash
	}
	return settle(ctx, tx, r)
}

// isTaken reports whether another recipient gets the campaign at the address of a contact.
func (a *API) isTaken(ctx context.Context, tx *db.Tx, c Campaign, to contacts.Contact) (bool, error) {
	address := to.AddressOn(c.Channel)
	if address == "" {
		return false, nil
	}
	return hasAddress(ctx, tx, c.ID, messages.AddressHash(tx, address))
}

// results counts the results of a campaign.
func results(ctx context.Context, tx *db.Tx, c Campaign) (CampaignResults, error) {
	out := CampaignResults{CampaignID: c.ID, Status: c.Status, States: []CampaignCount{}, Excluded: []CampaignCount{}}
	counts, err := countStates(ctx, tx, c.ID)
	if err != nil {
		return out, err
	}
	states := map[State]int64{}
	for _, n := range counts {
		out.Recipients += n.N
		if n.State != Handed { // their messages say what happened
			states[n.State] += n.N
		}
		if n.State == Excluded && n.Reason != nil {
			out.Excluded = append(out.Excluded, CampaignCount{Name: *n.Reason, Reason: reasonOf(*n.Reason), Count: n.N})
		}
	}
	sent, err := messages.CountOfCampaign(ctx, tx, c.ID)
	if err != nil {
		return out, err
	}
	for status, n := range sent {
		states[stateOf(status)] += n
	}
	for state, n := range states {
		out.States = append(out.States, CampaignCount{Name: string(state), Count: n})
	}
	out.States, out.Excluded = sorted(out.States), sorted(out.Excluded)

	answers, err := messages.AnswersTo(ctx, tx, c.ID, nil)
	for _, one := range answers {
		out.Answered++
		if one.OptOuts > 0 {
			out.OptedOut++
		}
	}
	return out, err
}
