package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"slipway/internal/platform/db"
)

// oldestPostgres is the oldest version that Slipway is tested with.
const oldestPostgres = 15

// checkVersion checks the version of PostgreSQL and the encryption of the connection.
func (d *Doctor) checkVersion(ctx context.Context) []Finding {
	settings, err := d.readSettings(ctx, "server_version_num", "server_version")
	if err != nil {
		return fail("Check the permissions of the user.", "%v", err)
	}
	var found []Finding
	if version := settings["server_version_num"]; len(version) < 6 || version < fmt.Sprintf("%d0000", oldestPostgres) {
		found = append(found, warn(fmt.Sprintf("Upgrade PostgreSQL to %d or later.", oldestPostgres),
			"PostgreSQL %s is older than the versions that Slipway is tested with.", settings["server_version"])...)
	}
	if d.db.Plaintext() {
		found = append(found, warn("Add sslmode=verify-full to SLIPWAY_DATABASE_URL.",
			"The connection to PostgreSQL is not always encrypted.")...)
	}
	if found == nil {
		found = pass("PostgreSQL %s", settings["server_version"])
	}
	return found
}

// losing are settings of PostgreSQL that lose confirmed writes in a crash.
var losing = []struct{ name, value, effect string }{
	{"fsync", "off", "A crash of the machine can destroy the database."},
	{"full_page_writes", "off", "A crash of the machine can destroy pages of the database."},
	{"synchronous_commit", "off", "A crash of the server loses writes that Slipway has confirmed."},
}

// checkDurability reports settings of PostgreSQL that lose data. Slipway sets those of SQLite
// itself.
func (d *Doctor) checkDurability(ctx context.Context) []Finding {
	if d.db == nil || d.db.SQLite() {
		return nil
	}
	settings, err := d.readSettings(ctx, "fsync", "full_page_writes", "synchronous_commit", "data_checksums")
	if err != nil {
		return fail("Check the permissions of the user.", "%v", err)
	}
	var found []Finding
	for _, l := range losing {
		if settings[l.name] == l.value {
			found = append(found, fail("Set "+l.name+" = on in postgresql.conf and reload PostgreSQL.", "%s is %s. %s", l.name, l.value, l.effect)...)
		}
	}
	if settings["data_checksums"] == "off" {
		found = append(found, warn("Stop PostgreSQL and run: pg_checksums --enable", "Data checksums are off, so a damaged disk can stay unnoticed.")...)
	}
	if found == nil {
		found = pass("PostgreSQL keeps confirmed writes, and detects damage")
	}
	return found
}

// replicaLag is how far the replica can be behind. Reads then use the primary.
const replicaLag = 10 * time.Second

// standby is the state of a replica.
type standby struct {
	Recovering bool     `db:"recovering"`
	Lag        *float64 `db:"lag"` // seconds, nil before the first transaction
}

// checkReplication checks the replica of the settings, and the standbys of the server.
func (d *Doctor) checkReplication(ctx context.Context) []Finding {
	if d.db == nil || d.db.SQLite() {
		return nil
	}
	found := d.checkReplica(ctx)
	states, err := db.Read(ctx, d.db, func(ctx context.Context, tx *db.Tx) ([]*string, error) {
		return db.All[*string](ctx, tx, "SELECT state FROM pg_stat_replication")
	})
	if err != nil {
		return append(found, warn("Check the permissions of the user.", "%v", err)...)
	}
	if len(states) == 0 {
		return append(found, warn("Add a standby, or archive the WAL, if you can't lose the writes since the last backup.", "The server has no standby.")...)
	}
	for _, state := range states {
		// The state is null if the user isn't allowed to see it.
		if state != nil && *state != "streaming" {
			found = append(found, warn("Check the log of the standby.", "A standby is not up to date: %s.", *state)...)
		}
	}
	if found == nil {
		found = pass("standby servers: %d", len(states))
	}
	return found
}

// checkReplica checks the replica for reads, which Slipway doesn't use if it is behind.
func (d *Doctor) checkReplica(ctx context.Context) []Finding {
	if d.Settings.ReplicaURL == "" {
		return nil
	}
	const fix = "Check SLIPWAY_DATABASE_REPLICA_URL and the log of the replica. Until then, all reads use the primary."
	s, err := readStandby(ctx, d.Settings.ReplicaURL)
	switch {
	case err != nil:
		return warn(fix, "Can't read from the replica: %v", err)
	case !s.Recovering:
		return warn(fix, "The replica is not a standby.")
	case s.Lag != nil && *s.Lag > replicaLag.Seconds():
		return warn(fix, "The replica is %.0f seconds behind.", *s.Lag)
	}
	return nil
}

func readStandby(ctx context.Context, address string) (s standby, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	replica, err := db.Open(ctx, address)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, replica.Close()) }()
	return db.Read(ctx, replica, func(ctx context.Context, tx *db.Tx) (standby, error) {
		// Without writes, the last transaction can be old although nothing is missing.
		return db.One[standby](ctx, tx, "SELECT pg_is_in_recovery() AS recovering, "+
			"CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 "+
			"ELSE EXTRACT(EPOCH FROM now() - pg_last_xact_replay_timestamp())::float8 END AS lag")
	})
}

// readSettings returns settings of PostgreSQL.
func (d *Doctor) readSettings(ctx context.Context, names ...string) (map[string]string, error) {
	type setting struct {
		Name  string `db:"name"`
		Value string `db:"setting"`
	}
	rows, err := db.Read(ctx, d.db, func(ctx context.Context, tx *db.Tx) ([]setting, error) {
		return db.All[setting](ctx, tx, "SELECT {cols} FROM pg_settings WHERE name IN ('"+strings.Join(names, "', '")+"')")
	})
	out := map[string]string{}
	for _, r := range rows {
		out[r.Name] = r.Value
	}
	return out, err
}
