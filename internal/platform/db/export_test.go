package db

// WaitingWriters returns how many writers wait for their turn on SQLite.
func (d *DB) WaitingWriters() int {
	d.group.mu.Lock()
	defer d.group.mu.Unlock()
	return len(d.group.waiting)
}
