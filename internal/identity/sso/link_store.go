package sso

import (
	"context"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/token"
)

// link is a request to link a user to an identity.
type link struct {
	Env          auth.Env  `db:"env"`
	ConnectionID string    `db:"connection_id"`
	UserID       string    `db:"user_id"`
	Issuer       string    `db:"issuer"`
	Subject      string    `db:"subject"`
	Email        string    `db:"email"`
	Hash         []byte    `db:"hash"`
	CreatedAt    time.Time `db:"created_at"`
	ExpiresAt    time.Time `db:"expires_at"`
}

func findLink(ctx context.Context, tx *db.Tx, connectionID, userID string) (link, error) {
	return db.One[link](ctx, tx, `SELECT {cols} FROM sso_links WHERE env = ? AND connection_id = ? AND user_id = ?`,
		tx.Env, connectionID, userID)
}

func deleteLink(ctx context.Context, tx *db.Tx, connectionID, userID string) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM sso_links WHERE env = ? AND connection_id = ? AND user_id = ?`, tx.Env, connectionID, userID)
	return err
}

func insertLink(ctx context.Context, tx *db.Tx, l link) error {
	return db.Insert(ctx, tx, "sso_links", l)
}

// setLinkToken stores the hash of the token that the user gets.
func setLinkToken(ctx context.Context, tx *db.Tx, l link, text string) error {
	_, err := db.Exec(ctx, tx, `UPDATE sso_links SET hash = ? WHERE env = ? AND connection_id = ? AND user_id = ?`,
		token.Hash(text), l.Env, l.ConnectionID, l.UserID)
	return err
}

// findLinkByToken returns the link in any environment.
func findLinkByToken(ctx context.Context, tx *db.Tx, text string) (link, error) {
	return db.OneNamed[link](ctx, tx, token.LinkEnv(text), `SELECT {cols} FROM sso_links WHERE hash = ? AND expires_at > ? AND env = ?`,
		token.Hash(text), tx.Now)
}

// useLink links the user and uses up the link.
func useLink(ctx context.Context, tx *db.Tx, o openedLink, u people.User) error {
	n, err := db.Exec(ctx, tx, `DELETE FROM sso_links WHERE env = ? AND connection_id = ? AND user_id = ? AND hash = ?`,
		o.link.Env, o.link.ConnectionID, o.UserID, o.Hash)
	if err != nil {
		return err
	}
	if n == 0 {
		return errLinkUsed()
	}
	if err := insertIdentity(ctx, tx, o.Connection, u, linkedIdentity{Issuer: o.link.Issuer, Subject: o.Subject, LinkedBy: byEmail}); err != nil {
		return err
	}
	_, err = people.LinkSSO(ctx, tx, u, &o.Subject)
	return err
}
