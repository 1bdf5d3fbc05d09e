package audit

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
)

// Verification is the result of verifying the log of an environment.
type Verification struct {
	Env     auth.Env
	Entries int64  // unchanged entries
	Waiting int64  // entries that are not linked yet
	Problem string // the first problem, or ""
	Head    Head
	At      time.Time
}

// Verify checks that no entry of the log of an environment was changed, removed
// or inserted. Unless known is nil, it also checks that the log continues a head that
// was noted earlier.
func Verify(ctx context.Context, d *db.DB, env auth.Env, known *Head) (Verification, error) {
	v, c, err := verifyEnds(ctx, d, env)
	if err != nil || v.Problem != "" {
		return v, err
	}
	if known != nil {
		if v.Problem = c.compare(*known); v.Problem != "" {
			return v, nil
		}
	}
	return walk{c, c.FirstLink, c.BeforeMAC, known}.verify(ctx, d, v)
}

// newest is how many links VerifyNewest checks.
const newest = 100

// VerifyNewest is a quick version of Verify that checks the newest links and the
// entries that are not linked yet.
func VerifyNewest(ctx context.Context, d *db.DB, env auth.Env) (Verification, error) {
	v, c, err := verifyEnds(ctx, d, env)
	if err != nil || v.Problem != "" {
		return v, err
	}
	from, before := c.FirstLink, c.BeforeMAC
	if c.LastLink-newest > c.FirstLink {
		from = c.LastLink - newest + 1
		previous, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]Entry, error) {
			return db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link = ?`, env, from-1)
		})
		if err != nil {
			return v, err
		}
		if len(previous) == 0 {
			v.Problem = removed(from - 1)
			return v, nil
		}
		before = previous[0].MAC
	}
	return walk{c, from, before, nil}.verify(ctx, d, v)
}

// verifyEnds checks the record of the ends of the chain.
func verifyEnds(ctx context.Context, d *db.DB, env auth.Env) (Verification, chain, error) {
	v, last := Verification{Env: env, At: d.Now().UTC()}, int64(0)
	chains, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (_ []chain, err error) {
		// Before the ends, which are saved together with new links.
		if last, err = db.One[int64](ctx, tx, `SELECT COALESCE(MAX(link), 0) FROM audit_entries WHERE env = ?`, env); err != nil {
			return nil, err
		}
		return db.All[chain](ctx, tx, `SELECT {cols} FROM audit_chains WHERE env = ?`, env)
	})
	if err != nil {
		return v, chain{}, err
	}
	if len(chains) == 0 || !bytes.Equal(chains[0].Seal, site.Of(d).MAC(chains[0].Content())) {
		v.Problem = errEnds.Error()
		return v, chain{}, nil
	}
	c := chains[0]
	if last > c.LastLink {
		v.Problem = fmt.Sprintf("the record of the ends of the chain is older than link %d", last)
	}
	v.Head = headOf(env, c.LastLink, c.LastMAC)
	return v, c, nil
}

// compare returns the problem of a chain that doesn't continue a head, or "". Verify
// compares links that still exist.
func (c chain) compare(known Head) string {
	switch {
	case known.Link > c.LastLink:
		return fmt.Sprintf("the log ends at link %d, before the head %s: newer entries were removed, or the database is an older copy",
			c.LastLink, known)
	case known.Link == c.LastLink && headOf(c.Env, c.LastLink, c.LastMAC) != known,
		known.Link == c.FirstLink-1 && headOf(c.Env, c.FirstLink-1, c.BeforeMAC) != known:
		return otherHistory(known)
	}
	return ""
}

func otherHistory(known Head) string {
	return fmt.Sprintf("link %d differs from the head %s: the log was replaced", known.Link, known)
}

func removed(link int64) string { return fmt.Sprintf("link %d is missing: an entry was removed", link) }

// walk is where the verification of a chain is.
type walk struct {
	chain  chain
	next   int64
	before []byte // of the link before next
	known  *Head  // that the chain must continue, or nil
}

// verify checks the chain from the next link on, and the entries outside of it.
func (w walk) verify(ctx context.Context, d *db.DB, v Verification) (Verification, error) {
	c := w.chain
	open := groups{}
	for w.next <= c.LastLink {
		entries, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]Entry, error) {
			return db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link >= ? AND link <= ? ORDER BY link LIMIT ?`,
				c.Env, w.next, c.LastLink, batch)
		})
		if err != nil {
			return v, err
		}
		for _, e := range entries {
			if v.Problem = problemOf(site.Of(d).MAC, e, w.next, w.before); v.Problem != "" {
				return v, nil
			}
			if w.known != nil && w.known.Link == w.next && headOf(c.Env, w.next, e.MAC) != *w.known {
				v.Problem = otherHistory(*w.known)
				return v, nil
			}
			open.add(e)
			w.before, w.next = e.MAC, w.next+1
			v.Entries++
		}
		if len(entries) == 0 {
			v.Problem = removed(w.next)
			return v, nil
		}
	}
	if !bytes.Equal(w.before, c.LastMAC) {
		v.Problem = "the end of the chain was changed"
		return v, nil
	}

	if err := verifyUnlinked(ctx, d, c, open, &v); err != nil || v.Problem != "" {
		return v, err
	}
	err := open.verify(ctx, d, c, &v)
	return v, err
}

