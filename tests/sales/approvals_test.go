package sales

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/proposals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// lowOffer returns a proposal to accept an offer of $1,000 for a boat with a floor of
// $131,313 and a cost of $118,400, by an assistant who can't see them.
func lowOffer(s *testkit.Server) (deal string, body map[string]any, assistant *testkit.Client) {
	hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 149900})
	s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 149900, "floor_usd": 131313, "cost": {"invoice_cents": 11840000}}`, 200, nil)
	buyer := s.Test.Contact(map[string]any{"first_name": "Ralph", "last_name": "Underwood"})
	deal = s.Test.Deal(map[string]any{"hull_id": hull, "buyer_id": buyer, "offer_usd": 1000})
	rival := s.Test.Contact(map[string]any{"first_name": "Maren", "last_name": "Holt"})
	s.Test.Deal(map[string]any{"hull_id": hull, "buyer_id": rival, "offer_usd": 138000})
	body = map[string]any{
		"operation_id": "acceptOffer", "path": map[string]string{"deal_id": deal, "offer_id": s.Test.OpeningOffer(deal)},
		"reason": "The buyer says this is his final offer.",
	}
	return deal, body, s.As(s.Key(auth.HullsRead, auth.LeadsRead, auth.DealsRead, auth.DealsWrite))
}

func shown(t *testing.T, b *testkit.Browser, id string) (p proposals.Proposal, text string) {
	t.Helper()
	v := b.Send("GET", "/console/api"+path+"/"+id, "")
	assert.Equal(t, v.StatusCode, 200, v.Text)
	if err := json.Unmarshal([]byte(v.Text), &p); err != nil {
		t.Fatal(err)
	}
	var money struct {
		Preview struct {
			Amounts []struct{ Amount rest.Money }
			Confirm *struct{ Amount rest.Money }
		}
	}
	assert.NoError(t, json.Unmarshal([]byte(v.Text), &money))
	for i, a := range money.Preview.Amounts {
		p.Preview.Amounts[i].AmountUSD = a.Amount.Amount / 100
	}
	if c := money.Preview.Confirm; c != nil {
		p.Preview.Confirm.AmountUSD = c.Amount.Amount / 100
	}
	return p, v.Text
}

// The approver of an offer sees the boat, the buyer, the price, the floor, the loss and whom
// the rule refuses, and has to type an amount below the floor.
func TestApproveLowOffer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal, body, assistant := lowOffer(s)
		var p proposals.Proposal
		proposed := assistant.Post(path, body, 201, &p)
		for _, secret := range []string{"131313", "131,313", "130,313", "118400", "118,400", "117,400"} {
			assert.Excludes(t, string(proposed.Bytes), secret, "floor and cost, to the assistant")
		}

		b, _ := browser(t, s, "manager")
		p, _ = shown(t, b, p.ID)
		assert.Equal(t, p.Preview.Title, "Accept $1,000 for the 2024 Grady-White Freedom 235")
		assert.Contains(t, p.Preview.Text, "Ralph Underwood's offer of $1,000")
		assert.Contains(t, p.Preview.Text, "Asking $149,900")
		assert.Equal(t, fromTo(p, "Buyer"), "Ralph Underwood")
		assert.Equal(t, fromTo(p, "Offer of $1,000"), "pending → accepted")
		assert.Equal(t, fromTo(p, "Status of the boat"), "available → sale pending")
		warnings := map[string]string{}
		for _, w := range p.Preview.Warnings {
			warnings[w.Code] = w.Text
		}
		assert.Contains(t, warnings["below_floor"], "Below the floor by $130,313. You may do this, ")
		assert.Contains(t, warnings["below_floor"], " may not.")
		assert.Equal(t, warnings["below_cost"], "You would lose $117,400 against the cost.")
		assert.Equal(t, warnings["better_offer"], "A better offer is open: Maren Holt, $138,000.")
		amounts := map[string]int64{}
		for _, a := range p.Preview.Amounts {
			amounts[a.Label] = a.AmountUSD
		}
		assert.Equal(t, amounts, map[string]int64{"offer": 1000, "cost": 118400, "floor": 131313, "asking": 149900})

		v := approveAs(b, p.ID, p)
		assert.Equal(t, v.StatusCode, 400, v.Text)
		assert.Contains(t, v.Text, "confirm is required")
		assert.Equal(t, approveWith(b, p.ID, map[string]any{"pins": p.Preview.Pins, "confirm": dollars(100)}).StatusCode, 422, "another amount")
		assert.Equal(t, testkit.Rows[string](s, `SELECT status FROM deals WHERE id = ?`, deal)[0], "open")
		v = approveWith(b, p.ID, map[string]any{"pins": p.Preview.Pins, "confirm": dollars(1000)})
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, testkit.Rows[string](s, `SELECT status FROM deals WHERE id = ?`, deal)[0], "accepted")
	})
}

// The approver of an offer sees the other open offers for the boat, with names only if contacts
// can be read. A proposal doesn't store them: it doesn't mention these buyers after the decision,
// and not in their export.
func TestOtherOffers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal, body, assistant := lowOffer(s)
		hull := testkit.Rows[string](s, `SELECT hull_id FROM deals WHERE id = ?`, deal)[0]
		pia := s.Test.Contact(map[string]any{"first_name": "Pia", "last_name": "Lund"})
		second := s.Test.Deal(map[string]any{"hull_id": hull, "buyer_id": pia, "offer_usd": 900})
		s.Test.Post("/v1/deals/"+second+"/offers", map[string]any{"made_by": "dealer", "amount_usd": 149000, "in_reply_to": s.Test.OpeningOffer(second)}, 201, nil)
		s.Test.Deal(map[string]any{"hull_id": s.Test.Hull(s.Test.Location(), nil), "offer_usd": 140000}) // another boat
		var p proposals.Proposal
		assistant.Post(path, body, 201, &p)

		offers := func(p proposals.Proposal) (all []string) {
			for _, o := range p.Preview.OtherOffers {
				all = append(all, fmt.Sprintf("%s %t", *o.Buyer, o.Ours))
			}
			return all
		}
		b, _ := browser(t, s, "manager")
		seen, text := shown(t, b, p.ID)
		assert.Equal(t, offers(seen), []string{"Maren Holt false", "Pia Lund true"})
		assert.Contains(t, text, `"amount":13800000`)
		limited := s.As(s.Key(auth.HullsRead, auth.DealsRead, auth.DealsWrite))
		assert.Excludes(t, string(limited.Get(path+"/"+p.ID, 200, nil).Bytes), "Maren", "without leads:read")
		assert.Excludes(t, b.Send("GET", "/console/api"+path, "").Text, "Maren", "in the list")

		// A new offer changes what the approver has to know.
		s.Test.Deal(map[string]any{"hull_id": hull, "offer_usd": 141000})
		v := approveWith(b, p.ID, map[string]any{"pins": seen.Preview.Pins, "confirm": dollars(1000)})
		assert.Equal(t, v.StatusCode, 409, v.Text)
		seen, _ = shown(t, b, p.ID)
		assert.Len(t, seen.Preview.OtherOffers, 3)
		v = approveWith(b, p.ID, map[string]any{"pins": seen.Preview.Pins, "confirm": dollars(1000)})
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Excludes(t, v.Text, "Maren", "after the decision")
		seen, text = shown(t, b, p.ID)
		assert.Len(t, seen.Preview.OtherOffers, 0)
		assert.Excludes(t, text, "Maren", "after the decision")
	})
}

// An approver who can't see costs sees neither the floor nor the cost, at any door, and can't
// accept.
func TestApprovalHidesCosts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal, body, _ := lowOffer(s)
		var p proposals.Proposal
		s.Test.Post(path, body, 201, &p) // by a program that can see everything

		b, _ := browser(t, s, "sales")
		seen, text := shown(t, b, p.ID)
		list := b.Send("GET", "/console/api"+path, "").Text
		v := approveWith(b, p.ID, map[string]any{"pins": seen.Preview.Pins, "confirm": dollars(1000)})
		for door, answer := range map[string]string{"proposal": text, "list": list, "approval": v.Text, "decline": b.Send("POST", "/console/api"+path+"/"+p.ID+"/decline", "").Text} {
			for _, secret := range []string{"131313", "131,313", "130,313", "118400", "118,400", "117,400"} {
				assert.Excludes(t, answer, secret, door)
			}
		}
		assert.Contains(t, text, "The price is too low for you to accept.")
		assert.Equal(t, v.StatusCode, 403, v.Text)
		assert.Equal(t, testkit.Rows[string](s, `SELECT status FROM deals WHERE id = ?`, deal)[0], "open")
	})
}

// Whatever lowers the price after the acceptance shows the floor and the cost, as accepting an
// offer does, and the amount has to be typed. So does our own offer.
func TestApproveLowerPrice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b, _ := browser(t, s, "manager")
		assistant := s.As(s.Key(auth.HullsRead, auth.LeadsRead, auth.DealsRead, auth.DealsWrite))
		for name, c := range map[string]struct {
			accepted         bool
			operation        string
			trade            bool // in the path
			body             map[string]any
			confirm          int64
			warning, message string
		}{
			"discount": {true, "updateDeal", false, map[string]any{"line_items": []any{map[string]any{"kind": "discount", "amount_cents": 1000000}}},
				129000, "below_floor", "Below the floor by $2,313."},
			"accessory under cost": {true, "updateDeal", false, map[string]any{"line_items": []any{map[string]any{"kind": "accessory", "amount_cents": 0, "cost_cents": 3000000}}},
				109000, "below_cost", "You would lose $9,400 against the cost."},
			"trade-in": {true, "addTradeIn", false, map[string]any{"allowance_cents": 3000000, "acv_cents": 2000000},
				129000, "below_floor", "Below the floor by $2,313."},
			"value of a trade-in": {true, "updateTradeIn", true, map[string]any{"acv": map[string]any{"amount": 0, "currency": "USD"}},
				130000, "below_floor", "Below the floor by $1,313."},
			"our offer": {false, "makeOffer", false, map[string]any{"made_by": "dealer", "amount_usd": 100000},
				100000, "below_cost", "You would lose $18,400 against the cost."},
			"note":             {true, "updateDeal", false, map[string]any{"metadata": map[string]any{"color": "blue"}}, 0, "", ""},
			"before the offer": {false, "updateDeal", false, map[string]any{"line_items": []any{map[string]any{"kind": "discount", "amount_cents": 1000000}}}, 0, "", ""},
		} {
			hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 149900})
			s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 149900, "floor_usd": 131313, "cost": {"invoice_cents": 11840000}}`, 200, nil)
			deal := s.Test.Deal(map[string]any{"hull_id": hull, "offer_usd": 139000})
			at := map[string]string{"deal_id": deal}
			if c.trade {
				var trade struct{ ID string }
				s.Test.Post("/v1/deals/"+deal+"/trade_ins", `{"allowance_cents": 900000, "acv_cents": 900000}`, 201, &trade)
				at["trade_in_id"] = trade.ID
			}
			if c.accepted {
				s.Test.Post("/v1/deals/"+deal+"/offers/"+s.Test.OpeningOffer(deal)+"/accept", nil, 200, nil)
			}
			var p proposals.Proposal
			proposed := assistant.Post(path, map[string]any{"operation_id": c.operation, "path": at, "body": c.body, "reason": "The buyer asked."}, 201, &p)
			for _, secret := range []string{"131313", "131,313", "118400", "118,400"} {
				assert.Excludes(t, string(proposed.Bytes), secret, name)
			}

			p, _ = shown(t, b, p.ID)
			if c.confirm == 0 {
				assert.Equal(t, p.Preview.Confirm == nil, true, name)
				assert.Equal(t, approveAs(b, p.ID, p).StatusCode, 200, name)
				continue
			}
			if p.Preview.Confirm == nil {
				t.Fatalf("%s: got no amount to type, want %d", name, c.confirm)
			}
			assert.Equal(t, p.Preview.Confirm.AmountUSD, c.confirm, name)
			texts := map[string]string{}
			for _, w := range p.Preview.Warnings {
				texts[w.Code] = w.Text
			}
			assert.Contains(t, texts[c.warning], c.message, name)
			assert.Equal(t, approveAs(b, p.ID, p).StatusCode, 400, name)
			v := approveWith(b, p.ID, map[string]any{"pins": p.Preview.Pins, "confirm": dollars(c.confirm)})
			assert.Equal(t, v.StatusCode, 200, name, v.Text)
		}
	})
}

