package summaries

import (
	"context"
	"fmt"
	"strings"
	"time"

	"slipway/internal/activities"
	"slipway/internal/appointments"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

// most is how many lines a list has. Behind it is a link to all of them.
const most = 8

// stuckAfter is how long a deal has not changed when it needs someone.
const stuckAfter = 3 * 24 * time.Hour

// prepared is an email that is ready to be sent. Without an address, there is none.
type prepared struct {
	mail.Letter
	to, subject string
}

// morning is what the lists of one user are made of.
type morning struct {
	user    auth.Principal
	zone    *time.Location
	now     time.Time
	end     time.Time // of the day
	console string    // URL of the console
	lists   []mail.List
	count   int
}

// prepare writes the email as the user could read it, with the user's scopes and locations.
func prepare(ctx context.Context, tx *db.Tx, job SendSummary) (p prepared, err error) {
	u, err := people.FindUser(ctx, tx, job.UserID)
	if err != nil || u.Status != people.Active {
		return p, err
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return p, err
	}
	scopes, err := people.ScopesOf(ctx, tx, u)
	if err != nil {
		return p, err
	}
	zone, err := time.LoadLocation(d.Timezone)
	if err != nil {
		return p, err
	}
	local := tx.Now.In(zone)
	if local.Format(time.DateOnly) != job.Day { // the mail server was unavailable for too long
		return p, nil
	}
	m := &morning{
		user: auth.Principal{
			Env: tx.Env, Mode: d.Mode, OriginalID: u.ID, Actor: u.Actor(), UserID: u.ID, Scopes: scopes,
			Personal: true, Manager: u.IsManager(), Locations: u.LimitedTo(),
		},
		zone: zone, now: tx.Now, end: time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone),
		console: site.Of(tx).URL + "/console/" + string(d.Mode) + "/",
	}
	if err := m.read(auth.With(ctx, m.user), tx); err != nil || m.count == 0 {
		return p, err
	}

	logo, err := dealership.FindLogo(ctx, tx)
	name, _, _ := strings.Cut(u.Name, " ")
	return prepared{to: u.Email, subject: fmt.Sprintf("Your day at %s: %s", d.Name, local.Format("Monday, Jan 2")), Letter: mail.Letter{
		Brand: d.Name, Logo: logo,
		Body:   fmt.Sprintf("Good morning, %s. This is what needs you on %s.", name, local.Format("Monday, January 2")),
		Lists:  m.lists,
		Button: mail.Button{Label: "Open Today", URL: m.console + "today"},
		Footer: []string{"You get this email because you turned on the daily summary."},
		Manage: mail.Button{Label: "Change the time or turn it off", URL: m.console + "settings/profile"},
	}}, err
}

// read adds the lists that the user can read.
func (m *morning) read(ctx context.Context, tx *db.Tx) error {
	for _, list := range []struct {
		needs auth.Scope
		read  func(ctx context.Context, tx *db.Tx) (mail.List, error)
	}{
		{auth.LeadsRead, m.waiting}, {auth.LeadsRead, m.appointments}, {auth.LeadsRead, m.tasks}, {auth.HullsRead, m.holds}, {auth.DealsRead, m.deals},
	} {
		if !m.user.Can(list.needs) {
			continue
		}
		l, err := list.read(ctx, tx)
		if err != nil {
			return err
		}
		if len(l.Items) == 0 {
			continue
		}
		m.count += len(l.Items)
		if len(l.Items) > most {
			l.Items, l.More.Label = l.Items[:most], "Show all"
		} else {
			l.More = mail.Button{}
		}
		m.lists = append(m.lists, l)
	}
	return nil
}

func (m *morning) locations() string { return strings.Join(m.user.Locations, ",") }

func (m *morning) clock(at time.Time) string { return at.In(m.zone).Format("3:04 PM") }

// waiting are the customers who wait for the user, or for anyone.
func (m *morning) waiting(ctx context.Context, tx *db.Tx) (mail.List, error) {
	l := mail.List{Title: "Waiting for your answer", More: mail.Button{URL: m.console + "leads"}}
	found, err := leads.ListInbox(ctx, tx, leads.InboxFilter{Awaiting: leads.Us, OrUnowned: patch.Param[bool]{Set: true, V: true}, Sort: leads.LongestWait,
		LeadFilter: leads.LeadFilter{Query: page.Query{Limit: most + 1}, OwnerID: m.user.UserID, LocationID: m.locations()}})
	if err != nil {
		return l, err
	}
	var who, what []string
	for _, lead := range found.Data {
		who = append(who, lead.ContactID)
		if lead.HullID != nil {
			what = append(what, *lead.HullID)
		}
	}
	names, err := contacts.FindAll(ctx, tx, who)
	if err != nil {
		return l, err
	}
	boats, err := hulls.FindAll(ctx, tx, what)
	if err != nil {
		return l, err
	}
	for _, lead := range found.Data {
		item := mail.Item{Text: names[lead.ContactID].Called(), URL: m.console + "leads/" + lead.ID}
		if lead.AwaitingSince != nil {
			item.Note = "waits for " + waited(m.now.Sub(*lead.AwaitingSince))
		}
		if lead.HullID != nil && m.user.Can(auth.HullsRead) && boats[*lead.HullID].ID != "" {
			item.Note += " · " + boats[*lead.HullID].Name()
		}
		if lead.OwnerID == nil {
			item.Note += " · no owner"
		}
		l.Items = append(l.Items, item)
	}
	return l, nil
}

