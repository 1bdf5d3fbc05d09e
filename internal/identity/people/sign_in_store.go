package people

import (
	"context"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/platform/password"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
)

// maxCandidates limits the users that one sign-in considers.
const maxCandidates = 50

// FindCandidates returns the active users with this email address, in every
// dealership, or in one mode unless mode is "". It joins a table of the dealership
// package to save a query.
func FindCandidates(ctx context.Context, tx *db.Tx, email string, mode auth.Mode, ip string) ([]Candidate, error) {
	modes, args := db.In([]string{string(auth.Live), string(auth.Test)})
	if mode != "" {
		modes, args = db.In([]string{string(mode)})
	}
	args = append([]any{ip, email}, append(args, Active, maxCandidates)...)
	return db.All[Candidate](ctx, tx, `SELECT {cols} FROM (
		SELECT u.env, u.id, u.password_hash, d.mode,
			EXISTS (SELECT 1 FROM sessions s WHERE s.env = u.env AND s.user_id = u.id AND s.ip = ?) AS known_here
		FROM users u JOIN dealerships d ON d.env = u.env WHERE u.email = ? AND d.mode IN `+modes+` AND u.status = ?) AS found
		ORDER BY env LIMIT ?`, args...)
}

// FindByPassword returns the candidates with this password. It waits for its turn
// to compute the hash, and fails if that takes too long. All candidates have this
// email address.
func FindByPassword(ctx context.Context, d *db.DB, email string, candidates []Candidate, given string) ([]Candidate, error) {
	leave, err := queueFor(candidates).Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	salt := saltFor(d, email)
	found, err := matching(candidates, given, salt, password.Match)
	if err != nil {
		return nil, err
	}

	for i, c := range found {
		if password.HasSalt(*c.PasswordHash, salt) {
			continue
		}
		if found[i].PasswordHash, err = rehash(ctx, d, c, password.Hash(given, salt)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// rehash replaces a hash that has another salt than the user's email address: an
// old one, or one from before the address changed. The version of the user stays
// the same, because clients don't see the hash. If the password was changed by
// another request, it keeps that one.
func rehash(ctx context.Context, d *db.DB, c Candidate, hash string) (*string, error) {
	return db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (*string, error) {
		n, err := db.Exec(ctx, tx, `UPDATE users SET password_hash = ? WHERE env = ? AND id = ? AND password_hash = ?`,
			hash, c.Env, c.ID, *c.PasswordHash)
		if n == 0 {
			return c.PasswordHash, err
		}
		return &hash, err
	})
}

// saltFor returns the salt for the passwords of an email address.
func saltFor(h db.Handle, email string) []byte {
	return password.Salt(site.Of(h).MAC, strings.ToLower(email))
}

// HashPassword hashes a password for an email address. A server uses
// HashNewPassword, which waits for its turn.
func HashPassword(h db.Handle, email, chosen string) string {
	return password.Hash(chosen, saltFor(h, email))
}
