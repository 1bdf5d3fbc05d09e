package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
)

type auditCmd struct {
	Verify   auditVerifyCmd   `cmd:"" help:"Check that no entry of the audit log was changed, deleted or added."`
	Head     auditHeadCmd     `cmd:"" help:"Print the newest link of each audit log, to compare it later."`
	Refusals auditRefusalsCmd `cmd:"" help:"Show rejected credentials that belong to no dealership, such as unknown keys and email addresses."`
}

type auditVerifyCmd struct {
	Dealership string `help:"Dealership ID. Defaults to all dealerships."`
	Head       string `help:"Heads that you noted earlier, or that the server logged. Fails if the log doesn't continue them."`
}

// Run verifies the audit log of each environment. It fails if one was changed.
func (c auditVerifyCmd) Run(s *session) (err error) {
	known, err := audit.ParseHeads(c.Head)
	if err != nil {
		return err
	}
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	logs, err := a.VerifyAudit(s, c.Dealership, known)
	if err != nil {
		return err
	}

	broken, heads := 0, []audit.Head{}
	for _, l := range logs {
		name := fmt.Sprintf("%s %-4s", l.DealershipID, l.Mode)
		if l.DealershipID == "" {
			name = fmt.Sprintf("environment %d", l.Env)
		}
		result := fmt.Sprintf("ok, %d entries, %d not linked yet", l.Entries, l.Waiting)
		if l.Problem != "" {
			broken++
			result = "BROKEN: " + l.Problem
		} else {
			heads = append(heads, l.Head)
		}
		if _, err := fmt.Fprintf(s.out, "%s  %s\n", name, result); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d audit logs were changed", broken, len(logs))
	}
	if len(heads) > 0 {
		_, err = fmt.Fprintf(s.out, "To compare later: slipway audit verify --head %s\n", audit.FormatHeads(heads))
	}
	return err
}

type auditHeadCmd struct{}

// Run prints the heads of all environments.
func (auditHeadCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	heads, err := audit.Heads(s, a.DB)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, audit.FormatHeads(heads))
	return err
}

type auditRefusalsCmd struct {
	Since time.Duration `default:"24h" help:"How far back to look, such as 30m or 720h."`
	Limit int           `default:"100" help:"Show at most this many of the newest."`
	jsonFlag
}

// Run shows the rejected credentials that belong to no environment.
func (c auditRefusalsCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	refusals, err := db.Read(s, a.DB, func(ctx context.Context, tx *db.Tx) ([]authlog.Refusal, error) {
		return authlog.Refusals(ctx, tx, tx.Now.Add(-c.Since), max(1, c.Limit))
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(refusals)
	}

	rows := [][]string{}
	for _, r := range refusals {
		rows = append(rows, []string{r.LastAt.Format(time.RFC3339), fmt.Sprint(r.Times), orDash(r.IP), r.Kind, r.Subject, r.Reason, orDash(r.UserAgent)})
	}
	return s.printTable([]string{"LAST", "TIMES", "ADDRESS", "KIND", "CREDENTIAL", "REASON", "USER AGENT"}, rows)
}
