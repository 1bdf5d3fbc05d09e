package db

// Connections returns the sizes of the pools on PostgreSQL: how many reads and how many
// transactions can run at the same time.
func (d *DB) Connections() (reads, writes int) {
	return d.read.Stats().MaxOpenConnections, d.write.Stats().MaxOpenConnections
}
