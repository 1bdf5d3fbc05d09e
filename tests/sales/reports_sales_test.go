package sales

import (
	"fmt"
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The first deal is delivered at 23:30 on January 31 in New York, the second an hour
// later.
func TestGrossReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z")
		first := w.hull(w.east, "2027-01-01", 120000, 10000000, map[string]any{"stock_number": "GW-1"})
		one := s.Test.DealIn("delivered", map[string]any{"hull_id": first, "offer_usd": 118000, "line_items": []any{
			map[string]any{"kind": "fee", "amount_cents": 49900, "cost_cents": 0, "taxable": false},
			map[string]any{"kind": "product", "amount_cents": 200000, "cost_cents": 120000, "taxable": false},
			map[string]any{"kind": "discount", "amount_cents": 100},
			map[string]any{"kind": "rebate", "amount_cents": 5000},
		}})
		s.Advance(time.Hour)
		second := w.hull(w.west, "2027-01-01", 95000, 0)
		two := s.Test.DealIn("closed", map[string]any{"hull_id": second, "offer_usd": 90000})
		third := w.hull(w.west, "2027-01-01", 50000, 6000000)
		three := s.Test.DealIn("delivered", map[string]any{"hull_id": third, "offer_usd": 50000})
		s.Test.DealIn("funded", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 95000, 100)})
		s.Other.DealIn("delivered", nil)

		const columns = "deal_id,hull_id,stock_number,owner_id,delivered_on,price_usd,front_usd,back_usd,profit_usd"
		rows := []string{
			fmt.Sprintf("%s,%s,,,2027-02-01,50000.00,-10000.00,0.00,-10000.00", three, third),
			fmt.Sprintf("%s,%s,,,2027-02-01,90000.00,,0.00,", two, second),
			fmt.Sprintf("%s,%s,GW-1,,2027-01-31,118000.00,18498.00,800.00,19298.00", one, first),
		}
		w.wantCSV("gross", columns, rows[0], rows[1], rows[2])
		w.wantCSV("gross?date_after=2027-02-01", columns, rows[0], rows[1])
		w.wantCSV("gross?date_before=2027-01-31", columns, rows[2])
		w.wantCSV("gross?location_id="+w.east, columns, rows[2])
		const months = "month,deals,price_usd,front_usd,back_usd,profit_usd,without_front,without_back,unwound"
		w.wantCSV("gross?table=months", months,
			"2027-01,1,118000.00,18498.00,800.00,19298.00,0,0,0", "2027-02,2,140000.00,-10000.00,0.00,-10000.00,1,0,0")
		w.wantCSV("gross?table=months&location_id="+w.west, months, "2027-01,2,140000.00,-10000.00,0.00,-10000.00,1,0,0")

		var d deals.Deal
		s.Test.Get("/v1/deals/"+one, 200, &d)
		assert.Equal(t, *d.Totals.FrontProfitCents, 1849800)
		assert.Equal(t, *d.Totals.BackProfitCents, 80000)

		var r struct {
			Total   struct{ Deals int64 }
			Deals   []struct{ DealID string }
			HasMore bool `json:"has_more"`
		}
		s.Test.Get("/v2-preview/reports/gross?limit=2", 200, &r)
		assert.Len(t, r.Deals, 2)
		assert.Equal(t, r.HasMore, true)
		assert.Equal(t, r.Total.Deals, 3, "of all deals")
		s.Test.Get("/v2-preview/reports/gross?limit=3", 200, &r)
		assert.Equal(t, r.HasMore, false)
	})
}

func TestPipelineReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z")
		deal := func(status string, location string, offer int64) string {
			return s.Test.DealIn(status, map[string]any{"hull_id": w.hull(location, "2027-01-01", 100000, 0), "offer_usd": offer})
		}
		open := deal("open", w.east, 1000)
		deal("in_finance", w.west, 2000)
		deal("closed", w.east, 3000)
		deal("cancelled", w.east, 4000)
		rejected := deal("accepted", w.east, 5000)
		s.Test.Post("/v1/deals/"+rejected+"/cancel", `{"reason": "No loan"}`, 200, nil)
		s.Test.Post("/v1/deals/"+open+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 12345}`, 201, nil)
		s.Advance(3 * 24 * time.Hour) // February 3
		deal("open", w.east, 6000)
		deal("accepted", w.east, 7000)
		deal("contracted", w.east, 8000)
		deal("funded", w.east, 9000)
		deal("delivered", w.west, 10000)
		s.Other.Deal(nil)

		const columns = "status,deals,price_usd,paid_usd,median_days"
		w.wantCSV("pipeline", columns, "open,2,7000.00,123.45,0", "accepted,1,7000.00,0.00,0", "in_finance,1,2000.00,0.00,3",
			"contracted,1,8000.00,0.00,0", "funded,1,9000.00,9000.00,0", "delivered,1,10000.00,10000.00,0")
		w.wantCSV("pipeline?location_id="+w.west, columns, "open,0,0.00,0.00,", "accepted,0,0.00,0.00,", "in_finance,1,2000.00,0.00,3",
			"contracted,0,0.00,0.00,", "funded,0,0.00,0.00,", "delivered,1,10000.00,10000.00,0")
		const created = "deals,price_usd,accepted,delivered,cancelled,accepted_percent"
		w.wantCSV("pipeline?table=created", created, "10,55000.00,7,2,2,70")
		w.wantCSV("pipeline?table=created&date_before=2027-01-31", created, "5,15000.00,3,1,2,60")
		w.wantCSV("pipeline?table=created&date_before=2027-01-31&location_id="+w.west, created, "1,2000.00,1,0,0,100")
		w.wantCSV("pipeline?table=created&date_before=2027-01-30", created, "0,0.00,0,0,0,")
	})
}

func TestFundingReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z")
		submit := func(location, lender, status string, contracted any) (deal, funding string) {
			deal = s.Test.AcceptedDeal(map[string]any{"hull_id": w.hull(location, "2027-01-01", 100000, 0), "offer_usd": 100000})
			var made struct{ ID string }
			s.Test.Post("/v1/deals/"+deal+"/finance_structures", `{"apr_percent": "7.49", "term_months": 180}`, 201, &made)
			s.Test.Post("/v1/deals/"+deal+"/finance_structures/"+made.ID+"/select", nil, 200, nil)
			s.Test.Post("/v1/deals/"+deal+"/fundings", map[string]any{"lender": lender}, 201, &made)
			s.Exec(`UPDATE fundings SET status = ?, amount_cents = 10000000 WHERE id = ?`, status, made.ID)
			s.Exec(`UPDATE deals SET contracted_at = ? WHERE id = ?`, contracted, deal)
			return deal, made.ID
		}
		at := func(text string) time.Time {
			v, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		early, e := submit(w.east, "=Bay Federal", "pending_docs", at("2027-01-26T04:59:00Z")) // January 25 in New York
		late, l := submit(w.west, "First Marine", "signed", at("2027-01-26T05:01:00Z"))
		unsigned, u := submit(w.east, "First Marine", "contract_sent", nil)
		submit(w.east, "First Marine", "funded", at("2027-01-20T12:00:00Z"))
		submit(w.east, "First Marine", "approved", nil)
		submit(w.east, "First Marine", "withdrawn", nil)
		path := "/v1/deals/" + early + "/fundings/" + e + "/stipulations"
		var accepted struct{ ID string }
		s.Test.Post(path, `{"kind": "survey"}`, 201, nil)
		s.Test.Post(path, `{"kind": "insurance_binder"}`, 201, nil)
		s.Test.Post(path, `{"kind": "tax_returns"}`, 201, &accepted)
		s.Test.Post(path+"/"+accepted.ID+"/resolve", `{"status": "accepted"}`, 200, nil)
		s.Exec(`UPDATE deals SET delivered_at = ? WHERE id = ?`, at("2027-01-27T12:00:00Z"), late)

		const columns = "funding_id,deal_id,lender,status,amount_usd,open_stipulations,contracted_on,days,delivered"
		rows := []string{
			fmt.Sprintf("%s,%s,'=Bay Federal,pending_docs,100000.00,2,2027-01-25,6,false", e, early),
			fmt.Sprintf("%s,%s,First Marine,signed,100000.00,0,2027-01-26,5,true", l, late),
			fmt.Sprintf("%s,%s,First Marine,contract_sent,100000.00,0,,,false", u, unsigned),
		}
		w.wantCSV("funding", columns, rows[0], rows[1], rows[2])
		w.wantCSV("funding?location_id="+w.east, columns, rows[0], rows[2])
		w.wantCSV("funding?date_before=2027-01-30", columns)
		w.wantCSV("funding?table=lenders", "lender,contracts,amount_usd,open_stipulations", "First Marine,2,200000.00,0",
			"'=Bay Federal,1,100000.00,2")
		w.wantCSV("funding?table=stages", "status,contracts,amount_usd,open_stipulations", "contract_sent,1,100000.00,0",
			"signed,1,100000.00,0", "package_submitted,0,0.00,0", "pending_docs,1,100000.00,2", "approved_to_fund,0,0.00,0")

		var r struct {
			Total     struct{ Contracts int64 }
			Contracts []any
			HasMore   bool `json:"has_more"`
		}
		s.Test.Get("/v2-preview/reports/funding?limit=1", 200, &r)
		assert.Len(t, r.Contracts, 1)
		assert.Equal(t, r.Total.Contracts, 3)
		assert.Equal(t, r.HasMore, true)
	})
}

func TestCashReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z") // January 31 in New York
		pay := func(deal, kind, method string, cents int64, on string) string {
			var p struct{ ID string }
			s.Test.Post("/v1/deals/"+deal+"/payments",
				map[string]any{"kind": kind, "method": method, "amount_cents": cents, "received_on": on}, 201, &p)
			return p.ID
		}
		refund := func(deal, payment, body string) {
			s.Test.Post("/v1/deals/"+deal+"/payments/"+payment+"/refund", body, 201, nil)
		}
		deal := func(location string) string {
			return s.Test.Deal(map[string]any{"hull_id": w.hull(location, "2027-01-01", 100000, 0)})
		}
		east, west, moved, forfeited := deal(w.east), deal(w.west), deal(w.east), deal(w.east)
		pay(east, "deposit", "card", 100001, "2027-01-01")
		pay(east, "deposit", "card", 1000, "2026-12-31") // before the period
		part := pay(east, "down_payment", "check", 50000, "2027-01-15")
		refund(east, part, `{"amount_cents": 20000, "reason": "Too much"}`)
		bounced := pay(west, "deposit", "check", 70000, "2027-01-31")
		refund(west, bounced, `{"reason": "No funds", "reversal": true}`)
		pay(west, "deposit", "wire", 30000, "2027-01-30")
		pay(moved, "deposit", "cash", 500, "2027-01-10")
		s.Test.Post("/v1/deals/"+moved+"/cancel",
			map[string]any{"reason": "Another boat", "deposit_outcome": "transfer", "override_buyer": true, "transfer_to_deal_id": west}, 200, nil)
		pay(forfeited, "deposit", "cash", 900, "2027-01-11")
		s.Test.Post("/v1/deals/"+forfeited+"/cancel", `{"reason": "Gone", "deposit_outcome": "forfeit"}`, 200, nil)
		done := s.Test.DealIn("delivered", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 100000, 0), "offer_usd": 2000})
		s.Other.DealIn("delivered", nil)

		const columns = "kind,method,payments,received_usd,refunded_usd,reversed_usd,net_usd"
		w.wantCSV("cash?date_after=2027-01-01", columns, "balance,wire,1,2000.00,0.00,0.00,2000.00", "deposit,card,1,1000.01,0.00,0.00,1000.01",
			"deposit,cash,2,14.00,0.00,0.00,14.00", "deposit,check,1,700.00,0.00,700.00,0.00", "deposit,wire,1,300.00,0.00,0.00,300.00",
			"down_payment,check,1,500.00,200.00,0.00,300.00")
		w.wantCSV("cash?date_after=2027-01-30&date_before=2027-01-30", columns, "deposit,wire,1,300.00,0.00,0.00,300.00")
		w.wantCSV("cash?location_id="+w.west+"&date_after=2027-01-31", columns, "deposit,check,1,700.00,0.00,700.00,0.00")
		w.wantCSV("cash?table=deals", "deal_id,status,amount_usd,received_on,days", east+",open,1010.01,2026-12-31,31",
			west+",open,305.00,2027-01-30,1")
		w.wantCSV("cash?table=deals&location_id="+w.west, "deal_id,status,amount_usd,received_on,days", west+",open,305.00,2027-01-30,1")

		var r struct {
			Total struct{ Payments int64 }
			Held  struct {
				Deals  int64
				Amount struct{ Amount int64 }
			}
			Deals   []struct{ DealID string }
			HasMore bool `json:"has_more"`
		}
		s.Test.Get("/v2-preview/reports/cash?limit=1&date_after=2027-01-01", 200, &r)
		assert.Equal(t, r.Total.Payments, 7, "with that of "+done)
		assert.Equal(t, r.Held.Deals, 2)
		assert.Equal(t, r.Held.Amount.Amount, 131501)
		assert.Len(t, r.Deals, 1)
		assert.Equal(t, r.HasMore, true)
	})
}

func TestPricingReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z") // January 31 in New York
		price := func(hull string, usd int64) {
			s.Test.Put("/v1/hulls/"+hull+"/pricing", map[string]any{"price_usd": usd}, 200, nil)
		}
		cut := w.hull(w.east, "2027-01-01", 100000, 0)
		price(cut, 90000)
		price(cut, 95000) // no cut
		other := w.hull(w.west, "2027-01-21", 50000, 0)
		price(other, 49000)
		s.Advance(time.Hour) // February 1 in New York, January 31 in Los Angeles
		price(cut, 93000)
		s.Test.DealIn("delivered", map[string]any{"hull_id": cut})
		s.Test.DealIn("contracted", map[string]any{"hull_id": other})
		s.Test.DealIn("delivered", map[string]any{"hull_id": w.hull(w.east, "2027-01-31", 10000, 0)})
		s.Test.DealIn("accepted", map[string]any{"hull_id": w.hull(w.east, "2027-01-31", 10000, 0)})
		price(other, 48000) // after the sale
		s.Other.DealIn("delivered", nil)

		const columns = "month,cuts,cut_usd,sold,median_days,sold_after_cut,cut_median_days,original_usd,asking_usd,discount_percent"
		w.wantCSV("pricing", columns, "2027-01,2,11000.00,0,,0,,0.00,0.00,", "2027-02,2,3000.00,3,10,2,10,160000.00,151000.00,5.6")
		w.wantCSV("pricing?location_id="+w.west, columns, "2027-01,2,2000.00,1,10,1,10,50000.00,48000.00,4")
		w.wantCSV("pricing?date_before=2027-01-31&date_after=2027-01-31", columns, "2027-01,2,11000.00,0,,0,,0.00,0.00,")
	})
}
