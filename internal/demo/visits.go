package demo

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// visit is an appointment with a lead.
type visit struct {
	kind    string
	day     int // after today; negative is in the past
	hour    int
	minutes int
	outcome string // status of a visit in the past
	note    string // what happened

	lead *buyer
	user string // name of the employee
	id   string // of the appointment, once it is created
}

// plannedVisits are the appointments of these days. No two of a user overlap, because
// each has its own hour.
func plannedVisits() []*visit {
	return []*visit{
		{kind: "showing", day: -6, hour: 10, minutes: 60, outcome: "completed", note: "Liked the layout. Wants to see a smaller one."},
		{kind: "sea_trial", day: -4, hour: 9, minutes: 120, outcome: "completed", note: "Ran well at 30 knots. Asked about the trim tabs."},
		{kind: "showing", day: -3, hour: 14, minutes: 45, outcome: "no_show", note: "Call to set another time"},
		{kind: "call", day: -2, hour: 11, minutes: 20, outcome: "completed", note: "Went through the finance options."},
		{kind: "showing", day: -1, hour: 13, minutes: 60, outcome: "canceled", note: "Storm warning"},
		{kind: "service", day: -1, hour: 15, minutes: 30, outcome: "completed", note: "Looked at the trade-in. Needs a new bilge pump."},
		{kind: "showing", day: 1, hour: 10, minutes: 60},
		{kind: "call", day: 1, hour: 16, minutes: 30},
		{kind: "sea_trial", day: 2, hour: 11, minutes: 120},
		{kind: "showing", day: 3, hour: 12, minutes: 60},
		{kind: "sea_trial", day: 5, hour: 9, minutes: 90},
		{kind: "delivery", day: 8, hour: 14, minutes: 120},
	}
}

// visits gives each planned visit to a lead that is open and existed before it.
func visits(now time.Time, leads []*buyer) (all []request) {
	taken := map[*buyer]bool{}
	for i, v := range plannedVisits() {
		created := max(1, 1-v.day) // days ago
		for _, b := range slices.Backward(leads) {
			closed := slices.ContainsFunc(b.Steps, func(s leadStep) bool { return s.Path == "/close" })
			if !closed && !taken[b] && len(b.Steps) > 3 && b.DaysAgo > created {
				v.lead, v.user, taken[b] = b, staff[i%3].name, true
				break
			}
		}
		if v.lead == nil {
			continue
		}
		all = append(all, request{at: at(now, created, 12*60+i*5), visit: v, method: http.MethodPost, body: v.body(now)})
		if v.outcome != "" {
			all = append(all, request{at: at(now, -v.day, v.hour*60+v.minutes+20), visit: v})
		}
	}
	return all
}

// body returns the appointment without the IDs, which are not known yet.
func (v *visit) body(now time.Time) object {
	body := object{
		"kind": v.kind, "starts_at": at(now, -v.day, v.hour*60).In(maryland).Format("2006-01-02T15:04"), "duration_minutes": v.minutes,
	}
	for _, channel := range []string{"sms", "email"} {
		if v.outcome == "" && strings.Contains(fmt.Sprint(v.lead.consents), channel) {
			body["reminder"] = object{"channel": channel, "hours_before": 24}
			break
		}
	}
	return body
}

// run creates the appointment, or records what happened.
func (v *visit) run(ctx context.Context, s *seeder, r request) error {
	e := v.lead.env
	if v.id == "" {
		body, _ := r.body.(object)
		body["lead_id"], body["user_id"], body["location_id"] = v.lead.id, e.staff[v.user], e.locations["ANN"]
		if boat := v.lead.boats[v.lead.Boat]; boat != nil {
			body["hull_id"] = boat.id
		}
		var created struct{ ID string }
		err := s.as(e.key).send(ctx, r.method, "/v2-preview/appointments", body, &created)
		v.id = created.ID
		return err
	}

	path := "/v2-preview/appointments/" + v.id
	if v.outcome == "canceled" {
		return s.as(e.key).send(ctx, http.MethodPost, path+"/cancel", object{"reason": v.note}, nil)
	}
	if err := s.as(e.key).send(ctx, http.MethodPatch, path, object{"status": v.outcome}, nil); err != nil {
		return err
	}
	activity := object{"object_id": v.lead.id, "kind": "visit", "body": v.note, "user_id": e.staff[v.user]}
	switch {
	case v.outcome == "no_show":
		activity["kind"], activity["due_at"] = "task", s.started.AddDate(0, 0, 1)
	case v.kind == "call":
		activity["kind"] = "call"
	}
	return s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/activities", activity, nil)
}
