package sales

import (
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// A hull on hold for a deal can't be reserved for another deal. Canceling restores
// the hold.
func TestHoldForADeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		mine, other := s.Test.Deal(map[string]any{"hull_id": boat}), s.Test.Deal(map[string]any{"hull_id": boat})
		s.Test.Post("/v1/hulls/"+boat+"/transition", map[string]string{"to": "on_hold", "deal_id": mine}, 200, nil)

		accept(s, other, 409).WantDetail(t, "hull_id", "hull_on_hold")
		assert.Equal(t, hull(s, boat).Status, hulls.OnHold)
		accept(s, mine, 200)
		assert.Equal(t, hull(s, boat).Status, hulls.SalePending)

		s.Test.Post("/v1/deals/"+mine+"/cancel", `{"reason": "no"}`, 200, nil)
		assert.Equal(t, hull(s, boat).Status, hulls.OnHold, "after canceling")
		assert.Equal(t, hull(s, boat).Hold.DealID, &mine, "after canceling")
	})
}

// Another buyer's deal is accepted on a boat that is on hold, for anyone.
func TestTakeABoatOnHold(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		ann, bob := s.Test.Contact(nil), s.Test.Contact(nil)
		lead := s.Test.Lead(map[string]any{"contact_id": ann})
		for name, c := range map[string]struct {
			hold map[string]any
			deal map[string]any // of the customer who has the hold
		}{
			"without a customer": {map[string]any{}, nil},
			"for a lead":         {map[string]any{"lead_id": lead}, map[string]any{"buyer_id": ann, "lead_id": lead}},
			"for a contact":      {map[string]any{"contact_id": ann}, map[string]any{"buyer_id": ann}},
			"for a co-buyer":     {map[string]any{"contact_id": ann}, map[string]any{"buyer_id": s.Test.Contact(nil), "co_buyer_id": ann}},
		} {
			boat := s.Test.Hull(loc, nil)
			c.hold["to"] = "on_hold"
			s.Test.Post("/v1/hulls/"+boat+"/transition", c.hold, 200, nil)
			accept(s, s.Test.Deal(map[string]any{"hull_id": boat, "buyer_id": bob}), 409).WantDetail(t, "hull_id", "hull_on_hold", name)
			if c.deal != nil {
				c.deal["hull_id"] = boat
				accept(s, s.Test.Deal(c.deal), 200)
				assert.Equal(t, hull(s, boat).Status, hulls.SalePending, name)
			}
		}

		boat := s.Test.Hull(loc, nil)
		path := "/v1/hulls/" + boat + "/transition"
		f := s.Test.Post(path, `{"to": "on_hold", "lead_id": "lead_x", "contact_id": "con_x"}`, 422, nil).Fault(t)
		f.WantDetail(t, "lead_id", "not_found")
		f.WantDetail(t, "contact_id", "not_found")
		f = s.Test.Post(path, map[string]string{"to": "not_for_sale", "lead_id": lead, "contact_id": ann}, 422, nil).Fault(t)
		f.WantDetail(t, "lead_id", "exclusive")
		f.WantDetail(t, "contact_id", "exclusive")

		s.Test.Post(path, `{"to": "on_hold"}`, 200, nil) // for the default of 48 hours
		s.Advance(49 * time.Hour)
		accept(s, s.Test.Deal(map[string]any{"hull_id": boat, "buyer_id": bob}), 200)
	})
}

// A salesperson tries to override a hold. A manager can, and it is audited.
func TestOverrideAHoldWithoutPermission(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		held := func() (boat, accept string) {
			boat = s.Test.Hull(loc, nil)
			s.Test.Post("/v1/hulls/"+boat+"/transition", map[string]string{"to": "on_hold", "contact_id": s.Test.Contact(nil)}, 200, nil)
			id := s.Test.Deal(map[string]any{"hull_id": boat})
			return boat, "/v1/deals/" + id + "/offers/" + s.Test.OpeningOffer(id) + "/accept"
		}
		boat, path := held()
		for name, c := range map[string]*testkit.Client{
			"a key":         s.As(s.Key(auth.DealsRead, auth.DealsWrite, auth.HullsWrite)),
			"a salesperson": s.Person("sales").Client,
		} {
			c.Post(path, `{"override_hold": true}`, 403, nil).WantDetail(t, "override_hold", "forbidden", name)
			c.Post(path, nil, 409, nil).WantDetail(t, "hull_id", "hull_on_hold", name)
		}
		assert.Equal(t, hull(s, boat).Status, hulls.OnHold)

		var o deals.Offer
		s.Person("manager").Post(path, `{"override_hold": true}`, 200, &o)
		assert.Equal(t, o.Status, deals.OfferAccepted)
		entries := testkit.Rows[string](s, `SELECT actor_type FROM audit_entries WHERE action = 'hull.hold_overridden' AND target_id = ?`, boat)
		assert.Equal(t, entries, []string{"user"})

		for _, c := range []*testkit.Client{s.Person("owner").Client, s.Test} { // s.Test has the admin scope
			_, path := held()
			c.Post(path, `{"override_hold": true}`, 200, nil)
		}
	})
}

// Two contacts are merged. The hold of one is for the deals of the other.
func TestHoldFollowsAMergedContact(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat, ann, twin := s.Test.Hull(s.Test.Location(), nil), s.Test.Contact(nil), s.Test.Contact(nil)
		hold := map[string]string{"to": "on_hold", "contact_id": twin, "reason": "Twin calls back"}
		s.Test.Post("/v1/hulls/"+boat+"/transition", hold, 200, nil)
		id := s.Test.Deal(map[string]any{"hull_id": boat, "buyer_id": ann})
		accept(s, id, 409).WantDetail(t, "hull_id", "hull_on_hold")
		s.Test.Post("/v1/contacts/"+ann+"/merge", map[string]string{"duplicate_id": twin}, 200, nil)
		assert.Equal(t, hull(s, boat).Hold.ContactID, &ann)
		accept(s, id, 200)
	})
}

// The reason of a hold is text about the contact that it is for.
func TestErasureRemovesTheReasonOfAHold(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc, ann := s.Test.Location(), s.Test.Contact(nil)
		lead := s.Test.Lead(map[string]any{"contact_id": ann})
		for field, id := range map[string]string{"contact_id": ann, "lead_id": lead} {
			boat := s.Test.Hull(loc, nil)
			hold := map[string]string{"to": "on_hold", field: id, "reason": "Quillfeather calls back"}
			s.Test.Post("/v1/hulls/"+boat+"/transition", hold, 200, nil)
		}
		s.Test.Delete("/v1/contacts/"+ann, 204)
		for _, query := range []string{
			`SELECT COALESCE(hold, '') FROM hulls`, `SELECT COALESCE(reason, '') FROM hull_history`,
			`SELECT data FROM {emitted}`, `SELECT changes FROM audit_entries`,
		} {
			for _, text := range testkit.Rows[string](s, query) {
				assert.Excludes(t, text, "Quillfeather", query)
			}
		}
	})
}
