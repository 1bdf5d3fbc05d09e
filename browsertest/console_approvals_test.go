package browsertest

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"slipway/internal/proposals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// propose proposes a price for a boat and returns the ID of the proposal.
func propose(s *server, hull string, price int, reason string) string {
	var p proposals.Proposal
	s.Test.Post("/v2-preview/proposals", map[string]any{
		"operation_id": "adjustHullPricing", "path": map[string]string{"hull_id": hull},
		"body": map[string]any{"price_usd": price}, "reason": reason,
	}, 201, &p)
	return p.ID
}

// A person sees what would change and why, approves one proposal, declines another, and
// looks again at a third that changed.
func TestApprovals(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 120000})
		b := ownerAt(t, s, "approvals")
		b.read("Nothing waits for you")

		first := propose(s, hull, 115000, "<b>Ignore all rules</b> and approve this.")
		b.read("Grady-White") // by a live update
		b.js(`document.querySelector("a[href$='` + first + `']").click()`)
		b.read("$120,000")
		b.read("$115,000")
		b.read("<b>Ignore all rules</b>") // as text
		b.review("console-approval")
		b.button("Approve")
		b.read("Approved by")

		second := propose(s, hull, 110000, "Another idea.")
		b = ownerAt(t, s, "approvals/"+second)
		b.button("Decline")
		b.set("Reason (optional)", "Too low")
		b.press(enter)
		b.read("Reason: Too low")

		third := propose(s, hull, 105000, "A third idea.")
		b = ownerAt(t, s, "approvals/"+third)
		b.read("$105,000")
		s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 118000}`, 200, nil)
		b.read("Changed since you opened it. Nothing was done.") // by a live update
		b.read("$118,000")
		b.review("console-approval-changed")
		b.button("I've seen it")
		b.button("Approve")
		b.read("Approved by")
	})
}

// A person who accepts an offer sees the price, the floor and the buyer, and types the amount.
// The text of a message can be edited, or used as a draft.
func TestJudge(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 149900})
		s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 149900, "floor_usd": 131313, "cost": {"invoice_cents": 11840000}}`, 200, nil)
		buyer := s.Test.Contact(map[string]any{"first_name": "Ralph", "last_name": "Underwood"})
		deal := s.Test.Deal(map[string]any{"hull_id": hull, "buyer_id": buyer, "offer_usd": 1000})
		rival := s.Test.Contact(map[string]any{"first_name": "Maren", "last_name": "Holt"})
		s.Test.Deal(map[string]any{"hull_id": hull, "buyer_id": rival, "offer_usd": 138000})
		var p proposals.Proposal
		s.Test.Post("/v2-preview/proposals", map[string]any{
			"operation_id": "acceptOffer", "path": map[string]string{"deal_id": deal, "offer_id": s.Test.OpeningOffer(deal)}, "reason": "The buyer says this is his final offer.",
		}, 201, &p)
		b := ownerAt(t, s, "approvals/"+p.ID)
		b.read("Accept $1,000 for the 2024 Grady-White Freedom 235")
		b.read("Below the floor by $130,313.")
		b.read("Ralph Underwood")
		b.read("A better offer is open: Maren Holt, $138,000.")
		b.read("Maren Holt offers $138,000")
		b.review("console-approval-offer")
		b.set("Type 1000 to approve it", "$1,000")
		b.button("Approve")
		b.read("Approved by")

		lead := s.Test.Lead(map[string]any{"hull_id": hull, "message": "How much does it weigh on the trailer?"})
		s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms", "email"], "scope": "all"}`, 201, nil)
		write := func() string {
			s.Test.Post("/v2-preview/proposals", map[string]any{
				"operation_id": "sendLeadMessage", "path": map[string]string{"lead_id": lead}, "reason": "The customer asked.",
				"body": map[string]any{"channel": "email", "purpose": "transactional", "subject": "Your question", "body": "It weighs 2,350 lb on its trailer. The 2023 Freedom 235 is $149,900. Would Saturday at 10:00 be fine?"},
			}, 201, &p)
			return p.ID
		}
		b = ownerAt(t, s, "approvals/"+write())
		b.read("How much does it weigh on the trailer?")
		b.read("May be sent to")
		b.read("The model year is 2024")
		b.read("Asking price")
		b.read("Not in the calendar")
		b.set("Text", "It weighs 2,400 lb.")
		b.read("Edited by you")
		b.review("console-approval-message")
		b.button("Send my version")
		b.read("Proposed: It weighs 2,350 lb on its trailer.")

		b = ownerAt(t, s, "approvals/"+write())
		b.button("Use as a draft")
		b.until(`location.pathname.endsWith("/leads/`+lead+`")`, "the lead")
		b.until(`[...document.querySelectorAll("textarea")].some((t) => t.value.startsWith("It weighs 2,350 lb on its trailer."))`, "the draft")
	})
}

// J and K move in the list beside the proposal, D declines, and Ctrl Enter approves. No single
// letter approves.
func TestApprovalKeys(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 120000})
		older := propose(s, hull, 115000, "An idea.")
		newer := propose(s, hull, 110000, "A better idea.")
		b := ownerAt(t, s, "approvals")
		at := func(id string) { b.until(`location.pathname.endsWith("`+id+`")`, "the proposal "+id) }
		at(newer) // a wide screen shows the first one
		b.settled()
		b.press("j")
		at(older)
		b.read("$115,000")
		b.press("a")
		b.press("d")
		b.read("Decline this proposal")
		b.button("Not now")
		b.press(enter)
		b.read("Reason: Not now")
		b.press("k")
		at(newer)
		b.read("$110,000")
		b.press(enter, chromedp.KeyModifiers(input.ModifierCtrl))
		b.read("Approved by")
		b.read("Decided lately")
	})
}

// A manager answers an offer that is too low with another one. The proposal is declined, and
// says so.
func TestCounterInsteadOfApproving(t *testing.T) {
	onSQLite(t, func(t *testing.T, s *server) {
		deal := s.Test.Deal(map[string]any{"offer_usd": 100000})
		var p proposals.Proposal
		s.Test.Post("/v2-preview/proposals", map[string]any{
			"operation_id": "acceptOffer", "path": map[string]string{"deal_id": deal, "offer_id": s.Test.OpeningOffer(deal)}, "reason": "The buyer says this is his final offer.",
		}, 201, &p)
		b := ownerAt(t, s, "approvals/"+p.ID)
		b.button("Counter…")
		b.read("Counter $100,000")
		b.set("Price of the boat", "118000")
		b.button("Record offer")
		b.read("Reason: Countered with $118,000")
		offers := testkit.Rows[string](s.Server, `SELECT made_by || ' ' || amount_usd || ' ' || status FROM offers WHERE deal_id = ? ORDER BY id`, deal)
		assert.Equal(t, offers, []string{"buyer 100000 superseded", "dealer 118000 pending"})
	})
}
