package contacts

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

// NewContact returns the contact of a request that is not inserted yet, or all errors of the
// request.
func NewContact(n ContactCreate) (Contact, error) { return n.contact() }

// perLookup is how many values one lookup has at most. With 64, SQLite reads all contacts instead:
// without statistics it assumes that an environment has few rows.
const perLookup = 32

// FindByAddresses returns the active contacts with these emails or phones, newest first.
func FindByAddresses(ctx context.Context, tx *db.Tx, emails, phones []string) (found []Contact, err error) {
	for _, by := range []struct {
		column string
		values []string
	}{{"email", emails}, {"phone", phones}} {
		var rows []Contact
		for _, values := range db.Chunks(by.values, perLookup) {
			marks, args := db.In(values)
			some, err := db.All[Contact](ctx, tx, `SELECT {cols} FROM contacts WHERE env = ? AND `+by.column+` IN `+marks+
				` AND merged_into IS NULL AND erased_at IS NULL`, append([]any{tx.Env}, args...)...)
			if err != nil {
				return nil, err
			}
			rows = append(rows, some...)
		}
		slices.SortFunc(rows, func(a, b Contact) int { return strings.Compare(b.ID, a.ID) })
		for _, c := range rows {
			c.PossibleDuplicates = []string{}
			found = append(found, c)
		}
	}
	return found, nil
}

// InsertAll adds contacts, and sets their IDs.
func InsertAll(ctx context.Context, tx *db.Tx, added []Contact) error {
	var terms []termRow
	for i := range added {
		contacts.Stamp(tx, &added[i])
		for _, t := range added[i].indexed() {
			terms = append(terms, termRow{added[i].Env, t, added[i].ID})
		}
	}
	if err := db.Insert(ctx, tx, "contacts", added...); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, "contact_terms", terms...); err != nil {
		return err
	}
	if err := setAllDuplicates(ctx, tx, added); err != nil {
		return err
	}
	for _, c := range added {
		if err := events.Emit(ctx, tx, "contact.created", c.ID, events.Change{After: c}); err != nil {
			return err
		}
	}
	return nil
}

// Change applies a patch to an active contact, adds tags to it, and reports whether it changed.
func Change(ctx context.Context, tx *db.Tx, id string, p ContactPatch, tags []string) (c Contact, changed bool, err error) {
	if c, err = FindForUpdate(ctx, tx, id); err != nil {
		return c, false, err
	}
	if err := c.Active(); err != nil {
		return c, false, err
	}
	before := c
	if len(tags) > 0 {
		all := slices.Concat(c.Tags, tags)
		p.Tags.Set, p.Tags.V = true, &all
	}
	if err := p.apply(&c); err != nil {
		return before, false, err
	}
	if reflect.DeepEqual(before, c) {
		return c, false, nil
	}
	return c, true, save(ctx, tx, before, &c, "contact.updated")
}
