package audit

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"slipway/internal/db"
	"slipway/internal/principal"
)

// keepMonths is how long entries are kept.
const keepMonths = 13

// batch is how many entries are linked, checked or purged at a time.
const batch = 500

// content is the entry as its mark covers it: every field with its length, so
// that nothing can move from one field into the next.
func (e Entry) content() []byte {
	var b bytes.Buffer
	put := func(s string) {
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(s)))) //nolint:gosec // no field has 4 GiB
		b.WriteString(s)
	}
	orNone := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for _, s := range []string{
		strconv.FormatInt(int64(e.Env), 10), e.ID, strconv.FormatInt(e.At.UnixMilli(), 10), e.ActorType, e.ActorID, e.ActorLabel, e.Action,
		e.TargetType, e.TargetID, orNone(e.RequestID), orNone(e.IP), orNone(e.UserAgent), e.Changes, e.Outcome,
	} {
		put(s)
	}
	return b.Bytes()
}

// linked is what a link's mac covers.
func linked(before []byte, link int64, mark []byte) []byte {
	return append(append(append([]byte("link"), before...), binary.BigEndian.AppendUint64(nil, uint64(link))...), mark...) //nolint:gosec // links count from 1
}

// chain is both ends of an environment's chain.
type chain struct {
	Env       principal.Env `db:"env"`
	FirstLink int64         `db:"first_link"`
	BeforeMAC []byte        `db:"before_mac"` // of the link before the first, which was purged
	LastLink  int64         `db:"last_link"`
	LastMAC   []byte        `db:"last_mac"`
	Seal      []byte        `db:"seal"`
}

func (c chain) content() []byte {
	return fmt.Appendf(nil, "chain %d %d %x %d %x", c.Env, c.FirstLink, c.BeforeMAC, c.LastLink, c.LastMAC)
}

// Link gives new entries their place in the chain and reports how many there
// were. Nodes that link at once take turns.
func Link(ctx context.Context, d *db.DB) (int, error) {
	envs, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]principal.Env, error) {
		return db.All[principal.Env](ctx, tx, `SELECT DISTINCT env FROM audit_entries WHERE link IS NULL`)
	})
	total := 0
	for _, env := range envs {
		for {
			n, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int, error) { return linkSome(ctx, tx, env) })
			total += n
			if err != nil {
				return total, err
			}
			if n < batch {
				break
			}
		}
	}
	return total, err
}

func linkSome(ctx context.Context, tx *db.Tx, env principal.Env) (int, error) {
	c, err := lockChain(ctx, tx, env)
	if err != nil {
		return 0, err
	}
	loose, err := db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link IS NULL ORDER BY id LIMIT ?`, env, batch)
	if err != nil || len(loose) == 0 {
		return 0, err
	}
	for _, e := range loose {
		c.LastLink++
		c.LastMAC = tx.MAC(linked(c.LastMAC, c.LastLink, e.Mark))
		if _, err := db.Exec(ctx, tx, `UPDATE audit_entries SET link = ?, mac = ? WHERE env = ? AND id = ?`, c.LastLink, c.LastMAC, env, e.ID); err != nil {
			return 0, err
		}
	}
	return len(loose), saveChain(ctx, tx, c)
}

// lockChain returns the chain's ends, for this transaction alone.
func lockChain(ctx context.Context, tx *db.Tx, env principal.Env) (chain, error) {
	first := chain{Env: env, FirstLink: 1, BeforeMAC: []byte{0}, LastMAC: []byte{0}}
	_, err := db.Exec(ctx, tx, `INSERT INTO audit_chains (env, first_link, before_mac, last_link, last_mac, seal) VALUES (?, ?, ?, 0, ?, ?) ON CONFLICT (env) DO NOTHING`,
		env, first.FirstLink, first.BeforeMAC, first.LastMAC, tx.MAC(first.content()))
	if err != nil {
		return first, err
	}
	if err := db.LockRow(ctx, tx, `SELECT env FROM audit_chains WHERE env = ?`, env); err != nil {
		return first, err
	}
	return db.One[chain](ctx, tx, `SELECT {cols} FROM audit_chains WHERE env = ?`, env)
}

func saveChain(ctx context.Context, tx *db.Tx, c chain) error {
	c.Seal = tx.MAC(c.content())
	_, err := db.Update(ctx, tx, "audit_chains", &c, "env = ?", c.Env)
	return err
}

// Purge removes entries that are older than they are kept, from the front of
// the chain, and remembers where it begins now.
func Purge(ctx context.Context, d *db.DB) error {
	envs, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]principal.Env, error) {
		return db.All[principal.Env](ctx, tx, `SELECT env FROM audit_chains ORDER BY env`)
	})
	for _, env := range envs {
		for {
			n, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) { return purgeSome(ctx, tx, env) })
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
		}
	}
	return err
}

func purgeSome(ctx context.Context, tx *db.Tx, env principal.Env) (int64, error) {
	c, err := lockChain(ctx, tx, env)
	if err != nil {
		return 0, err
	}
	old, err := db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link >= ? AND link < ? ORDER BY link`, env, c.FirstLink, c.FirstLink+batch)
	if err != nil {
		return 0, err
	}
	cutoff := tx.Now.AddDate(0, -keepMonths, 0)
	var last *Entry
	for i := range old {
		if !old[i].At.Before(cutoff) {
			break
		}
		last = &old[i]
	}
	if last == nil {
		return 0, nil
	}
	c.FirstLink, c.BeforeMAC = *last.Link+1, last.MAC
	if err := saveChain(ctx, tx, c); err != nil {
		return 0, err
	}
	return db.Exec(ctx, tx, `DELETE FROM audit_entries WHERE env = ? AND link < ?`, env, c.FirstLink)
}

