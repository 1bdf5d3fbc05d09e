package hulls

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// blockRange is a block without its hulls.
type blockRange struct {
	Env   auth.Env `db:"env"`
	Block int64    `db:"block"`
	First string   `db:"first_id"`
	Last  string   `db:"last_id"`
}

type blockRow struct {
	blockRange
	Members string `db:"members"`
}

type keyRow struct {
	Env       auth.Env `db:"env"`
	Key       string   `db:"key"`
	Block     int64    `db:"block"`
	Positions []byte   `db:"positions"`
}

type changeRow struct {
	Env     auth.Env `db:"env"`
	ID      string   `db:"id"`
	Version int64    `db:"version"`
}

// builtBlock is a block with the changes that it includes.
type builtBlock struct {
	row      blockRow
	keys     []keyRow
	changes  []changeRow
	replaces []string // keys of the block as it was
	exists   bool
}

func listBlocks(ctx context.Context, tx *db.Tx) ([]blockRange, error) {
	return db.All[blockRange](ctx, tx, `SELECT {cols} FROM hull_blocks WHERE env = ? ORDER BY block`, tx.Env)
}

// blocksComplete reports whether each hull in the range of the blocks is in one.
func blocksComplete(ctx context.Context, tx *db.Tx) (bool, error) {
	n, err := db.One[int64](ctx, tx, `SELECT COALESCE(SUM(LENGTH(members)), 0) FROM hull_blocks WHERE env = ?`, tx.Env)
	if err != nil || n == 0 {
		return true, err
	}
	exist, err := db.One[int64](ctx, tx, `SELECT COUNT(*) FROM hulls
		WHERE env = ? AND id <= (SELECT MAX(last_id) FROM hull_blocks WHERE env = ?)`, tx.Env, tx.Env)
	return exist == n/idLength, err
}

func deleteBlocks(ctx context.Context, tx *db.Tx) error {
	for _, query := range []string{`DELETE FROM hull_block_keys WHERE env = ?`, `DELETE FROM hull_blocks WHERE env = ?`} {
		if _, err := db.Exec(ctx, tx, query, tx.Env); err != nil {
			return err
		}
	}
	return nil
}

// nextBlock returns the block after the last one, or nil if there are too few hulls
// with an ID before the limit.
func nextBlock(ctx context.Context, tx *db.Tx, before string) (*builtBlock, error) {
	blocks, err := listBlocks(ctx, tx)
	if err != nil {
		return nil, err
	}
	b := &builtBlock{row: blockRow{blockRange: blockRange{Env: tx.Env}}}
	last := ""
	if n := len(blocks); n > 0 {
		last, b.row.Block = blocks[n-1].Last, blocks[n-1].Block+1
	}

	ids, err := db.All[string](ctx, tx, `SELECT id FROM hulls WHERE env = ? AND id > ? AND id < ? ORDER BY id LIMIT ?`,
		tx.Env, last, before, SearchLimits.Block)
	if err != nil || len(ids) < SearchLimits.Block {
		return nil, err
	}
	b.row.First, b.row.Last, b.row.Members = ids[0], ids[len(ids)-1], joinMembers(ids)
	return b, b.read(ctx, tx, ids)
}

// sameBlock returns a block with the current keys of its hulls.
func sameBlock(ctx context.Context, tx *db.Tx, block int64) (*builtBlock, error) {
	row, err := db.One[blockRow](ctx, tx, `SELECT {cols} FROM hull_blocks WHERE env = ? AND block = ?`, tx.Env, block)
	if err != nil {
		return nil, err
	}
	all := &positions{}
	for i := range len(row.Members) / idLength {
		all.add(i)
	}
	b := &builtBlock{row: row, exists: true}
	if b.replaces, err = db.All[string](ctx, tx, `SELECT key FROM hull_block_keys WHERE env = ? AND block = ?`, tx.Env, block); err != nil {
		return nil, err
	}
	return b, b.read(ctx, tx, all.members(row.Members))
}

