package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"slipway/internal/app"
	"slipway/internal/cli"
	"slipway/internal/vocab/id"
	"slipway/internal/webhooks"
)

type eventsCmd struct {
	Tail  eventsTailCmd  `cmd:"" help:"Print the events of a server as they happen."`
	Types eventsTypesCmd `cmd:"" help:"List the event types."`
}

type eventsTailCmd struct {
	profileFlags
	Events []string `suggest:"events" help:"Only print these event types, such as hull.*,deal.accepted."`
	From   string   `help:"Start after this event ID, or with the oldest event: start. Defaults to now."`
	JSON   bool     `name:"json" help:"Print each event as a line of JSON."`
}

// Run prints events until it is interrupted.
func (c eventsTailCmd) Run(s *session) error {
	from, err := s.connect(c.Profile)
	if err != nil {
		return err
	}
	if err := from.checkReadable(s, c.Events); err != nil {
		return err
	}
	cursor, err := from.start(s, c.From)
	if err != nil {
		return err
	}

	news := from.Watch(s)
	for failures := 0; s.Err() == nil; {
		found, more, err := from.events(s, url.Values{"ending_before": {cursor}, "limit": {"100"}})
		switch {
		case s.Err() != nil:
			return nil
		case err != nil && !cli.IsTemporary(err):
			return err
		case err != nil:
			if failures++; failures == 1 {
				s.log.Warn("can't read the events, retrying", "err", err)
			}
			sleep(s, retryDelay(failures))
			continue
		}

		failures = 0
		for _, e := range slices.Backward(found) {
			cursor = e.ID
			if err := c.print(s.out, e); err != nil {
				return err
			}
		}
		if !more {
			<-news
		}
	}
	return nil
}

func (c eventsTailCmd) print(w io.Writer, e event) error {
	if len(c.Events) > 0 && !slices.ContainsFunc(c.Events, func(p string) bool { return webhooks.Matches(p, e.Type) }) {
		return nil
	}
	if c.JSON {
		_, err := fmt.Fprintf(w, "%s\n", e.raw)
		return err
	}
	_, err := fmt.Fprintf(w, "%s  %-28s %s\n", e.CreatedAt.Local().Format(time.DateTime), e.Type, e.ID)
	return err
}

// start returns the event to start after: an ID, the oldest one for "start", or the
// newest one for "".
func (c client) start(ctx context.Context, from string) (string, error) {
	oldest := id.Floor("evt", time.Time{})
	switch from {
	case "start":
		return oldest, nil
	case "":
		newest, _, err := c.events(ctx, url.Values{"limit": {"1"}})
		if err != nil || len(newest) == 0 {
			return oldest, err
		}
		return newest[0].ID, nil
	}
	return from, nil
}

type eventsTypesCmd struct{ jsonFlag }

// Run lists the event types.
func (c eventsTypesCmd) Run(s *session) error {
	type listed struct {
		Type        string `json:"type"`
		Scope       string `json:"scope"`
		Description string `json:"description"`
	}
	var types []listed
	var rows [][]string
	for _, k := range app.Kinds() {
		types = append(types, listed{k.Type, k.Read.String(), k.Doc})
		rows = append(rows, []string{k.Type, k.Read.String(), k.Doc})
	}
	if c.JSON {
		return s.printJSON(types)
	}
	return s.printTable([]string{"TYPE", "SCOPE", "DESCRIPTION"}, rows)
}

// eventTypes returns the names of the event types.
func eventTypes() (names []string) {
	for _, k := range app.Kinds() {
		names = append(names, k.Type)
	}
	return names
}

// unknownType is the error for a name that is not an event type.
func unknownType(name string) error {
	hint := "To list them, run: slipway events types"
	if similar := cli.Closest(name, eventTypes()); len(similar) > 0 {
		hint = "Did you mean " + strings.Join(similar, " or ") + "? " + hint
	}
	return fmt.Errorf("%s is not an event type. %s", name, hint)
}
