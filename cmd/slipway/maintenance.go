package main

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
)

type maintenanceCmd struct {
	On     maintenanceOnCmd     `cmd:"" help:"Reject writes and pause jobs on all servers."`
	Off    maintenanceOffCmd    `cmd:"" help:"Accept writes and run jobs again."`
	Status maintenanceStatusCmd `cmd:"" help:"Show whether the servers are in maintenance."`
}

type maintenanceOnCmd struct {
	Message    string        `default:"Slipway is in maintenance. Try again later." help:"What clients see: ${default}"`
	RetryAfter time.Duration `default:"1m" help:"When clients should try again, from 30s to 1m."`
	Force      bool          `help:"Allow a --retry-after of 1s to 24h. The SDKs don't wait for more than a minute."`
}

// Run starts the maintenance.
func (c maintenanceOnCmd) Run(s *session) (err error) {
	switch {
	case c.RetryAfter < time.Second || c.RetryAfter > 24*time.Hour:
		return errors.New("--retry-after must be 1s to 24h")
	case !c.Force && (c.RetryAfter < 30*time.Second || c.RetryAfter > time.Minute):
		return errors.New("--retry-after must be 30s to 1m, as clients expect. Use --force for another time")
	}
	if n := utf8.RuneCountInString(c.Message); n == 0 || n > 500 {
		return errors.New("--message must have 1 to 500 characters")
	}
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := site.StartMaintenance(s, a.DB, c.Message, c.RetryAfter); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, "Maintenance is on. Within a second, all servers reject writes with 503 and pause their jobs. Reads continue.\n"+
		"To end it, run slipway maintenance off.")
	return err
}

type maintenanceOffCmd struct{}

// Run ends the maintenance.
func (maintenanceOffCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	was, err := site.EndMaintenance(s, a.DB)
	if err != nil {
		return err
	}
	text := "Maintenance was already off."
	if was {
		text = "Maintenance is off. Within a second, all servers accept writes and run their jobs again."
	}
	_, err = fmt.Fprintln(s.out, text)
	return err
}

type maintenanceStatusCmd struct{ jsonFlag }

// Run shows the maintenance.
func (c maintenanceStatusCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	m, err := db.Read(context.Context(s), a.DB, site.FindMaintenance)
	if err != nil {
		return err
	}
	if c.JSON {
		status := map[string]any{"on": m != nil}
		if m != nil {
			status["since"], status["message"], status["retry_after"] = m.Since, m.Message, m.RetryAfter
		}
		return s.printJSON(status)
	}
	if m == nil {
		_, err = fmt.Fprintln(s.out, "Maintenance is off.")
		return err
	}
	_, err = fmt.Fprintf(s.out, "Maintenance has been on since %s. Clients see: %s\n", m.Since.Format(time.RFC3339), m.Message)
	return err
}
