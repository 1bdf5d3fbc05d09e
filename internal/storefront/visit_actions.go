package storefront

import (
	"context"
	"time"

	"slipway/internal/channels"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/null"
)

// visit is what all pages of a website share.
type visit struct {
	ChannelWebsite
	dealer dealership.Dealership
	lots   []dealership.Location
	origin string // of the server: https://slipway.example.com
	tx     *db.Tx // in the environment of the website
}

// open finds the website of a path.
func open(ctx context.Context, tx *db.Tx, slug string) (v visit, err error) {
	if v.ChannelWebsite, err = findBySlug(ctx, tx, slug); err != nil {
		return v, err
	}
	v.tx, v.origin = tx.In(v.Env), site.Of(tx).URL
	if _, err := channels.Find(ctx, v.tx, v.ChannelID); err != nil {
		return v, err
	}
	if v.dealer, err = dealership.Find(ctx, v.tx); err != nil {
		return v, err
	}
	v.lots, err = dealership.Locations(ctx, v.tx)
	return v, err
}

// boat returns the boat of a path, and whether it is gone: it was sold more than soldFor ago. A boat
// that the channel doesn't list, and one that doesn't exist, have the same error.
func (v visit) boat(ctx context.Context, ref string) (h hulls.Hull, gone bool, err error) {
	all, err := hulls.FindPublic(ctx, v.tx, ref)
	if err != nil {
		return h, false, err
	}
	for _, h := range all {
		if v.lists(h) {
			return h, false, nil
		}
	}
	for _, h := range all {
		if !isSold(h) {
			continue
		}
		listed, err := channels.HasListed(ctx, v.tx, v.ChannelID, h.ID)
		if err != nil {
			return h, false, err
		}
		if listed {
			return h, h.SoldAt.Add(soldFor).Before(v.tx.Now), nil
		}
	}
	return h, false, errPage
}

// location returns the location of a boat, or an empty one if it was deleted.
func (v visit) location(h hulls.Hull) dealership.Location {
	for _, l := range v.lots {
		if l.ID == h.LocationID {
			return l
		}
	}
	return dealership.Location{}
}

// zone is the IANA time zone of a boat.
func (v visit) zone(h hulls.Hull) string {
	if z := null.Text(v.location(h).Timezone); z != "" {
		return z
	}
	return v.dealer.Timezone
}

// groupsFor is how long the counts of the filters are kept. They can be a little old, and with many
// boats they cost more than the rest of the list.
const groupsFor = 10 * time.Second

// counted are the counts of a website, and when they were made.
type counted struct {
	groups []hulls.PublicGroup
	at     time.Time
}

// groups returns the counts of the filters.
func (a *API) groups(ctx context.Context, v visit) ([]hulls.PublicGroup, error) {
	if kept, ok := a.counts.Load(v.ChannelID); ok {
		if c := kept.(counted); v.tx.Now.Sub(c.at).Abs() < groupsFor { //nolint:forcetypeassert // it only has these
			return c.groups, nil
		}
	}
	groups, err := hulls.GroupPublic(ctx, v.tx, v.ChannelID)
	if err == nil {
		a.counts.Store(v.ChannelID, counted{groups, v.tx.Now})
	}
	return groups, err
}
