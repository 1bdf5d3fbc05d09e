package imports

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"slipway/internal/activities"
	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

// contactBatch is a batch of rows of contacts while it is imported.
type contactBatch struct {
	i         HullImport
	choices   map[int64]DuplicateAction
	known     map[string]contacts.Contact // the newest ones, by "email ann@example.com" and "phone +1..."
	added     []contacts.Contact          // inserted together
	addedFrom []sheet.Row
	pending   map[string]bool // their addresses
	fresh     map[string]bool // IDs that were inserted
	out       outcome
}

// applyContacts imports a batch of rows of contacts. A row that is rejected changes nothing.
func applyContacts(ctx context.Context, tx *db.Tx, i HullImport, rows []sheet.Row) (outcome, error) {
	b := &contactBatch{i: i, known: map[string]contacts.Contact{}, pending: map[string]bool{}, fresh: map[string]bool{}}
	if len(rows) == 0 {
		return b.out, nil
	}
	var err error
	if b.choices, err = findChoices(ctx, tx, i.ID, rows[0].Number, rows[len(rows)-1].Number); err != nil {
		return b.out, err
	}
	if err := b.find(ctx, tx, rows); err != nil {
		return b.out, err
	}
	for _, r := range rows {
		if err := b.apply(ctx, tx, r); err != nil {
			if err := b.out.reject(r, err); err != nil {
				return b.out, err
			}
		}
	}
	return b.out, b.flush(ctx, tx)
}

// find finds the contacts with the addresses of rows.
func (b *contactBatch) find(ctx context.Context, tx *db.Tx, rows []sheet.Row) error {
	var emails, phones []string
	for _, r := range rows {
		for _, key := range r.Addresses() {
			switch field, address, _ := strings.Cut(key, " "); field {
			case "email":
				emails = append(emails, address)
			case "phone":
				phones = append(phones, address)
			}
		}
	}
	found, err := contacts.FindByAddresses(ctx, tx, emails, phones)
	for _, c := range found {
		b.remember(c)
	}
	return err
}

func (b *contactBatch) remember(c contacts.Contact) {
	for _, key := range sheet.AddressesOf(c.Email, c.Phone) {
		if was, ok := b.known[key]; !ok || was.ID < c.ID {
			b.known[key] = c
		}
	}
}

