package people

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

// DirectoryFilter is the query of the directory.
type DirectoryFilter struct {
	page.Query
	Active patch.Param[bool] `query:"active" doc:"True lists users who can sign in, false all others."`
}

func listDirectory(ctx context.Context, tx *db.Tx, f DirectoryFilter) (page.Page[DirectoryUser], error) {
	w := &db.Where{}
	switch {
	case f.Active.Set && f.Active.V:
		w.And("status = ?", Active)
	case f.Active.Set:
		w.And("status <> ?", Active)
	}
	p, err := users.List(ctx, tx, f.Query, w)
	out := page.Page[DirectoryUser]{Data: []DirectoryUser{}, HasMore: p.HasMore, NextCursor: p.NextCursor, PrevCursor: p.PrevCursor}
	for _, u := range p.Data {
		out.Data = append(out.Data, u.listed())
	}
	return out, err
}

// FindListed returns the users with these IDs as the directory shows them.
func FindListed(ctx context.Context, tx *db.Tx, ids []string) (map[string]DirectoryUser, error) {
	found := map[string]DirectoryUser{}
	if len(ids) == 0 {
		return found, nil
	}
	marks, args := db.In(ids)
	all, err := db.All[User](ctx, tx, `SELECT {cols} FROM users WHERE env = ? AND id IN `+marks, append([]any{tx.Env}, args...)...)
	for _, u := range all {
		found[u.ID] = u.listed()
	}
	return found, err
}

// OrMe returns the ID of the user in a parameter. "me" is the user of the session.
func OrMe(ctx context.Context, param, id string) (string, error) {
	caller := auth.From(ctx)
	if id != "me" {
		return id, nil
	}
	if caller.UserID == "" {
		return "", fault.BadRequest("%s can only be me for a session of a user.", param).
			Detail(param, "format", "can only be me for a session of a user")
	}
	return caller.UserID, nil
}
