package db

import "database/sql"

// Connections returns the sizes of the pools on PostgreSQL: how many reads and how many
// transactions can run at the same time.
func (d *DB) Connections() (reads, writes int) {
	return d.read.Stats().MaxOpenConnections, d.write.Stats().MaxOpenConnections
}

// Pools returns the pools of connections by name, for metrics.
func (d *DB) Pools() map[string]*sql.DB {
	return map[string]*sql.DB{"read": d.read, "write": d.write}
}