// reachable returns a lead who can receive email, and a proposal to write one.
func reachable(s *testkit.Server) (contact, lead string, body map[string]any) {
	contact = s.Test.Contact(map[string]any{"first_name": "Quentin", "last_name": "Reyes", "email": "quentin@example.com"})
	lead = s.Test.Lead(map[string]any{"contact_id": contact, "message": "How much does it weigh?"})
	s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms", "email"], "scope": "all"}`, 201, nil)
	return contact, lead, map[string]any{
		"operation_id": "sendLeadMessage", "path": map[string]string{"lead_id": lead}, "reason": "The customer asked.",
		"body": map[string]any{"channel": "email", "purpose": "transactional", "subject": "Your question", "body": "It weighs 2,350 lb."},
	}
}

// A message that was approved for one address never goes to another.
func TestApproveMessageToChangedAddress(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact, lead, body := reachable(s)
		var p proposals.Proposal
		s.Test.Post(path, body, 201, &p)
		b, _ := browser(t, s, "manager")
		seen, _ := shown(t, b, p.ID)
		assert.Equal(t, fromTo(seen, "To"), "quentin@example.com")
		assert.Equal(t, seen.Preview.Warnings[0].Code, "reach")
		assert.Contains(t, seen.Preview.Warnings[0].Text, "May be sent to quentin@example.com.")

		s.Test.Patch("/v1/contacts/"+contact, `{"email": "thief@example.org"}`, 200, nil)
		v := approveAs(b, p.ID, seen)
		assert.Equal(t, v.StatusCode, 409, v.Text)
		assert.Contains(t, v.Text, `"code":"changed"`)
		assert.Equal(t, approve(b, p.ID).StatusCode, 409, "without saying what was seen")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE lead_id = ?`, lead)[0], 0, "messages")

		seen, _ = shown(t, b, p.ID)
		assert.Equal(t, seen.Preview.Changed[0].Label, "To")
		assert.Equal(t, *seen.Preview.Changed[0].From+" "+seen.Preview.Changed[0].To, "quentin@example.com thief@example.org")
	})
}

// A message that came in between also changes what is approved.
func TestApproveMessageAfterReply(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		_, lead, body := reachable(s)
		var p proposals.Proposal
		s.Test.Post(path, body, 201, &p)
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", `{"channel": "sms", "from": "+14105550199", "body": "I bought another boat."}`, 201, nil)
		b, _ := browser(t, s, "manager")
		assert.Equal(t, approveAs(b, p.ID, p).StatusCode, 409)
		seen, _ := shown(t, b, p.ID)
		assert.Equal(t, seen.Preview.Changed[0].To, "Quentin Reyes: I bought another boat.")
	})
}

// The facts in a message are compared with the boat and the appointments of the lead. If one
// of them changes, the approver has to look again.
func TestFactsOfMessage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		_, lead, body := reachable(s)
		location := s.Test.Location()
		hull := s.Test.Hull(location, map[string]any{"price_usd": 149900})
		s.Test.Patch("/v1/leads/"+lead, map[string]any{"hull_id": hull}, 200, nil)
		s.Test.Put("/v1/hulls/"+hull+"/specs", `{"engines": [{"hours": 118}]}`, 200, nil)
		var d struct{ Timezone string }
		s.Test.Get("/v1/dealership", 200, &d)
		zone, err := time.LoadLocation(d.Timezone)
		assert.NoError(t, err)
		tomorrow := s.DB.Now().In(zone).AddDate(0, 0, 1)
		at := time.Date(tomorrow.Year(), tomorrow.Month(), tomorrow.Day(), 10, 0, 0, 0, zone)
		var apt struct{ ID string }
		s.Test.Post("/v2-preview/appointments", map[string]any{
			"kind": "sea_trial", "lead_id": lead, "user_id": s.Person("sales").ID, "location_id": location, "starts_at": at.Format(time.RFC3339),
		}, 201, &apt)
		body["body"].(map[string]any)["body"] = "The 2023 Freedom 235 has 118 engine hours and is $149,900, with $500 down. See you tomorrow at 10!"
		var p proposals.Proposal
		s.Test.Post(path, body, 201, &p)

		b, _ := browser(t, s, "manager")
		seen, _ := shown(t, b, p.ID)
		var found []string
		for _, f := range seen.Preview.Facts {
			found = append(found, f.Text+" "+string(f.Result)+" "+f.Note)
		}
		assert.Equal(t, found, []string{
			"2023 differs The model year is 2024",
			"118 engine hours matches Engine hours",
			"$149,900 matches Asking price",
			"$500 unknown Not the price of this boat",
			"tomorrow at 10 matches Sea trial, " + at.Format("Mon, Jan 2, 3:04 PM"),
		})

		s.Test.Patch("/v2-preview/appointments/"+apt.ID, map[string]any{"starts_at": at.Add(2 * time.Hour).Format(time.RFC3339)}, 200, nil)
		assert.Equal(t, approveAs(b, p.ID, seen).StatusCode, 409, "the appointment was moved")
		s.Test.Put("/v1/hulls/"+hull+"/specs", `{"engines": [{"hours": 120}]}`, 200, nil)
		seen, _ = shown(t, b, p.ID)
		assert.Equal(t, seen.Preview.Facts[1].Note, "Engine hours: 120")
		assert.Equal(t, seen.Preview.Facts[4].Note, "Sea trial is at 12:00 PM")
		limited := s.As(s.Key(auth.LeadsRead, auth.LeadsWrite))
		assert.Excludes(t, string(limited.Get(path+"/"+p.ID, 200, nil).Bytes), "Asking price", "without hulls:read")
	})
}

// The approver sees the conversation and can edit the text. Both texts are stored, sealed, and
// the audit log says who edited what.
func TestEditMessage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		_, lead, body := reachable(s)
		var p proposals.Proposal
		s.Test.Post(path, body, 201, &p)
		b, manager := browser(t, s, "manager")
		seen, _ := shown(t, b, p.ID)
		assert.Len(t, seen.Preview.Conversation, 1)
		assert.Equal(t, seen.Preview.Conversation[0].Text, "How much does it weigh?")
		assert.Equal(t, seen.Preview.Editable, []string{"subject", "body"})

		pins := seen.Preview.Pins
		v := approveWith(b, p.ID, map[string]any{"pins": pins, "edits": map[string]string{"channel": "sms"}})
		assert.Equal(t, v.StatusCode, 422, v.Text)
		v = approveWith(b, p.ID, map[string]any{"pins": pins, "edits": map[string]string{"body": ""}})
		assert.Equal(t, v.StatusCode, 422, "an empty text", v.Text)
		v = approveWith(b, p.ID, map[string]any{"pins": pins, "edits": map[string]string{"body": "EDITEDTEXT"}})
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, testkit.Rows[string](s, `SELECT body FROM messages WHERE lead_id = ?`, lead), []string{"EDITEDTEXT"})

		seen, _ = shown(t, b, p.ID)
		assert.Equal(t, seen.Edits, map[string]string{"body": "EDITEDTEXT"})
		assert.Equal(t, (*seen.Arguments.Body)["body"], any("It weighs 2,350 lb."))
		assert.Equal(t, seen.Result.Edited, []string{"body"})
		stored := string(testkit.Rows[[]byte](s, `SELECT sealed FROM proposals WHERE id = ?`, p.ID)[0])
		assert.Excludes(t, stored, "EDITEDTEXT")
		entries := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE target_id = ? AND action = 'proposal.approved' AND actor_id = ?`, p.ID, manager.ID)
		assert.Len(t, entries, 1)
		assert.Contains(t, entries[0], "edited")
		assert.Excludes(t, strings.Join(entries, " "), "EDITEDTEXT")
	})
}

