package storefront

import (
	"context"

	"slipway/internal/channels"
	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/fault"
)

var websites = db.Table[ChannelWebsite]{
	Name: "websites", Prefix: "chn", Noun: "website of channel",
	Loaded: func(tx *db.Tx, w *ChannelWebsite) { w.derive(tx) },
}

// derive fills in the address.
func (w *ChannelWebsite) derive(tx *db.Tx) { w.URL = site.Of(tx).URL + w.home() }

// errPage is the same for a website that doesn't exist and one that ended.
var errPage = fault.New(fault.KindNotFound, "This page does not exist.")

// findBySlug returns the website of a path.
func findBySlug(ctx context.Context, tx *db.Tx, slug string) (ChannelWebsite, error) {
	found, err := db.All[ChannelWebsite](ctx, tx, `SELECT {cols} FROM websites WHERE slug = ?`, slug)
	if err != nil {
		return ChannelWebsite{}, err
	}
	if len(found) == 0 {
		return ChannelWebsite{}, errPage
	}
	found[0].derive(tx)
	return found[0], nil
}

// live lists the websites of live environments, for robots.txt.
func live(ctx context.Context, tx *db.Tx) ([]ChannelWebsite, error) {
	environments, err := dealership.Environments(ctx, tx, "")
	if err != nil {
		return nil, err
	}
	var all []ChannelWebsite
	for _, d := range environments {
		if d.Mode != "live" || len(all) >= maxSitemaps {
			continue
		}
		of, err := db.All[ChannelWebsite](ctx, tx, `SELECT {cols} FROM websites WHERE env = ? ORDER BY id LIMIT 50`, d.Env)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	return all, nil
}

const maxSitemaps = 500

// checkSlug returns an error if another website has the slug. A website whose channel was deleted
// makes room.
func checkSlug(ctx context.Context, tx *db.Tx, w ChannelWebsite) error {
	other, err := findBySlug(ctx, tx, w.Slug)
	if fault.KindOf(err) == fault.KindNotFound || err == nil && other.Env == w.Env && other.ChannelID == w.ChannelID {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := channels.Find(ctx, tx.In(other.Env), other.ChannelID); fault.KindOf(err) == fault.KindNotFound {
		_, err := db.Exec(ctx, tx, `DELETE FROM websites WHERE env = ? AND id = ?`, other.Env, other.ChannelID)
		return err
	}
	return fault.Conflict("Another website has the slug %s.", w.Slug).Detail("slug", "duplicate", "is already used")
}

// checkReferences returns an error if a location or a user doesn't exist.
func checkReferences(ctx context.Context, tx *db.Tx, w ChannelWebsite) error {
	var bad fault.Fields
	for _, l := range w.Locations {
		_, err := dealership.FindLocation(ctx, tx, l.LocationID)
		if err := bad.AddNotFound("locations", err); err != nil {
			return err
		}
	}
	if w.SeaTrials != nil {
		for _, id := range w.SeaTrials.UserIDs {
			_, err := people.FindUser(ctx, tx, id)
			if err := bad.AddNotFound("sea_trials.user_ids", err); err != nil {
				return err
			}
		}
	}
	return bad.Err()
}

// saveWebsite adds or replaces a website.
func saveWebsite(ctx context.Context, tx *db.Tx, before ChannelWebsite, w *ChannelWebsite) error {
	if err := checkSlug(ctx, tx, *w); err != nil {
		return err
	}
	if err := checkReferences(ctx, tx, *w); err != nil {
		return err
	}
	save := websites.Save
	if w.Version == 0 {
		save = websites.Insert
	}
	if err := save(ctx, tx, w); err != nil {
		return err
	}
	w.derive(tx)
	return audit.Record(ctx, tx, "channel.website_changed", w.ChannelID, audit.Diff(before, *w))
}

func removeWebsite(ctx context.Context, tx *db.Tx, w ChannelWebsite) error {
	if err := websites.Delete(ctx, tx, w.ChannelID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "channel.website_removed", w.ChannelID, audit.Diff(w, ChannelWebsite{}))
}

// once records a form that was sent, and reports whether it is the first time. It forgets old ones.
func once(ctx context.Context, tx *db.Tx, id string) (bool, error) {
	if _, err := db.Exec(ctx, tx, `DELETE FROM website_sends WHERE env = ? AND sent_at < ?`, tx.Env, tx.Now.AddDate(0, 0, -2)); err != nil {
		return false, err
	}
	n, err := db.Exec(ctx, tx, `INSERT INTO website_sends (env, id, sent_at) VALUES (?, ?, ?) ON CONFLICT (env, id) DO NOTHING`, tx.Env, id, tx.Now)
	return n > 0, err
}
