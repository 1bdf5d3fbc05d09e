package views

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// API serves the views.
type API struct{ DB *db.DB }

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Dealership).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/views", ID: "listViews", Needs: auth.AnyCredential,
		Summary: "List the saved views of lists, newest first",
		Text:    "Returns your views and the shared ones, of the lists that you can see.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(p, rest.Route{
		Path: "/views", ID: "createView", Needs: auth.AnyCredential,
		Summary: "Save a view of a list",
		Text:    "Requires the scope to read the list. You can save at most 100 views.",
		Assist:  assist.Never(assist.Settings),
	}, a.create)
	rest.Patch(p, rest.Route{
		Path: "/views/{view_id}", ID: "updateView", Needs: auth.AnyCredential,
		Summary: "Change a saved view",
		Text:    "A shared view can be changed by its owner, managers and administrators.",
		Assist:  assist.Never(assist.Settings),
	}, a.update)
	rest.Delete(p, rest.Route{
		Path: "/views/{view_id}", ID: "deleteView", Needs: auth.AnyCredential,
		Summary: "Delete a saved view",
		Text:    "A shared view can be deleted by its owner, managers and administrators.",
		Assist:  assist.Never(assist.Deletes),
	}, a.delete)
}

// ByView is the path parameter of a view.
type ByView struct {
	ViewID string `path:"view_id" example:"view_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the view."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct {
	page.Query
	Screen Screen `query:"screen" doc:"Only views of this list."`
}) (page.Page[SavedView], error) {
	views, err := list(ctx, tx, in.Query, in.Screen)
	for i, v := range views.Data {
		views.Data[i].CanChange = v.changedBy(auth.From(ctx))
	}
	return views, err
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body SavedViewCreate }) (SavedView, error) {
	caller := auth.From(ctx)
	v := in.Body.view(caller.Actor.ID)
	if scope := needs[v.Screen]; !caller.Can(scope) {
		return v, fault.Forbidden("You can't see this list. It requires the scope %s.", scope).Detail("screen", "scope", "requires the scope %s", scope)
	}
	if err := v.check(); err != nil {
		return v, err
	}
	v.CanChange = true
	err := insert(ctx, tx, &v)
	return v, err
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByView
	Body SavedViewPatch
}) (SavedView, error) {
	return rest.Change(ctx, tx, findToChange, in.ViewID, func(before SavedView, v *SavedView) error {
		in.Body.apply(v)
		if err := v.check(); err != nil {
			return err
		}
		v.CanChange = true
		return save(ctx, tx, before, v)
	})
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByView) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, findToChange, in.ViewID, func(v SavedView, _ *SavedView) error {
		return remove(ctx, tx, v)
	})
	return none, err
}

// findToChange returns a view that the caller can change.
func findToChange(ctx context.Context, tx *db.Tx, id string) (SavedView, error) {
	v, err := find(ctx, tx, id)
	if err == nil && !v.changedBy(auth.From(ctx)) {
		return v, fault.Forbidden("This view is shared. Only the person who saved it and managers can change it.").
			Detail("view_id", "manager", "was saved by another user")
	}
	return v, err
}
