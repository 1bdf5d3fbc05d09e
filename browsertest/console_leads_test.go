package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"slipway/internal/testkit/assert"
)

// consented is a consent that allows all messages.
const consented = `{"channels":["sms","email"],"scope":"all","basis":"express_written","consent_text":"I agree to texts and email."}`

// addLead creates a contact with a lead.
func addLead(s *server, contact map[string]any) (lead, contactID string) {
	contactID = s.Test.Contact(contact)
	return s.Test.Lead(map[string]any{"contact_id": contactID}), contactID
}

// phoneOf returns the phone number of a contact.
func phoneOf(s *server, contactID string) string {
	var c struct{ Phone string }
	s.Test.Get("/v1/contacts/"+contactID, 200, &c)
	return c.Phone
}

// zoneAt returns a time zone in which it is now between two hours of the day.
func zoneAt(t *testing.T, s *server, from, before int) string {
	t.Helper()
	for _, name := range []string{
		"Pacific/Honolulu", "America/Los_Angeles", "America/New_York", "Atlantic/Azores", "Europe/Berlin", "Asia/Dubai", "Asia/Kolkata",
		"Asia/Tokyo", "Pacific/Auckland",
	} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		if hour := s.DB.Now().In(zone).Hour(); hour >= from && hour < before {
			return name
		}
	}
	t.Fatalf("no time zone between %d and %d", from, before)
	return ""
}

// evaluate returns the value of an expression in JavaScript.
func evaluate[T any](b *tab, expression string) (value T) {
	b.t.Helper()
	b.run(chromedp.Evaluate(expression, &value))
	return value
}

// dialog waits until a dialog is open and has moved the focus.
func (b *tab) dialog() {
	b.t.Helper()
	b.until(`document.querySelector("dialog")?.contains(document.activeElement)`, "a dialog")
}

// submit clicks the button at the end of the dialog.
func (b *tab) submit() {
	b.t.Helper()
	b.until(`document.querySelector("dialog [type=submit]") !== null`, "the button of the dialog")
	b.js(`document.querySelector("dialog [type=submit]").click()`)
}

// hasSend reports whether a message could be sent by pointer or keyboard.
const hasSend = `document.querySelector(".compose textarea, .compose [type=submit]") !== null`

// A reply is sent and its state follows. A message of the lead appears without a reload.
func TestConsoleConversation(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		lead, contact := addLead(s, map[string]any{"first_name": "Maren", "last_name": "Holt"})
		s.Test.Post("/v1/leads/"+lead+"/consents", consented, 201, nil)
		b := ownerAt(t, s, "leads")
		b.read("Texts allowed: Express written consent")
		b.read("Texts and email allowed")

		b.set("Message", "The boat is ready.")
		b.button("Send text")
		b.read("Message queued.")
		b.until(`document.querySelector(".msg.out")?.innerText.includes("The boat is ready.")`, "the message in the conversation")
		b.until(`/Text · (Sent|Delivered)/.test(document.querySelector(".msg.out").innerText)`, "a message that was sent")
		assert.Equal(t, evaluate[string](b, `document.querySelector(".compose textarea").value`), "", "text after sending")

		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": phoneOf(s, contact), "body": "On my way"}, 201, nil)
		b.until(`document.querySelector(".msg:not(.out)")?.innerText.includes("On my way")`, "the answer of the lead")
		b.until(`document.querySelector(".who .unread") !== null`, "a lead that waits for an answer")

		b.button("Note")
		b.set("Note", "Prefers mornings")
		b.button("Save note")
		b.until(`document.querySelector(".note-msg")?.innerText.includes("Prefers mornings")`, "the note in the conversation")
		b.review("console-lead")
	})
}

// The composer shows each decision of the send check before the user types. Without
// permission there is no way to send.
func TestConsoleReach(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		lead, contact := addLead(s, map[string]any{"first_name": "Noor", "email": nil, "timezone": zoneAt(t, s, 0, 7)})
		b := ownerAt(t, s, "leads/"+lead)
		b.read("No consent on file for texts.")
		assert.Equal(t, evaluate[bool](b, hasSend), false, "a way to send without consent")

		b.button("Log consent")
		b.dialog()
		b.set("Wording", "I agree to texts.")
		b.set("Evidence", "Paper card 118")
		b.button("Log consent")
		b.read("Consent recorded.")
		b.read("Texts allowed: Express written consent")
		b.button("Offer")
		b.read("Noor has quiet hours now.")
		b.see(".compose textarea")

		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": phoneOf(s, contact), "body": "Please stop texting me"}, 201, nil)
		b.read("You can't text this number.")
		b.read("Noor said Please stop texting me on")
		assert.Equal(t, evaluate[bool](b, hasSend), false, "a way to send after an opt-out")
		b.button("Email")
		b.read("No email address.")
		assert.Equal(t, evaluate[bool](b, hasSend), false, "a way to send without an address")

		b.button("Text")
		b.button("View consent record")
		b.read("Please stop texting me")
		b.js(`document.querySelectorAll(".ledger summary").forEach((e) => e.click())`)
		b.read("Paper card 118")
	})
}

