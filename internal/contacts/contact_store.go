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
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/phone"
	"slipway/internal/vocab/search"
)

// Find returns a contact, also one that was merged or erased: ask Active.
func Find(ctx context.Context, tx *db.Tx, id string) (Contact, error) {
	c, err := db.One[Contact](ctx, tx, `SELECT {cols} FROM contacts WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return c, fault.NotFound("contact", id)
	}
	c.PossibleDuplicates = []string{}
	return c, err
}

// FindForUpdate returns a contact that nobody else can change until the transaction
// ends. Whoever adds records of a contact finds it so: what is written while it
// is merged would stay behind, and what is written while it is erased would
// survive.
func FindForUpdate(ctx context.Context, tx *db.Tx, id string) (Contact, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM contacts WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		return Contact{}, err
	}
	return Find(ctx, tx, id)
}

// FindOrCreate returns the newest contact with the email or the phone, one with
// both before others, or makes a new one. Of two that come at once, as from a
// form that is sent twice, the second finds the first.
func FindOrCreate(ctx context.Context, tx *db.Tx, n ContactCreate) (Contact, error) {
	c, err := n.contact()
	if err != nil {
		return c, err
	}
	if err := consent.LockAddresses(ctx, tx, deref(c.Email), deref(c.Phone)); err != nil {
		return c, err
	}
	known, err := possibleDuplicates(ctx, tx, c)
	if err != nil {
		return c, err
	}
	if len(known) == 0 {
		return c, insert(ctx, tx, &c)
	}
	slices.SortFunc(known, func(a, b Contact) int { return strings.Compare(b.ID, a.ID) })
	best := known[0]
	for _, k := range known {
		if deref(k.Email) == deref(c.Email) && deref(k.Phone) == deref(c.Phone) {
			best = k
			break
		}
	}
	return FindForUpdate(ctx, tx, best.ID)
}

// alike are the active contacts with the email or phone of one. They are asked
// for one after the other: an OR would keep either index from being used.
func possibleDuplicates(ctx context.Context, tx *db.Tx, c Contact) ([]Contact, error) {
	found := []Contact{}
	for _, by := range []struct {
		column string
		value  *string
	}{{"email", c.Email}, {"phone", c.Phone}} {
		if by.value == nil {
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
	return found, nil
}

// compare fills in who may be the same.
func compare(ctx context.Context, tx *db.Tx, c *Contact) error {
	c.PossibleDuplicates = []string{}
	if c.Active() != nil {
		return nil //nolint:nilerr // one that is gone has none
	}
	others, err := possibleDuplicates(ctx, tx, *c)
	for _, o := range others {
		c.PossibleDuplicates = append(c.PossibleDuplicates, o.ID)
	}
	return err
}

func insert(ctx context.Context, tx *db.Tx, c *Contact) error {
	c.Env, c.ID, c.Version, c.CreatedAt, c.UpdatedAt = tx.Env, tx.NewID("con"), 1, tx.Now, tx.Now
	if err := db.Insert(ctx, tx, "contacts", *c); err != nil {
		return err
	}
	if err := indexTerms(ctx, tx, *c); err != nil {
		return err
	}
	if err := compare(ctx, tx, c); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "contact.created", c.ID, nil, *c)
}

// save writes a changed contact and the event.
func save(ctx context.Context, tx *db.Tx, before Contact, c *Contact, event string) error {
	c.Version, c.UpdatedAt = before.Version+1, tx.Now
	if err := db.Changed(db.Update(ctx, tx, "contacts", c, "env = ? AND id = ? AND version = ?", c.Env, c.ID, before.Version)); err != nil {
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
	if err := compare(ctx, tx, c); err != nil {
		return err
	}
	return events.Emit(ctx, tx, event, c.ID, before, *c)
}

// indexed are the terms that stand in the index: none of a contact that is
// somebody else now.
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

// ContactFilter narrows the list of contacts.
type ContactFilter struct {
	page.Query
	Email         string            `query:"email" maxLength:"254" doc:"Whole address; case does not matter."`
	Phone         string            `query:"phone" maxLength:"40" doc:"Whole number, in any usual form."`
	Q             string            `query:"q" maxLength:"200" doc:"Words or beginnings of words of the names, the company, the email or the phone; all must be there." example:"ann bell"`
	Tag           string            `query:"tag" maxLength:"40" doc:"Whole tag; case does not matter."`
	Gone          patch.Param[bool] `query:"gone" doc:"True lists only contacts that were merged or erased; by default they are left out."`
	CreatedAfter  time.Time         `query:"created_after"`
	CreatedBefore time.Time         `query:"created_before"`
	UpdatedAfter  time.Time         `query:"updated_after" doc:"For incremental synchronization."`
}

func (f ContactFilter) where(env auth.Env) *db.Where {
	w := &db.Where{}
	w.And("env = ?", env)
	if f.Gone.V {
		w.And("(merged_into IS NOT NULL OR erased_at IS NOT NULL)")
	} else {
		w.And("merged_into IS NULL AND erased_at IS NULL")
	}
	number, ok := phone.Parse(f.Phone, "US")
	if !ok {
		number = f.Phone // no contact has it
	}
	for _, c := range []struct {
		set  bool
		cond string
		arg  any
	}{
		{f.Email != "", "email = ?", strings.ToLower(strings.TrimSpace(f.Email))},
		{f.Phone != "", "phone = ?", number},
		{!f.UpdatedAfter.IsZero(), "updated_at > ?", f.UpdatedAfter},
		// Ids hold the time of creation, so these are ranges of the primary key.
		{!f.CreatedAfter.IsZero(), "id >= ?", id.Floor("con", f.CreatedAfter.Add(time.Millisecond))},
		{!f.CreatedBefore.IsZero(), "id < ?", id.Floor("con", f.CreatedBefore)},
	} {
		if c.set {
			w.And(c.cond, c.arg)
		}
	}
	if f.Tag != "" {
		w.And("id IN (SELECT id FROM contact_terms WHERE env = ? AND term = ?)", env, tagTerm(f.Tag))
	}
	for _, word := range searched(f.Q) {
		from, to := search.Span(word)
		w.And("id IN (SELECT id FROM contact_terms WHERE env = ? AND term >= ? AND term < ?)", env, from, to)
	}
	return w
}

func list(ctx context.Context, tx *db.Tx, f ContactFilter) (page.Page[Contact], error) {
	if err := f.Check("con"); err != nil {
		return page.Page[Contact]{}, err
	}
	if f.Q != "" && len(searched(f.Q)) == 0 {
		return page.Cut([]Contact{}, f.Query, false, nil), nil // nothing in q can be searched for
	}
	p, err := db.List[Contact](ctx, tx, db.From("contacts"), f.Query, f.where(tx.Env))
	if err != nil {
		return p, err
	}
	return p, compareAll(ctx, tx, p.Data)
}

// compareAll fills in who may be the same, for a page of contacts in two
// queries.
func compareAll(ctx context.Context, tx *db.Tx, contacts []Contact) error {
	type twin struct {
		Value string `db:"value"`
		ID    string `db:"id"`
	}
	for i := range contacts {
		contacts[i].PossibleDuplicates = []string{}
	}
	for column, of := range map[string]func(Contact) *string{
		"email": func(c Contact) *string { return c.Email },
		"phone": func(c Contact) *string { return c.Phone },
	} {
		args := []any{tx.Env}
		for _, c := range contacts {
			if v := of(c); v != nil && c.Active() == nil {
				args = append(args, *v)
			}
		}
		if len(args) == 1 {
			continue
		}
		in := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(args)-1), ", ") + ")"
		twins, err := db.All[twin](ctx, tx, `SELECT {cols} FROM (SELECT env, id, `+column+` AS value FROM contacts
			WHERE env = ? AND `+column+` IN `+in+` AND merged_into IS NULL AND erased_at IS NULL) AS twins ORDER BY id DESC`, args...)
		if err != nil {
			return err
		}
		for i := range contacts {
			c := &contacts[i]
			for _, t := range twins {
				if v := of(*c); v != nil && *v == t.Value && t.ID != c.ID && c.Active() == nil && !slices.Contains(c.PossibleDuplicates, t.ID) {
					c.PossibleDuplicates = append(c.PossibleDuplicates, t.ID)
				}
			}
		}
	}
	return nil
}
