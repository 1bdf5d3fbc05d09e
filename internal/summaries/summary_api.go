package summaries

import (
	"context"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/work"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
)

// API serves the setting, and sends the emails.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Mail     mail.Sender
	MailFrom string
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Dealership).Preview("2026-11-19")
	own := "Users can do this for themselves with a session."
	rest.Get(r, rest.Route{
		Path: "/users/{user_id}/daily_summary", ID: "getDailySummary", Needs: auth.Require(auth.Admin),
		Summary: "Retrieve whether a user gets the daily summary",
		Text:    own,
		Assist:  assist.Read, OrSelf: "user_id",
	}, get)
	rest.Put(r, rest.Route{
		Path: "/users/{user_id}/daily_summary", ID: "setDailySummary", Needs: auth.Require(auth.Admin),
		Summary: "Turn the daily summary of a user on or off",
		Text: "The email lists who waits for an answer, the appointments of the day, tasks, holds that end, and deals that need something, " +
			"as far as the user can read them. On days without any of these, no email is sent. " + own,
		Assist:    assist.Never(assist.Users),
		NoIfMatch: true, OrSelf: "user_id",
	}, set)
}

// ByUser is the path parameter of a user.
type ByUser struct {
	UserID string `path:"user_id" example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the user."`
}

func get(ctx context.Context, tx *db.Tx, in *ByUser) (DailySummary, error) {
	if _, err := people.FindUser(ctx, tx, in.UserID); err != nil {
		return DailySummary{}, err
	}
	return read(ctx, tx, in.UserID)
}

func set(ctx context.Context, tx *db.Tx, in *struct {
	ByUser
	Body DailySummaryUpdate
}) (DailySummary, error) {
	u, err := people.FindUser(ctx, tx, in.UserID)
	if err != nil {
		return DailySummary{}, err
	}
	if u.Status == people.Deactivated {
		return DailySummary{}, errDeactivated()
	}
	zone, err := zoneOf(ctx, tx)
	if err != nil {
		return DailySummary{}, err
	}
	r, exists, err := find(ctx, tx, u.ID)
	if err != nil {
		return DailySummary{}, err
	}

	before := DailySummary{UserID: u.ID, SendAt: defaultTime}
	if exists {
		before = r.view()
	}
	r.SendAt, r.NextAt = in.Body.SendAt, nextAt(in.Body.SendAt, tx.Now, zone)
	after := r.view()
	switch {
	case !in.Body.Enabled:
		after = DailySummary{UserID: u.ID, SendAt: in.Body.SendAt}
		if exists {
			err = summaries.Delete(ctx, tx, r.ID)
		}
	case exists:
		err = summaries.Save(ctx, tx, &r)
	default:
		err = summaries.Insert(ctx, tx, &r)
	}
	if err == nil && after.Enabled {
		err = work.Mark(ctx, tx, work.Summaries, r.NextAt)
	}
	if err != nil {
		return after, err
	}
	return after, audit.Record(ctx, tx, "user.daily_summary_set", u.ID, audit.Diff(before, after))
}

// zoneOf returns the time zone of the dealership.
func zoneOf(ctx context.Context, tx *db.Tx) (*time.Location, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	return time.LoadLocation(d.Timezone)
}
