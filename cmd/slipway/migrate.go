package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"slipway/internal/app"
)

type migrateCmd struct {
	Plan   bool  `help:"Only list the changes with an estimate of how long they take."`
	JSON   bool  `name:"json" help:"Print the plan as JSON."`
	BackTo int64 `help:"Return to the copy of the SQLite database from before its schema changed from this version. What was written since then is kept in a folder next to it."`
}

// migrationPlan is the plan as JSON. The version before reads it when it upgrades.
type migrationPlan struct {
	Schema  int64 `json:"schema"`
	Changes int   `json:"changes"`
	SQLite  bool  `json:"sqlite"`
}

// Run migrates the database.
func (c migrateCmd) Run(s *session) error {
	if c.Plan {
		return c.plan(s)
	}
	if c.BackTo > 0 {
		return c.goBack(s)
	}
	a, err := s.open()
	if err != nil {
		return err
	}
	return a.Close()
}

// goBack returns to a copy of the database.
func (c migrateCmd) goBack(s *session) error {
	kept, err := app.GoBack(s, s.settings, c.BackTo)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("The database still has schema %d. There is nothing to do.\n", c.BackTo)
	if kept != "" {
		text = fmt.Sprintf("The database is as it was with schema %d. The one that was replaced is in %s.\n", c.BackTo, kept)
	}
	_, err = io.WriteString(s.out, text)
	return err
}

// plan lists the changes of the schema. It changes nothing.
func (c migrateCmd) plan(s *session) (err error) {
	d, err := s.settings.OpenDatabase(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	pending, err := d.PendingMigrations(s)
	if err != nil {
		return err
	}
	if c.JSON {
		current, err := d.SchemaVersion(s)
		if err != nil {
			return err
		}
		return s.printJSON(migrationPlan{Schema: current, Changes: len(pending), SQLite: d.SQLite()})
	}
	if len(pending) == 0 {
		_, err = fmt.Fprintln(s.out, "The schema is current. There is nothing to change.")
		return err
	}

	rows, total, contract := [][]string{}, time.Duration(0), false
	for _, p := range pending {
		total, contract = total+p.Estimate, contract || p.Contract
		effect := "adds"
		if p.Contract {
			effect = "removes"
		}
		rows = append(rows, []string{p.Name, effect, fmt.Sprint(p.Rows), p.Estimate.Round(time.Second).String()})
	}
	if err := s.printTable([]string{"CHANGE", "EFFECT", "ROWS", "ESTIMATE"}, rows); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%d changes, about %s.", len(pending), max(total, time.Second).Round(time.Second))
	if d.SQLite() {
		b.WriteString(" Slipway first copies the database next to it, so you need free space for a copy.\n")
	} else {
		b.WriteString(" Back up the database first.\n")
	}
	if contract {
		b.WriteString("STOP ALL SERVERS FIRST. Servers of the version before can't work with the new schema.\n")
	} else {
		b.WriteString("Servers of the version before keep working, so you can replace them one after the other.\n")
	}
	_, err = io.WriteString(s.out, b.String())
	return err
}
