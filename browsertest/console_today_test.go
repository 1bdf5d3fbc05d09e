package browsertest

import (
	"fmt"
	"testing"

	"slipway/internal/testkit/assert"

	"github.com/chromedp/chromedp/kb"
)

// Today lists who waits for an answer. A reply takes the lead off the list, with the badge and the dot, and a
// message of the customer puts it back. A snooze takes it off until a time that is typed key by key.
func TestConsoleToday(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		lead, contact := addLead(s, map[string]any{"first_name": "Maren", "last_name": "Holt"})
		s.Test.Post("/v1/leads/"+lead+"/consents", consented, 201, nil)
		addLead(s, map[string]any{"first_name": "Noor", "last_name": "Haddad"})
		b := ownerAt(t, s, "today")
		b.read("Waiting for us 2, oldest first")
		b.until(`document.querySelector(".wait .wait-name")?.innerText === "Maren Holt"`, "the longest wait first")
		b.review("today-waiting")

		b.press("j")
		b.until(`document.querySelector(".wait .cur .wait-name").innerText === "Noor Haddad"`, "the second lead")
		b.press("k")
		b.press("r")
		b.read("Texts allowed")
		b.set("Message", "The boat is ready.")
		b.button("Send text")
		b.read("You · Text")
		b.visit("/console/test/today")
		b.read("Waiting for us 1, oldest first")
		b.gone("Maren Holt")

		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": phoneOf(s, contact), "body": "Is the trailer included?"}, 201, nil)
		b.read("Is the trailer included?")
		b.read("Waiting for us 2, oldest first")

		b.button("Snooze Noor Haddad")
		b.read("Off the list until then, or until they write.")
		b.js(`document.querySelector(".snooze input").focus()`)
		b.press("tomorow 9")
		b.press(kb.Tab)
		b.read("The time must be a day and a time, such as sat 10")
		b.press(kb.Tab) // wraps around to the buttons; the text is kept
		assert.Equal(t, evaluate[string](b, `document.querySelector(".snooze input").value`), "tomorow 9")
		b.js(`document.querySelector(".snooze input").select(); document.querySelector(".snooze input").focus()`)
		b.press("tomorrow 9")
		b.read("9:00 AM")
		b.review("today-snooze")
		b.press(enter)
		b.read("Noor Haddad is snoozed until")
		b.read("Waiting for us 1, oldest first")
		b.button("Undo")
		b.read("Waiting for us 2, oldest first")

		b.button("Snooze Noor Haddad")
		b.js(choice("No answer needed"))
		b.read("Noor Haddad is off the list until they write.")
		b.button("Snooze Maren Holt")
		b.js(choice("Tomorrow"))
		b.read("Nobody is waiting for us. 1 is snoozed.")
		b.review("today-clear")
	})
}

// An answer to a lead takes two clicks: Reply, and Send.
func TestClicksOfAnswer(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		lead, _ := addLead(s, map[string]any{"first_name": "Maren", "last_name": "Holt"})
		s.Test.Post("/v1/leads/"+lead+"/consents", consented, 201, nil)
		b := ownerAt(t, s, "today")
		b.tap("Reply")
		b.see(`.compose textarea:focus`)
		b.press("The boat is ready.")
		b.tap("Send text")
		b.read("You · Text")
		assert.Equal(t, b.clicks, 2)
	})
}

// choice chooses a time in the menu that is open.
func choice(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".snooze .menu button")].find((e) => e.innerText.startsWith(%q)).click()`, name)
}

// A conversation says who wrote each message.
func TestConsoleWhoWrote(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		lead, _ := addLead(s, map[string]any{"first_name": "Maren"})
		s.Test.Post("/v1/leads/"+lead+"/consents", consented, 201, nil)
		seller := s.Person("sales")
		s.As(s.Token(seller.Email)).Post("/v1/leads/"+lead+"/messages", `{"channel":"sms","purpose":"transactional","body":"Hello Maren"}`, 202, nil)
		var u struct{ Name string }
		s.Test.Get("/v1/users/"+seller.ID, 200, &u)
		b := ownerAt(t, s, "leads")
		b.read(u.Name + " · Text")
		b.read(u.Name + ": Hello Maren")
		b.gone("You: Hello Maren")
	})
}

// A boat without a HIN says why.
func TestBoatWithoutHIN(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Location()
		b := ownerAt(t, s, "boats?add=yes")
		b.button("Add boat")
		for label, text := range map[string]string{"Model year": "1968", "Make": "Chris-Craft", "Model*": "Sea Skiff", "Length": "24' 6\"", "Asking price": "18.5k"} {
			b.set(label, text)
		}
		b.js(`const select = document.querySelector("[name=hin_absent_reason]"); select.value = "pre_1972"; select.dispatchEvent(new Event("change", { bubbles: true }))`)
		b.until(`document.querySelector("[name=location_id]").innerText.includes("Harbor East")`, "the only location")
		b.submit()
		b.read("Boat added.")
		var list struct {
			Data []struct {
				PriceUSD int64   `json:"price_usd"`
				LengthFt float64 `json:"length_ft"`
				Reason   *string `json:"hin_absent_reason"`
			}
		}
		s.Test.Get("/v1/hulls", 200, &list)
		assert.Equal(t, list.Data[0].PriceUSD, 18500)
		assert.Equal(t, list.Data[0].LengthFt, 24.5)
		assert.Equal(t, list.Data[0].Reason, new("pre_1972"))
	})
}
