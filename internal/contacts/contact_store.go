package contacts

import (
	"context"
	"slices"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/phone"
	"slipway/internal/vocab/privacy"
	"slipway/internal/vocab/search"
)

var contacts = db.Table[Contact]{
	Name: "contacts", Prefix: "con", Noun: "contact", Kept: true,
	Loaded: func(_ *db.Tx, c *Contact) { c.PossibleDuplicates = []string{} },
}

// Find returns a contact, even if it was merged or erased. See Active.
func Find(ctx context.Context, tx *db.Tx, id string) (Contact, error) {
	return contacts.Find(ctx, tx, id)
}

// FindAll returns the contacts with these IDs that exist, by ID.
func FindAll(ctx context.Context, tx *db.Tx, ids []string) (map[string]Contact, error) {
	found := map[string]Contact{}
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := db.In(ids)
	all, err := db.All[Contact](ctx, tx, `SELECT {cols} FROM contacts WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
	for _, c := range all {
		c.PossibleDuplicates = []string{}
		found[c.ID] = c
	}
	return found, err
}

// FindForUpdate returns a contact and locks it until the transaction ends. Use
// it before you add records of a contact. Otherwise a concurrent merge or erasure
// would miss them.
func FindForUpdate(ctx context.Context, tx *db.Tx, id string) (Contact, error) {
	return contacts.FindForUpdate(ctx, tx, id)
}

// FindOrCreate returns the newest contact with the email or the phone, or creates
// one. It prefers a contact with both, and fills in what the contact lacks. It
// locks the addresses, so that of two
// concurrent requests the second finds the contact of the first.
func FindOrCreate(ctx context.Context, tx *db.Tx, n ContactCreate) (Contact, error) {
	c, err := n.contact()
	if err != nil {
		return c, err
	}
	if err := consent.LockAddresses(ctx, tx, null.Text(c.Email), null.Text(c.Phone)); err != nil {
		return c, err
	}

	existing, err := possibleDuplicates(ctx, tx, c)
	if err != nil {
		return c, err
	}
	if len(existing) == 0 {
		err = insert(ctx, tx, &c)
		return c, err
	}

	best := existing[0]
	for _, k := range existing {
		if null.Text(k.Email) == null.Text(c.Email) && null.Text(k.Phone) == null.Text(c.Phone) {
			best = k
			break
		}
	}
	found, err := FindForUpdate(ctx, tx, best.ID)
	if err != nil {
		return found, err
	}
	before := found
	if !found.fillIn(c) {
		return found, nil
	}
	err = save(ctx, tx, before, &found, "contact.updated")
	return found, err
}

// FindByAddress returns the newest active contact with an address.
func FindByAddress(ctx context.Context, tx *db.Tx, channel consent.Channel, address string) (c Contact, found bool, err error) {
	of := Contact{Phone: &address}
	if channel == consent.Email {
		of = Contact{Email: &address}
	}
	all, err := possibleDuplicates(ctx, tx, of)
	if err != nil || len(all) == 0 {
		return c, false, err
	}
	return all[0], true, nil
}

// possibleDuplicates returns the active contacts with the same email or phone,
// newest first. It runs two queries because an OR would not use the indexes.
func possibleDuplicates(ctx context.Context, tx *db.Tx, c Contact) ([]Contact, error) {
	found := []Contact{}
	for _, by := range []struct {
		column string
		value  *string
	}{{"email", c.Email}, {"phone", c.Phone}} {
		if by.value == nil || by.column == "phone" && phone.IsPlaceholder(*by.value) {
			continue
		}

		rows, err := db.All[Contact](ctx, tx, `SELECT {cols} FROM contacts WHERE env = ? AND `+by.column+` = ?
			AND merged_into IS NULL AND erased_at IS NULL AND id <> ? ORDER BY id DESC LIMIT 20`, tx.Env, *by.value, c.ID)
		if err != nil {
			return nil, err
		}

		for _, row := range rows {
			if !slices.ContainsFunc(found, func(f Contact) bool { return f.ID == row.ID }) {
				row.PossibleDuplicates = []string{}
				found = append(found, row)
			}
		}
	}

	slices.SortFunc(found, func(a, b Contact) int { return strings.Compare(b.ID, a.ID) })
	return found, nil
}

// setDuplicates sets the possible duplicates of a contact.
func setDuplicates(ctx context.Context, tx *db.Tx, c *Contact) error {
	c.PossibleDuplicates = []string{}
	if c.Active() != nil {
		return nil //nolint:nilerr // a merged or erased contact has none
	}
	others, err := possibleDuplicates(ctx, tx, *c)
	for _, o := range others {
		c.PossibleDuplicates = append(c.PossibleDuplicates, o.ID)
	}
	return err
}

func insert(ctx context.Context, tx *db.Tx, c *Contact) error {
	if err := contacts.Insert(ctx, tx, c); err != nil {
		return err
	}
	if err := indexTerms(ctx, tx, *c); err != nil {
		return err
	}
	if err := setDuplicates(ctx, tx, c); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "contact.created", c.ID, events.Change{After: *c})
}

// save writes a changed contact and the event.
func save(ctx context.Context, tx *db.Tx, before Contact, c *Contact, event string) error {
	if err := contacts.Save(ctx, tx, c); err != nil {
		return err
	}

	if was, is := before.indexed(), c.indexed(); !slices.Equal(was, is) {
		if _, err := db.Exec(ctx, tx, `DELETE FROM contact_terms WHERE env = ? AND id = ?`, c.Env, c.ID); err != nil {
			return err
		}
		if err := indexTerms(ctx, tx, *c); err != nil {
			return err
		}
	}
	if err := setDuplicates(ctx, tx, c); err != nil {
		return err
	}
	if c.ErasedAt != nil {
		privacy.Erase(&before, false)
	}
	return events.Emit(ctx, tx, event, c.ID, events.Change{Before: before, After: *c})
}

// indexed returns the terms to store in the index. A merged contact has none.
func (c Contact) indexed() []string {
	if c.MergedInto != nil {
		return nil
	}
	return c.terms()
}

type termRow struct {
	Env  auth.Env `db:"env"`
	Term string   `db:"term"`
	ID   string   `db:"id"`
}

func indexTerms(ctx context.Context, tx *db.Tx, c Contact) error {
	var rows []termRow
	for _, t := range c.indexed() {
		rows = append(rows, termRow{c.Env, t, c.ID})
	}
	return db.Insert(ctx, tx, "contact_terms", rows...)
}

// ContactFilter is the query of the list of contacts.
type ContactFilter struct {
	page.Query
	Email         string            `query:"email" maxLength:"254" doc:"Exact email address. Ignores case."`
	Phone         string            `query:"phone" maxLength:"40" doc:"Exact phone number, in any common format."`
	Q             string            `query:"q" maxLength:"200" doc:"Words, or the start of words, in the names, company, email or phone. All words must match." example:"ann bell"`
	Tag           string            `query:"tag" maxLength:"40" doc:"Exact tag. Ignores case."`
	Gone          patch.Param[bool] `query:"gone" doc:"True lists only merged or erased contacts. By default they are left out."`
	WithGone      bool              `query:"include_gone" doc:"True also lists merged and erased contacts. Use it with updated_after to synchronize." since:"next"`
	CreatedAfter  time.Time         `query:"created_after" doc:"Only objects created after this time."`
	CreatedBefore time.Time         `query:"created_before" doc:"Only objects created before this time."`
	UpdatedAfter  time.Time         `query:"updated_after" doc:"For incremental synchronization."`
}

func (f ContactFilter) where(env auth.Env) *db.Where {
	w := &db.Where{}
	switch {
	case f.Gone.V:
		w.And("(merged_into IS NOT NULL OR erased_at IS NOT NULL)")
	case !f.WithGone:
		w.And("merged_into IS NULL AND erased_at IS NULL")
	}

	number, ok := phone.Parse(f.Phone, "US")
	if !ok {
		number = f.Phone // matches no contact
	}
	w.AndIf(f.Email != "", "email = ?", strings.ToLower(strings.TrimSpace(f.Email)))
	w.AndIf(f.Phone != "", "phone = ?", number)
	w.AndIf(!f.UpdatedAfter.IsZero(), "updated_at > ?", f.UpdatedAfter)
	w.AndCreated("id", "con", f.CreatedAfter, f.CreatedBefore)

	if f.Tag != "" {
		w.And("id IN (SELECT id FROM contact_terms WHERE env = ? AND term = ?)", env, tagTerm(f.Tag))
	}
	WhereMatches(w, env, "id", f.Q)

	return w
}

// WhereMatches adds the condition that a column has the ID of a contact with each word
// of q in its names, company, email or phone. It returns false if q has no word to
// search for, so that nothing matches.
func WhereMatches(w *db.Where, env auth.Env, column, q string) bool {
	words := searchWords(q)
	for _, word := range words {
		from, to := search.Span(word)
		w.And(column+" IN (SELECT id FROM contact_terms WHERE env = ? AND term >= ? AND term < ?)", env, from, to)
	}
	return len(words) > 0
}

// List returns the contacts that match the filter.
func List(ctx context.Context, tx *db.Tx, f ContactFilter) (page.Page[Contact], error) {
	if err := f.Check("con"); err != nil {
		return page.Page[Contact]{}, err
	}
	if f.Q != "" && len(searchWords(f.Q)) == 0 {
		return page.New([]Contact{}, f.Query, false, nil), nil // q contains no word to search for
	}

	p, err := contacts.List(ctx, tx, f.Query, f.where(tx.Env))
	if err != nil {
		return p, err
	}
	err = setAllDuplicates(ctx, tx, p.Data)
	return p, err
}

// setAllDuplicates sets the possible duplicates of a page of contacts with a few
// queries.
func setAllDuplicates(ctx context.Context, tx *db.Tx, all []Contact) error {
	type match struct {
		Value string `db:"value"`
		ID    string `db:"id"`
	}
	for _, by := range []struct {
		column string
		of     func(Contact) *string
	}{
		{"email", func(c Contact) *string { return c.Email }},
		{"phone", func(c Contact) *string { return c.Phone }},
	} {
		var values []string
		for _, c := range all {
			if v := by.of(c); v != nil && c.Active() == nil && !phone.IsPlaceholder(*v) {
				values = append(values, *v)
			}
		}
		var matches []match
		for _, chunk := range db.Chunks(values, perLookup) {
			marks, args := db.In(chunk)
			some, err := db.All[match](ctx, tx, `SELECT {cols} FROM (SELECT env, id, `+by.column+` AS value FROM contacts
				WHERE env = ? AND `+by.column+` IN `+marks+` AND merged_into IS NULL AND erased_at IS NULL) AS twins`, append([]any{tx.Env}, args...)...)
			if err != nil {
				return err
			}
			matches = append(matches, some...)
		}

		for i := range all {
			c := &all[i]
			for _, m := range matches {
				v := by.of(*c)
				if v != nil && *v == m.Value && m.ID != c.ID && c.Active() == nil && !slices.Contains(c.PossibleDuplicates, m.ID) {
					c.PossibleDuplicates = append(c.PossibleDuplicates, m.ID)
				}
			}
		}
	}

	for i := range all {
		slices.SortFunc(all[i].PossibleDuplicates, func(a, b string) int { return strings.Compare(b, a) })
	}
	return nil
}
