package scim

import (
	"context"
	"net/http"

	"slipway/internal/identity/sso"
	"slipway/internal/platform/db"
)

func (a *API) groups(w http.ResponseWriter, r *http.Request) { a.serve(w, r, a.serveGroups) }

func (a *API) serveGroups(req request) (response, error) {
	switch {
	case req.Method == http.MethodGet && req.id == "":
		return a.read(req, func(ctx context.Context, tx *db.Tx) (response, error) {
			found, total, err := listGroups(ctx, tx, req.caller.connection, req.query, req.base)
			return response{status: http.StatusOK, body: listResponse(req.query, total, found)}, err
		})
	case req.Method == http.MethodPost && req.id == "":
		return a.postGroup(req)
	case req.id == "":
		return response{}, errMethod()
	case req.Method == http.MethodGet:
		return a.read(req, func(ctx context.Context, tx *db.Tx) (response, error) {
			g, err := findGroup(ctx, tx, req.caller.connection, req.id)
			return req.shown(http.StatusOK, g.resource(req.base), g.version()), err
		})
	case req.Method == http.MethodDelete:
		return a.changeGroup(req, func(ctx context.Context, tx *db.Tx, c sso.Connection, g group) (response, error) {
			return response{status: http.StatusNoContent}, deleteGroup(ctx, tx, c, g)
		})
	case req.Method == http.MethodPut:
		return a.changeGroup(req, func(ctx context.Context, tx *db.Tx, c sso.Connection, g group) (response, error) {
			g, err := a.setGroup(ctx, tx, c, g, req.body)
			return req.shown(http.StatusOK, g.resource(req.base), g.version()), err
		})
	case req.Method == http.MethodPatch:
		return a.patchGroup(req)
	}
	return response{}, errMethod()
}

func (a *API) postGroup(req request) (response, error) {
	return a.write(req, func(ctx context.Context, tx *db.Tx, c sso.Connection) (response, error) {
		g, err := a.setGroup(ctx, tx, c, group{}, req.body)
		if err != nil {
			return response{}, err
		}
		return req.shown(http.StatusCreated, g.resource(req.base), g.version()), nil
	})
}

// patchGroup returns no group, because it can have thousands of members.
func (a *API) patchGroup(req request) (response, error) {
	return a.changeGroup(req, func(ctx context.Context, tx *db.Tx, c sso.Connection, g group) (response, error) {
		body, err := req.patched(g.resource(req.base))
		if err != nil {
			return response{}, err
		}
		g, err = a.setGroup(ctx, tx, c, g, body)
		return response{status: http.StatusNoContent, version: g.version()}, err
	})
}

// changeGroup finds the group of a request and changes it. The changes of a connection
// wait for each other, so the group needs no lock.
func (a *API) changeGroup(req request, change func(context.Context, *db.Tx, sso.Connection, group) (response, error)) (response, error) {
	return a.write(req, func(ctx context.Context, tx *db.Tx, c sso.Connection) (response, error) {
		g, err := findGroup(ctx, tx, c, req.id)
		if err == nil {
			err = req.checkVersion(g.version())
		}
		if err != nil {
			return response{}, err
		}
		return change(ctx, tx, c, g)
	})
}

// setGroup creates a group from a body, or replaces it.
func (a *API) setGroup(ctx context.Context, tx *db.Tx, c sso.Connection, g group, body object) (group, error) {
	n, err := parseGroup(body)
	if err != nil {
		return g, err
	}
	return a.saveGroup(ctx, tx, c, g, n)
}
