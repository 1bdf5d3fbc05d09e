package access

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// candidate is a user who may be the one signing in. The same address can be
// known to several dealerships of an installation.
type candidate struct {
	Env          auth.Env  `db:"env"`
	ID           string    `db:"id"`
	PasswordHash *string   `db:"password_hash"`
	Mode         auth.Mode `db:"mode"`
	KnownHere    bool      `db:"known_here"` // has signed in from this address before
}

// maxCandidates bounds the hashes that one request can ask for.
const maxCandidates = 5

func findCandidates(ctx context.Context, tx *db.Tx, email string, mode auth.Mode, ip string) ([]candidate, error) {
	return db.All[candidate](ctx, tx, `SELECT {cols} FROM (
		SELECT u.env, u.id, u.password_hash, d.mode,
			EXISTS (SELECT 1 FROM sessions s WHERE s.env = u.env AND s.user_id = u.id AND s.ip = ?) AS known_here
		FROM users u JOIN dealerships d ON d.env = u.env WHERE u.email = ? AND d.mode = ? AND u.status = ?) AS found
		ORDER BY env LIMIT ?`, ip, email, mode, dealership.Active, maxCandidates)
}

func anyKnownHere(candidates []candidate) bool {
	for _, c := range candidates {
		if c.KnownHere {
			return true
		}
	}
	return false
}

func endSession(ctx context.Context, tx *db.Tx, s dealership.Session) error {
	if err := dealership.EndSession(ctx, tx, s); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "session.ended", s.ID, map[string][2]any{"user_id": {s.UserID, nil}})
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
