package donotcall

import (
	"context"

	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.LeadsRead)
	write = auth.Require(auth.LeadsWrite)
)

// API serves the lists.
type API struct {
	DB   *db.DB
	Jobs *jobs.Queue
}

// maxFile is the largest file, about ten million numbers.
const maxFile = 128 << 20

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.Campaigns).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/do_not_call_lists", ID: "listDoNotCallLists", Needs: read, AllLocations: true,
		Summary: "List do-not-call lists, newest first",
		Text:    "Numbers on a list get no marketing text messages, and no sales calls: see `getLeadReach`.",
		Assist:  assist.Read,
	}, a.list)
	rest.Raw(p, "POST", 201, rest.Route{
		Path: "/do_not_call_lists", ID: "createDoNotCallList", Needs: write, AllLocations: true,
		Summary: "Upload a do-not-call list",
		Text: "Send a file with a phone number on each line as the body, or as the form field `file`. The files of the National Do-Not-Call Registry work as they are. " +
			"The list applies when the whole file was read. To replace a list, upload the new one, and then delete the old one.",
		Assist:  assist.Never(assist.Files),
		Accepts: rest.Files{Most: maxFile, Types: []string{"text/csv", "text/plain"}, Fields: []string{"name"}},
	}, a.create)
	rest.Delete(p, rest.Route{
		Path: "/do_not_call_lists/{list_id}", ID: "deleteDoNotCallList", Needs: write, AllLocations: true,
		Summary: "Delete a do-not-call list",
		Text:    "Its numbers are no longer blocked, unless another list has them.",
		Assist:  assist.Never(assist.Deletes),
	}, a.delete)
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[DoNotCallList], error) {
	return listAll(ctx, tx, in.Query)
}

func (a *API) create(ctx context.Context, in *struct {
	Name string `query:"name" maxLength:"200" doc:"Your name of the list. Defaults to Do-not-call list." example:"National registry, area code 410"`
}) (DoNotCallList, error) {
	u := rest.Body(ctx)
	l := DoNotCallList{Name: in.Name}
	if l.Name == "" {
		l.Name = "Do-not-call list"
	}
	l, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (DoNotCallList, error) {
		l := l // the transaction might run twice
		err := insert(ctx, tx, &l)
		return l, err
	})
	if err != nil {
		return l, err
	}
	if err := a.store(ctx, l, newReader(u)); err != nil {
		return l, a.discard(ctx, l, err)
	}

	fields, err := u.Fields()
	if err != nil {
		return l, a.discard(ctx, l, err)
	}
	if fields["name"] != "" {
		l.Name = fields["name"]
	}
	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (DoNotCallList, error) {
		return complete(ctx, tx, l)
	})
}

// store reads the file in batches, each in its own transaction.
func (a *API) store(ctx context.Context, l DoNotCallList, file *reader) error {
	for {
		numbers, err := file.next()
		if err != nil || len(numbers) == 0 {
			return err
		}
		if _, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (none rest.None, err error) {
			return none, add(ctx, tx, l.ID, numbers)
		}); err != nil {
			return err
		}
	}
}

// discard deletes what was read of a file that can't be read to its end, and returns why.
func (a *API) discard(ctx context.Context, l DoNotCallList, why error) error {
	_, err := db.Write(context.WithoutCancel(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (none rest.None, err error) {
		if err := lists.Delete(ctx, tx, l.ID); err != nil {
			return none, err
		}
		return none, a.Jobs.Enqueue(ctx, tx, PurgeNumbers{tx.Env, l.ID}, tx.Now)
	})
	if err != nil {
		return err
	}
	return why
}

// ByList is the path parameter of a list.
type ByList struct {
	ListID string `path:"list_id" example:"dnc_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the list."`
}

func (a *API) delete(ctx context.Context, tx *db.Tx, in *ByList) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, lists.Find, in.ListID, func(l DoNotCallList, _ *DoNotCallList) error {
		if err := remove(ctx, tx, l); err != nil {
			return err
		}
		return a.Jobs.Enqueue(ctx, tx, PurgeNumbers{tx.Env, l.ID}, tx.Now)
	})
	return none, err
}
