package appointments

import (
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// Events are the events of appointments.
var Events = events.Scoped(auth.Require(auth.LeadsRead), []events.Kind{
	{Type: "appointment.created", Doc: "An appointment was created.", Object: Appointment{}, Since: "next"},
	{Type: "appointment.updated", Doc: "An appointment or its reminder changed.", Object: Appointment{}, Since: "next"},
	{Type: "appointment.canceled", Doc: "An appointment was canceled.", Object: Appointment{}, Since: "next"},
	{Type: "appointment.reminder_sent", Doc: "The contact was reminded of an appointment.", Object: Appointment{}, Since: "next"},
})
