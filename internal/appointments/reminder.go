package appointments

import (
	"fmt"
	"strings"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
)

// nouns are the kinds of appointments in a sentence.
var nouns = map[Kind]string{
	Showing: "showing", SeaTrial: "sea trial", Delivery: "delivery", Service: "service appointment", Call: "call", Other: "appointment",
}

// noun returns the kind in a sentence.
func (a Appointment) noun() string { return nouns[a.Kind] }

// facts are the resources that an appointment refers to.
type facts struct {
	dealership dealership.Dealership
	location   dealership.Location
	contact    contacts.Contact
	hull       *hulls.Hull
}

// boat returns the name of the boat, or "".
func (f facts) boat() string {
	if f.hull == nil {
		return ""
	}
	return fmt.Sprintf("%d %s %s", f.hull.Year, f.hull.Make, f.hull.Model)
}

// place returns the name and the address of the location in one line.
func (f facts) place() string {
	parts := []string{f.location.Name}
	if a := f.location.Address; a != nil {
		parts = append(parts, a.Line1)
		if a.Line2 != nil {
			parts = append(parts, *a.Line2)
		}
		city := a.City
		if a.Region != nil {
			city += ", " + *a.Region
		}
		parts = append(parts, city)
	}
	kept := parts[:0]
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			kept = append(kept, strings.TrimSpace(p))
		}
	}
	return strings.Join(kept, ", ")
}

// reminderText returns the subject and the body of a reminder. The title and the
// notes are not part of it, because users write them for the dealership.
func (a Appointment) reminderText(f facts) (subject, body string) {
	local := a.StartsAt.In(zoneOf(a.Timezone))
	what := a.noun()
	if boat := f.boat(); boat != "" && a.Kind != Call {
		what += " for the " + boat
	}
	where := " at " + f.place()
	if a.Kind == Call || f.place() == "" {
		where = ""
	}
	body = fmt.Sprintf("%s: This is a reminder of your %s on %s%s.", f.dealership.Name, what,
		local.Format("Monday, January 2, 2006 at 3:04 PM MST"), where)
	if f.location.Phone != nil {
		body += " To change it, call " + *f.location.Phone + "."
	}
	return fmt.Sprintf("Reminder: %s on %s", a.noun(), local.Format("Monday, January 2")), body
}
