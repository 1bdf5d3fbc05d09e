package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/shards"
	"slipway/internal/vocab/auth"
)

type shardsCmd struct {
	Init      shardsInitCmd      `cmd:"" help:"Distribute the database, or add workers and new tables."`
	Status    shardsStatusCmd    `cmd:"" help:"Show the database servers and what they have."`
	Rebalance shardsRebalanceCmd `cmd:"" help:"Distribute the environments evenly, for example after you have added a worker."`
	Isolate   shardsIsolateCmd   `cmd:"" help:"Move a dealership to a worker, into shards of its own."`
}

// database opens the database without checking it.
func (s *session) database(fn func(d *db.DB) error) error {
	d, err := s.settings.OpenDatabase(s)
	if err != nil {
		return err
	}
	return errors.Join(fn(d), d.Close())
}

// report prints what a command does next.
func (s *session) report(text string) { _, _ = fmt.Fprintln(s.out, text) }

type shardsInitCmd struct {
	Coordinator string   `help:"Host and port of the coordinator, as the workers reach it."`
	Workers     []string `help:"Hosts and ports of the workers, as the coordinator reaches them, separated by commas."`
	Shards      int      `default:"32" help:"How many groups of environments can be moved separately. You can't change it later. Defaults to ${default}."`
	Yes         bool     `help:"Don't ask before the changes."`
}

// Run distributes the database.
func (c shardsInitCmd) Run(s *session) error {
	if c.Shards < 1 || c.Shards > 1024 {
		return errors.New("--shards must be 1 to 1024")
	}
	return s.database(func(d *db.DB) error {
		set := shards.Settings{
			URL: cmp.Or(s.settings.DirectURL, s.settings.DatabaseURL), Coordinator: c.Coordinator, Workers: c.Workers, Shards: c.Shards,
		}
		steps, err := shards.Plan(s, d, set)
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			_, err := fmt.Fprintln(s.out, "The database is distributed. There is nothing to do.")
			return err
		}

		var b strings.Builder
		b.WriteString("This will:\n")
		for _, step := range steps {
			fmt.Fprintf(&b, "  %s\n", step.Text)
		}
		b.WriteString("Stop all Slipway servers first, and back up the database. It can't be undone.\n")
		if _, err := io.WriteString(s.out, b.String()); err != nil {
			return err
		}
		if !c.Yes && !s.confirm("Continue?") {
			return errors.New("nothing was changed. Use --yes to continue without a question")
		}
		if err := shards.Run(s, d, steps, s.report); err != nil {
			return err
		}
		_, err = fmt.Fprintln(s.out, "Done. Start the servers again.")
		return err
	})
}

type shardsStatusCmd struct{ jsonFlag }

// Run shows the distribution.
func (c shardsStatusCmd) Run(s *session) error {
	return s.database(func(d *db.DB) error {
		now, err := d.Shards(s)
		if err != nil {
			return err
		}
		if c.JSON {
			return s.printJSON(now)
		}
		if !now.Used() {
			_, err := fmt.Fprintln(s.out, "The database is not distributed. It is on one server.")
			return err
		}
		rows := [][]string{}
		for _, n := range now.Nodes {
			role, state := "worker", "active"
			if n.Coordinator {
				role = "coordinator"
			}
			if !n.Active {
				state = "inactive"
			}
			rows = append(rows, []string{n.Address(), role, state, fmt.Sprint(n.Shards), fmt.Sprintf("%d MB", n.Bytes>>20)})
		}
		if err := s.printTable([]string{"SERVER", "ROLE", "STATE", "SHARDS", "SIZE"}, rows); err != nil {
			return err
		}
		if missing := now.Missing(); len(missing) > 0 {
			_, err = fmt.Fprintf(s.out, "\nNot distributed: %s. Run slipway shards init.\n", strings.Join(missing, ", "))
		}
		return err
	})
}

type shardsRebalanceCmd struct{}

// Run distributes the environments evenly.
func (shardsRebalanceCmd) Run(s *session) error {
	return s.database(func(d *db.DB) error { return shards.Rebalance(s, d, s.report) })
}

type shardsIsolateCmd struct {
	Dealership string `arg:"" help:"ID of the dealership."`
	Worker     string `required:"" help:"Host and port of the worker."`
}

// Run moves a dealership.
func (c shardsIsolateCmd) Run(s *session) error {
	return s.database(func(d *db.DB) error {
		found, err := db.Read(s, d, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
			return dealership.Environments(ctx, tx, c.Dealership)
		})
		var envs []auth.Env
		for _, e := range found {
			envs = append(envs, e.Env)
		}
		if err != nil {
			return err
		}
		return shards.Isolate(s, d, envs, c.Worker, s.report)
	})
}
