package browsertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"slipway/internal/appointments"
)

// place returns the middle of an element.
func (b *tab) place(selector string) (x, y float64) {
	b.t.Helper()
	b.see(selector)
	var at []float64
	b.run(chromedp.Evaluate(fmt.Sprintf("(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", selector), &at))
	return at[0], at[1]
}

// drag moves the mouse from a place to another one while the button is down.
func (b *tab) drag(x, y, toX, toY float64) {
	b.t.Helper()
	b.run(
		chromedp.MouseEvent(input.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(input.MouseMoved, x+(toX-x)/2, y+(toY-y)/2, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseMoved, toX, toY, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.MouseReleased, toX, toY, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	)
}

// The calendar books by dragging and typing, names double bookings before saving, and moves with Undo.
func TestCalendar(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		at := s.Test.Location()
		boat := s.Test.Hull(at, map[string]any{"stock_number": "GW-77"})
		teresa := s.Test.User(map[string]any{"name": "Teresa Vaughn"})
		s.Activate(teresa)
		walt := s.Test.Contact(map[string]any{"first_name": "Walt", "last_name": "Xavier"})
		s.Test.Lead(map[string]any{"contact": map[string]any{"first_name": "Nolan", "last_name": "Norris", "email": "nolan@example.com", "phone": "+14105550163"}, "message": "Can I see it?"})
		day := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
		var first appointments.Appointment
		s.Test.Post("/v2-preview/appointments", map[string]any{
			"kind": "sea_trial", "contact_id": walt, "hull_id": boat, "user_id": teresa, "location_id": at, "starts_at": day + "T10:00", "duration_minutes": 90,
		}, 201, &first)

		b := ownerAt(t, s, "calendar?day="+day)
		b.read("Walt Xavier")
		b.review("console-calendar-day")

		// Dragging in a lane of a person opens the panel with the time.
		x, y := b.place(fmt.Sprintf(`.lane[data-row=%q] .ev`, teresa))
		b.drag(x, y-62*2-20, x, y-62*2+40)
		b.read("New appointment")
		b.set("Customer", "nolan")
		b.read("Nolan Norris")
		b.press(enter)
		b.set("Boat", "gw-77")
		b.read("GW-77 · Available · $124,900")
		b.press(enter)
		b.read("Teresa is free, and so is the boat.")
		b.set("When", day+" 10:30am")
		b.read("Teresa is booked.")
		b.read("Sea trial with Walt Xavier, 10:00 – 11:30 AM")
		b.until(`document.querySelector("aside .primary").getAttribute("aria-disabled") === "true"`, "a button that waits")
		b.read("Text a confirmation")
		b.read("Texts allowed")
		b.review("console-calendar-booked")
		b.button("Teresa at 11:30 AM")
		b.read("Teresa is free, and so is the boat.")
		b.button("Book")
		b.read("Booked for")
		b.read("Confirmation queued.")
		b.read("Nolan Norris")

		// Moving by keyboard and by mouse, and taking it back.
		b.dismiss()
		b.js(fmt.Sprintf(`document.querySelector("[data-id=%s]").focus()`, first.ID))
		b.press(kb.ArrowUp, chromedp.KeyModifiers(input.ModifierAlt))
		b.read("9:45 – 11:15 AM")
		b.button("Undo")
		b.read("Moved back.")
		b.read("10:00 – 11:30 AM")
		x, y = b.place(fmt.Sprintf("[data-id=%s]", first.ID))
		b.drag(x, y, x, y+62)
		b.read("Not moved: Showing with Nolan Norris")
		b.drag(x, y, x, y-62)
		b.read("9:00 – 10:30 AM")

		b.press("w")
		b.read("Walt Xavier")
		b.review("console-calendar-week")
		b.button("Boats")
		b.read("2024 Grady-White Freedom 235")
		b.press("d")
		b.js(fmt.Sprintf(`document.querySelector("[data-id=%s]").click()`, first.ID))
		b.button("Completed")
		b.read("Completed.")
		b.press("z")
		b.read("Scheduled again.")
	})
}
