package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"slipway/internal/app"
	"slipway/internal/cli"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/webhooks"
)

type triggerCmd struct {
	Type string `arg:"" suggest:"events" help:"Event type, such as deal.accepted. To list them, run \"slipway events types\"."`
	profileFlags
	Dealership string `help:"Emit the event in the database of this machine, in the test environment of this dealership. That is also where it goes if you aren't signed in to a server."`
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

	if c.Dealership != "" && c.Profile != "" {
		return &cli.UsageError{Text: "send --profile or --dealership, not both", Command: "slipway trigger"}
	}
	signedIn, err := s.cli().SignedIn(c.Profile)
	if err != nil {
		return err
	}

	var e webhooks.TriggeredEvent
	where := "in the database of this machine"
	if signedIn && c.Dealership == "" {
		server, err := s.connect(c.Profile)
		if err != nil {
			return err
		}
		where = "at " + server.Base
		if err := server.Call(s, http.MethodPost, "/v2-preview/events/trigger", webhooks.EventTrigger{Type: c.Type}, &e); err != nil {
			return err
		}
	} else if e, err = c.inDatabase(s, kinds[i]); err != nil {
		return err
	}
	if c.JSON {
		return s.printJSON(e)
	}
	_, err = fmt.Fprintf(s.out, "Emitted %s for the sample object %s %s.\n", e.Type, e.ObjectID, where)
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
