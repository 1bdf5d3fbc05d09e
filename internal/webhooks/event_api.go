package webhooks

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

// EventFilter selects events.
type EventFilter struct {
	page.Query
	Type          string                 `query:"type" maxLength:"100" doc:"An event type, or a pattern such as hull.*." example:"hull.*"`
	ObjectID      string                 `query:"object_id" maxLength:"64" doc:"ID of the object that the events are about."`
	CreatedAfter  patch.Param[time.Time] `query:"created_after" doc:"Only events that became visible at this time or later."`
	CreatedBefore patch.Param[time.Time] `query:"created_before" doc:"Only events that became visible before this time."`
}

func (a *API) listEvents(ctx context.Context, tx *db.Tx, in *EventFilter) (page.Page[events.Event], error) {
	if err := in.Check("evt"); err != nil {
		return page.Page[events.Event]{}, err
	}
	w, err := in.where(auth.From(ctx), a.Kinds)
	if err != nil {
		return page.Page[events.Event]{}, err
	}

	p, err := events.List(ctx, tx, in.Query, w)
	caller, kinds := auth.From(ctx), catalogOf(a.Kinds)
	for i, e := range p.Data {
		p.Data[i] = kinds[e.Type].In(e, caller.Mode, caller.Version)
	}
	return p, err
}

// ByEvent is the path of an event.
type ByEvent struct {
	EventID string `path:"event_id" doc:"ID of the event." example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) getEvent(ctx context.Context, tx *db.Tx, in *ByEvent) (events.Event, error) {
	caller := auth.From(ctx)
	e, err := events.Find(ctx, tx, in.EventID)
	kind := catalogOf(a.Kinds)[e.Type]
	if err == nil && !kind.ReadableBy(caller.Scopes, caller.Version) {
		return events.Event{}, fault.NotFound("event", in.EventID)
	}
	return kind.In(e, caller.Mode, caller.Version), err
}

// EventTrigger is the request to emit a sample event.
type EventTrigger struct {
	_ struct{} `doc:"Type of the sample event to emit."`

	Type string `json:"type" minLength:"1" maxLength:"100" doc:"Event type. Your scopes must be able to read it." example:"deal.accepted"`
}

// TriggeredEvent is a sample event. Its ID is assigned when it becomes visible.
type TriggeredEvent struct {
	_ struct{} `doc:"A sample event that was emitted."`

	Type     string `json:"type" doc:"Event type." example:"deal.accepted"`
	ObjectID string `json:"object_id" doc:"ID of the sample object. Use it to find the event." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) triggerEvent(ctx context.Context, tx *db.Tx, in *struct{ Body EventTrigger }) (t TriggeredEvent, err error) {
	caller, name := auth.From(ctx), in.Body.Type
	kind, ok := catalogOf(a.Kinds)[name]
	if !ok {
		return t, fault.New(fault.KindUnprocessable, "%s is not an event type.", name).Detail("type", "enum", "must be an event type")
	}
	if err := checkReadable(a.Kinds, name, caller.Scopes, caller.Version, "type"); err != nil {
		return t, err
	}
	if caller.Mode != auth.Test {
		return t, fault.Forbidden("Sample events are only for the test environment. Use a test key.")
	}

	e, err := events.Trigger(ctx, tx, kind)
	return TriggeredEvent{Type: e.Type, ObjectID: e.ObjectID}, err
}

// Replay is the request to deliver past events again.
type Replay struct {
	_ struct{} `doc:"Which events to deliver again."`

	EventIDs *[]string  `json:"event_ids" required:"false" minItems:"1" maxItems:"10000" doc:"Replay these events, even if the webhook doesn't subscribe to them. The scopes of the webhook must be able to read them. Send either this or since."`
	Since    *time.Time `json:"since" required:"false" doc:"Replay the events from this time on."`
	Until    *time.Time `json:"until" required:"false" doc:"Replay only events before this time. Defaults to the current time."`
	Types    *[]string  `json:"types" required:"false" minItems:"1" maxItems:"100" doc:"Replay only these event types. Defaults to the types that the webhook subscribes to."`
}

// Check validates what the schema can't.
func (r Replay) Check(time.Time) error {
	var bad fault.Fields
	switch {
	case r.EventIDs == nil && r.Since == nil:
		bad.Add("since", "required", "is required unless you send event_ids")
	case r.EventIDs != nil && (r.Since != nil || r.Until != nil || r.Types != nil):
		bad.Add("event_ids", "exclusive", "can't be combined with since, until or types")
	case r.Since != nil && r.Until != nil && !r.Since.Before(*r.Until):
		bad.Add("until", "minimum", "must be after since")
	}
	return bad.Err()
}

// Counted is the response to a request that starts background work.
type Counted struct {
	_ struct{} `doc:"Number of objects that the background work is about."`

	Count int64 `json:"count" doc:"Number of deliveries. They are processed in the background." example:"12"`
}