// Verified is what a check of one environment's log found.
type Verified struct {
	Env     principal.Env
	Entries int64  // entries that are as they were written
	Waiting int64  // entries too new to be linked, marked but not yet in the chain
	Problem string // the first thing that is wrong, "" if nothing is
	At      time.Time
}

// Verify proves that an environment's log is as it was written: no entry was
// changed, removed or slipped in.
func Verify(ctx context.Context, d *db.DB, env principal.Env) (Verified, error) {
	v := Verified{Env: env, At: d.Now().UTC()}
	chains, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]chain, error) {
		return db.All[chain](ctx, tx, `SELECT {cols} FROM audit_chains WHERE env = ?`, env)
	})
	if err != nil {
		return v, err
	}
	c := chain{Env: env, FirstLink: 1, BeforeMAC: []byte{0}, LastMAC: []byte{0}}
	if len(chains) > 0 {
		if c = chains[0]; !bytes.Equal(c.Seal, d.MAC(c.content())) {
			v.Problem = "the record of the chain's ends was changed"
			return v, nil
		}
	}
	next, before := c.FirstLink, c.BeforeMAC
	for next <= c.LastLink {
		entries, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]Entry, error) {
			return db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link >= ? AND link <= ? ORDER BY link LIMIT ?`, env, next, c.LastLink, batch)
		})
		if err != nil {
			return v, err
		}
		for _, e := range entries {
			if v.Problem = wrong(d, e, next, before); v.Problem != "" {
				return v, nil
			}
			before, next = e.MAC, next+1
			v.Entries++
		}
		if len(entries) == 0 {
			v.Problem = fmt.Sprintf("link %d is missing: an entry was removed", next)
			return v, nil
		}
	}
	if !bytes.Equal(before, c.LastMAC) {
		v.Problem = "the chain does not end as it did"
		return v, nil
	}
	return v, verifyLoose(ctx, d, c, &v)
}

// verifyLoose checks the entries outside the chain: those that wait to be
// linked are marked, and none has a link that was not given.
func verifyLoose(ctx context.Context, d *db.DB, c chain, v *Verified) error {
	after := ""
	for {
		loose, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]Entry, error) {
			return db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND id > ? AND (link IS NULL OR link < ? OR link > ?) ORDER BY id LIMIT ?`,
				c.Env, after, c.FirstLink, c.LastLink, batch)
		})
		if err != nil || len(loose) == 0 {
			return err
		}
		for _, e := range loose {
			if !bytes.Equal(e.Mark, d.MAC(e.content())) || e.Link != nil && *e.Link < c.FirstLink {
				v.Problem = fmt.Sprintf("entry %s was slipped in", e.ID)
				return nil
			}
			after, v.Waiting = e.ID, v.Waiting+1
		}
	}
}

// wrong says what is wrong with an entry at its place, "" if nothing is.
func wrong(d *db.DB, e Entry, link int64, before []byte) string {
	switch {
	case *e.Link != link:
		return fmt.Sprintf("link %d is missing: an entry was removed", link)
	case !bytes.Equal(e.Mark, d.MAC(e.content())):
		return fmt.Sprintf("entry %s (link %d) was changed", e.ID, link)
	case !bytes.Equal(e.MAC, d.MAC(linked(before, link, e.Mark))):
		return fmt.Sprintf("entry %s (link %d) does not follow the one before it", e.ID, link)
	}
	return ""
}