// A message that might be an opt-out pauses offers until a user decides.
func TestConsoleReview(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		lead, contact := addLead(s, map[string]any{"first_name": "Kit", "timezone": zoneAt(t, s, 9, 20)})
		path := "/v1/leads/" + lead
		s.Test.Post(path+"/consents", consented, 201, nil)
		unclear := map[string]any{"channel": "sms", "from": phoneOf(s, contact), "body": "Who is this?"}
		s.Test.Post(path+"/inbound_messages", unclear, 201, nil)
		b := ownerAt(t, s, "leads?view=review")
		b.read("Might be an opt-out")
		b.button("Offer")
		b.read("Kit might have opted out.")
		b.button("Not an opt-out")
		b.gone("Kit might have opted out.")
		b.read("Texts allowed")

		s.Test.Post(path+"/inbound_messages", unclear, 201, nil)
		b.read("Kit might have opted out.")
		b.button("Opt-out")
		b.read("You can't text this number.")
		b.gone("Might be an opt-out")
	})
}

// A message that might have been sent is on the Today screen until a user decides. An email
// that asks for messages again is reviewed too.
func TestConsoleUnknownMessage(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		s.Test.UnknownMessage()
		b := ownerAt(t, s, "today")
		b.read("Might have been sent")
		b.review("today-unknown-message")
		b.button("Decide")
		b.read("The provider didn't confirm it")
		b.review("unknown-message")
		b.button("It was sent")
		b.read("Marked as sent.")
		b.gone("Might have been sent")

		lead, _ := addLead(s, map[string]any{"first_name": "Kit", "email": "kit@example.com"})
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", `{"channel":"email","from":"kit@example.com","body":"START"}`, 201, nil)
		b = ownerAt(t, s, "leads/"+lead)
		b.read("Asks for messages again")
		b.button("Mark as read")
		b.gone("Asks for messages again")
	})
}

// Messages of too many new senders are in a list that the inbox links to. A released one is a
// lead, and its conversation says that the sender is not verified.
func TestConsoleQuarantine(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.QuarantinedMessage()
		b := ownerAt(t, s, "leads")
		b.read("1 message waits in quarantine")
		b.visit("/console/test/leads/quarantine")
		b.read("Sender not verified")
		b.review("quarantine")
		b.button("Release")
		b.read("Released.")
		b.read("Is she available?")
		b.read("Sender not verified")
		b.gone("in quarantine")
	})
}

// A user adds a lead, assigns, closes, reopens and converts it.
func TestConsoleLeadLife(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		s.Test.Hull(s.Test.Location(), map[string]any{"make": "Grady-White", "model": "Freedom 235", "year": 2024})
		b := ownerAt(t, s, "leads")
		b.read("No open leads.")
		b.press("c")
		b.dialog()
		b.set("First name", "Ruth")
		b.set("Last name", "Lindqvist")
		b.set("Phone", "410 555 0133")
		b.set("Looking for", "Offshore, twin engines")
		b.button("Add lead")
		b.read("Lead added.")
		b.until(`document.querySelector("h1")?.innerText === "Ruth Lindqvist"`, "the conversation with the new lead")

		b.button("More actions")
		b.button("Record a signal")
		b.button("Record signal")
		b.read("Signal recorded.")
		b.button("More actions")
		b.button("Close lead")
		b.read("Bought elsewhere")
		b.set("Ask again", "tomorrow 9")
		b.button("Close lead")
		b.read("Lead closed.")
		b.button("Lost")
		b.read("Ruth Lindqvist")
		b.button("Reopen")
		b.read("Lead reopened.")
		b.read("Lost → Working")

		b.button("Start deal")
		b.dialog()
		b.set("Boat", "freedom")
		b.until(`document.querySelector(".picker li")?.innerText.startsWith("2024 Grady-White Freedom 235")`, "the boat that was found")
		b.js(`document.querySelector(".picker li").click()`)
		b.set("Opening offer", "120000")
		b.submit()
		b.until(`location.pathname.includes("/deals/deal_")`, "the deal")
	})
}

// A second inquiry of the same person is shown beside the first, with both boats.
func TestConsoleSecondInquiry(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		place := s.Test.Location()
		first := s.Test.Hull(place, map[string]any{"make": "Grady-White", "model": "Freedom 235", "year": 2024})
		second := s.Test.Hull(place, map[string]any{"make": "Parker", "model": "2501 CC", "year": 2012})
		lead, contact := addLead(s, map[string]any{"first_name": "Maren", "last_name": "Holt"})
		s.Test.Patch("/v1/leads/"+lead, map[string]any{"hull_id": first}, 200, nil)
		s.Test.Lead(map[string]any{"contact_id": contact, "hull_id": second})
		b := ownerAt(t, s, "leads/"+lead)
		b.read("Also asked about")
		b.read("2012 Parker 2501 CC")
		b.review("lead-second-inquiry")
		b.js(`[...document.querySelectorAll(".boat-card")].find((e) => e.innerText.includes("Parker") && e.href.includes("/leads/")).click()`)
		b.until(`[...document.querySelectorAll("a.boat-card[href*='/leads/']")].some((e) => e.innerText.includes("Freedom 235"))`,
			"the first inquiry beside the second")
	})
}

