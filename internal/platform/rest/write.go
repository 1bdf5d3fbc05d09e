package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/wire"
)

const (
	// keepKeys is how long a response can be replayed.
	keepKeys = 24 * time.Hour
	// waitForFirst is how long a retry waits for the original request.
	waitForFirst = 10 * time.Second
)

// Read runs the reads of a handler.
func Read[T any](ctx context.Context, d *db.DB, fn db.Func[T]) (T, error) {
	return db.ReadReplica(ctx, d, fn)
}

// Write runs the one transaction of a handler. The result is encoded and, if
// the caller sent an Idempotency-Key, stored before the commit: a crash leaves
// both the effect and the stored response, or neither. A retry gets the stored
// response, and fn does not run. After an error of db.Committed, the key can be used
// again.
func Write[T any](ctx context.Context, d *db.DB, fn db.Func[T]) (T, error) {
	out, err := write(ctx, d, func(ctx context.Context, tx *db.Tx) (any, error) { return fn(ctx, tx) })
	result, _ := out.(T) // nil for a stored response
	return result, err
}

func write(ctx context.Context, d *db.DB, fn db.Func[any]) (any, error) {
	x := exchangeFrom(ctx)
	if x.router.RejectWrites != nil { // a GET can write too, see GetAudited
		if err := x.router.RejectWrites(); err != nil {
			return nil, err
		}
	}
	deadline := d.Now().Add(waitForFirst)
	for {
		out, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (out any, err error) {
			x.reply = nil // of an attempt that was rolled back
			if x.key != "" {
				if x.reply, err = x.claim(ctx, tx); err != nil || x.reply != nil {
					return out, err
				}
			}
			tx.ForgetWrites()
			if in, _ := innerFrom(ctx); in.first != nil {
				if err := in.first(ctx, tx); err != nil {
					return out, err
				}
			}
			out, err = fn(ctx, tx)
			if db.IsCommitted(err) {
				if released := x.release(ctx, tx); released != nil {
					return out, released
				}
			}
			if err != nil {
				return out, err
			}
			x.mustHaveChecked()
			p, err := encode(x, out)
			if err == nil && x.key != "" {
				err = x.keep(ctx, tx, p)
			}
			x.reply = p
			return out, err
		})
		if db.IsLockTimeout(err) {
			if d.Now().Before(deadline) {
				continue
			}
			err = fault.Conflict("The first request with this Idempotency-Key is still running.").
				Detail("Idempotency-Key", "state", "is in use by a request that has not finished").RetryIn(time.Second).WithCause(err)
		}
		if err != nil {
			x.reply = nil
		}
		return out, err
	}
}

// stored is a response that can be replayed.
type stored struct {
	Fingerprint []byte            `db:"fingerprint"`
	Status      int               `db:"status"`
	Header      map[string]string `db:"header,json"`
	Body        []byte            `db:"body"`
}

// claim reserves the caller's key for this transaction. If another request has
// the key, claim waits until that request ends and returns its response.
func (x *exchange) claim(ctx context.Context, tx *db.Tx) (*reply, error) {
	env, lineage := x.caller.Env, x.caller.OriginalID
	if err := db.SetLockTimeout(ctx, tx, 3*time.Second); err != nil {
		return nil, err
	}
	n, err := db.Exec(ctx, tx, `
		INSERT INTO idempotency_keys (env, lineage, key, fingerprint, status, header, body, created_at)
		VALUES (?, ?, ?, ?, 0, '{}', ?, ?)
		ON CONFLICT (env, lineage, key) DO UPDATE
		SET fingerprint = excluded.fingerprint, status = 0, created_at = excluded.created_at
		WHERE idempotency_keys.created_at <= ?`,
		env, lineage, x.key, x.fingerprint, []byte{}, tx.Now, tx.Now.Add(-keepKeys))
	if err != nil || n == 1 {
		return nil, errors.Join(err, db.SetLockTimeout(ctx, tx, 0))
	}
	first, err := db.One[stored](ctx, tx, `SELECT {cols} FROM idempotency_keys WHERE env = ? AND lineage = ? AND key = ?`, env, lineage, x.key)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first.Fingerprint, x.fingerprint) {
		var bad fault.Fields
		bad.Add("Idempotency-Key", "reused", "was already used for a different request")
		return nil, bad.Err()
	}
	body, err := x.router.Box.Open(first.Body, x.place())
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		body = nil
	}
	return &reply{first.Status, first.Header, body, true}, nil
}

// release makes the claimed key available again, because the transaction commits.
func (x *exchange) release(ctx context.Context, tx *db.Tx) error {
	if x.key == "" {
		return nil
	}
	_, err := db.Exec(ctx, tx, `DELETE FROM idempotency_keys WHERE env = ? AND lineage = ? AND key = ?`, x.caller.Env, x.caller.OriginalID,
		x.key)
	return err
}

// keep stores the response under the claimed key.
func (x *exchange) keep(ctx context.Context, tx *db.Tx, p *reply) error {
	header, err := wire.Marshal(p.header)
	if err != nil {
		return err
	}
	return db.Send(ctx, tx, `UPDATE idempotency_keys SET status = ?, header = ?, body = ? WHERE env = ? AND lineage = ? AND key = ?`,
		p.status, string(header), x.router.Box.Seal(p.body, x.place()), x.caller.Env, x.caller.OriginalID, x.key)
}

// place binds an encrypted response to its row.
func (x *exchange) place() string {
	return fmt.Sprintf("idempotency_keys/%d/%s/%s", x.caller.Env, x.caller.OriginalID, x.key)
}

// PurgeKeys deletes responses that can no longer be replayed.
func PurgeKeys(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM idempotency_keys WHERE created_at <= ?`, tx.Now.Add(-keepKeys))
}
