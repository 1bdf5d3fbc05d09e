package main

import (
	"context"
	"errors"
	"fmt"

	"slipway/internal/dealership"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
)

type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Prove that the audit log is as it was written."`
}

type auditVerifyCmd struct {
	Dealership string `help:"Only this dealership's; all without it."`
}

// Run checks every environment's chain and fails if one is broken.
func (c auditVerifyCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	all, err := db.Read(s, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, c.Dealership)
	})
	if err != nil {
		return err
	}
	broken := 0
	for _, d := range all {
		v, err := audit.Verify(s, a.DB, d.Env)
		if err != nil {
			return err
		}
		verdict := fmt.Sprintf("ok, %d entries, %d too new to be chained", v.Entries, v.Waiting)
		if v.Problem != "" {
			broken++
			verdict = "BROKEN: " + v.Problem
		}
		if _, err := fmt.Fprintf(s.out, "%s %-4s  %s\n", d.ID, d.Mode, verdict); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d audit logs are not as they were written", broken, len(all))
	}
	return nil
}
