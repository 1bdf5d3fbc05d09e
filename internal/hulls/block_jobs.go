package hulls

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
)

// BuildBlocks adds older hulls to blocks, so that searches for common words are fast.
type BuildBlocks struct{}

// Kind returns the name of the job.
func (BuildBlocks) Kind() string { return "build_hull_blocks" }

const (
	buildEvery = time.Hour

	// settleTime is longer than any transaction and any difference between the
	// clocks of nodes: no hull with an older ID appears later.
	settleTime = time.Hour
)

// SearchLimits are variables so that tests can use all paths with few hulls.
var SearchLimits = struct {
	Block   int // hulls of a block
	Several int // hulls of a block that have a key, for the block to contain it
	Pending int // changed hulls that searches can read in addition to the blocks
	Few     int // matches of a condition that are all read
	Many    int // the same, if there is no better way
	Nearby  int // hulls to scan before anything else
}{Block: maxBlock, Several: 8, Pending: 500, Few: 1000, Many: 20_000, Nearby: 600}

// BuildBlocks creates the blocks of each environment and updates those with changes.
func (a *API) BuildBlocks(ctx context.Context, _ BuildBlocks) error {
	environments, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	if err != nil {
		return err
	}

	for _, d := range environments {
		ctx := auth.InEnv(ctx, d.Env)
		if err := a.discardBlocks(ctx); err != nil {
			return err
		}
		if err := a.forgetChanges(ctx); err != nil {
			return err
		}
		for built := true; built && err == nil; {
			built, err = a.buildNext(ctx)
		}
		if err != nil {
			return err
		}
		if err := a.rebuildChanged(ctx); err != nil {
			return err
		}
	}

	return nil
}

// discardBlocks removes all blocks if a hull is missing in them, because the clock
// was set back by more than settleTime. They are then built again.
func (a *API) discardBlocks(ctx context.Context) error {
	complete, err := db.Read(ctx, a.DB, blocksComplete)
	if err != nil || complete {
		return err
	}
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) { return nil, deleteBlocks(ctx, tx) })
	return err
}

// forgetChanges deletes the changes of hulls that are in no block. A block that is
// built from now on includes them.
func (a *API) forgetChanges(ctx context.Context) error {
	n, err := db.Read(ctx, a.DB, looseChanges)
	if err != nil || n == 0 {
		return err
	}
	_, err = db.Write(ctx, a.DB, deleteLooseChanges)
	return err
}

// buildNext builds a block of the oldest hulls that are in none. It reports false
// if there are too few of them.
func (a *API) buildNext(ctx context.Context) (bool, error) {
	b, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (*builtBlock, error) {
		return nextBlock(ctx, tx, id.Floor("hull", tx.Now.Add(-settleTime)))
	})
	if err != nil || b == nil {
		return false, err
	}
	return true, a.saveBlock(ctx, b)
}

// rebuildChanged rebuilds the blocks with the most changes until few changes remain.
func (a *API) rebuildChanged(ctx context.Context) error {
	changed, err := db.Read(ctx, a.DB, changedBlocks)
	if err != nil {
		return err
	}
	total := 0
	for _, c := range changed {
		total += c.Changes
	}

	for _, c := range changed {
		if total <= SearchLimits.Pending/2 {
			return nil
		}
		b, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (*builtBlock, error) {
			return sameBlock(ctx, tx, c.Block)
		})
		if err != nil {
			return err
		}
		if err := a.saveBlock(ctx, b); err != nil {
			return err
		}
		total -= c.Changes
	}
	return nil
}

func (a *API) saveBlock(ctx context.Context, b *builtBlock) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (any, error) { return nil, b.save(ctx, tx) })
	return err
}