// A message that waits until it is due isn't sent to another address either.
func TestApprovedMessageWaits(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact, lead, body := reachable(s)
		body["body"].(map[string]any)["send_at"] = s.DB.Now().Add(time.Hour)
		var p proposals.Proposal
		s.Test.Post(path, body, 201, &p)
		b, _ := browser(t, s, "manager")
		v := approveAs(b, p.ID, p)
		assert.Equal(t, v.StatusCode, 200, v.Text)

		s.Test.Patch("/v1/contacts/"+contact, `{"email": "thief@example.org"}`, 200, nil)
		s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels": ["email"], "scope": "all"}`, 201, nil)
		s.Advance(2 * time.Hour)
		api := messages.API{DB: s.DB, Jobs: s.Jobs, Box: s.Box, MailFrom: "sales@example.com"}
		if err := jobs.Run(t.Context(), api.SendMessage, testkit.LastJob[messages.SendMessage](s)); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, testkit.Rows[string](s, `SELECT status || ' ' || COALESCE(block_reason, '') FROM messages WHERE lead_id = ?`, lead), []string{"blocked recipient_changed"})
	})
}

// While someone edits the contact, an approval either sends to the address that was shown, or
// fails.
func TestApproveDuringEdit(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b, _ := browser(t, s, "manager")
		for range 8 {
			contact, lead, body := reachable(s)
			var p proposals.Proposal
			s.Test.Post(path, body, 201, &p)
			var v testkit.View
			var wg sync.WaitGroup
			wg.Go(func() { v = approveAs(b, p.ID, p) })
			wg.Go(func() { s.Test.Patch("/v1/contacts/"+contact, `{"email": "thief@example.org"}`, 200, nil) })
			wg.Wait()

			sent := testkit.Rows[string](s, `SELECT to_address FROM messages WHERE lead_id = ?`, lead)
			want := map[int][]string{200: {"quentin@example.com"}, 409: {}}[v.StatusCode]
			assert.Equal(t, sent, want, v.StatusCode, v.Text)
		}
	})
}
