package photos

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
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
	env, err := nextEnv(ctx, tx, job.Env)
	if err != nil {
		return c, err
	}
	c.own, err = findPhoto(ctx, tx, hulls.Hull{Env: job.Env, ID: job.HullID}, job.PhotoID)
	if err != nil && fault.KindOf(err) != fault.KindNotFound {
		return c, err
	}

	if env == job.Env && c.own.isWaiting(tx.Now) {
		c.claimed = c.own
	} else {
		waiting, err := db.Claim[HullPhoto](ctx, tx, `
			SELECT {cols} FROM hull_photos
			WHERE env = ? AND state = 'processing' AND (claimed_until IS NULL OR claimed_until <= ?) ORDER BY id LIMIT 1`, env, tx.Now)
		if err != nil || len(waiting) == 0 {
			return c, err
		}
		c.claimed = waiting[0]
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

// nextEnv returns the environment with unclaimed photos whose last turn is the
// longest ago, or the given one if there is none.
func nextEnv(ctx context.Context, tx *db.Tx, own auth.Env) (auth.Env, error) {
	// Reads one index entry per environment, unless many photos are claimed.
	envs, err := db.All[auth.Env](ctx, tx, `
		WITH RECURSIVE waiting (env) AS (
			SELECT MIN(env) FROM hull_photos WHERE state = 'processing' AND (claimed_until IS NULL OR claimed_until <= ?)
			UNION ALL
			SELECT (
				SELECT MIN(env) FROM hull_photos
				WHERE env > waiting.env AND state = 'processing' AND (claimed_until IS NULL OR claimed_until <= ?)
			) FROM waiting WHERE waiting.env IS NOT NULL
		)
		SELECT waiting.env FROM waiting LEFT JOIN photo_turns ON photo_turns.env = waiting.env
		WHERE waiting.env IS NOT NULL
		ORDER BY CASE WHEN photo_turns.at IS NULL THEN 0 ELSE 1 END, photo_turns.at, waiting.env LIMIT 1`, tx.Now, tx.Now)
	if err != nil || len(envs) == 0 {
		return own, err
	}
	return envs[0], nil
}

// releaseClaims ends the claims of a node that has stopped. The attempts still count,
// because a photo might have stopped it.
func releaseClaims(ctx context.Context, tx *db.Tx, node string) error {
	_, err := db.Exec(ctx, tx, `UPDATE hull_photos SET claimed_until = NULL WHERE env > 0 AND state = 'processing' AND claimed_by = ?`, node)
	return err
}
