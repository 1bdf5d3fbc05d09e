package channels

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
)

// PageOf returns the URL of a hull on the dealer's website, or "" if no website lists it.
func PageOf(ctx context.Context, tx *db.Tx, h hulls.Hull) (string, error) {
	all, err := db.All[Channel](ctx, tx, `SELECT {cols} FROM channels WHERE env = ? AND listing_url IS NOT NULL AND id IN (
		SELECT channel_id FROM hull_listings WHERE env = ? AND hull_id = ? AND listed) ORDER BY id LIMIT 10`, tx.Env, tx.Env, h.ID)
	for _, c := range all {
		if page := c.page(h); page != "" {
			return page, err
		}
	}
	return "", err
}

// Find returns a channel.
func Find(ctx context.Context, tx *db.Tx, id string) (Channel, error) {
	return channels.Find(ctx, tx, id)
}

// HasListed reports whether a channel listed a hull until the hull couldn't be shown any more, such
// as when it was sold. A hull that the dealer withdrew doesn't count.
func HasListed(ctx context.Context, tx *db.Tx, channelID, hullID string) (bool, error) {
	found, err := db.All[bool](ctx, tx, `SELECT wanted FROM hull_listings WHERE env = ? AND channel_id = ? AND hull_id = ? AND state = 'removed'`,
		tx.Env, channelID, hullID)
	return len(found) > 0 && found[0], err
}
