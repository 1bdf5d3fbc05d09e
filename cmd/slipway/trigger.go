package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/webhooks"
)

type triggerCmd struct {
	Type       string `arg:"" suggest:"events" help:"Event type, such as deal.accepted. To list them, run \"slipway events types\"."`
	Profile    string `help:"Profile with the server and the API key, to use the API of its server. Without it, SLIPWAY_KEY and SLIPWAY_PROFILE, the command uses the database."`
	Dealership string `help:"Dealership ID, if the command uses a database with several dealerships."`
	jsonFlag
}

// Run emits a sample event in a test environment, through the API of a server or in the
// database. A server on the same database delivers it.
func (c triggerCmd) Run(s *session) error {
	kinds := app.Kinds()
	i := slices.IndexFunc(kinds, func(k events.Kind) bool { return k.Type == c.Type })
	if i < 0 {
		return unknownType(c.Type)
	}

	var e webhooks.TriggeredEvent
	var err error
	if cmp.Or(c.Profile, os.Getenv("SLIPWAY_KEY"), os.Getenv("SLIPWAY_PROFILE")) != "" {
		var server client
		if server, err = s.connect(c.Profile); err != nil {
			return err
		}
		err = server.Call(s, http.MethodPost, "/v2-preview/events/trigger", webhooks.EventTrigger{Type: c.Type}, &e)
	} else {
		e, err = c.inDatabase(s, kinds[i])
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(e)
	}
	_, err = fmt.Fprintf(s.out, "Emitted %s for the sample object %s.\n", e.Type, e.ObjectID)
	return err
}

func (c triggerCmd) inDatabase(s *session, kind events.Kind) (t webhooks.TriggeredEvent, err error) {
	a, err := s.open()
	if err != nil {
		return t, err
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
		return events.Trigger(ctx, tx.In(all[0].Env), kind)
	})
	return webhooks.TriggeredEvent{Type: e.Type, ObjectID: e.ObjectID}, err
}
