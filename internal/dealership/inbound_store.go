package dealership

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
)

// HookPath is the start of the paths that providers send received messages to.
const HookPath = "/hooks/"

// hookMAC is the length of the signature in a hook token.
const hookMAC = 16

// hookToken names an environment in the URL of a hook. It can't be guessed. Requests
// are also signed by the provider, so it is no secret.
func hookToken(tx *db.Tx, env auth.Env) string {
	head := binary.AppendUvarint(nil, uint64(env))
	return base64.RawURLEncoding.EncodeToString(append(head, hookSum(tx, head)...))
}

func hookSum(tx *db.Tx, head []byte) []byte {
	return site.Of(tx).MAC(append([]byte("hook/"), head...))[:hookMAC]
}

// HookURL returns the URL that a provider sends the messages of an environment to.
func HookURL(tx *db.Tx, env auth.Env, provider string) string {
	return site.Of(tx).URL + HookPath + provider + "/" + hookToken(tx, env)
}

// HookEnv returns the environment of a hook token.
func HookEnv(tx *db.Tx, token string) (auth.Env, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) <= hookMAC {
		return 0, false
	}
	head, given := raw[:len(raw)-hookMAC], raw[len(raw)-hookMAC:]
	env, n := binary.Uvarint(head)
	return auth.Env(env), hmac.Equal(given, hookSum(tx, head)) && n == len(head) && token == hookToken(tx, auth.Env(env))
}

// inboundSecret is what a provider signs with.
type inboundSecret struct {
	Env    auth.Env `db:"env"`
	ID     string   `db:"id"`
	Secret []byte   `db:"secret"`
}

func inboundPlace(env auth.Env, id string) string {
	return fmt.Sprintf("inbound_secrets/%d/%s", env, id)
}

// InboundSecret returns what a provider signs with, or "" if it is not set.
func InboundSecret(ctx context.Context, tx *db.Tx, box *seal.Box, id string) (string, error) {
	row, err := db.One[inboundSecret](ctx, tx, `SELECT {cols} FROM inbound_secrets WHERE env = ? AND id = ?`, tx.Env, id)
	if db.IsNoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	plain, err := box.Open(row.Secret, inboundPlace(tx.Env, id))
	return string(plain), err
}

// saveInboundSecrets stores or removes the secrets of a change.
func saveInboundSecrets(ctx context.Context, tx *db.Tx, box *seal.Box, d *Dealership, p InboundPatch) error {
	for id, secret := range p.secrets() {
		d.Settings.Inbound.setAt(id, nil)
		if _, err := db.Exec(ctx, tx, `DELETE FROM inbound_secrets WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
			return err
		}
		if secret.V == nil {
			continue
		}

		d.Settings.Inbound.setAt(id, &tx.Now)
		row := inboundSecret{tx.Env, id, box.Seal([]byte(*secret.V), inboundPlace(tx.Env, id))}
		if err := db.Insert(ctx, tx, "inbound_secrets", row); err != nil {
			return err
		}
	}
	return nil
}

// IsNumber reports whether a phone number belongs to the dealership: to its sender
// or to one of its locations.
func IsNumber(ctx context.Context, tx *db.Tx, d Dealership, number string) (bool, error) {
	if d.Settings.Sender.SMS != nil && *d.Settings.Sender.SMS == number {
		return true, nil
	}
	found, err := db.All[string](ctx, tx, `SELECT id FROM locations WHERE env = ? AND phone = ? LIMIT 1`, tx.Env, number)
	return len(found) > 0, err
}
