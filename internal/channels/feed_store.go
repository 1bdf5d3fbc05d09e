package channels

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/token"
)

// feedBatch is how many hulls of a feed are in memory at a time.
const feedBatch = 100

// feedPath is where feeds are read, followed by the token.
const feedPath = "/feeds/"

// newFeedURL creates or replaces the feed URL and returns it. Only the hash of its token
// is stored.
func (c *Channel) newFeedURL(tx *db.Tx) string {
	secret := token.Link(c.Env)
	c.FeedHash, c.FeedURLCreatedAt = token.Hash(secret), &tx.Now
	return site.Of(tx).URL + feedPath + secret
}

var errFeed = fault.New(fault.KindNotFound, "This feed does not exist. Its URL might have been replaced or revoked.")

// findByToken returns the channel of a feed URL.
func findByToken(ctx context.Context, tx *db.Tx, secret string) (Channel, error) {
	c, err := db.OneNamed[Channel](ctx, tx, token.LinkEnv(secret), `SELECT {cols} FROM channels WHERE feed_hash = ? AND env = ?`, token.Hash(secret))
	if db.IsNoRows(err) {
		return c, errFeed
	}
	return c, err
}

func findShop(ctx context.Context, tx *db.Tx) (shop, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return shop{}, err
	}
	lots, err := dealership.Locations(ctx, tx)
	s := shop{id: d.ID, name: d.Name, url: site.Of(tx).URL, lots: lots, print: fmt.Sprint(d.Version), changed: d.UpdatedAt}
	for _, l := range lots {
		s.print += fmt.Sprint(" ", l.ID, l.Version)
		s.changed = latest(s.changed, l.UpdatedAt)
	}
	return s, err
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// feedTag returns the ETag of a feed, and sets when the feed last changed. It doesn't
// read the hulls, because each visible change of a listing increments its revision.
func feedTag(ctx context.Context, tx *db.Tx, c Channel, s *shop) (string, error) {
	type sums struct {
		Count    int64      `db:"n"`
		Revision int64      `db:"revisions"`
		Newest   *time.Time `db:"newest"`
	}
	all, err := db.One[sums](ctx, tx, `SELECT COUNT(*) AS n, CAST(COALESCE(SUM(revision), 0) AS BIGINT) AS revisions, MAX(updated_at) AS newest
		FROM hull_listings WHERE env = ? AND channel_id = ? AND listed`, c.Env, c.ID)
	s.changed = latest(s.changed, c.UpdatedAt)
	newest := int64(0)
	if all.Newest != nil {
		newest = all.Newest.UnixMilli()
		s.changed = latest(s.changed, *all.Newest)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %d %s", c.ID, c.Version, all.Count, all.Revision, newest, s.print))
	return hex.EncodeToString(sum[:16]), err
}

// writeFeed writes all hulls that a channel lists, in batches, so that its memory
// doesn't grow with the inventory. It joins hulls to read a batch in one query.
func writeFeed(ctx context.Context, d *db.DB, c Channel, s shop, w io.Writer) error {
	s.party = null.Text(c.PartyNumber)
	format := c.format()
	out := format.open(w)
	if err := out.begin(s); err != nil {
		return err
	}

	after := ""
	for {
		batch, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]listing, error) {
			batch, err := db.All[hulls.Hull](ctx, tx, `SELECT {h.cols} FROM hull_listings l JOIN hulls h ON h.env = l.env AND h.id = l.hull_id
				WHERE l.env = ? AND l.channel_id = ? AND l.listed AND l.hull_id > ? ORDER BY l.hull_id LIMIT ?`, c.Env, c.ID, after, feedBatch)
			if err != nil {
				return nil, err
			}
			return listingsOf(ctx, tx, c, s, batch)
		})
		if err != nil {
			return err
		}

		for _, l := range batch {
			if l.Status.IsComing() && !format.preOrders {
				continue // the format has just changed, and a job withdraws the boat
			}
			if err := out.write(l); err != nil {
				return err
			}
		}

		if len(batch) < feedBatch {
			return out.end()
		}

		after = batch[len(batch)-1].ID
	}
}

// listingsOf collects what the listings of up to a batch of hulls show.
func listingsOf(ctx context.Context, tx *db.Tx, c Channel, s shop, all []hulls.Hull) ([]listing, error) {
	if len(all) == 0 {
		return nil, nil
	}

	s.party = null.Text(c.PartyNumber)

	// The list always has the same length, so that the statements are always the same.
	ids := make([]string, feedBatch)
	for i := range ids {
		ids[i] = all[min(i, len(all)-1)].ID
	}
	prices, err := hulls.FindAllPricing(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	specs, err := hulls.FindAllSpecs(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	ready, err := photos.FindAllReady(ctx, tx, ids)
	if err != nil {
		return nil, err
	}

	out := make([]listing, 0, len(all))
	for _, h := range all {
		hulls.Derive(tx, &h)
		l := listing{Hull: h, photos: ready[h.ID], shop: s, page: c.page(h), specs: specs[h.ID], pricing: prices[h.ID]}
		if i := slices.IndexFunc(s.lots, func(at dealership.Location) bool { return at.ID == h.LocationID }); i >= 0 {
			l.at = &s.lots[i]
		}
		out = append(out, l)
	}
	return out, nil
}
