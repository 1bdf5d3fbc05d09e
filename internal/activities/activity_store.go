package activities

import (
	"context"
	"slices"
	"strings"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/privacy"
)

var activities = db.Table[Activity]{Name: "activities", Prefix: "act", Noun: "activity"}

// ActivityFilter is the query of the list of activities.
type ActivityFilter struct {
	page.Query
	ObjectID  string            `query:"object_id" maxLength:"64" doc:"Only activities on this lead, contact, deal or hull."`
	Kind      Kind              `query:"kind" doc:"Only activities of this kind."`
	UserID    string            `query:"user_id" maxLength:"64" doc:"Only activities of this user."`
	Done      patch.Param[bool] `query:"done" doc:"False lists open tasks, true tasks that were done."`
	DueBefore time.Time         `query:"due_before" doc:"Only tasks that are due before this time."`
}

// where returns the filter for the types of objects that a caller can read.
func (f ActivityFilter) where(types []string) *db.Where {
	w := &db.Where{}
	w.AndIf(f.ObjectID != "", "object_id = ?", f.ObjectID)
	w.AndIf(f.Kind != "", "kind = ?", f.Kind)
	w.AndIf(f.UserID != "", "user_id = ?", f.UserID)
	w.AndIf(f.Done.Set, "kind = ?", task)
	w.AndIf(!f.DueBefore.IsZero(), "due_at < ?", f.DueBefore.UTC())
	switch {
	case f.Done.Set && f.Done.V:
		w.And("done_at IS NOT NULL")
	case f.Done.Set:
		w.And("done_at IS NULL")
	}
	if f.ObjectID == "" && len(types) < len(nouns) {
		marks, args := db.In(types)
		w.And("object_type IN "+marks, args...)
	}
	return w
}

// LocationOf returns the location of the object of an activity, or "" if it is a contact.
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	a, err := activities.Find(ctx, tx, id)
	if err != nil {
		return "", err
	}
	prefix, _, _ := strings.Cut(a.ObjectID, "_")
	switch prefix {
	case "hull":
		return hulls.LocationOf(ctx, tx, a.ObjectID)
	case "deal":
		return deals.LocationOf(ctx, tx, a.ObjectID)
	case "lead":
		return leads.LocationOf(ctx, tx, a.ObjectID)
	}
	return "", nil
}

// OpenTasks returns up to 100 tasks of a user that are due before a time, the earliest first, as far
// as the caller can read what they are about.
func OpenTasks(ctx context.Context, tx *db.Tx, userID string, before time.Time) ([]Activity, error) {
	f := ActivityFilter{Kind: task, UserID: userID, Done: patch.Param[bool]{Set: true}, DueBefore: before}
	found, err := activities.List(ctx, tx, page.Query{Limit: 100}, f.where(readable(auth.From(ctx))))
	slices.SortStableFunc(found.Data, func(a, b Activity) int { return a.DueAt.Compare(*b.DueAt) })
	return found.Data, err
}

// CountOpen counts the open tasks on an object.
func CountOpen(ctx context.Context, tx *db.Tx, objectID string) (int64, error) {
	return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM activities WHERE env = ? AND object_id = ? AND kind = ? AND done_at IS NULL`,
		tx.Env, objectID, task)
}

func insert(ctx context.Context, tx *db.Tx, a *Activity) error {
	a.Author = auth.From(ctx).Actor
	if err := activities.Insert(ctx, tx, a); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "activity.created", a.ID, events.Change{After: *a})
}

func save(ctx context.Context, tx *db.Tx, before Activity, a *Activity) error {
	if err := activities.Save(ctx, tx, a); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "activity.updated", a.ID, events.Change{Before: before, After: *a})
}

// remove deletes an activity, and its text from the events.
func remove(ctx context.Context, tx *db.Tx, a Activity) error {
	if err := activities.Delete(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := events.Redact(ctx, tx, a.ID); err != nil {
		return err
	}
	privacy.Erase(&a, false)
	return events.Emit(ctx, tx, "activity.deleted", a.ID, events.Change{After: a})
}

// checkObject checks that the object exists and that text can be added to it. The
// contacts are locked, because a concurrent merge or erasure would miss the text.
func checkObject(ctx context.Context, tx *db.Tx, a Activity) error {
	about, err := contactsOf(ctx, tx, a)
	if err != nil {
		return asField("object_id", err)
	}
	for _, id := range about {
		c, err := contacts.FindForUpdate(ctx, tx, id)
		if err != nil {
			return asField("object_id", err)
		}
		if err := c.Active(); err != nil {
			return err
		}
	}
	return nil
}

// contactsOf returns the IDs of the contacts that the text of an activity is about.
func contactsOf(ctx context.Context, tx *db.Tx, a Activity) ([]string, error) {
	switch a.ObjectType {
	case onContact:
		return []string{a.ObjectID}, nil
	case onLead:
		l, err := leads.Find(ctx, tx, a.ObjectID)
		return []string{l.ContactID}, err
	case onDeal:
		d, err := deals.Find(ctx, tx, a.ObjectID)
		if d.CoBuyerID != nil {
			return []string{d.BuyerID, *d.CoBuyerID}, err
		}
		return []string{d.BuyerID}, err
	}
	_, err := hulls.Find(ctx, tx, a.ObjectID)
	return nil, err
}

// touch records that the dealership worked on the lead of an activity. A call or a visit is an
// answer to the customer.
func touch(ctx context.Context, tx *db.Tx, a Activity) error {
	if a.ObjectType != onLead || a.Kind == task {
		return nil
	}
	l, err := leads.Find(ctx, tx, a.ObjectID)
	if err != nil {
		return err
	}
	if a.Kind == note {
		return leads.Touch(ctx, tx, l)
	}
	return leads.Answer(ctx, tx, l)
}

// checkUser checks that a new user exists and is not deactivated.
func checkUser(ctx context.Context, tx *db.Tx, before, a Activity) error {
	if a.UserID == nil || before.UserID != nil && *before.UserID == *a.UserID {
		return nil
	}
	u, err := people.FindUser(ctx, tx, *a.UserID)
	if err != nil {
		return asField("user_id", err)
	}
	var bad fault.Fields
	if u.Status == people.Deactivated {
		bad.Add("user_id", "state", "is deactivated")
	}
	return bad.Err()
}

// asField turns "not found" into an error of a field.
func asField(field string, err error) error {
	if fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	var bad fault.Fields
	bad.Add(field, "not_found", "does not exist")
	return bad.Err()
}
