package contacts

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// merge merges the duplicate into the contact. A revocation of either applies to
// the addresses of both.
func merge(ctx context.Context, tx *db.Tx, c *Contact, d Contact, take []MergeField) error {
	if err := consent.Move(ctx, tx, d.ID, c.ID); err != nil {
		return err
	}
	calls := []consent.Channel{consent.SMS, consent.Voice}
	revocations := []consent.Merged{
		{Channels: []consent.Channel{consent.Email}, From: null.Text(d.Email), To: null.Text(c.Email)},
		{Channels: calls, From: null.Text(d.Phone), To: null.Text(c.Phone)},
	}
	if len(take) > 0 { // the contact might get the other address
		revocations = append(revocations,
			consent.Merged{Channels: []consent.Channel{consent.Email}, From: null.Text(c.Email), To: null.Text(d.Email)},
			consent.Merged{Channels: calls, From: null.Text(c.Phone), To: null.Text(d.Phone)})
	}
	for _, m := range revocations {
		if err := consent.CopyRevocations(ctx, tx, c.ID, m); err != nil {
			return err
		}
	}

	earlier, err := mergedInto(ctx, tx, d)
	if err != nil {
		return err
	}
	for _, merged := range append(earlier, d) {
		before := merged
		merged.MergedInto = &c.ID
		if err := save(ctx, tx, before, &merged, "contact.updated"); err != nil {
			return err
		}
	}

	before := *c
	c.take(d, take)
	c.absorb(d)
	return save(ctx, tx, before, c, "contact.merged")
}

// mergedInto returns the contacts that were merged into another.
func mergedInto(ctx context.Context, tx *db.Tx, c Contact) ([]Contact, error) {
	return db.All[Contact](ctx, tx, `SELECT {cols} FROM contacts WHERE env = ? AND merged_into = ? AND erased_at IS NULL ORDER BY id`,
		c.Env, c.ID)
}
