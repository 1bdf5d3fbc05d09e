package sso

import (
	"context"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
)

// verifyDomain marks a domain as verified. It returns false if the environment has no
// such domain.
func verifyDomain(ctx context.Context, tx *db.Tx, name string, by DomainVerifier) (bool, error) {
	found, err := db.All[domain](ctx, tx, `SELECT {cols} FROM sso_domains WHERE env = ? AND domain = ?`, tx.Env, name)
	if err != nil || len(found) == 0 {
		return false, err
	}
	if found[0].VerifiedAt != nil {
		return true, nil
	}
	_, err = db.Exec(ctx, tx, `UPDATE sso_domains SET verified_at = ?, verified_by = ? WHERE env = ? AND domain = ?`, tx.Now, by, tx.Env, name)
	if err != nil {
		return false, err
	}
	return true, audit.Record(ctx, tx, "sso_connection.domain_verified", found[0].ConnectionID, map[string][2]any{
		"domain": {nil, name}, "verified_by": {nil, by},
	})
}

// listPending returns the connections of all environments with unverified domains.
func listPending(ctx context.Context, tx *db.Tx) ([]VerifyDomains, error) {
	return db.All[VerifyDomains](ctx, tx, `SELECT DISTINCT env, connection_id FROM sso_domains
		WHERE env > 0 AND verified_at IS NULL`)
}

// listByDomain returns the IDs of the connections that have verified the domain, in any
// environment.
func listByDomain(ctx context.Context, tx *db.Tx, domain string) ([]string, error) {
	return db.All[string](ctx, tx, `SELECT connection_id FROM sso_domains WHERE domain = ? AND verified_at IS NOT NULL
		ORDER BY connection_id LIMIT 10`, domain)
}
