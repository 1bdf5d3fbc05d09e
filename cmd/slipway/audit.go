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
	Verify auditVerifyCmd `cmd:"" help:"Check that no entry of the audit log was changed, deleted or added."`
}

type auditVerifyCmd struct {
	Dealership string `help:"Dealership ID. Defaults to all dealerships."`
}

// Run verifies the audit log of each environment. It fails if one was changed.
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
		result := fmt.Sprintf("ok, %d entries, %d not linked yet", v.Entries, v.Waiting)
		if v.Problem != "" {
			broken++
			result = "BROKEN: " + v.Problem
		}
		if _, err := fmt.Fprintf(s.out, "%s %-4s  %s\n", d.ID, d.Mode, result); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d audit logs were changed", broken, len(all))
	}
	return nil
}
