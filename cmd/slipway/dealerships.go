package main

import (
	"context"
	"errors"
	"time"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
)

type dealershipsCmd struct {
	List dealershipsListCmd `cmd:"" help:"List the dealerships with their IDs."`
}

type dealershipsListCmd struct{ jsonFlag }

// listedDealership is a dealership as the command prints it.
type listedDealership struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Plan      string    `json:"plan"`
	CreatedAt time.Time `json:"created_at"`
}

// Run lists the dealerships.
func (c dealershipsListCmd) Run(s *session) (err error) {
	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	all, err := listDealerships(s, a)
	if err != nil {
		return err
	}

	if c.JSON {
		return s.printJSON(all)
	}
	rows := [][]string{}
	for _, d := range all {
		rows = append(rows, []string{d.ID, d.Name, d.Plan, d.CreatedAt.Format(time.DateOnly)})
	}
	return s.printTable([]string{"ID", "NAME", "PLAN", "CREATED"}, rows)
}

// listDealerships returns each dealership once. It has two environments, and its name is
// that of the live one.
func listDealerships(ctx context.Context, a *app.App) ([]listedDealership, error) {
	environments, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	all := []listedDealership{}
	for _, d := range environments {
		if d.Mode == "live" {
			all = append(all, listedDealership{d.ID, d.Name, string(d.Plan), d.CreatedAt})
		}
	}
	return all, err
}
