package hulls

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
)

// readBlocks reads the rest of the page with blocks. It reports false if it can't,
// because there are no blocks for at least two conditions or too many changes.
func (r *reader) readBlocks(ctx context.Context) (bool, error) {
	b := &blockReader{reader: r}
	for _, d := range r.drivers {
		if len(d.keys) > 0 {
			b.groups = append(b.groups, d.keys)
		}
	}
	if len(b.groups) < 2 {
		return false, nil
	}

	// Changes are read before the keys of blocks: a change that is deleted in the
	// meantime is then in the keys.
	blocks, err := listBlocks(ctx, r.tx)
	if err != nil || len(blocks) == 0 {
		return false, err
	}
	last := blocks[len(blocks)-1].Last
	b.others, err = db.All[string](ctx, r.tx, `SELECT id FROM hull_block_changes WHERE env = ? AND id <= ? LIMIT ?`,
		r.tx.Env, last, SearchLimits.Pending+1)
	if err != nil || len(b.others) > SearchLimits.Pending {
		return false, err
	}

	newer := r.where.With("h.id > ?", last)
	if r.back {
		if err := b.read(ctx, blocks); err != nil || r.done() {
			return true, err
		}
		return true, r.add(ctx, newer)
	}
	if r.from == "" || r.from > last {
		if err := r.add(ctx, newer); err != nil || r.done() {
			return true, err
		}
		r.from = last + "~" // before the next ID
	}
	slices.Reverse(blocks)
	return true, b.read(ctx, blocks)
}

// blockReader reads the hulls of blocks that have a key of each group.
type blockReader struct {
	*reader
	groups [][]string
	others []string // hulls to read in addition
}

// read reads blocks in the direction of the page.
func (b *blockReader) read(ctx context.Context, blocks []blockRange) error {
	blocks = slices.DeleteFunc(blocks, func(x blockRange) bool {
		return b.from != "" && (b.back && x.Last <= b.from || !b.back && x.First >= b.from)
	})
	for size := 16; len(blocks) > 0; size *= 4 {
		some := blocks[:min(size, len(blocks))]
		blocks = blocks[len(some):]
		hits, err := b.intersect(ctx, some)
		if err != nil {
			return err
		}

		for size := 2; len(some) > 0; size *= 2 {
			part := some[:min(size, len(some))]
			some = some[len(part):]
			ids, err := b.idsIn(ctx, part, hits)
			if err != nil {
				return err
			}
			if err := b.readIDs(ctx, ids); err != nil || b.done() {
				return err
			}
		}
	}
	return nil
}

// intersect returns the positions in each block that have a key of each group. It
// adds the hulls that have a key which their block doesn't contain to the others.
func (b *blockReader) intersect(ctx context.Context, blocks []blockRange) (map[int64]*positions, error) {
	low, high := blocks[0].Block, blocks[len(blocks)-1].Block
	marks, args := db.In(slices.Concat(b.groups...))
	rows, err := db.All[keyRow](ctx, b.tx, `SELECT {cols} FROM hull_block_keys WHERE env = ? AND block >= ? AND block <= ? AND key IN `+marks,
		append([]any{b.tx.Env, min(low, high), max(low, high)}, args...)...)
	if err != nil {
		return nil, err
	}
	type place struct {
		block int64
		key   string
	}
	sets := map[place][]byte{}
	for _, row := range rows {
		sets[place{row.Block, row.Key}] = row.Positions
	}

	hits := map[int64]*positions{}
	missing := map[string][]blockRange{}
	for _, block := range blocks {
		for i, group := range b.groups {
			any := &positions{}
			for _, key := range group {
				if data, ok := sets[place{block.Block, key}]; ok {
					any.or(decodePositions(data))
				} else {
					missing[key] = append(missing[key], block)
				}
			}
			if i == 0 {
				hits[block.Block] = any
			} else {
				hits[block.Block].and(any)
			}
		}
	}
	return hits, b.addMissing(ctx, missing)
}

// addMissing reads the hulls that have a key in blocks without it. Each such block has
// few of them.
func (b *blockReader) addMissing(ctx context.Context, missing map[string][]blockRange) error {
	for key, blocks := range missing {
		for len(blocks) > 0 {
			n := 1 // neighboring blocks
			for n < len(blocks) && max(blocks[n].Block, blocks[n-1].Block)-min(blocks[n].Block, blocks[n-1].Block) == 1 {
				n++
			}
			first, last := blocks[0], blocks[n-1]
			blocks = blocks[n:]
			query := `SELECT id FROM hull_terms WHERE env = ? AND term = ? AND id >= ? AND id <= ?`
			value := key
			switch key[:1] {
			case locationKey:
				query, value = `SELECT id FROM hulls WHERE env = ? AND location_id = ? AND id >= ? AND id <= ?`, key[1:]
			case makeKey:
				query, value = `SELECT id FROM hulls WHERE env = ? AND make_key = ? AND id >= ? AND id <= ?`, key[1:]
			}
			ids, err := db.All[string](ctx, b.tx, query, b.tx.Env, value, min(first.First, last.First), max(first.Last, last.Last))
			if err != nil {
				return err
			}
			b.others = append(b.others, ids...)
		}
	}
	return nil
}

// idsIn returns the IDs of the hits and the others in neighboring blocks.
func (b *blockReader) idsIn(ctx context.Context, blocks []blockRange, hits map[int64]*positions) (ids []string, err error) {
	first, last := blocks[0], blocks[len(blocks)-1]
	for _, id := range b.others {
		if id >= min(first.First, last.First) && id <= max(first.Last, last.Last) {
			ids = append(ids, id)
		}
	}

	for _, block := range blocks {
		if hits[block.Block].count() == 0 {
			continue
		}
		members, err := db.One[string](ctx, b.tx, `SELECT members FROM hull_blocks WHERE env = ? AND block = ?`, b.tx.Env, block.Block)
		if err != nil {
			return nil, err
		}
		ids = append(ids, hits[block.Block].members(members)...)
	}
	return ids, nil
}
