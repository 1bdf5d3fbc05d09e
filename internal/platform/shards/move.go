package shards

import (
	"context"
	"errors"
	"fmt"
	"strconv"
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
			text := strconv.FormatInt(int64(env), 10)
			alone, err := c.Text(ctx, `SELECT shardminvalue = shardmaxvalue FROM pg_dist_shard
				WHERE shardid = get_shard_id_for_distribution_column('locations', $1::bigint)`, text)
			if err != nil {
				return err
			}
			if alone != "true" {
				report("Give environment " + text + " its own shard")
				if err := c.Exec(ctx, "SELECT isolate_tenant_to_new_shard('locations', "+text+"::bigint, 'CASCADE', 'block_writes')"); err != nil {
					return err
				}
			}
			place, err := c.Text(ctx, `SELECT s.shardid || ' ' || n.nodename || ' ' || n.nodeport FROM pg_dist_placement s JOIN pg_dist_node n USING (groupid)
				WHERE s.shardid = get_shard_id_for_distribution_column('locations', $1::bigint) AND n.noderole = 'primary'`, text)
			if err != nil {
				return err
			}
			var shard int64
			var fromHost string
			var fromPort int
			if _, err := fmt.Sscan(place, &shard, &fromHost, &fromPort); err != nil {
				return err
			}
			if fromHost == host && fromPort == port {
				continue
			}
			report("Move environment " + text + " to " + worker)
			if err := c.Exec(ctx, "SELECT citus_move_shard_placement($1, $2, $3, $4, $5)", shard, fromHost, fromPort, host, port); err != nil {
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
