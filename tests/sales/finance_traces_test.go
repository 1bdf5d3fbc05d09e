package sales

import (
	"fmt"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// moneyOperations are all variants of the operations that change money or what is booked for a deal.
var moneyOperations = map[string]func(s *testkit.Server){
	"payments of each kind and method": func(s *testkit.Server) {
		path := "/v1/deals/" + s.Test.Deal(nil) + "/payments"
		for _, kind := range []string{"deposit", "down_payment", "balance", "lender_proceeds"} {
			for _, method := range []string{"cash", "check", "ach", "wire", "card", "financing"} {
				s.Test.Post(path, map[string]any{"kind": kind, "method": method, "amount_cents": 100}, 201, nil)
			}
		}
	},
	"a refund":               func(s *testkit.Server) { takeBack(s, `{"reason": "Too much"}`) },
	"a refund of a part":     func(s *testkit.Server) { takeBack(s, `{"reason": "Too much", "amount_cents": 1}`) },
	"a reversal":             func(s *testkit.Server) { takeBack(s, `{"reason": "Bounced", "reversal": true}`) },
	"a reversal of a part":   func(s *testkit.Server) { takeBack(s, `{"reason": "Bounced", "reversal": true, "amount_cents": 1}`) },
	"cancel with a refund":   func(s *testkit.Server) { cancelPaid(s, map[string]any{"deposit_outcome": "refund"}) },
	"cancel with a forfeit":  func(s *testkit.Server) { cancelPaid(s, map[string]any{"deposit_outcome": "forfeit"}) },
	"a forfeit that is paid": func(s *testkit.Server) { refundLater(s) },
	"cancel with a transfer": func(s *testkit.Server) {
		cancelPaid(s, map[string]any{"deposit_outcome": "transfer", "override_buyer": true, "transfer_to_deal_id": s.Test.Deal(nil)})
	},
	"unwind a funded sale, refund":      func(s *testkit.Server) { unwindSale(s, "funded", map[string]any{"outcome": "refund"}) },
	"unwind a funded sale, keep":        func(s *testkit.Server) { unwindSale(s, "funded", map[string]any{"outcome": "keep"}) },
	"unwind a delivered sale, reversal": func(s *testkit.Server) { unwindSale(s, "delivered", map[string]any{"outcome": "reversal"}) },
	"unwind a closed sale, in part": func(s *testkit.Server) {
		unwindSale(s, "closed", map[string]any{"outcome": "refund", "amount": usd(1)})
	},
	"unwind a financed sale, reversal": func(s *testkit.Server) { unwindFinanced(s) },
	"cancel a product": func(s *testkit.Server) {
		adjust(s, map[string]any{"kind": "product", "position": 0, "refund": usd(2), "chargeback": usd(1)})
	},
	"cancel a product and refund it": func(s *testkit.Server) { adjust(s, map[string]any{"kind": "product", "position": 0, "refund": usd(2)}) },
	"cancel a line item": func(s *testkit.Server) {
		adjust(s, map[string]any{"kind": "line_item", "position": 1, "refund": usd(2), "chargeback": usd(1)})
	},
	"charge a reserve back":             func(s *testkit.Server) { adjust(s, map[string]any{"kind": "reserve", "chargeback": usd(1)}) },
	"write a balance off when funded":   func(s *testkit.Server) { writeOff(s, "funded") },
	"write a balance off when closed":   func(s *testkit.Server) { writeOff(s, "closed") },
	"pay what was written off":          func(s *testkit.Server) { pay(s, writeOff(s, "funded"), 100) },
	"a bill after the delivery":         billLater,
	"a funding that is funded":          func(s *testkit.Server) { fundedFinanceDeal(s) },
	"a funding that is charged back":    chargeBack,
	"a funding that its deal withdraws": func(s *testkit.Server) { withdrawFunding(s) },
}

// Each row that a money operation adds has one event and one entry in the audit log, and each change of a funding
// too. A bounced check was once in neither, and no test noticed.
func TestMoneyLeavesTraces(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seen := map[string]bool{}
		added := func(table string) (ids []string) {
			for _, id := range testkit.Rows[string](s, `SELECT id FROM `+table) {
				if !seen[id] {
					ids, seen[id] = append(ids, id), true
				}
			}
			return ids
		}
		for name, operation := range moneyOperations {
			operation(s)
			for _, p := range added("payments") {
				kind := testkit.Rows[string](s, `SELECT type FROM payments WHERE id = ?`, p)[0]
				want := map[string]string{"payment": "payment.recorded", "refund": "payment.refunded", "reversal": "payment.reversed",
					"transfer_out": "payment.transferred", "transfer_in": "payment.recorded"}[kind]
				assert.Equal(t, eventTypes(s, p), want, name+": events of a "+kind)
				assert.Equal(t, audited(s, p), want, name+": audit of a "+kind)
				cents := testkit.Rows[int64](s, `SELECT amount_cents FROM payments WHERE id = ?`, p)[0]
				assert.Contains(t, testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE target_id = ?`, p)[0], fmt.Sprint(cents), name)
			}
			for _, a := range added("deal_adjustments") {
				deal := testkit.Rows[string](s, `SELECT deal_id FROM deal_adjustments WHERE id = ?`, a)[0]
				for what, texts := range map[string][]string{
					"event": testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ? AND type = 'deal.adjusted'`, deal),
					"audit": testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE target_id = ? AND action = 'deal.adjusted'`, deal),
				} {
					if n := strings.Count(strings.Join(texts, " "), a); n != 1 {
						t.Errorf("%s: got adjustment %s %d times in the %s, want once", name, a, n, what)
					}
				}
			}
			for _, f := range added("fundings") {
				version := testkit.Rows[int64](s, `SELECT version FROM fundings WHERE id = ?`, f)[0]
				assert.Equal(t, int64(len(strings.Fields(eventTypes(s, f)))), version, name+": events of a funding")
				assert.Equal(t, int64(len(strings.Fields(audited(s, f)))), version, name+": audit of a funding")
			}
		}
	})
}

// paid returns a deal with a payment.
func paid(s *testkit.Server) (id, payment string) {
	id = s.Test.Deal(nil)
	var p struct{ ID string }
	s.Test.Post("/v1/deals/"+id+"/payments", `{"kind": "deposit", "method": "check", "amount_cents": 100000}`, 201, &p)
	return id, p.ID
}

func takeBack(s *testkit.Server, body string) {
	id, payment := paid(s)
	s.Test.Post("/v1/deals/"+id+"/payments/"+payment+"/refund", body, 201, nil)
}

func cancelPaid(s *testkit.Server, body map[string]any) (id, payment string) {
	id, payment = paid(s)
	body["reason"] = "No"
	s.Test.Post("/v1/deals/"+id+"/cancel", body, 200, nil)
	return id, payment
}

func refundLater(s *testkit.Server) {
	id, payment := cancelPaid(s, map[string]any{"deposit_outcome": "forfeit"})
	s.Test.Post("/v1/deals/"+id+"/payments/"+payment+"/refund", `{"reason": "Goodwill"}`, 201, nil)
}

func unwindSale(s *testkit.Server, status string, outcome map[string]any) {
	id := s.Test.DealIn(status, nil)
	outcome["payment_id"] = testkit.Rows[string](s, `SELECT id FROM payments WHERE deal_id = ?`, id)[0]
	s.Test.Post("/v2-preview/deals/"+id+"/unwind", map[string]any{"reason": "No", "hull_status": "available", "payments": []any{outcome}}, 200, nil)
}

func unwindFinanced(s *testkit.Server) {
	id, payment := financed(s, nil)
	s.Test.Post("/v2-preview/deals/"+id+"/unwind", map[string]any{"reason": "No", "hull_status": "available",
		"payments": []any{map[string]any{"payment_id": payment, "outcome": "reversal"}}}, 200, nil)
}

func adjust(s *testkit.Server, body map[string]any) {
	id, payment := financed(s, nil)
	body["reason"] = "Refinanced"
	if body["chargeback"] == nil {
		body["payment_id"] = payment
	}
	s.Test.Post("/v2-preview/deals/"+id+"/adjustments", body, 201, nil)
}

func writeOff(s *testkit.Server, at string) string {
	id := s.Test.DealIn("contracted", map[string]any{"offer_usd": 50000, "taxes": []any{}})
	path := "/v1/deals/" + id
	var p struct{ ID string }
	s.Test.Post(path+"/payments", `{"kind": "balance", "method": "wire", "amount_cents": 5000000}`, 201, &p)
	for _, to := range []string{"funded", "delivered", "closed"} {
		body := map[string]any{"to": to}
		if to == at {
			s.Test.Post(path+"/payments/"+p.ID+"/refund", `{"reason": "Fee", "amount_cents": 500, "reversal": true}`, 201, nil)
			body["write_off_reason"] = "Bank fee"
		}
		s.Test.Post(path+"/advance", body, 200, nil)
		if to == at {
			return id
		}
	}
	return id
}

func billLater(s *testkit.Server) {
	id := s.Test.DealIn("delivered", nil)
	s.Test.Patch("/v2-preview/hulls/"+deal(s, id).HullID+"/pricing", map[string]any{"cost": map[string]any{"invoice": usd(9000000)}}, 200, nil)
}

func chargeBack(s *testkit.Server) {
	id := fundedFinanceDeal(s)
	funding := testkit.Rows[string](s, `SELECT id FROM fundings WHERE deal_id = ?`, id)[0]
	s.Test.Post("/v1/deals/"+id+"/fundings/"+funding+"/advance", `{"to": "charged_back"}`, 200, nil)
}

func withdrawFunding(s *testkit.Server) {
	id := structured(s)
	s.Test.Post("/v1/deals/"+id+"/fundings", `{"lender": "Bay Federal"}`, 201, nil)
	s.Test.Post("/v1/deals/"+id+"/cancel", `{"reason": "No"}`, 200, nil)
}
