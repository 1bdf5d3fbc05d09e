package contacts

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// merge merges the duplicate into the contact. A revocation of either applies to
// the addresses of both.
func merge(ctx context.Context, tx *db.Tx, c *Contact, d Contact) error {
	if err := consent.Move(ctx, tx, d.ID, c.ID); err != nil {
		return err
	}
	for _, m := range []consent.Merged{
		{Channels: []consent.Channel{consent.Email}, From: null.Text(d.Email), To: null.Text(c.Email)},
		{Channels: []consent.Channel{consent.SMS, consent.Voice}, From: null.Text(d.Phone), To: null.Text(c.Phone)},
	} {
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
	c.absorb(d)
	return save(ctx, tx, before, c, "contact.merged")
}

// mergedInto returns the contacts that were merged into another.
func mergedInto(ctx context.Context, tx *db.Tx, c Contact) ([]Contact, error) {
	return db.All[Contact](ctx, tx, `SELECT {cols} FROM contacts WHERE env = ? AND merged_into = ? AND erased_at IS NULL ORDER BY id`,
		c.Env, c.ID)
}
