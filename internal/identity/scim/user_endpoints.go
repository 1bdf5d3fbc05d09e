package scim

import (
	"context"
	"net/http"

	"slipway/internal/identity/sso"
	"slipway/internal/platform/db"
)

func (a *API) users(w http.ResponseWriter, r *http.Request) { a.serve(w, r, a.serveUsers) }

func (a *API) serveUsers(req request) (response, error) {
	switch {
	case req.Method == http.MethodGet && req.id == "":
		return a.read(req, func(ctx context.Context, tx *db.Tx) (response, error) {
			found, total, err := listMembers(ctx, tx, req.caller.connection, req.query, req.base)
			return response{status: http.StatusOK, body: listResponse(req.query, total, found)}, err
		})
	case req.Method == http.MethodPost && req.id == "":
		return a.postUser(req)
	case req.id == "":
		return response{}, errMethod()
	case req.Method == http.MethodGet:
		return a.read(req, func(ctx context.Context, tx *db.Tx) (response, error) {
			m, err := findMember(ctx, tx, req.caller.connection, req.id)
			return req.shown(http.StatusOK, m.resource(req.base), m.version()), err
		})
	case req.Method == http.MethodDelete:
		return a.changeUser(req, func(ctx context.Context, tx *db.Tx, c sso.Connection, m member) (response, error) {
			return response{status: http.StatusNoContent}, deleteUser(ctx, tx, c, m)
		})
	case req.Method == http.MethodPut:
		return a.changeUser(req, func(ctx context.Context, tx *db.Tx, c sso.Connection, m member) (response, error) {
			m, err := a.setUser(ctx, tx, c, m, req.body)
			return req.shown(http.StatusOK, m.resource(req.base), m.version()), err
		})
	case req.Method == http.MethodPatch:
		return a.changeUser(req, func(ctx context.Context, tx *db.Tx, c sso.Connection, m member) (response, error) {
			body, err := req.patched(m.resource(req.base))
			if err != nil {
				return response{}, err
			}
			m, err = a.setUser(ctx, tx, c, m, body)
			return req.shown(http.StatusOK, m.resource(req.base), m.version()), err
		})
	}
	return response{}, errMethod()
}

func (a *API) postUser(req request) (response, error) {
	p, err := parseProfile(req.body)
	if err != nil {
		return response{}, err
	}
	return a.write(req, func(ctx context.Context, tx *db.Tx, c sso.Connection) (response, error) {
		m, err := a.createUser(ctx, tx, c, p)
		if err != nil {
			return response{}, err
		}
		return req.shown(http.StatusCreated, m.resource(req.base), m.version()), nil
	})
}

// changeUser finds the user of a request, locks it and changes it.
func (a *API) changeUser(req request, change func(context.Context, *db.Tx, sso.Connection, member) (response, error)) (response, error) {
	return a.write(req, func(ctx context.Context, tx *db.Tx, c sso.Connection) (response, error) {
		m, err := findMemberForUpdate(ctx, tx, c, req.id)
		if err == nil {
			err = req.checkVersion(m.version())
		}
		if err != nil {
			return response{}, err
		}
		return change(ctx, tx, c, m)
	})
}

// setUser replaces a user by a body.
func (a *API) setUser(ctx context.Context, tx *db.Tx, c sso.Connection, m member, body object) (member, error) {
	p, err := parseProfile(body)
	if err != nil {
		return m, err
	}
	return a.updateUser(ctx, tx, c, m, p)
}