// verifyUnlinked checks the entries outside the chain. They must have a valid mark
// and no link before the start of the chain.
func verifyUnlinked(ctx context.Context, d *db.DB, c chain, open groups, v *Verification) error {
	after := ""
	for {
		unlinked, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]Entry, error) {
			return db.All[Entry](ctx, tx,
				`SELECT {cols} FROM audit_entries WHERE env = ? AND id > ? AND (link IS NULL OR link < ? OR link > ?) ORDER BY id LIMIT ?`,
				c.Env, after, c.FirstLink, c.LastLink, batch)
		})
		if err != nil || len(unlinked) == 0 {
			return err
		}
		for _, e := range unlinked {
			if !bytes.Equal(e.Mark, site.Of(d).MAC(e.Content())) || e.Link != nil && *e.Link < c.FirstLink {
				v.Problem = fmt.Sprintf("entry %s was inserted", e.ID)
				return nil
			}
			if v.Problem = e.reports(); v.Problem != "" {
				return nil
			}
			open.add(e)
			after, v.Waiting = e.ID, v.Waiting+1
		}
	}
}

// problemOf returns the problem of an entry of the chain, or "".
func problemOf(mac func([]byte) []byte, e Entry, link int64, before []byte) string {
	switch {
	case *e.Link != link:
		return removed(link)
	case !bytes.Equal(e.Mark, mac(e.Content())):
		return fmt.Sprintf("entry %s (link %d) was changed", e.ID, link)
	case !bytes.Equal(e.MAC, mac(linked(before, link, e.Mark))):
		return fmt.Sprintf("entry %s (link %d) does not follow the previous entry", e.ID, link)
	}
	return e.reports()
}

// reports returns the problem that an entry is about, or "".
func (e Entry) reports() string {
	if e.Action != actionMissing {
		return ""
	}
	return fmt.Sprintf("entry %s was removed before it was linked, as entry %s shows", e.TargetID, e.ID)
}

// groups are the transactions of which some entries were not seen yet.
type groups map[string]*group

type group struct {
	at          time.Time
	total, seen int64
}

func (g groups) add(e Entry) {
	if e.Group == nil || e.Total == nil {
		return // of an older version
	}
	known := g[*e.Group]
	if known == nil {
		known = &group{at: e.At, total: *e.Total}
		g[*e.Group] = known
	}
	if known.seen++; known.seen == known.total {
		delete(g, *e.Group)
	}
}

// verify checks the transactions of which some entries were not seen. They are
// searched again, because they might have been committed during the verification.
func (g groups) verify(ctx context.Context, d *db.DB, c chain, v *Verification) error {
	var ids []string
	for id := range g {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if c.FirstLink > 1 && g[id].at.Before(d.Now().AddDate(0, -keepMonths, 0)) {
			continue // the rest was purged
		}
		found, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM audit_entries WHERE env = ? AND group_id = ?`, c.Env, id)
		})
		if err != nil {
			return err
		}
		if found != g[id].total {
			v.Problem = fmt.Sprintf("%d of the %d entries of the transaction of entry %s are missing", g[id].total-found, g[id].total, id)
			return nil
		}
	}
	return nil
}
