package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// WorkersVariable is the environment variable with the hosts and ports of the workers, if the server of URLVariable is
// the coordinator of Citus.
const WorkersVariable = "SLIPWAY_TEST_CITUS"

// WithCitus loads Citus. It must be installed.
func WithCitus() Option {
	return func(c *Cluster) {
		c.settings = append(c.settings[:len(c.settings):len(c.settings)], "shared_preload_libraries=citus", "wal_level=logical",
			"citus.node_conninfo=sslmode=prefer", "citus.enable_statistics_collection=off", "citus.enable_stat_counters=on", "max_worker_processes=96",
			"max_replication_slots=64", "max_wal_senders=64", "max_logical_replication_workers=32", "max_locks_per_transaction=1024",
			"citus.multi_shard_modify_mode=sequential", // a copy of a database doesn't have the setting of the database
			"citus.defer_shard_delete_interval=1000", "citus.max_background_task_executors_per_node=1")
	}
}

// allowPlugin lets Citus split shards, if the version of PostgreSQL knows the setting.
func allowPlugin(c *Cluster) {
	programs, err := programs(context.Background())
	if err != nil {
		return // Start returns it
	}
	known, _ := exec.Command(filepath.Join(programs, "postgres"), "--describe-config").Output()
	if bytes.Contains(known, []byte("output_plugin_libraries")) {
		c.settings = append(c.settings, "output_plugin_libraries=pgoutput,citus")
	}
}

// Address returns the host and the port.
func (c *Cluster) Address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)) }

// StartCitus starts a coordinator and workers. They are not connected with each other yet.
func StartCitus(ctx context.Context, workers int, options ...Option) (all []*Cluster, err error) {
	for range workers + 1 {
		c, err := Start(ctx, append(options, WithCitus(), allowPlugin)...)
		if err != nil {
			for _, c := range all {
				c.Stop()
			}
			if strings.Contains(err.Error(), `could not access file "citus"`) {
				err = errors.New("install Citus first: the package postgresql-15-citus-13.2 from the repository of Citus: " +
					"https://docs.citusdata.com/en/stable/installation/multi_node.html")
			}
			return nil, fmt.Errorf("start Citus: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}