// appointments are the user's appointments on this day.
func (m *morning) appointments(ctx context.Context, tx *db.Tx) (mail.List, error) {
	l := mail.List{Title: "Appointments today", More: mail.Button{URL: m.console + "calendar"}}
	found, err := appointments.Between(ctx, tx, appointments.AppointmentFilter{
		UserID: m.user.UserID, LocationID: m.locations(), Status: appointments.Scheduled, StartsAfter: m.end.AddDate(0, 0, -1), StartsBefore: m.end,
	})
	for _, a := range found {
		item := mail.Item{Text: fmt.Sprintf("%s  %s", m.clock(a.StartsAt), a.ContactName), Note: strings.ReplaceAll(string(a.Kind), "_", " "), URL: m.console + "calendar"}
		if a.HullName != nil && m.user.Can(auth.HullsRead) {
			item.Note += " · " + *a.HullName
		}
		l.Items = append(l.Items, item)
	}
	return l, err
}

// tasks are the user's tasks that are due today or before.
func (m *morning) tasks(ctx context.Context, tx *db.Tx) (mail.List, error) {
	l := mail.List{Title: "Tasks", More: mail.Button{URL: m.console + "today"}}
	found, err := activities.OpenTasks(ctx, tx, m.user.UserID, m.end)
	for _, t := range found {
		item := mail.Item{Text: "Task", URL: m.console + "today"}
		if t.Body != nil {
			item.Text = excerpt(*t.Body)
		}
		if t.DueAt != nil {
			item.Note = "due " + t.DueAt.In(m.zone).Format("Mon, Jan 2")
		}
		l.Items = append(l.Items, item)
	}
	return l, err
}

// holds are those that end today: the user's own, and for people who change the inventory, all.
func (m *morning) holds(ctx context.Context, tx *db.Tx) (mail.List, error) {
	l := mail.List{Title: "Holds that end today", More: mail.Button{URL: m.console + "boats?status=on_hold"}}
	found, err := hulls.List(ctx, tx, hulls.HullFilter{Query: page.Query{Limit: 100}, Status: hulls.OnHold, LocationID: m.locations()})
	for _, h := range found.Data {
		own := h.Hold != nil && h.Hold.UserID != nil && *h.Hold.UserID == m.user.UserID
		if h.Hold == nil || !h.Hold.ExpiresAt.Before(m.end) || !own && !m.user.Can(auth.HullsWrite) {
			continue
		}
		item := mail.Item{Text: h.Name(), Note: "until " + m.clock(h.Hold.ExpiresAt), URL: m.console + "boats/" + h.ID}
		if h.StockNumber != nil {
			item.Note += " · " + *h.StockNumber
		}
		l.Items = append(l.Items, item)
	}
	return l, err
}

// deals are the open deals of the user that have not changed for a while, with what they need.
func (m *morning) deals(ctx context.Context, tx *db.Tx) (mail.List, error) {
	l := mail.List{Title: "Deals that need something", More: mail.Button{URL: m.console + "deals"}}
	found, err := deals.List(ctx, tx, deals.DealFilter{
		Query: page.Query{Limit: 50}, OwnerID: m.user.UserID, StatusCategory: deals.CategoryOpen, LocationID: m.locations(),
	})
	if err != nil {
		return l, err
	}
	for _, d := range found.Data {
		if m.now.Sub(d.UpdatedAt) < stuckAfter || len(l.Items) > most {
			continue
		}
		n, err := deals.FindNext(ctx, tx, d)
		if err != nil {
			return l, err
		}
		item := mail.Item{Text: fmt.Sprintf("Deal %d", d.Number), Note: "unchanged for " + waited(m.now.Sub(d.UpdatedAt)), URL: m.console + "deals/" + d.ID}
		if len(n.Steps) > 0 && len(n.Steps[0].Missing) > 0 {
			item.Note = n.Steps[0].Missing[0].Message + " " + strings.ToUpper(item.Note[:1]) + item.Note[1:] + "."
		}
		if h, err := hulls.Find(ctx, tx, d.HullID); err == nil && m.user.Can(auth.HullsRead) {
			item.Text += ", " + h.Name()
		}
		l.Items = append(l.Items, item)
	}
	return l, nil
}

// excerpt is the start of a text by people.
func excerpt(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if letters := []rune(line); len(letters) > 120 {
		return strings.TrimSpace(string(letters[:119])) + "…"
	}
	return line
}
