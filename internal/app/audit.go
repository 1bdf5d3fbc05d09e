package app

import (
	"context"
	"maps"
	"slices"

	"slipway/internal/dealership"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
)

// environmentTables are the tables that show which environments exist. An
// environment that is missing in one of them is still found in another.
var environmentTables = []string{
	"dealerships", "audit_chains", "audit_entries", "roles", "users", "sessions", "api_keys", "locations", "webhooks", "events", "outbox",
	"hulls", "contacts", "leads", "deals",
}

// VerifiedLog is the audit log of an environment, and whether it was changed.
type VerifiedLog struct {
	audit.Verification
	DealershipID string // "" if the dealership was removed
	Mode         auth.Mode
}

// VerifyAudit verifies the audit logs of a dealership, or of all environments if the
// ID is empty. It compares them with heads that were noted earlier.
func (a *App) VerifyAudit(ctx context.Context, dealershipID string, known map[auth.Env]audit.Head) ([]VerifiedLog, error) {
	logs, err := a.auditLogs(ctx, dealershipID, known)
	if err != nil {
		return nil, err
	}
	for i, l := range logs {
		var head *audit.Head
		if h, ok := known[l.Env]; ok {
			head = &h
		}
		if logs[i].Verification, err = audit.Verify(ctx, a.DB, l.Env, head); err != nil {
			return nil, err
		}
		if logs[i].Problem == "" && l.DealershipID == "" {
			logs[i].Problem = "the dealership of this log was removed"
		}
	}
	return logs, nil
}

// auditLogs returns the logs that must exist.
func (a *App) auditLogs(ctx context.Context, dealershipID string, known map[auth.Env]audit.Head) ([]VerifiedLog, error) {
	dealerships, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, dealershipID)
	})
	if err != nil {
		return nil, err
	}
	byEnv := map[auth.Env]VerifiedLog{}
	for _, d := range dealerships {
		byEnv[d.Env] = VerifiedLog{Verification: audit.Verification{Env: d.Env}, DealershipID: d.ID, Mode: d.Mode}
	}

	if dealershipID == "" {
		all, err := audit.Environments(ctx, a.DB, environmentTables...)
		if err != nil {
			return nil, err
		}
		for env := range known {
			all = append(all, env)
		}
		for _, env := range all {
			if _, ok := byEnv[env]; !ok {
				byEnv[env] = VerifiedLog{Verification: audit.Verification{Env: env}}
			}
		}
	}

	var logs []VerifiedLog
	for _, env := range slices.Sorted(maps.Keys(byEnv)) {
		logs = append(logs, byEnv[env])
	}
	return logs, nil
}

// checkNewestEntries reports changes of the audit log at startup. The server
// continues, because the dealerships must be able to work.
func (a *App) checkNewestEntries(ctx context.Context) {
	logs, err := a.auditLogs(ctx, "", nil)
	for _, l := range logs {
		var v audit.Verification
		if v, err = audit.VerifyNewest(ctx, a.DB, l.Env); err != nil {
			break
		}
		if v.Problem == "" && l.DealershipID == "" {
			v.Problem = "the dealership of this log was removed"
		}
		if v.Problem != "" {
			a.log.Error("the audit log was changed; run slipway audit verify", "dealership", l.DealershipID, "mode", l.Mode,
				"environment", l.Env, "problem", v.Problem)
		}
	}
	if err == nil {
		err = a.logHeads(ctx)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Warn("can't check the audit log", "err", err)
	}
}

// logHeads writes the heads of the audit logs to the log of the server, for
// slipway audit verify --head.
func (a *App) logHeads(ctx context.Context) error {
	heads, err := audit.Heads(ctx, a.DB)
	if err == nil && len(heads) > 0 {
		a.log.Info("heads of the audit logs", "head", audit.FormatHeads(heads))
	}
	return err
}
