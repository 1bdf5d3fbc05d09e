package browsertest

import (
	"testing"

	"slipway/internal/proposals"
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
// learns that a third no longer fits.
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
		b.button("Approve")
		b.read("changed after this was proposed")
		b.review("console-approval-failed")
	})
}
