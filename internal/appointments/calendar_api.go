package appointments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
)

// manage is the rule for the calendars of other users. A calendar contains the names
// of contacts.
var manage = auth.Require(auth.Admin, auth.LeadsRead)

func (a *API) mountCalendars(r *rest.Router) {
	p := r.Family(family.Appointments).Preview("2026-11-16")
	own := "Users can do this for themselves with a session that has the scope `leads:read`."
	rest.PostCreated(p, rest.Route{
		Path: "/users/{user_id}/calendar", ID: "createUserCalendar", Needs: manage,
		Summary:   "Create or replace the calendar URL of a user",
		Text:      "Returns a secret URL that calendar apps can subscribe to. It is only shown once. The earlier URL stops working. " + own,
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, OrSelf: "user_id",
	}, a.createCalendar)
	rest.Delete(p, rest.Route{
		Path: "/users/{user_id}/calendar", ID: "deleteUserCalendar", Needs: manage,
		Summary:   "Revoke the calendar URL of a user",
		Text:      own,
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, OrSelf: "user_id",
	}, a.deleteCalendar)
	rest.Public(r.Family(family.Links), http.MethodGet, http.StatusOK, rest.Route{
		Path: calendarPath + "{token}.ics", ID: "getCalendar",
		Summary:  "Read the appointments of a user as an iCalendar file",
		Text:     "`POST /v2-preview/users/{user_id}/calendar` returns the URL. It contains the appointments of the last 60 days and all later ones.",
		Produces: []string{"text/calendar"},
	}, a.readCalendar)
}

// ByUser is the path parameter of a user.
type ByUser struct {
	UserID string `path:"user_id" example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the user."`
}

// userOf returns the user in the path. A session of that user also needs the scope
// to read appointments, because the calendar shows them.
func userOf(ctx context.Context, tx *db.Tx, id string) (people.User, error) {
	if !auth.From(ctx).Can(auth.LeadsRead) {
		return people.User{}, fault.Forbidden("This operation requires the scope %s.", read).
			Detail("Authorization", "scope", "must have the scope %s", read)
	}
	return people.FindUser(ctx, tx, id)
}

func (a *API) createCalendar(ctx context.Context, tx *db.Tx, in *ByUser) (UserCalendar, error) {
	u, err := userOf(ctx, tx, in.UserID)
	if err != nil {
		return UserCalendar{}, err
	}
	if u.Status == people.Deactivated {
		return UserCalendar{}, fault.Conflict("The user is deactivated.").Detail("user_id", "state", "is deactivated")
	}
	return createCalendar(ctx, tx, u)
}

func (a *API) deleteCalendar(ctx context.Context, tx *db.Tx, in *ByUser) (rest.None, error) {
	u, err := userOf(ctx, tx, in.UserID)
	if err != nil {
		return rest.None{}, err
	}
	return rest.None{}, deleteCalendar(ctx, tx, u.ID)
}

// fresh is how long a calendar app can use its copy.
const fresh = 5 * time.Minute

func (a *API) readCalendar(ctx context.Context, in *struct {
	Token string `path:"token" maxLength:"100" doc:"Secret part of the URL."`
}) (*rest.Content, error) {
	var changed time.Time
	text, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (text string, err error) {
		text, changed, err = readCalendar(ctx, tx, in.Token)
		return text, err
	})
	if err != nil {
		return nil, err
	}

	sum := sha256.Sum256([]byte(text))
	c := &rest.Content{
		Type: "text/calendar; charset=utf-8", Name: "appointments.ics", ETag: hex.EncodeToString(sum[:16]), Fresh: fresh,
		Headers: map[string]string{"Referrer-Policy": "no-referrer"},
		Stream: func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		},
	}
	if !changed.IsZero() {
		c.Headers["Last-Modified"] = changed.UTC().Format(http.TimeFormat)
	}
	return c, nil
}