// A user adds, finds, edits, merges and erases a contact. An edit that someone else made at
// the same time is not lost.
func TestConsoleContacts(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		b := ownerAt(t, s, "contacts")
		b.read("No contacts yet.")
		b.button("Add contact")
		b.dialog()
		b.set("First name", "Dana")
		b.set("Last name", "Reed")
		b.set("Email", "dana@example.com")
		b.set("Tags", "Boat show, VIP")
		b.submit()
		b.read("Contact added.")
		b.read("VIP")
		id := b.path()[strings.LastIndex(b.path(), "/")+1:]

		b.press("e")
		b.dialog()
		b.set("Last name", "Reade")
		s.Test.Patch("/v1/contacts/"+id, `{"last_name":"Reid"}`, 200, nil)
		b.submit()
		b.read("Someone else changed this too.")
		b.button("Keep mine")
		b.submit()
		b.read("Dana Reade")

		s.Test.Contact(map[string]any{"first_name": "D.", "last_name": "Reade", "email": "dana@example.com", "phone": "+14105550199"})
		b.visit("/console/test/contacts/" + id)
		b.button("Compare")
		b.read("After the merge")
		b.review("console-merge")
		b.wantDialogFits("console-merge-fits")
		s.Test.Patch("/v1/contacts/"+id, `{"company_name":"Reade Marine"}`, 200, nil) // at the same time
		b.read("Reade Marine")
		b.button("Merge contacts")
		b.read("Contacts merged.")
		b.read("(410) 555-0199")

		b.set("Note", "Met at the boat show")
		b.button("Add note")
		b.until(`document.querySelector(".line")?.innerText.includes("Met at the boat show")`, "the note")
		b.review("console-contact")

		b.button("More actions")
		b.button("Erase")
		b.set("Type Dana Reade to confirm", "Dana Reade")
		b.button("Erase contact")
		b.read("The personal data was erased")
		b.gone("dana@example.com")

		b.visit("/console/test/contacts?q=nobody")
		b.read("Nothing matches these filters.")
	})
}

// Texts of strangers are shown as text.
func TestConsoleHostileLead(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hostile := `<img src=x onerror=alert(1)><b>`
		contact := s.Test.Contact(map[string]any{"first_name": hostile, "last_name": strings.Repeat("Long", 20)})
		lead := s.Test.Lead(map[string]any{"contact_id": contact, "interest": hostile, "message": strings.Repeat("W", 3000), "source_detail": hostile})
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": phoneOf(s, contact), "body": hostile + "\u202e hello"}, 201, nil)
		b := ownerAt(t, s, "leads/"+lead)
		b.until(fmt.Sprintf(`document.querySelector(".msg p")?.innerText.length > 2000 && document.body.innerText.includes(%q)`, hostile), "the texts")
		b.visit("/console/test/contacts/" + contact)
		b.read(hostile)
		assert.Equal(t, evaluate[int](b, `document.querySelectorAll("img[src=x]").length`), 0, "images of strangers")
		assert.Equal(t, evaluate[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`), 0, "wider than the screen")
	})
}

// A user who can only read leads sees why they can't write, and no control that would fail.
func TestConsoleLeadsReadOnly(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	b := signIn(t, d.server, desk, d.email("finance"), "/console/test/leads")
	b.read("Your role can't do this. Someone with the role")
	assert.Equal(t, evaluate[bool](b, hasSend), false, "a way to send")
	assert.Equal(t, evaluate[int](b, `[...document.querySelectorAll("button")].filter((e) => /^(New|Assign|Close)$/.test(e.innerText.trim())).length`), 0, "buttons that write")
	b.visit("/console/test/contacts")
	b.settled()
	b.gone("Add contact")
}

// A conversation and a contact are accessible in both themes and on all screens.
func TestConsoleLeadLooks(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	b := signIn(t, d.server, desk, d.email("owner"), "/console/test/contacts?q=dale")
	b.settled()
	b.js(`document.querySelector("tbody a").click()`)
	b.read("Stalled")
	b.button("Open contact")
	b.read("Please stop texting me")
	b.settled()
	b.js(`document.querySelector(".ledger summary").click()`)
	b.review("console-contact-opted-out")

	b.visit("/console/test/leads?q=kit+amari")
	b.until(`document.querySelector(".who a")?.innerText.includes("Kit Amari")`, "the lead")
	b.js(`document.querySelector(".who a").click()`)
	b.button("Offer")
	b.read("Kit might have opted out.")
	b.settled()
	b.review("console-lead-review")
}
