package appointments

import (
	"context"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

var appointments = db.Table[Appointment]{
	Name: "appointments", Prefix: "apt", Noun: "appointment",
	Loaded: func(_ *db.Tx, a *Appointment) { a.derive() },
}

// AppointmentFilter is the query of the list of appointments.
type AppointmentFilter struct {
	page.Query
	UserID       string    `query:"user_id" maxLength:"64" doc:"Only appointments of this user."`
	ContactID    string    `query:"contact_id" maxLength:"64" doc:"Only appointments with this contact."`
	LeadID       string    `query:"lead_id" maxLength:"64" doc:"Only appointments of this lead."`
	DealID       string    `query:"deal_id" maxLength:"64" doc:"Only appointments of this deal."`
	HullID       string    `query:"hull_id" maxLength:"64" doc:"Only appointments about this boat."`
	LocationID   string    `query:"location_id" maxLength:"1000" doc:"Only appointments at this location. Several are separated by commas."`
	Status       Status    `query:"status" doc:"Only appointments with this status."`
	StartsAfter  time.Time `query:"starts_after" doc:"Only appointments that start at this time or later."`
	StartsBefore time.Time `query:"starts_before" doc:"Only appointments that start before this time."`
}

func (f AppointmentFilter) where() *db.Where {
	w := &db.Where{}
	w.AndIf(f.UserID != "", "user_id = ?", f.UserID)
	w.AndIf(f.ContactID != "", "contact_id = ?", f.ContactID)
	w.AndIf(f.LeadID != "", "lead_id = ?", f.LeadID)
	w.AndIf(f.DealID != "", "deal_id = ?", f.DealID)
	w.AndIf(f.HullID != "", "hull_id = ?", f.HullID)
	w.AndOneOf("location_id", f.LocationID)
	w.AndIf(f.Status != "", "status = ?", f.Status)
	w.AndIf(!f.StartsAfter.IsZero(), "starts_at >= ?", f.StartsAfter.UTC())
	w.AndIf(!f.StartsBefore.IsZero(), "starts_at < ?", f.StartsBefore.UTC())
	return w
}

// LocationOf returns the location of an appointment.
func LocationOf(ctx context.Context, tx *db.Tx, id string) (string, error) {
	a, err := find(ctx, tx, id)
	return a.LocationID, err
}

// Planned returns the appointments of a lead that a message can be about: those to come, and
// those of the last week.
func Planned(ctx context.Context, tx *db.Tx, leadID string) (all []messages.Planned, err error) {
	rows, err := db.All[Appointment](ctx, tx, `SELECT {cols} FROM appointments WHERE env = ? AND lead_id = ? AND status <> 'canceled'
		AND starts_at > ? ORDER BY starts_at, id LIMIT 20`, tx.Env, leadID, tx.Now.AddDate(0, 0, -8))
	for _, a := range rows {
		all = append(all, messages.Planned{ID: a.ID, Version: a.Version, What: a.noun(), StartsAt: a.StartsAt.In(zoneOf(a.Timezone))})
	}
	return all, err
}

func find(ctx context.Context, tx *db.Tx, id string) (Appointment, error) {
	return appointments.Find(ctx, tx, id)
}

func insert(ctx context.Context, tx *db.Tx, a *Appointment) error {
	if err := appointments.Insert(ctx, tx, a); err != nil {
		return err
	}
	a.derive()
	return events.Emit(ctx, tx, "appointment.created", a.ID, events.Change{After: *a})
}

// save writes a changed appointment and the event.
func save(ctx context.Context, tx *db.Tx, before Appointment, a *Appointment, event string) error {
	if err := appointments.Save(ctx, tx, a); err != nil {
		return err
	}
	a.derive()
	return events.Emit(ctx, tx, event, a.ID, events.Change{Before: before, After: *a})
}

// checkOverlap returns an error if the user has another appointment at the same
// time. The first statement locks the user's row, so that of two concurrent
// requests the second one finds the first one's appointment.
func checkOverlap(ctx context.Context, tx *db.Tx, a Appointment) error {
	if _, err := db.Exec(ctx, tx, `
		INSERT INTO appointment_users (env, user_id, changes) VALUES (?, ?, 1)
		ON CONFLICT (env, user_id) DO UPDATE SET changes = appointment_users.changes + 1`, tx.Env, a.UserID); err != nil {
		return err
	}
	other, err := db.All[string](ctx, tx, `SELECT id FROM appointments WHERE env = ? AND user_id = ? AND status = 'scheduled'
		AND starts_at < ? AND starts_at > ? AND ends_at > ? AND id <> ? ORDER BY starts_at LIMIT 1`,
		tx.Env, a.UserID, a.EndsAt, a.StartsAt.Add(-maxMinutes*time.Minute), a.StartsAt, a.ID)
	if err != nil || len(other) == 0 {
		return err
	}
	return errOverlap(other[0])
}

// checkBoat returns an error if the boat has another appointment at the same time, unless the
// caller overrides it, or can't have this one. It locks the hull, so that of two concurrent
// requests the second one finds the first one's appointment.
func checkBoat(ctx context.Context, tx *db.Tx, a Appointment, override bool) error {
	h, err := hulls.FindForUpdate(ctx, tx, *a.HullID)
	if err != nil {
		return err
	}
	if err := a.checkBoat(h); err != nil || override {
		return err
	}
	other, err := db.All[string](ctx, tx, `SELECT id FROM appointments WHERE env = ? AND hull_id = ? AND status = 'scheduled'
		AND kind NOT IN ('call', 'other') AND starts_at < ? AND ends_at > ? AND id <> ? ORDER BY starts_at LIMIT 1`,
		tx.Env, *a.HullID, a.EndsAt, a.StartsAt, a.ID)
	if err != nil || len(other) == 0 {
		return err
	}
	return errBoatOverlap(other[0])
}

// checkReferences checks that the changed references exist and can be used. It
// sets the time zone of the location.
func checkReferences(ctx context.Context, tx *db.Tx, before Appointment, a *Appointment) error {
	var bad fault.Fields
	if err := checkContact(ctx, tx, &bad, before, a); err != nil {
		return err
	}
	if a.DealID != nil && null.Text(before.DealID) != *a.DealID {
		_, err := deals.Find(ctx, tx, *a.DealID)
		if err := bad.AddNotFound("deal_id", err); err != nil {
			return err
		}
	}
	if a.HullID != nil && null.Text(before.HullID) != *a.HullID {
		_, err := hulls.Find(ctx, tx, *a.HullID)
		if err := bad.AddNotFound("hull_id", err); err != nil {
			return err
		}
	}

	if before.UserID != a.UserID {
		u, err := people.FindUser(ctx, tx, a.UserID)
		if err := bad.AddNotFound("user_id", err); err != nil {
			return err
		}
		if err == nil && u.Status == people.Deactivated {
			bad.Add("user_id", "state", "is deactivated")
		}
	}
	if before.LocationID != a.LocationID {
		zone, err := dealership.ZoneOf(ctx, tx, a.LocationID)
		if err := bad.AddNotFound("location_id", err); err != nil {
			return err
		}
		a.Timezone = zone
	}
	return bad.Err()
}

// checkContact checks the contact and the lead, which must belong together. The
// contact is locked, because a concurrent merge or erasure would miss the
// appointment or its text.
func checkContact(ctx context.Context, tx *db.Tx, bad *fault.Fields, before Appointment, a *Appointment) error {
	if a.LeadID != nil && (null.Text(before.LeadID) != *a.LeadID || before.ContactID != a.ContactID) {
		l, err := leads.Find(ctx, tx, *a.LeadID)
		if err := bad.AddNotFound("lead_id", err); err != nil {
			return err
		}
		switch {
		case len(*bad) > 0:
			return nil // the contact might be that of the lead
		case a.ContactID == "":
			a.ContactID = l.ContactID
		case a.ContactID != l.ContactID:
			bad.Add("lead_id", "mismatch", "belongs to another contact")
		}
	}
	c, err := contacts.FindForUpdate(ctx, tx, a.ContactID)
	if err := bad.AddNotFound("contact_id", err); err != nil || len(*bad) > 0 {
		return err
	}
	return c.Active()
}

// findFacts returns what an appointment refers to. A location that was deleted is
// empty.
func findFacts(ctx context.Context, tx *db.Tx, a Appointment) (f facts, err error) {
	if f.dealership, err = dealership.Find(ctx, tx); err != nil {
		return f, err
	}
	if f.location, err = dealership.FindLocation(ctx, tx, a.LocationID); err != nil && fault.KindOf(err) != fault.KindNotFound {
		return f, err
	}
	if f.contact, err = contacts.Find(ctx, tx, a.ContactID); err != nil || a.HullID == nil {
		return f, err
	}
	h, err := hulls.Find(ctx, tx, *a.HullID)
	f.hull = &h
	return f, err
}

// leadOf returns the ID of the lead whose messages contain the reminder, or "".
func leadOf(ctx context.Context, tx *db.Tx, a Appointment) (string, error) {
	if a.LeadID != nil {
		return *a.LeadID, nil
	}
	id, _, err := leads.NewestOf(ctx, tx, a.ContactID)
	return id, err
}

// FollowZones updates the appointments at locations whose time zone has changed. The
// start in UTC stays the same.
func FollowZones(ctx context.Context, tx *db.Tx) error {
	zones, err := dealership.Zones(ctx, tx)
	if err != nil {
		return err
	}
	for location, zone := range zones {
		if _, err := db.Exec(ctx, tx, `UPDATE appointments SET timezone = ?, version = version + 1, updated_at = ?
			WHERE env = ? AND location_id = ? AND timezone <> ?`, zone, tx.Now, tx.Env, location, zone); err != nil {
			return err
		}
	}
	return nil
}