// match returns the contact with the addresses of a row. One that has both is preferred.
func (b *contactBatch) match(r sheet.Row) *contacts.Contact {
	var found []contacts.Contact
	for _, key := range r.Addresses() {
		if c, ok := b.known[key]; ok {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return new(slices.MaxFunc(found, func(x, y contacts.Contact) int {
		return cmp.Or(cmp.Compare(len(duplicateOf(r, &x).Matches), len(duplicateOf(r, &y).Matches)), cmp.Compare(x.ID, y.ID))
	}))
}

// apply imports a row. New contacts are inserted later.
func (b *contactBatch) apply(ctx context.Context, tx *db.Tx, r sheet.Row) error {
	if len(r.Bad) > 0 {
		return r.Bad.Err()
	}
	fields := newContactFields(r)
	if bad := fault.Fields(validateContact(fields)); len(bad) > 0 {
		return bad.Err()
	}
	var n contacts.ContactCreate
	if err := convert(r, fields, &n); err != nil {
		return err
	}
	created, err := contacts.NewContact(n)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(r.Addresses(), func(key string) bool { return b.pending[key] }) {
		if err := b.flush(ctx, tx); err != nil { // so that an earlier row is found
			return err
		}
	}

	existing := b.match(r)
	action := addDuplicate
	if existing != nil || r.SameAs > 0 {
		d := duplicateOf(r, existing)
		if d.ContactID != nil && b.i.DryRun && b.fresh[*d.ContactID] {
			d.ContactID = nil // of an earlier row
		}
		b.out.duplicates = append(b.out.duplicates, duplicateRow{b.i.Env, b.i.ID, d})
		action = cmp.Or(b.choices[r.Number], b.i.Duplicates)
		if existing == nil && !b.i.DryRun {
			action = addDuplicate // the earlier row was rejected
		}
	}
	switch {
	case action == addDuplicate:
		b.added, b.addedFrom = append(b.added, created), append(b.addedFrom, r)
		for _, key := range r.Addresses() {
			b.pending[key] = true
		}
		return nil
	case action == skipDuplicate:
		b.out.skipped++
		return b.record(ctx, tx, r, existing, false)
	case existing == nil: // it would exist if this were not a trial run
		b.out.updated++
		return b.record(ctx, tx, r, nil, true)
	}
	return b.update(ctx, tx, r, *existing)
}

// update changes a contact to match its row.
func (b *contactBatch) update(ctx context.Context, tx *db.Tx, r sheet.Row, existing contacts.Contact) error {
	var p contacts.ContactPatch
	if err := convert(r, contactFieldsOf(r), &p); err != nil {
		return err
	}
	c, changed, err := contacts.Change(ctx, tx, existing.ID, p, textsOf(r, "tags"))
	if err != nil {
		return err
	}
	b.remember(c)
	before := b.out.consents + b.out.optOuts + b.out.history
	if err := b.record(ctx, tx, r, &c, true); err != nil {
		return err
	}
	if changed || b.out.consents+b.out.optOuts+b.out.history > before {
		b.out.updated++
	} else {
		b.out.unchanged++
	}
	return nil
}

// flush inserts the new contacts.
func (b *contactBatch) flush(ctx context.Context, tx *db.Tx) error {
	if len(b.added) == 0 {
		return nil
	}
	if err := contacts.InsertAll(ctx, tx, b.added); err != nil {
		return err
	}
	b.out.created += int64(len(b.added))
	for n, c := range b.added {
		b.remember(c)
		b.fresh[c.ID] = true
		if err := b.record(ctx, tx, b.addedFrom[n], &c, true); err != nil {
			return err
		}
	}
	b.added, b.addedFrom, b.pending = nil, nil, map[string]bool{}
	return nil
}

// record stores the consents and the history of a row, and its notes. Of a row that is skipped, it
// only stores the opt-outs. The contact is nil if only an earlier row of a trial run is the same.
func (b *contactBatch) record(ctx context.Context, tx *db.Tx, r sheet.Row, c *contacts.Contact, all bool) error {
	if texts := textsOf(r, "notes"); all && c != nil && len(texts) > 0 {
		for n := range texts {
			texts[n] = sheet.Clip(texts[n], 10_000)
		}
		added, err := activities.AddNotes(ctx, tx, c.ID, texts)
		if err != nil {
			return err
		}
		b.out.history += added
	}
	w := wishesOf(r)
	if c == nil {
		c = &contacts.Contact{}
	}
	if !w.isEmpty() {
		if err := b.revoke(ctx, tx, &r, *c, wish{w.optedOut, consent.All}); err != nil {
			return err
		}
		if err := b.revoke(ctx, tx, &r, *c, wish{w.declined, consent.Marketing}); err != nil {
			return err
		}
		if all {
			if err := b.grant(ctx, tx, &r, *c, w.agreed); err != nil {
				return err
			}
		}
	}
	if all {
		b.out.note(r)
	}
	return nil
}

// wish are channels on which a person wants no messages of a scope.
type wish struct {
	channels []consent.Channel
	scope    consent.Scope
}

// revoke records an opt-out on the addresses of a row and of its contact, unless it is recorded.
func (b *contactBatch) revoke(ctx context.Context, tx *db.Tx, r *sheet.Row, c contacts.Contact, w wish) error {
	if len(w.channels) == 0 {
		return nil
	}
	bound := bindingsOf(*r, c, w.channels)
	for _, channel := range w.channels {
		if !slices.ContainsFunc(bound, func(b consent.ConsentBinding) bool { return b.Channel == channel }) {
			tellUnrecorded(r, channel, "no_address", "has an opt-out that was not recorded, because the contact has no address")
		}
	}
	open := []consent.ConsentBinding{}
	for _, binding := range bound {
		standing, err := b.standing(ctx, tx, binding, w.scope)
		if err != nil {
			return err
		}
		if standing != consent.CodeRevoked {
			open = append(open, binding)
		}
	}
	if len(open) == 0 {
		return nil
	}
	b.out.optOuts++
	if c.ID == "" {
		return nil
	}
	return consent.Append(ctx, tx, &consent.Consent{
		ContactID: c.ID, Direction: consent.Revoked, Channels: channelsOf(open), Scope: w.scope, Bindings: open, CapturedAt: tx.Now,
		PersonName: null.From(c.Name()), Source: new("import"), Method: new("import"), Evidence: b.evidence(*r), Reason: new("The imported file has it."),
	})
}

// grant records the consents of a row that have evidence. A consent never replaces an opt-out.
func (b *contactBatch) grant(ctx context.Context, tx *db.Tx, r *sheet.Row, c contacts.Contact, channels []consent.Channel) error {
	if len(channels) == 0 {
		return nil
	}
	record, why := evidenceOf(*r, channels, tx.Now)
	if why != "" {
		b.out.unproven++
		tellUnrecorded(r, channels[0], "no_evidence", why)
		return nil
	}
	var bound []consent.ConsentBinding
	for _, binding := range bindingsOf(*r, contacts.Contact{}, channels) {
		isNew, standing, err := b.isNew(ctx, tx, binding, record)
		switch {
		case err != nil:
			return err
		case standing == consent.CodeRevoked:
			tellUnrecorded(r, binding.Channel, "revoked", "was not recorded, because the person opted out")
		case isNew:
			bound = append(bound, binding)
		}
	}
	if len(bound) == 0 {
		return nil
	}
	b.out.consents++
	if c.ID == "" {
		return nil
	}
	record.ContactID, record.Channels, record.Bindings = c.ID, channelsOf(bound), bound
	record.PersonName, record.Evidence = null.From(c.Name()), b.evidence(*r)
	return consent.Append(ctx, tx, &record)
}

// standing returns whether messages of a scope are revoked: the code of both kinds of messages, if
// the scope has both.
func (b *contactBatch) standing(ctx context.Context, tx *db.Tx, at consent.ConsentBinding, scope consent.Scope) (string, error) {
	records, err := consent.ListOfAddress(ctx, tx, consent.Hash(tx, tx.Env, at.Address), at.Channel)
	return standingOf(records, at.Channel, scope, tx.Now), err
}

// isNew reports whether a consent isn't recorded for an address, and whether the person opted out.
func (b *contactBatch) isNew(ctx context.Context, tx *db.Tx, at consent.ConsentBinding, c consent.Consent) (isNew bool, standing string, err error) {
	records, err := consent.ListOfAddress(ctx, tx, consent.Hash(tx, tx.Env, at.Address), at.Channel)
	isNew = !slices.ContainsFunc(records, func(r consent.Consent) bool {
		return r.Direction == consent.Granted && r.CapturedAt.Equal(c.CapturedAt) && r.Scope == c.Scope
	})
	for _, purpose := range purposesOf(c.Scope) {
		if consent.Fold(records, at.Channel, purpose, tx.Now).Code == consent.CodeRevoked {
			standing = consent.CodeRevoked
		}
	}
	return isNew, standing, err
}

// evidence says which row a consent is from.
func (b *contactBatch) evidence(r sheet.Row) map[string]any {
	return map[string]any{"import_id": b.i.ID, "row": r.Number}
}
