package main

import (
	"fmt"
	"strings"

	"slipway/internal/app"
	"slipway/internal/doctor"
)

type doctorCmd struct {
	Probe string `default:"https://example.com" help:"HTTPS server that the network and the clock are checked with: ${default}. Empty skips both."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run checks the installation. It returns an error if a check fails, but not for warnings.
func (c doctorCmd) Run(s *session) error {
	d := doctor.New(s.settings, c.Probe)
	findings, err := d.Examine(s)
	if err != nil {
		return err
	}
	if c.JSON {
		err = s.printJSON(findings)
	} else {
		_, err = fmt.Fprint(s.out, formatFindings(findings))
	}
	if n := doctor.Failed(findings); err == nil && n > 0 {
		err = fmt.Errorf("%d of %d checks failed", n, len(findings))
		if missing := d.Missing(); missing != nil {
			err = fmt.Errorf("%w: %w", err, missing)
		}
	}
	return err
}

// formatFindings returns a table, with the fix below each problem.
func formatFindings(findings []doctor.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		const indent = "\n                     "
		fmt.Fprintf(&b, "%-5s %-14s %s\n", f.Status, f.Check, strings.ReplaceAll(f.Detail, "\n", indent))
		if f.Fix != "" {
			fmt.Fprintf(&b, "%-20s → %s\n", "", f.Fix)
		}
	}
	return b.String()
}

type healthCmd struct{}

// Run checks that the server is ready.
func (healthCmd) Run(s *session) error { return app.Health(s, s.settings) }
