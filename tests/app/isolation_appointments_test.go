package app

import (
	"maps"
	"strings"

	"slipway/internal/testkit"
)

func init() { maps.Copy(recipes, appointmentRecipes) }

// appointmentRecipes are the recipes of appointments, calendars, activities and the request log.
var appointmentRecipes = map[string]recipe{
	"preview.listAppointments": {anAppointmentToList, nil},
	"preview.getSchedule":      {nil, nil},
	"preview.checkAppointment": {nil, func(c *testkit.Client) any {
		return map[string]any{"kind": "showing", "user_id": c.User(nil), "location_id": c.Location(), "starts_at": "2027-01-15T10:00"}
	}},
	"preview.createAppointment":  {nil, func(c *testkit.Client) any { return appointmentBody(c) }},
	"preview.getAppointment":     {anAppointment, nil},
	"preview.updateAppointment":  {anAppointment, fixed(`{"title": "Sea trial"}`)},
	"preview.cancelAppointment":  {anAppointment, fixed(`{"reason": "The buyer is ill"}`)},
	"preview.createUserCalendar": {aMember, nil},
	"preview.deleteUserCalendar": {aCalendar, nil},
	"preview.listActivities":     {anActivityToList, nil},
	"preview.createActivity": {nil, func(c *testkit.Client) any {
		return map[string]string{"object_id": c.Lead(nil), "kind": "note", "body": "Called back"}
	}},
	"preview.getActivity":    {anActivity, nil},
	"preview.updateActivity": {anActivity, fixed(`{"outcome": "left voicemail"}`)},
	"preview.deleteActivity": {anActivity, nil},

	"preview.getBackups": {nil, nil},
	"preview.listRequestLogs": {func(c *testkit.Client) map[string]string {
		c.LoggedRequest()
		return nil
	}, nil},
	"preview.getRequestLog": {func(c *testkit.Client) map[string]string {
		return map[string]string{"request_id": c.LoggedRequest()}
	}, nil},
}

func appointmentBody(c *testkit.Client) map[string]any {
	return map[string]any{
		"kind": "showing", "lead_id": c.Lead(nil), "user_id": c.User(nil), "location_id": c.Location(), "starts_at": "2027-01-15T10:00",
	}
}

func anAppointment(c *testkit.Client) map[string]string {
	var a struct{ ID string }
	c.Post("/v2-preview/appointments", appointmentBody(c), 201, &a)
	return map[string]string{"appointment_id": a.ID}
}

// anAppointmentToList fills the list. The path has no parameters.
func anAppointmentToList(c *testkit.Client) map[string]string {
	anAppointment(c)
	return nil
}

func aCalendar(c *testkit.Client) map[string]string {
	params := aMember(c)
	c.Post("/v2-preview/users/"+params["user_id"]+"/calendar", nil, 201, nil)
	return params
}

func anActivity(c *testkit.Client) map[string]string {
	var a struct{ ID string }
	c.Post("/v2-preview/activities", map[string]string{"object_id": c.Lead(nil), "kind": "note", "body": "Called back"}, 201, &a)
	return map[string]string{"activity_id": a.ID}
}

func anActivityToList(c *testkit.Client) map[string]string {
	anActivity(c)
	return nil
}

// fillAppointments writes the name in the texts of appointments and activities.
func fillAppointments(c *testkit.Client, contact, lead, deal string) {
	body := appointmentBody(c)
	maps.Copy(body, map[string]any{"contact_id": contact, "lead_id": lead, "title": quill, "notes": quill})
	var a struct{ ID string }
	c.Post("/v2-preview/appointments", body, 201, &a)
	path := "/v2-preview/appointments/" + a.ID
	c.Patch(path, map[string]any{"title": "With " + quill, "notes": quill + " again"}, 200, nil)
	c.Post(path+"/cancel", map[string]any{"reason": quill}, 200, nil)

	for _, object := range []string{contact, lead, strings.TrimPrefix(deal, "/v1/deals/")} {
		c.Post("/v2-preview/activities", map[string]any{"object_id": object, "kind": "call", "body": quill, "outcome": quill}, 201, &a)
		c.Patch("/v2-preview/activities/"+a.ID, map[string]any{"body": "It was " + quill}, 200, nil)
		c.Post("/v2-preview/activities", map[string]any{"object_id": object, "kind": "note", "body": "Delete " + quill}, 201, &a)
		c.Delete("/v2-preview/activities/"+a.ID, 204)
	}
}
