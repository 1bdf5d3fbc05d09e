package browsertest

import (
	"testing"

	"slipway/internal/testkit"
)

// A snippet is inserted by typing a slash, with the values of the lead. The person sees the text before it is sent.
func TestSnippets(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		lead := s.Test.Lead(map[string]any{"hull_id": hull, "message": "Is it available?", "contact": map[string]any{"first_name": "Grace", "email": "grace@example.com"}})
		s.Test.Post("/v2-preview/snippets", `{"name": "sold", "body": "The {boat} is sold."}`, 201, nil)

		b := ownerAt(t, s, "leads/"+lead)
		b.button("Email")
		b.button("Snippets")
		b.button("Add snippet")
		b.set("Name", "still-here")
		b.set("Text", "The {boat} is still here for {price}. See it at {link}.")
		b.button("Add snippet")
		b.read("Snippet saved.")

		b.set("Subject", "Your boat")
		b.set("Message", "Hi Grace! /s")
		b.read("/still-here")
		b.read("/sold")
		b.press("t")
		b.gone("/sold")
		b.review("console-snippets")
		b.press(enter)
		b.until(`document.querySelector(".compose textarea").value === "Hi Grace! The 2024 Grady-White Freedom 235 is still here for $124,900."`, "the final text")
		b.read("Left out, because the lead has no link.")
		b.press(" Call me.")
		b.button("Send email")
		b.read("Message queued.")
		b.read("is still here for $124,900. Call me.")

		b.button("Snippets")
		b.button("/sold")
		b.until(`document.querySelector(".compose textarea").value === "The 2024 Grady-White Freedom 235 is sold."`, "the text of the menu")
		b.button("Snippets")
		b.button("Change snippets")
		b.read("The {boat} is sold.")
		b.wantDialogFits("console-snippets-change")
	})
}

// A view keeps filters, sort and columns. A shared one is for everyone, and only its owner and managers change it.
func TestSavedViews(t *testing.T) {
	onBoth(t, func(t *testing.T, s *server) {
		at := s.Test.Location()
		s.Test.Hull(at, map[string]any{"condition": "used"})
		s.Test.Hull(at, map[string]any{"make": "Boston Whaler", "condition": "new"})
		b := ownerAt(t, s, "boats?condition=used&sort=-age")
		b.gone("Boston Whaler")
		b.button("Views")
		b.button("Save this view")
		b.dialog()
		b.set("Name", "Used, oldest first")
		b.check("For everyone")
		b.check("Listed")
		b.wantDialogFits("console-view")
		b.press(enter)
		b.read("View saved.")
		b.see(`[aria-label="View: Used, oldest first"]`)
		b.gone("Not listed on")
		b.until(`![...document.querySelectorAll("th")].some((h) => h.innerText === "Listed")`, "no column Listed")
		b.review("console-views")

		b.button("View: Used, oldest first")
		b.button("Show all")
		b.read("Boston Whaler")

		user := s.Test.User(map[string]any{"role_ids": []string{s.RoleID("finance")}})
		s.Activate(user)
		c := open(t, s, desk)
		c.visit("/console/test/boats")
		c.fill("#email", testkit.Rows[string](s.Server, `SELECT email FROM users WHERE id = ?`, user)[0])
		c.click("main button")
		c.fill("#password", testkit.Password)
		c.click("main button")
		c.see("h1")
		c.read("Boston Whaler")
		c.button("Views")
		c.button("Used, oldest first")
		c.gone("Boston Whaler")
		c.button("View: Used, oldest first")
		c.read("Show all")
		c.gone("Change this view")
	})
}
