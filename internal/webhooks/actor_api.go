package webhooks

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// EventWithActor is an event with who caused it.
type EventWithActor struct {
	_ struct{} `doc:"A change of an object, with who caused it." columns:"id type created_at data.object.id:OBJECT actor / sequence"`

	events.Event
	Actor auth.Actor `json:"actor" doc:"Who caused the event, as in the audit log. The type is system if it happened automatically."`
}

func (a *API) listEventsWithActor(ctx context.Context, tx *db.Tx, in *EventFilter) (page.Page[EventWithActor], error) {
	found, err := a.listEvents(ctx, tx, in)
	if err != nil {
		return page.Page[EventWithActor]{}, err
	}
	actors, err := events.Actors(ctx, tx, found.Data)
	if err != nil {
		return page.Page[EventWithActor]{}, err
	}

	p := page.Page[EventWithActor]{
		Data: []EventWithActor{}, HasMore: found.HasMore, NextCursor: found.NextCursor, PrevCursor: found.PrevCursor,
	}
	for i, e := range found.Data {
		if e.Data.Value, err = a.inPreview(e); err != nil {
			return p, err
		}
		p.Data = append(p.Data, EventWithActor{Event: e, Actor: actors[i]})
	}
	return p, nil
}

// inPreview returns the data of an event with the amounts of the preview.
func (a *API) inPreview(e events.Event) ([]byte, error) {
	i := slices.IndexFunc(a.Kinds, func(k events.Kind) bool { return k.Type == e.Type })
	if i < 0 {
		return e.Data.Value, nil
	}
	return rest.EventToPreview(a.Kinds[i].Object, e.Data.Value)
}

func (a *API) getEventWithActor(ctx context.Context, tx *db.Tx, in *ByEvent) (EventWithActor, error) {
	e, err := a.getEvent(ctx, tx, in)
	if err != nil {
		return EventWithActor{}, err
	}
	actors, err := events.Actors(ctx, tx, []events.Event{e})
	if err != nil {
		return EventWithActor{}, err
	}
	e.Data.Value, err = a.inPreview(e)
	return EventWithActor{Event: e, Actor: actors[0]}, err
}
