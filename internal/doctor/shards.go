package doctor

import (
	"context"
	"strings"
)

// checkShards checks the servers of a database that is distributed with Citus.
func (d *Doctor) checkShards(ctx context.Context) (found []Finding) {
	if d.db == nil || d.db.SQLite() {
		return nil
	}
	now, err := d.db.Shards(ctx)
	if err != nil {
		return warn("Check the permissions of the user.", "%v", err)
	}
	if !now.Used() {
		return nil
	}
	for _, n := range now.Nodes {
		if !n.Active {
			found = append(found, fail("Start the server, then run: SELECT citus_activate_node('"+n.Host+"', ...)", "%s is not active.", n.Address())...)
		}
	}
	if missing := now.Missing(); len(missing) > 0 {
		found = append(found, fail("Stop all servers and run slipway shards init.", "Tables are not distributed: %s.", strings.Join(missing, ", "))...)
	}
	if found == nil {
		found = pass("Citus %s, workers: %d, shards: %d", now.Version, len(now.Workers()), now.Count)
	}
	return found
}