// read fills in the changes and the keys. The changes are read first: a change that
// is visible then is also in the keys.
func (b *builtBlock) read(ctx context.Context, tx *db.Tx, ids []string) (err error) {
	within := []any{tx.Env, b.row.First, b.row.Last}
	b.changes, err = db.All[changeRow](ctx, tx, `SELECT {cols} FROM hull_block_changes WHERE env = ? AND id >= ? AND id <= ?`, within...)
	if err != nil {
		return err
	}

	type pair struct {
		ID  string `db:"id"`
		Key string `db:"key"`
	}
	var pairs []pair
	for _, query := range []string{
		`SELECT id, term AS key FROM hull_terms WHERE env = ? AND id >= ? AND id <= ?`,
		`SELECT id, '@' || location_id AS key FROM hulls WHERE env = ? AND id >= ? AND id <= ?`, // locationKey
		`SELECT id, '=' || make_key AS key FROM hulls WHERE env = ? AND id >= ? AND id <= ?`,    // makeKey
	} {
		some, err := db.All[pair](ctx, tx, query, within...)
		if err != nil {
			return err
		}
		pairs = append(pairs, some...)
	}

	sets := map[string]*positions{}
	for _, p := range pairs {
		at, ok := slices.BinarySearch(ids, p.ID)
		if !ok {
			continue
		}
		if sets[p.Key] == nil {
			sets[p.Key] = &positions{}
		}
		sets[p.Key].add(at)
	}
	for key, set := range sets {
		if set.count() >= SearchLimits.Several {
			b.keys = append(b.keys, keyRow{tx.Env, key, b.row.Block, set.encode()})
		}
	}
	return nil
}

// save writes the block and removes the changes that it includes.
func (b *builtBlock) save(ctx context.Context, tx *db.Tx) error {
	if !b.exists {
		if err := db.Insert(ctx, tx, "hull_blocks", b.row); err != nil {
			return err
		}
	}
	for _, key := range b.replaces {
		_, err := db.Exec(ctx, tx, `DELETE FROM hull_block_keys WHERE env = ? AND key = ? AND block = ?`, tx.Env, key, b.row.Block)
		if err != nil {
			return err
		}
	}

	if err := db.Insert(ctx, tx, "hull_block_keys", b.keys...); err != nil {
		return err
	}
	for _, c := range b.changes {
		_, err := db.Exec(ctx, tx, `DELETE FROM hull_block_changes WHERE env = ? AND id = ? AND version = ?`, tx.Env, c.ID, c.Version)
		if err != nil {
			return err
		}
	}
	return nil
}

// looseChanges counts the changes of hulls that are in no block.
func looseChanges(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM hull_block_changes
		WHERE env = ? AND id > (SELECT COALESCE(MAX(last_id), '') FROM hull_blocks WHERE env = ?)`, tx.Env, tx.Env)
}

func deleteLooseChanges(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM hull_block_changes
		WHERE env = ? AND id > (SELECT COALESCE(MAX(last_id), '') FROM hull_blocks WHERE env = ?)`, tx.Env, tx.Env)
}

// blockChanges is how many changes a block doesn't have.
type blockChanges struct {
	Block   int64 `db:"block"`
	Changes int   `db:"changes"`
}

// changedBlocks returns the blocks with changes, most changes first.
func changedBlocks(ctx context.Context, tx *db.Tx) ([]blockChanges, error) {
	return db.All[blockChanges](ctx, tx, `SELECT b.block AS block, COUNT(*) AS changes
		FROM hull_block_changes c JOIN hull_blocks b ON b.env = c.env AND b.first_id <= c.id AND b.last_id >= c.id
		WHERE c.env = ? AND b.env = ? GROUP BY b.block ORDER BY changes DESC, block`, tx.Env, tx.Env)
}

// recordGain notes that a hull has a key that its block doesn't have.
func recordGain(ctx context.Context, tx *db.Tx, before, h Hull) error {
	if !gained(before, h) {
		return nil
	}
	return db.Insert(ctx, tx, "hull_block_changes", changeRow{h.Env, h.ID, h.Version})
}
