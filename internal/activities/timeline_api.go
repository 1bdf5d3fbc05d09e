package activities

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// TimelineEntry is something that happened to an object.
type TimelineEntry struct {
	_ struct{} `doc:"Something that happened to an object." columns:"at type object actor / object_id"`

	ID       string            `json:"id" doc:"ID of the event." example:"evt_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Type     string            `json:"type" doc:"What happened: the type of the event." example:"hull.price_changed"`
	At       time.Time         `json:"at" doc:"When it happened."`
	ObjectID string            `json:"object_id" doc:"Object that it happened to." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Actor    auth.Actor        `json:"actor" doc:"Who did it. The type is system if it happened automatically."`
	Changes  map[string][2]any `json:"changes" nullable:"false" doc:"Old and new value of each field that changed. Empty for a new object."`
	Object   TimelineObject    `json:"object" doc:"Data of the event, such as the object afterwards, or a message. Its fields depend on the type."`
}

// TimelineObject is the object of an event.
type TimelineObject struct{ jsontext.Value }

// Schema accepts any object.
func (TimelineObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// timeline returns the events that the caller can read, of one object or of all.
func (a *API) timeline(ctx context.Context, tx *db.Tx, in *TimelineFilter) (page.Page[TimelineEntry], error) {
	p := page.Page[TimelineEntry]{Data: []TimelineEntry{}}
	if err := in.Check("evt"); err != nil {
		return p, err
	}
	if in.ObjectID != "" {
		if err := in.find(ctx, tx); err != nil {
			return p, err
		}
	}

	caller := auth.From(ctx)
	kinds := map[string]events.Kind{}
	for _, k := range events.Readable(a.Kinds, caller.Scopes, caller.Version) {
		kinds[k.Type] = k
	}
	found, err := events.List(ctx, tx, in.Query, in.where(tx.Env, kinds))
	if err != nil {
		return p, err
	}
	actors, err := events.Actors(ctx, tx, found.Data)
	if err != nil {
		return p, err
	}

	p.HasMore, p.NextCursor, p.PrevCursor = found.HasMore, found.NextCursor, found.PrevCursor
	for i, e := range found.Data {
		kind := kinds[e.Type]
		e = kind.In(e, caller.Mode, caller.Version)
		if e.Data.Value, err = rest.EventToPreview(kind.Object, e.Data.Value); err != nil {
			return p, err
		}
		entry, err := timelineEntry(e, actors[i])
		if err != nil {
			return p, err
		}
		p.Data = append(p.Data, entry)
	}
	return p, nil
}

// timelineEntry returns the entry of an event.
func timelineEntry(e events.Event, by auth.Actor) (TimelineEntry, error) {
	entry := TimelineEntry{ID: e.ID, Type: e.Type, At: e.CreatedAt, ObjectID: e.ObjectID, Actor: by, Changes: map[string][2]any{}}
	var data struct {
		Object   jsontext.Value `json:"object"`
		Previous map[string]any `json:"previous"`
	}
	if err := wire.Unmarshal(e.Data.Value, &data); err != nil {
		return entry, err
	}
	entry.Object.Value = data.Object

	var after map[string]any
	if err := wire.Unmarshal(data.Object, &after); err != nil {
		return entry, err
	}
	for field, before := range data.Previous {
		entry.Changes[field] = [2]any{before, after[field]}
	}
	return entry, nil
}
