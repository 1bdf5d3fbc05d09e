package activities

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// The router checks that the caller has the scope of at least one type of object. The
// handlers check the scope of the object.
var (
	reads  = auth.Either(auth.LeadsRead, auth.DealsRead, auth.HullsRead)
	writes = auth.Either(auth.LeadsWrite, auth.DealsWrite, auth.HullsWrite)
)

// API serves the activities.
type API struct {
	DB    *db.DB
	Kinds []events.Kind // the event types of timelines
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Activities).Preview("2026-11-16")
	toRead := "Requires `leads:read` for leads and contacts, `deals:read` for deals and `hulls:read` for hulls."
	toWrite := "Requires `leads:write` for leads and contacts, `deals:write` for deals and `hulls:write` for hulls."
	rest.Get(p, rest.Route{
		Path: "/activities", ID: "listActivities", Needs: reads, AllLocations: true,
		Summary: "List activities, newest first",
		Text:    "Without `object_id`, the list has the activities on all objects that you can read. " + toRead,
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(p, rest.Route{
		Path: "/activities", ID: "createActivity", Needs: writes,
		Summary: "Create an activity",
		Text:    toWrite,
		Assist:  assist.Propose,
		Effect:  rest.Describe(createEffect),
	}, a.create)
	rest.Get(p, rest.Route{
		Path: "/activities/{activity_id}", ID: "getActivity", Needs: reads,
		Summary: "Retrieve an activity",
		Text:    toRead,
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(p, rest.Route{
		Path: "/activities/{activity_id}", ID: "updateActivity", Needs: writes,
		Summary: "Update an activity, or complete a task",
		Text:    "JSON merge patch. Omitted fields keep their values, null clears a field. Set `done_at` to complete a task. " + toWrite,
		Assist:  assist.Propose,
		Effect:  rest.Describe(updateEffect),
	}, a.update)
	rest.Get(r.Family(family.Activities).Preview("2026-11-17"), rest.Route{
		Path: "/timeline", ID: "listTimeline", Needs: reads, AllLocations: true,
		Summary: "List what happened to an object, newest first",
		Text: "Returns the events of one object, or of all objects that you can read, with who caused them and what changed. " +
			"Events are stored for 30 days. " + toRead,
		Assist: assist.Read,
	}, a.timeline)
	rest.Delete(p, rest.Route{
		Path: "/activities/{activity_id}", ID: "deleteActivity", Needs: writes,
		Summary: "Delete an activity",
		Text:    "Also removes its text from events. " + toWrite,
		Assist:  assist.Never(assist.Deletes),
	}, a.delete)
}

// ByActivity is the path parameter of an activity.
type ByActivity struct {
	ActivityID string `path:"activity_id" example:"act_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the activity."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *ActivityFilter) (page.Page[Activity], error) {
	caller := auth.From(ctx)
	if in.ObjectID != "" {
		n, ok := nounOf(in.ObjectID)
		if !ok {
			return page.Page[Activity]{}, fault.BadRequest("object_id must be the ID of a lead, contact, deal or hull.").
				Detail("object_id", "format", "must be the ID of a lead, contact, deal or hull")
		}
		if err := permit(caller, n.read); err != nil {
			return page.Page[Activity]{}, err
		}
	}
	return activities.List(ctx, tx, in.Query, in.where(readable(caller)))
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body ActivityCreate }) (Activity, error) {
	act, err := in.Body.activity(tx.Now)
	if err != nil {
		return act, err
	}
	caller := auth.From(ctx)
	if err := permit(caller, act.noun().write); err != nil {
		return act, err
	}
	if act.UserID == nil && caller.UserID != "" {
		act.UserID = &caller.UserID
	}

	if err := checkUser(ctx, tx, Activity{}, act); err != nil {
		return act, err
	}
	if err := checkObject(ctx, tx, act); err != nil {
		return act, err
	}
	if err := insert(ctx, tx, &act); err != nil {
		return act, err
	}
	return act, touch(ctx, tx, act)
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByActivity) (Activity, error) {
	act, err := activities.Find(ctx, tx, in.ActivityID)
	if err != nil {
		return act, err
	}
	if err := permit(auth.From(ctx), act.noun().read); err != nil {
		return Activity{}, err
	}
	return act, nil
}

// findToWrite returns an activity that the caller can change.
func findToWrite(ctx context.Context, tx *db.Tx, id string) (Activity, error) {
	act, err := activities.Find(ctx, tx, id)
	if err != nil {
		return act, err
	}
	return act, permit(auth.From(ctx), act.noun().write)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByActivity
	Body ActivityPatch
}) (Activity, error) {
	return rest.Change(ctx, tx, findToWrite, in.ActivityID, func(before Activity, act *Activity) error {
		if err := in.Body.apply(act, tx.Now); err != nil {
			return err
		}
		if err := checkUser(ctx, tx, before, *act); err != nil {
			return err
		}
		if err := checkObject(ctx, tx, *act); err != nil {
			return err
		}
		return save(ctx, tx, before, act)
	})
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByActivity) (rest.None, error) {
	act, err := findToWrite(ctx, tx, in.ActivityID)
	if err != nil {
		return rest.None{}, err
	}
	if err := rest.CheckIfMatch(ctx, act.Version); err != nil {
		return rest.None{}, err
	}
	return rest.None{}, remove(ctx, tx, act)
}
