package shards

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

var errNotDistributed = errors.New("the database is not distributed. Run slipway shards init first")

// Isolate puts environments into shards of their own, and moves these to a worker. Servers
// continue to work. Writes to the environments in the same shard wait or fail with 503 while
// it is split, because without that, Citus 13.2 doesn't finish:
// https://github.com/citusdata/citus/issues/6790. It can be repeated.
func Isolate(ctx context.Context, d *db.DB, envs []auth.Env, worker string, report func(text string)) error {
	now, err := d.Shards(ctx)
	if err != nil {
		return err
	}
	if !now.Used() {
		return errNotDistributed
	}
	host, port, err := split(worker)
	if err != nil {
		return fmt.Errorf("--worker: %w", err)
	}

	return d.OnShards(ctx, func(ctx context.Context, c db.ShardsConn) error {
		for _, env := range envs {
			place, err := c.PlaceOf(ctx, env)
			if err != nil {
				return err
			}
			if !place.Alone {
				report(fmt.Sprintf("Give environment %d its own shard", env))
				if err := c.Exec(ctx, fmt.Sprintf("SELECT isolate_tenant_to_new_shard('locations', %d::bigint, 'CASCADE', 'block_writes')", env)); err != nil {
					return err
				}
				if place, err = c.PlaceOf(ctx, env); err != nil {
					return err
				}
			}
			if place.Host == host && place.Port == port {
				continue
			}
			report(fmt.Sprintf("Move environment %d to %s", env, worker))
			if err := c.Exec(ctx, "SELECT citus_move_shard_placement($1, $2, $3, $4, $5)", place.Shard, place.Host, place.Port, host, port); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rebalance distributes the shards evenly over the workers, and waits until that is done.
// Servers continue to work.
func Rebalance(ctx context.Context, d *db.DB, report func(text string)) error {
	now, err := d.Shards(ctx)
	if err != nil {
		return err
	}
	if !now.Used() {
		return errNotDistributed
	}
	return d.OnShards(ctx, func(ctx context.Context, c db.ShardsConn) error {
		job, err := c.Text(ctx, "SELECT citus_rebalance_start()::text")
		if err != nil {
			return err
		}
		if job == "" || job == "0" {
			report("The shards are already distributed evenly")
			return nil
		}
		report("Move shards in the background, as job " + job + " of Citus")
		for {
			state, err := c.Text(ctx, "SELECT state::text FROM citus_rebalance_status() WHERE job_id = $1::text::bigint", job)
			switch {
			case err != nil:
				return err
			case state == "finished" || state == "":
				return nil
			case state == "failed" || state == "cancelled":
				return fmt.Errorf("the move %s. See SELECT * FROM citus_rebalance_status()", state)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
			}
		}
	})
}
