package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

type migrateCmd struct {
	Plan bool `help:"Only list the changes with an estimate of how long they take."`
}

// Run migrates the database.
func (c migrateCmd) Run(s *session) error {
	if c.Plan {
		return c.plan(s)
	}
	a, err := s.open()
	if err != nil {
		return err
	}
	return a.Close()
}

// plan lists the changes of the schema. It changes nothing.
func (migrateCmd) plan(s *session) (err error) {
	d, err := s.settings.OpenDatabase(s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	pending, err := d.PendingMigrations(s)
	if err != nil {
		return err
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
