package appointments

import (
	"context"
	"slices"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/token"
)

// calendarPath is where calendars are read, followed by the token.
const calendarPath = "/calendars/"

// calendarRow finds the user of a token. Only the hash of the token is stored.
type calendarRow struct {
	Env       auth.Env   `db:"env"`
	UserID    string     `db:"user_id"`
	Hash      []byte     `db:"hash"`
	CreatedAt time.Time  `db:"created_at"`
	CreatedBy auth.Actor `db:"created_by,json"`
}

// createCalendar creates or replaces the URL of a user's calendar.
func createCalendar(ctx context.Context, tx *db.Tx, u people.User) (UserCalendar, error) {
	secret := token.Link(tx.Env)
	if _, err := db.Exec(ctx, tx, `DELETE FROM user_calendars WHERE env = ? AND user_id = ?`, tx.Env, u.ID); err != nil {
		return UserCalendar{}, err
	}
	by := auth.From(ctx).Actor
	if err := db.Insert(ctx, tx, "user_calendars", calendarRow{tx.Env, u.ID, token.Hash(secret), tx.Now, by}); err != nil {
		return UserCalendar{}, err
	}
	url := site.Of(tx).URL + calendarPath + secret + ".ics"
	return UserCalendar{UserID: u.ID, URL: url, CreatedAt: tx.Now, CreatedBy: by}, audit.Record(ctx, tx, "user.calendar_created", u.ID, nil)
}

func deleteCalendar(ctx context.Context, tx *db.Tx, userID string) error {
	n, err := db.Exec(ctx, tx, `DELETE FROM user_calendars WHERE env = ? AND user_id = ?`, tx.Env, userID)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.NotFound("calendar of user", userID)
	}
	return audit.Record(ctx, tx, "user.calendar_revoked", userID, nil)
}

// calendarsOf returns the calendars that a user knows: their own, and those that they
// created for others.
func calendarsOf(ctx context.Context, tx *db.Tx, by people.Author) ([]calendarRow, error) {
	all, err := db.All[calendarRow](ctx, tx, `SELECT {cols} FROM user_calendars WHERE env = ? ORDER BY user_id`, tx.Env)
	return slices.DeleteFunc(all, func(c calendarRow) bool { return c.UserID != by.User.ID && !by.Wrote(c.CreatedBy) }), err
}

// handOverCalendar makes another user the one who created a calendar.
func handOverCalendar(ctx context.Context, tx *db.Tx, c calendarRow, to people.User) error {
	row := struct {
		CreatedBy auth.Actor `db:"created_by,json"`
	}{to.Actor()}
	if _, err := db.Update(ctx, tx, "user_calendars", &row, "env = ? AND user_id = ?", c.Env, c.UserID); err != nil {
		return err
	}
	return audit.Record(ctx, tx, "user.calendar_handed_over", c.UserID, map[string][2]any{"created_by": {nil, to.ID}})
}

// The calendar shows recent appointments and all that are to come.
const (
	calendarSince = 60 * 24 * time.Hour
	calendarLimit = 1000
)

var errCalendar = fault.New(fault.KindNotFound, "This calendar does not exist. It might have been replaced.")

// readCalendar returns the calendar of a token, and when it last changed. It stops
// when the user is deactivated, or can't read contacts anymore.
func readCalendar(ctx context.Context, tx *db.Tx, secret string) (text string, changed time.Time, err error) {
	c, err := db.OneNamed[calendarRow](ctx, tx, token.LinkEnv(secret), `SELECT {cols} FROM user_calendars WHERE hash = ? AND env = ?`,
		token.Hash(secret))
	if db.IsNoRows(err) {
		return "", changed, errCalendar
	}
	if err != nil {
		return "", changed, err
	}
	tx = tx.In(c.Env)
	u, err := people.FindUser(ctx, tx, c.UserID)
	if err != nil {
		return "", changed, err
	}
	scopes, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return "", changed, err
	}
	if u.Status == people.Deactivated || !read.Allows(scopes) {
		return "", changed, errCalendar
	}

	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return "", changed, err
	}
	all, err := db.All[Appointment](ctx, tx, `SELECT {cols} FROM appointments WHERE env = ? AND user_id = ? AND starts_at > ?
		ORDER BY starts_at, id LIMIT ?`, tx.Env, u.ID, tx.Now.Add(-calendarSince), calendarLimit)
	if err != nil {
		return "", changed, err
	}
	entries, err := entriesOf(ctx, tx, d, all)
	for _, e := range entries {
		if e.UpdatedAt.After(changed) {
			changed = e.UpdatedAt
		}
	}
	return calendarText(u.Name+", "+d.Name, entries), changed, err
}

// entriesOf adds what the appointments refer to.
func entriesOf(ctx context.Context, tx *db.Tx, d dealership.Dealership, all []Appointment) ([]entry, error) {
	var contactIDs, hullIDs []string
	for _, a := range all {
		contactIDs = append(contactIDs, a.ContactID)
		if a.HullID != nil {
			hullIDs = append(hullIDs, *a.HullID)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	people, err := contacts.FindAll(ctx, tx, unique(contactIDs))
	if err != nil {
		return nil, err
	}
	boats := map[string]hulls.Hull{}
	if len(hullIDs) > 0 {
		if boats, err = hulls.FindAll(ctx, tx, unique(hullIDs)); err != nil {
			return nil, err
		}
	}
	locations, err := dealership.Locations(ctx, tx)
	if err != nil {
		return nil, err
	}

	var entries []entry
	for _, a := range all {
		e := entry{a, facts{dealership: d, contact: people[a.ContactID]}}
		if i := slices.IndexFunc(locations, func(l dealership.Location) bool { return l.ID == a.LocationID }); i >= 0 {
			e.location = locations[i]
		}
		if h, ok := boats[null.Text(a.HullID)]; ok {
			e.hull = &h
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func unique(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}
