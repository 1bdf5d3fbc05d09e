package audit

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
)

// keepMonths is how long entries are stored.
const keepMonths = 13

// batch is how many entries are linked, verified or purged at a time.
const batch = 500

// Content returns the bytes that the mark signs. Each field has its length, so
// that text can't move from one field to the next.
func (e Entry) Content() []byte {
	var b bytes.Buffer
	put := func(s string) {
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(s))))
		b.WriteString(s)
	}
	orNone := func(s *string) string { // nil and empty must differ
		if s == nil {
			return "-"
		}
		return "+" + *s
	}
	fields := []string{
		strconv.FormatInt(int64(e.Env), 10), e.ID, strconv.FormatInt(e.At.UnixMilli(), 10), string(e.ActorType), e.ActorID, e.ActorLabel, e.Action,
		e.TargetType, e.TargetID, orNone(e.RequestID), orNone(e.IP), orNone(e.UserAgent), e.Changes, string(e.Outcome),
	}
	if e.Group != nil && e.Number != nil && e.Total != nil {
		fields = append(fields, *e.Group, strconv.FormatInt(*e.Number, 10), strconv.FormatInt(*e.Total, 10))
	}
	for _, s := range fields {
		put(s)
	}
	return b.Bytes()
}

// linked returns the bytes that the MAC of a link signs.
func linked(before []byte, link int64, mark []byte) []byte {
	return append(append(append([]byte("link"), before...), binary.BigEndian.AppendUint64(nil, uint64(link))...), mark...)
}

// chain contains both ends of the chain of an environment.
type chain struct {
	Env       auth.Env `db:"env"`
	FirstLink int64    `db:"first_link"`
	BeforeMAC []byte   `db:"before_mac"` // of the last link that was purged
	LastLink  int64    `db:"last_link"`
	LastMAC   []byte   `db:"last_mac"`
	Seal      []byte   `db:"seal"`
}

func (c chain) Content() []byte {
	return fmt.Appendf(nil, "chain %d %d %x %d %x", c.Env, c.FirstLink, c.BeforeMAC, c.LastLink, c.LastMAC)
}

// StartChain starts the chain of a new environment. It is only called once: a missing
// record of the ends means that the log was changed.
func StartChain(ctx context.Context, tx *db.Tx) error {
	c := chain{Env: tx.Env, FirstLink: 1, BeforeMAC: []byte{0}, LastMAC: []byte{0}}
	c.Seal = site.Of(tx).MAC(c.Content())
	return db.Insert(ctx, tx, "audit_chains", c)
}

// Link adds new entries to the chain and returns how many. It records entries of
// this process that were removed before they were linked. Several nodes can call
// it at the same time.
func Link(ctx context.Context, d *db.DB) (int, error) {
	if err := recordMissing(ctx, d); err != nil {
		return 0, err
	}
	envs, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]auth.Env, error) {
		return db.All[auth.Env](ctx, tx, `SELECT DISTINCT env FROM audit_entries WHERE link IS NULL`)
	})
	total, errs := 0, []error{err}
	for _, env := range envs {
		for {
			n, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int, error) { return linkSome(ctx, tx.In(env)) })
			total += n
			if errs = append(errs, err); err != nil || n < batch {
				break // continue with the other environments, even if this chain is broken
			}
		}
	}
	return total, errors.Join(errs...)
}

func linkSome(ctx context.Context, tx *db.Tx) (int, error) {
	c, err := lockChain(ctx, tx)
	if err != nil {
		return 0, err
	}
	unlinked, err := db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link IS NULL ORDER BY id LIMIT ?`, tx.Env,
		batch)
	if err != nil || len(unlinked) == 0 {
		return 0, err
	}

	for _, e := range unlinked {
		c.LastLink++
		c.LastMAC = site.Of(tx).MAC(linked(c.LastMAC, c.LastLink, e.Mark))
		_, err := db.Exec(ctx, tx, `UPDATE audit_entries SET link = ?, mac = ? WHERE env = ? AND id = ?`, c.LastLink, c.LastMAC, tx.Env, e.ID)
		if err != nil {
			return 0, err
		}
	}
	return len(unlinked), saveChain(ctx, tx, c)
}

// errEnds means that the ends of the chain were changed. Linking must stop,
// because it would sign the change.
var errEnds = errors.New("the record of the ends of the chain is missing or was changed")

// lockChain returns the ends of the chain and locks them.
func lockChain(ctx context.Context, tx *db.Tx) (chain, error) {
	if err := db.LockRow(ctx, tx, `SELECT env FROM audit_chains WHERE env = ?`, tx.Env); err != nil {
		return chain{}, err
	}
	c, err := db.One[chain](ctx, tx, `SELECT {cols} FROM audit_chains WHERE env = ?`, tx.Env)
	if db.IsNoRows(err) || err == nil && !bytes.Equal(c.Seal, site.Of(tx).MAC(c.Content())) {
		err = fmt.Errorf("audit log of environment %d: %w", tx.Env, errEnds)
	}
	return c, err
}

func saveChain(ctx context.Context, tx *db.Tx, c chain) error {
	c.Seal = site.Of(tx).MAC(c.Content())
	_, err := db.Update(ctx, tx, "audit_chains", &c, "env = ?", c.Env)
	return err
}

// Purge deletes entries that are too old from the start of the chain, and saves
// the new start.
func Purge(ctx context.Context, d *db.DB) error {
	envs, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) ([]auth.Env, error) {
		return db.All[auth.Env](ctx, tx, `SELECT env FROM audit_chains ORDER BY env`)
	})
	errs := []error{err}
	for _, env := range envs {
		for {
			n, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) { return purgeSome(ctx, tx.In(env)) })
			if errs = append(errs, err); err != nil || n == 0 {
				break
			}
		}
	}
	return errors.Join(errs...)
}

func purgeSome(ctx context.Context, tx *db.Tx) (int64, error) {
	c, err := lockChain(ctx, tx)
	if err != nil {
		return 0, err
	}

	old, err := db.All[Entry](ctx, tx, `SELECT {cols} FROM audit_entries WHERE env = ? AND link >= ? AND link < ? ORDER BY link`,
		tx.Env, c.FirstLink, c.FirstLink+batch)
	if err != nil {
		return 0, err
	}
	cutoff, first := tx.Now.AddDate(0, -keepMonths, 0), c.FirstLink
	for _, e := range old {
		if !e.At.Before(cutoff) {
			break
		}
		// Verify before deleting: a changed time must not delete the evidence.
		if problem := problemOf(site.Of(tx).MAC, e, c.FirstLink, c.BeforeMAC); problem != "" {
			return 0, fmt.Errorf("audit log of environment %d: %s", tx.Env, problem)
		}
		c.FirstLink, c.BeforeMAC = c.FirstLink+1, e.MAC
	}
	if c.FirstLink == first {
		return 0, nil
	}
	if err := saveChain(ctx, tx, c); err != nil {
		return 0, err
	}
	return db.Exec(ctx, tx, `DELETE FROM audit_entries WHERE env = ? AND link < ?`, tx.Env, c.FirstLink)
}
