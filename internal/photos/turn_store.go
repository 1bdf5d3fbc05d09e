package photos

import (
	"context"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/work"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// claim is the result of claimPhoto.
type claim struct {
	own     HullPhoto // the photo of the job, zero if it was deleted
	claimed HullPhoto // the photo to handle, zero if there is none
}

// claimPhoto chooses the photo that a job handles, and counts the attempt. It is
// the photo of the job, unless it is the turn of another environment, or another
// job handles or has handled the photo.
func claimPhoto(ctx context.Context, tx *db.Tx, job MakeSizes, node string) (c claim, err error) {
	c.own, err = findPhoto(ctx, tx, hulls.Hull{Env: job.Env, ID: job.HullID}, job.PhotoID)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return c, err
	}
	if c.own.isWaiting(tx.Now) { // a server of the last release might not have marked the environment
		if err := work.MarkNew(ctx, tx.In(job.Env), work.Photos); err != nil {
			return c, err
		}
	}

	envs, err := waitingEnvs(ctx, tx)
	for _, env := range envs {
		if err == nil && c.claimed.ID == "" {
			c.claimed, err = claimIn(ctx, tx.In(env), c.own)
		}
	}
	if err != nil || c.claimed.ID == "" {
		return c, err
	}

	c.claimed.Attempts++
	_, err = db.Exec(ctx, tx, `UPDATE hull_photos SET attempts = ?, claimed_until = ?, claimed_by = ? WHERE env = ? AND id = ?`,
		c.claimed.Attempts, tx.Now.Add(MakeSizes{}.Timeout()), node, c.claimed.Env, c.claimed.ID)
	if err != nil {
		return c, err
	}
	_, err = db.Exec(ctx, tx, `
		INSERT INTO photo_turns (env, at) VALUES (?, ?) ON CONFLICT (env) DO UPDATE SET at = excluded.at`, c.claimed.Env, tx.Now)
	return c, err
}

// maxTurns is more than the environments all of whose photos other jobs handle.
const maxTurns = 200

// waitingEnvs returns the environments with photos to process. The one whose last turn is
// the longest ago is first.
func waitingEnvs(ctx context.Context, tx *db.Tx) ([]auth.Env, error) {
	return db.All[auth.Env](ctx, tx, `
		SELECT w.env FROM waiting_work w LEFT JOIN photo_turns t ON t.env = w.env
		WHERE w.kind = ? ORDER BY CASE WHEN t.at IS NULL THEN 0 ELSE 1 END, t.at, w.env LIMIT ?`, work.Photos, maxTurns)
}

// claimIn returns a photo of the environment of the transaction that no job handles: the
// own one of the job, or the first one. It returns the zero photo if there is none.
func claimIn(ctx context.Context, tx *db.Tx, own HullPhoto) (HullPhoto, error) {
	if own.Env == tx.Env && own.isWaiting(tx.Now) {
		return own, nil
	}
	waiting, err := db.Claim[HullPhoto](ctx, tx, `
		SELECT {cols} FROM hull_photos
		WHERE env = ? AND state = 'processing' AND (claimed_until IS NULL OR claimed_until <= ?) ORDER BY id LIMIT 1`, tx.Env, tx.Now)
	if err == nil && len(waiting) > 0 {
		return waiting[0], nil
	}
	if err == nil {
		err = work.Settle(ctx, tx, work.Photos, nextPhoto)
	}
	return HullPhoto{}, err
}

// nextPhoto returns a time if the environment has photos to process, or nil.
func nextPhoto(ctx context.Context, tx *db.Tx) (*time.Time, error) {
	some, err := db.All[string](ctx, tx, `SELECT id FROM hull_photos WHERE env = ? AND state = 'processing' LIMIT 1`, tx.Env)
	if err != nil || len(some) == 0 {
		return nil, err
	}
	return &tx.Now, nil
}

// releaseClaims ends the claims of a node that has stopped. The attempts still count,
// because a photo might have stopped it.
func releaseClaims(ctx context.Context, tx *db.Tx, node string) error {
	_, err := db.Exec(ctx, tx, `UPDATE hull_photos SET claimed_until = NULL WHERE env > 0 AND state = 'processing' AND claimed_by = ?`, node)
	return err
}
