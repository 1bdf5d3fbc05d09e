package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

type triggerCmd struct {
	Type       string `arg:"" help:"Event type, such as deal.accepted."`
	Dealership string `help:"Dealership ID. Required if there is more than one dealership."`
}

// Run emits a sample event in a test environment. A server on the same database
// delivers it.
func (c triggerCmd) Run(s *session) (err error) {
	kinds := app.Kinds()
	i := slices.IndexFunc(kinds, func(k events.Kind) bool { return k.Type == c.Type })
	if i < 0 {
		return fmt.Errorf("%s is not an event type. Use one of: %s", c.Type, names(kinds))
	}

	a, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.finish(a)) }()

	e, err := db.Write(s, a.DB, func(ctx context.Context, tx *db.Tx) (events.Event, error) {
		all, err := dealership.Environments(ctx, tx, c.Dealership)
		if err != nil {
			return events.Event{}, err
		}
		all = slices.DeleteFunc(all, func(d dealership.Dealership) bool { return d.Mode != auth.Test })
		if len(all) != 1 {
			return events.Event{}, fmt.Errorf("found %d dealerships. Choose one with --dealership", len(all))
		}
		return events.Trigger(ctx, tx.In(all[0].Env), kinds[i])
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "Emitted %s for the sample object %s.\n", e.Type, e.ObjectID)
	return err
}

func names(kinds []events.Kind) string {
	var all []string
	for _, k := range kinds {
		all = append(all, k.Type)
	}
	return strings.Join(all, ", ")
}
