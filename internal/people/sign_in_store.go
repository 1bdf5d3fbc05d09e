package people

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/password"
	"slipway/internal/vocab/auth"
)

// maxCandidates limits the password hashes that one request computes.
const maxCandidates = 5

// FindCandidates returns the active users with this email address, in every
// dealership. It joins a table of the dealership package to save a query.
func FindCandidates(ctx context.Context, tx *db.Tx, email string, mode auth.Mode, ip string) ([]Candidate, error) {
	return db.All[Candidate](ctx, tx, `SELECT {cols} FROM (
		SELECT u.env, u.id, u.password_hash, d.mode,
			EXISTS (SELECT 1 FROM sessions s WHERE s.env = u.env AND s.user_id = u.id AND s.ip = ?) AS known_here
		FROM users u JOIN dealerships d ON d.env = u.env WHERE u.email = ? AND d.mode = ? AND u.status = ?) AS found
		ORDER BY env LIMIT ?`, ip, email, mode, Active, maxCandidates)
}

// FindByPassword returns the candidate with this password, or nil. It waits for its
// turn to compute the hashes, and fails if that takes too long.
func FindByPassword(ctx context.Context, candidates []Candidate, given string) (*Candidate, error) {
	leave, err := queueFor(candidates).Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return findByPassword(candidates, given, password.Matches)
}
