package appointments

import (
	"context"
	"slices"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/fault"
)

// Between returns up to 1,000 appointments that match, with names, the earliest first.
func Between(ctx context.Context, tx *db.Tx, f AppointmentFilter) ([]ScheduleEntry, error) {
	return schedule(ctx, tx, f)
}

// schedule returns the appointments that match, with names.
func schedule(ctx context.Context, tx *db.Tx, f AppointmentFilter) ([]ScheduleEntry, error) {
	w := f.where()
	rows, err := db.All[Appointment](ctx, tx, `SELECT {cols} FROM appointments WHERE env = ? AND status <> 'canceled' AND `+w.String()+`
		ORDER BY starts_at, id LIMIT 1000`, append([]any{tx.Env}, w.Args...)...)
	if err != nil {
		return nil, err
	}
	var who, what []string
	for _, a := range rows {
		who = append(who, a.ContactID)
		if a.HullID != nil {
			what = append(what, *a.HullID)
		}
	}
	slices.Sort(who)
	slices.Sort(what)
	people, err := contacts.FindAll(ctx, tx, slices.Compact(who))
	if err != nil {
		return nil, err
	}
	boats, err := hulls.FindAll(ctx, tx, slices.Compact(what))
	if err != nil {
		return nil, err
	}

	all := []ScheduleEntry{}
	for _, a := range rows {
		a.derive()
		e := ScheduleEntry{Appointment: a}
		e.name(people, boats)
		all = append(all, e)
	}
	return all, nil
}

// dayOf returns what is known about the day of a wish.
func dayOf(ctx context.Context, tx *db.Tx, wish Appointment) (d day, err error) {
	d.now = tx.Now
	around := AppointmentFilter{StartsAfter: wish.StartsAt.Add(-maxMinutes * time.Minute), StartsBefore: wish.StartsAt.Add(36 * time.Hour)}
	if d.booked, err = schedule(ctx, tx, around); err != nil {
		return d, err
	}
	users, err := people.AllUsers(ctx, tx)
	if err != nil {
		return d, err
	}
	for _, u := range users {
		worksHere := len(u.LocationIDs) == 0 || slices.Contains(u.LocationIDs, wish.LocationID)
		if u.Status == people.Active && worksHere {
			d.users = append(d.users, u.ID)
		}
	}
	if wish.HullID == nil {
		return d, nil
	}
	h, err := hulls.Find(ctx, tx, *wish.HullID)
	if err != nil {
		return d, err
	}
	d.hull = &h
	d.forThem = h.Hold != nil && h.Hold.ContactID != nil && *h.Hold.ContactID == wish.ContactID
	d.location, err = dealership.FindLocation(ctx, tx, h.LocationID)
	if fault.KindOf(err) == fault.KindNotFound {
		err = nil
	}
	return d, err
}
