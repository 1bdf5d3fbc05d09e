package signin

import (
	"context"
	"crypto/rand"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// insertTicket stores the users whom a password fits and returns the ticket.
func insertTicket(ctx context.Context, tx *db.Tx, users []access.Checked, returnTo string) (secret string, err error) {
	secret = strings.ToLower(rand.Text() + rand.Text())
	rows := make([]ticket, len(users))
	for i, u := range users {
		rows[i] = ticket{
			Env: u.Env, Hash: token.Hash(secret), UserID: u.UserID, Mode: u.Mode, Password: u.Password,
			ReturnTo: returnTo, ExpiresAt: tx.Now.Add(ticketLifetime),
		}
	}
	return secret, db.Insert(ctx, tx, "sign_in_tickets", rows...)
}

// errTicket is for a ticket that is unknown, used or expired.
func errTicket() error {
	return fault.New(fault.KindNotFound, "The sign-in took too long. Enter your password again.")
}

// findTickets returns the users of a ticket, at least one.
func findTickets(ctx context.Context, tx *db.Tx, secret string) ([]ticket, error) {
	rows, err := db.All[ticket](ctx, tx, `SELECT {cols} FROM sign_in_tickets WHERE hash = ? AND expires_at > ? ORDER BY env, user_id`,
		token.Hash(secret), tx.Now)
	if err == nil && len(rows) == 0 {
		err = errTicket()
	}
	return rows, err
}

// chooseUser removes the other users from a ticket.
func chooseUser(ctx context.Context, tx *db.Tx, chosen ticket, all []ticket) error {
	for _, t := range all {
		if t.Env == chosen.Env && t.UserID == chosen.UserID {
			continue
		}
		if _, err := useTicket(ctx, tx, t); err != nil {
			return err
		}
	}
	return nil
}

// useTicket deletes a ticket. It returns false if another request has used it.
func useTicket(ctx context.Context, tx *db.Tx, t ticket) (bool, error) {
	n, err := db.Exec(ctx, tx, `DELETE FROM sign_in_tickets WHERE env = ? AND hash = ? AND user_id = ?`, t.Env, t.Hash, t.UserID)
	return n == 1, err
}

// saveChallenge stores the challenge of a security key and replaces an earlier one.
func saveChallenge(ctx context.Context, tx *db.Tx, t ticket, sealed []byte) error {
	_, err := db.Exec(ctx, tx, `UPDATE sign_in_tickets SET challenge = ? WHERE env = ? AND hash = ? AND user_id = ?`,
		sealed, t.Env, t.Hash, t.UserID)
	return err
}

// useChallenge deletes the challenge of a ticket, so that a response works once.
func useChallenge(ctx context.Context, tx *db.Tx, t ticket) error {
	return saveChallenge(ctx, tx, t, nil)
}

// DeleteExpired deletes the tickets that have expired.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM sign_in_tickets WHERE expires_at < ?`, tx.Now)
}

// account is a user of a ticket, as the page shows it.
type account struct {
	ticket
	User       people.User
	Dealership dealership.Dealership
}

// findAccounts returns the users of a ticket with their dealerships.
func findAccounts(ctx context.Context, tx *db.Tx, token string) (accounts []account, err error) {
	rows, err := findTickets(ctx, tx, token)
	for _, t := range rows {
		c := account{ticket: t}
		if c.User, err = people.FindUser(ctx, tx.In(t.Env), t.UserID); err != nil {
			return nil, err
		}
		if c.Dealership, err = dealership.Find(ctx, tx.In(t.Env)); err != nil {
			return nil, err
		}
		accounts = append(accounts, c)
	}
	return accounts, err
}
