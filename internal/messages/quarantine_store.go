package messages

import (
	"context"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
)

var quarantined = db.Table[QuarantinedMessage]{Name: "quarantined_messages", Prefix: "qtn", Noun: "quarantined message"}

// quarantine stores a message without a lead if its sender is new and too many new
// senders became leads in the last hour. It returns false if the message can become a lead. All
// messages of a sender wait together.
func quarantine(ctx context.Context, tx *db.Tx, in incoming, hash []byte) (bool, error) {
	if _, known, err := contacts.FindByAddress(ctx, tx, in.channel, in.from); err != nil || known {
		return false, err
	}
	own, err := db.All[int](ctx, tx, `SELECT 1 FROM quarantined_messages WHERE env = ? AND address_hash = ? LIMIT 1`, tx.Env, hash)
	if err != nil {
		return false, err
	}
	m := in.quarantined(hash, tx.Now)
	if len(own) > 0 {
		return true, quarantined.Insert(ctx, tx, &m)
	}

	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return false, err
	}
	admitted, err := admitNewSender(ctx, tx, d.Settings.Inbound.NewSendersPerHour)
	if err != nil || admitted {
		return false, err
	}
	waiting, err := db.All[int](ctx, tx, `SELECT 1 FROM quarantined_messages WHERE env = ? LIMIT 1`, tx.Env)
	if err != nil {
		return false, err
	}
	if err := quarantined.Insert(ctx, tx, &m); err != nil || len(waiting) > 0 {
		return true, err
	}
	return true, events.Emit(ctx, tx, "quarantine.started", d.ID, events.Change{
		After: Quarantine{ID: d.ID, DealershipID: d.ID, NewSendersPerHour: d.Settings.Inbound.NewSendersPerHour, StartedAt: tx.Now},
	})
}

// admitNewSender reports whether a new sender can become a lead, and counts it then. New
// senders of a dealership wait for each other, so that none is counted twice.
func admitNewSender(ctx context.Context, tx *db.Tx, limit int64) (bool, error) {
	hour := tx.Now.UTC().Truncate(time.Hour)
	if _, err := db.Exec(ctx, tx, `INSERT INTO new_senders (env, hour, senders) VALUES (?, ?, 0)
		ON CONFLICT (env, hour) DO UPDATE SET senders = new_senders.senders`, tx.Env, hour); err != nil {
		return false, err
	}
	counts, err := db.All[newSenders](ctx, tx, `SELECT {cols} FROM new_senders WHERE env = ? AND hour >= ?`, tx.Env, hour.Add(-time.Hour))
	if err != nil || inLastHour(counts, tx.Now) >= limit {
		return false, err
	}
	_, err = db.Exec(ctx, tx, `UPDATE new_senders SET senders = senders + 1 WHERE env = ? AND hour = ?`, tx.Env, hour)
	return true, err
}

// listQuarantinedOf returns the messages from the addresses of a contact.
func listQuarantinedOf(ctx context.Context, tx *db.Tx, contactID string) (all []QuarantinedMessage, err error) {
	c, err := contacts.Find(ctx, tx, contactID)
	if err != nil {
		return nil, err
	}
	for _, channel := range []consent.Channel{consent.SMS, consent.Email} {
		address := c.AddressOn(channel)
		if address == "" {
			continue
		}
		found, err := db.All[QuarantinedMessage](ctx, tx, `SELECT {cols} FROM quarantined_messages WHERE env = ? AND address_hash = ? AND channel = ?
			ORDER BY id`, tx.Env, consent.Hash(tx, tx.Env, address), channel)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// eraseQuarantined deletes the messages from the addresses of a contact.
func eraseQuarantined(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := listQuarantinedOf(ctx, tx, contactID)
	for _, m := range all {
		if _, err := db.Exec(ctx, tx, `DELETE FROM quarantined_messages WHERE env = ? AND id = ?`, tx.Env, m.ID); err != nil {
			return err
		}
	}
	return err
}

// deleteExpired deletes what is older than the retention, in all environments.
func deleteExpired(ctx context.Context, tx *db.Tx) (struct{}, error) {
	if _, err := db.Exec(ctx, tx, `DELETE FROM quarantined_messages WHERE expires_at < ?`, tx.Now); err != nil {
		return struct{}{}, err
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM received_messages WHERE received_at < ?`, tx.Now.Add(-receivedFor)); err != nil {
		return struct{}{}, err
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM new_senders WHERE hour < ?`, tx.Now.Add(-24*time.Hour))
	return struct{}{}, err
}
