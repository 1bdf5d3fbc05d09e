package appointments

import (
	"context"
	"net/http"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
)

func (a *API) mountSchedule(r *rest.Router) {
	p := r.Family(family.Appointments).Preview("2026-11-19")
	rest.Get(p, rest.Route{
		Path: "/schedule", ID: "getSchedule", Needs: read,
		Summary: "Retrieve the appointments of some days",
		Text:    "Returns the appointments that are not canceled, by their start, with the names of the contacts and boats. Use it for a calendar.",
		Assist:  assist.Read,
	}, a.schedule)
	rest.Raw(p, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/appointments/check", ID: "checkAppointment", Needs: read,
		Summary: "Check what is in the way of an appointment",
		Text:    "Names the other appointments of the user and of the boat, and warns about holds and boats at other locations, by the same rules as `createAppointment`. If something is in the way, it also returns free times. It changes nothing.",
		Assist:  assist.Never(assist.ChangesNothing), NoIfMatch: true, OnlyReads: true,
	}, a.check)
}

func (a *API) schedule(ctx context.Context, tx *db.Tx, in *ScheduleFilter) (Schedule, error) {
	if err := in.check(tx.Now); err != nil {
		return Schedule{}, err
	}
	all, err := schedule(ctx, tx, AppointmentFilter{StartsAfter: in.StartsAfter, StartsBefore: in.StartsBefore, LocationID: in.LocationID})
	return Schedule{Data: all}, err
}

func (a *API) check(ctx context.Context, in *struct{ Body AppointmentCheck }) (AppointmentCheckResult, error) {
	return rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (AppointmentCheckResult, error) { return check(ctx, tx, in.Body) })
}

func check(ctx context.Context, tx *db.Tx, c AppointmentCheck) (AppointmentCheckResult, error) {
	if err := c.Check(tx.Now); err != nil {
		return AppointmentCheckResult{}, err
	}
	wish := Appointment{
		ID: null.Text(c.AppointmentID), Kind: c.Kind, Status: Scheduled, UserID: c.UserID, ContactID: null.Text(c.ContactID), HullID: c.HullID,
		LocationID: c.LocationID, DurationMinutes: defaultMinutes,
	}
	if c.DurationMinutes != nil {
		wish.DurationMinutes = *c.DurationMinutes
	}
	var bad fault.Fields
	zone, err := dealership.ZoneOf(ctx, tx, c.LocationID)
	if err := bad.AddNotFound("location_id", err); err != nil {
		return AppointmentCheckResult{}, err
	}
	if err := bad.Err(); err != nil {
		return AppointmentCheckResult{}, err
	}
	wish.Timezone = zone
	at, err := startIn(c.StartsAt, zone)
	if err != nil {
		return AppointmentCheckResult{}, err
	}
	wish.StartsAt = at
	wish.setEnd()

	d, err := dayOf(ctx, tx, wish)
	if err := bad.AddNotFound("hull_id", err); err != nil {
		return AppointmentCheckResult{}, err
	}
	if err := bad.Err(); err != nil {
		return AppointmentCheckResult{}, err
	}
	result := AppointmentCheckResult{Conflicts: d.conflicts(wish), Free: []FreeTime{}}
	if !d.isFree(wish) {
		result.Free = d.free(wish)
	}
	return result, nil
}
