package hulls

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
)

// feedBatch is how many hulls of a feed are in memory at once.
const feedBatch = 100

// shop is what all listings of a dealership share.
type shop struct {
	name  string
	lots  map[string]dealership.Location
	print string // changes with what they share
}

func findShop(ctx context.Context, tx *db.Tx) (shop, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return shop{}, err
	}
	lots, err := dealership.Locations(ctx, tx)
	s := shop{name: d.Name, lots: map[string]dealership.Location{}, print: fmt.Sprint(d.Version)}
	for _, l := range lots {
		s.lots[l.ID] = l
		s.print += fmt.Sprint(" ", l.ID, l.Version)
	}
	return s, err
}

// feedTag names what a feed says now. It is found without reading the hulls:
// every change that shows in a listing counts its revision up.
func feedTag(ctx context.Context, tx *db.Tx, c Channel, s shop) (string, error) {
	type sums struct {
		Count    int64      `db:"n"`
		Revision int64      `db:"revisions"`
		Newest   *time.Time `db:"newest"`
	}
	all, err := db.One[sums](ctx, tx, `SELECT COUNT(*) AS n, CAST(COALESCE(SUM(revision), 0) AS BIGINT) AS revisions, MAX(updated_at) AS newest
		FROM hull_listings WHERE env = ? AND channel_id = ? AND listed`, c.Env, c.ID)
	newest := int64(0)
	if all.Newest != nil {
		newest = all.Newest.UnixMilli()
	}
	// The links to photos are others every day.
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %d %d %d %s", c.ID, c.Version, all.Count, all.Revision, newest, mediaUntil(tx.Now).Unix(), s.print))
	return hex.EncodeToString(sum[:16]), err
}

// writeFeed writes every hull that a channel lists. It reads a batch after the
// other, so that its memory does not grow with the inventory.
func writeFeed(ctx context.Context, d *db.DB, c Channel, s shop, w io.Writer) error {
	out := newWriter(c.Format, w)
	if err := out.begin(s.name); err != nil {
		return err
	}
	after := ""
	for {
		batch, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]listing, error) {
			hulls, err := db.All[Hull](ctx, tx, `SELECT {h.cols} FROM hull_listings l JOIN hulls h ON h.env = l.env AND h.id = l.hull_id
				WHERE l.env = ? AND l.channel_id = ? AND l.listed AND l.hull_id > ? ORDER BY l.hull_id LIMIT ?`, c.Env, c.ID, after, feedBatch)
			if err != nil {
				return nil, err
			}
			return listingsOf(ctx, tx, s, hulls)
		})
		if err != nil {
			return err
		}
		for _, l := range batch {
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

// listingsOf gathers what the listings of up to a batch of hulls of one
// environment say.
func listingsOf(ctx context.Context, tx *db.Tx, s shop, hulls []Hull) ([]listing, error) {
	if len(hulls) == 0 {
		return nil, nil
	}
	// The list is always as long, so that the statement is always the same.
	args := []any{hulls[0].Env}
	for i := range feedBatch {
		args = append(args, hulls[min(i, len(hulls)-1)].ID)
	}
	these := "(" + strings.TrimSuffix(strings.Repeat("?, ", feedBatch), ", ") + ")"
	prices, err := byHull(ctx, tx, `SELECT {cols} FROM hull_pricing WHERE env = ? AND id IN `+these, args, func(p HullPricing) string { return p.ID })
	if err != nil {
		return nil, err
	}
	sheets, err := byHull(ctx, tx, `SELECT {cols} FROM hull_specs WHERE env = ? AND id IN `+these, args, func(r specRow) string { return r.ID })
	if err != nil {
		return nil, err
	}
	photos, err := byHull(ctx, tx, `SELECT {cols} FROM hull_photos WHERE env = ? AND hull_id IN `+these+` AND state = 'ready' ORDER BY hull_id, position`,
		args, func(p HullPhoto) string { return p.HullID })
	if err != nil {
		return nil, err
	}
	out := make([]listing, 0, len(hulls))
	for _, h := range hulls {
		complete(tx, &h)
		l := listing{Hull: h, photos: photos[h.ID], seller: s.name, specs: specRow{}.view(h, false)}
		for i := range l.photos {
			completePhoto(tx, h, &l.photos[i])
		}
		if p := prices[h.ID]; len(p) > 0 {
			l.pricing = p[0]
		}
		if r := sheets[h.ID]; len(r) > 0 {
			l.specs = r[0].view(h, false)
		}
		if at, ok := s.lots[h.LocationID]; ok {
			l.at = &at
		}
		out = append(out, l)
	}
	return out, nil
}

// byHull reads rows and sorts them by the hull they belong to.
func byHull[T any](ctx context.Context, tx *db.Tx, query string, args []any, hullOf func(T) string) (map[string][]T, error) {
	rows, err := db.All[T](ctx, tx, query, append([]any{}, args...)...)
	out := map[string][]T{}
	for _, r := range rows {
		out[hullOf(r)] = append(out[hullOf(r)], r)
	}
	return out, err
}
