package sales

import (
	"testing"

	"slipway/internal/finance"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// entry is an object of a list of the office.
type entry struct {
	ID, Type, Status, Kind string
	DealID                 string `json:"deal_id"`
	Amount, Refunded       rest.Money
	Requested              rest.Money
	Stipulations           []struct{ ID string }
	Decision               *struct {
		BuyRate *string `json:"buy_rate_percent"`
	}
}

// list returns the IDs of a list of the office, newest first.
func list(s *testkit.Server, path string) (ids []string) {
	var p page.Page[entry]
	s.Test.Get("/v2-preview/"+path, 200, &p)
	for _, e := range p.Data {
		ids = append(ids, e.ID)
	}
	return ids
}

// recordPayment records a payment and returns its ID.
type payment struct {
	kind, method string
	cents        int64
	on           string
}

func recordPayment(c *testkit.Client, deal string, p payment) string {
	var created struct{ ID string }
	body := map[string]any{"kind": p.kind, "method": p.method, "amount_cents": p.cents, "received_on": p.on}
	c.Post("/v1/deals/"+deal+"/payments", body, 201, &created)
	return created.ID
}

// Payments of several deals and locations, with each status.
func TestListPayments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		east, west := s.Test.Location(), s.Test.Location()
		one := s.Test.Deal(map[string]any{"hull_id": s.Test.Hull(east, nil)})
		two := s.Test.Deal(map[string]any{"hull_id": s.Test.Hull(west, nil)})
		three := s.Test.Deal(map[string]any{"hull_id": s.Test.Hull(west, nil)})
		recordPayment(s.Other, s.Other.Deal(nil), payment{"deposit", "card", 777, "2026-01-02"})
		recordPayment(s.Live, s.Live.Deal(nil), payment{"deposit", "card", 777, "2026-01-02"})

		kept := recordPayment(s.Test, one, payment{"deposit", "card", 100000, "2026-01-01"})
		partly := recordPayment(s.Test, one, payment{"down_payment", "check", 200000, "2026-01-02"})
		refunded := recordPayment(s.Test, two, payment{"deposit", "card", 300000, "2026-01-03"})
		bounced := recordPayment(s.Test, two, payment{"balance", "check", 400000, "2026-01-04"})
		moved := recordPayment(s.Test, three, payment{"deposit", "cash", 500000, "2026-01-05"})
		refund := func(deal, payment, body string) string {
			var p struct{ ID string }
			s.Test.Post("/v1/deals/"+deal+"/payments/"+payment+"/refund", body, 201, &p)
			return p.ID
		}
		first := refund(one, partly, `{"amount_cents": 50000, "reason": "Too much"}`)
		second := refund(two, refunded, `{"reason": "Cancelled"}`)
		third := refund(two, bounced, `{"reason": "No funds", "reversal": true}`)
		s.Test.Post("/v1/deals/"+three+"/cancel",
			map[string]any{"reason": "Another boat", "deposit_outcome": "transfer", "override_buyer": true, "transfer_to_deal_id": one}, 200, nil)
		all := list(s, "payments")
		assert.Len(t, all, 10)
		in, out := all[0], all[1]
		assert.Equal(t, all, []string{in, out, third, second, first, moved, bounced, refunded, partly, kept})

		for query, want := range map[string][]string{
			"status=succeeded":          {in, out, third, second, first, kept},
			"status=partially_refunded": {partly},
			"status=refunded":           {refunded},
			"status=reversed":           {bounced},
			"status=transferred":        {moved},
			"type=refund":               {second, first},
			"type=transfer_in":          {in},
			"kind=deposit&type=payment": {moved, refunded, kept},
			"method=check&type=payment": {bounced, partly},
			"received_after=2026-01-02&received_before=2026-01-03": {refunded, partly},
			"received_after=2026-01-04&received_before=2026-01-04": {bounced},
			"location_id=" + east:                              {in, first, partly, kept},
			"location_id=" + west + "&status=reversed":         {bounced},
			"location_id=" + s.Other.Location():                nil,
			"limit=2&starting_after=" + first:                  {moved, bounced},
			"limit=2&ending_before=" + partly:                  {bounced, refunded},
			"created_before=2020-01-01T00:00:00Z":              nil,
			"created_after=2020-01-01T00:00:00Z&type=reversal": {third},
		} {
			assert.Equal(t, list(s, "payments?"+query), want, query)
		}

		var p page.Page[entry]
		s.Test.Get("/v2-preview/payments?status=partially_refunded", 200, &p)
		assert.Equal(t, p.Data[0].Amount, dollars(2000))
		assert.Equal(t, p.Data[0].Refunded, dollars(500))
		assert.Equal(t, p.Data[0].DealID, one)
		s.Test.Get("/v2-preview/payments?received_after=2026-01-03&received_before=2026-01-02", 400, nil).WantDetail(t, "received_after", "maximum")
		s.Test.Get("/v2-preview/payments?starting_after="+one, 400, nil).WantDetail(t, "starting_after", "cursor")
		s.Test.Get("/v2-preview/payments?received_after=yesterday", 400, nil)
	})
}

// The list shows the same status as the payment itself, after any refunds.
func TestPaymentStatusesMatch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal := s.Test.Deal(nil)
		for i, refunds := range [][]string{
			{}, {`{"amount_cents": 1, "reason": "a"}`}, {`{"amount_cents": 1, "reason": "a", "reversal": true}`, `{"reason": "a"}`},
			{`{"amount_cents": 1, "reason": "a"}`, `{"reason": "a", "reversal": true}`}, {`{"reason": "a"}`},
		} {
			id := recordPayment(s.Test, deal, payment{"deposit", "card", int64(1000 + i), "2026-01-01"})
			for _, body := range refunds {
				s.Test.Post("/v1/deals/"+deal+"/payments/"+id+"/refund", body, 201, nil)
			}
		}
		var all page.Page[finance.Payment]
		s.Test.Get("/v1/deals/"+deal+"/payments?limit=100", 200, &all)
		want := map[finance.PaymentStatus][]string{}
		for _, p := range all.Data {
			want[p.Status] = append(want[p.Status], p.ID)
		}
		for _, status := range []string{"succeeded", "partially_refunded", "refunded", "reversed", "transferred"} {
			assert.Equal(t, list(s, "payments?status="+status), want[finance.PaymentStatus(status)], status)
		}
	})
}

func TestListFundings(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		east, west := s.Test.Location(), s.Test.Location()
		submit := func(c *testkit.Client, location, lender string) (deal, funding string) {
			deal = c.AcceptedDeal(map[string]any{"hull_id": c.Hull(location, nil)})
			var made struct{ ID string }
			c.Post("/v1/deals/"+deal+"/finance_structures", `{"apr_percent": "7.49", "term_months": 180}`, 201, &made)
			c.Post("/v1/deals/"+deal+"/finance_structures/"+made.ID+"/select", nil, 200, nil)
			c.Post("/v1/deals/"+deal+"/fundings", map[string]any{"lender": lender}, 201, &made)
			return deal, made.ID
		}
		submit(s.Other, s.Other.Location(), "Bay Federal")
		deal, first := submit(s.Test, east, "Bay Federal")
		other, second := submit(s.Test, west, "First Marine")
		path := "/v1/deals/" + deal + "/fundings/" + first
		s.Test.Post(path+"/stipulations", `{"kind": "survey"}`, 201, nil)
		s.Test.Post(path+"/advance", `{"to": "approved", "decision": {"apr_percent": "6.99", "buy_rate_percent": "5.99"}}`, 200, nil)

		for query, want := range map[string][]string{
			"":                         {second, first},
			"status=approved":          {first},
			"status=submitted":         {second},
			"status=funded":            nil,
			"lender=First+Marine":      {second},
			"location_id=" + east:      {first},
			"limit=1":                  {second},
			"starting_after=" + second: {first},
		} {
			assert.Equal(t, list(s, "fundings?"+query), want, query)
		}

		// The list shows the same as the funding itself, except for the shape of money.
		var p page.Page[struct {
			entry
			Differs []finance.FundingDifference `json:"differs_from_structure"`
		}]
		var one finance.Funding
		s.Test.Get("/v2-preview/fundings", 200, &p)
		s.Test.Get(path, 200, &one)
		assert.Equal(t, p.Data[1].Requested.Amount, one.RequestedCents)
		assert.Equal(t, p.Data[1].Stipulations[0].ID, one.Stipulations[0].ID)
		assert.Len(t, p.Data[1].Differs, 1)
		assert.Equal(t, p.Data[1].Differs, one.DiffersFromStructure)
		assert.Equal(t, *p.Data[1].Decision.BuyRate, "5.99")
		assert.Len(t, p.Data[0].Stipulations, 0)
		assert.Equal(t, p.Data[0].DealID, other)

		s.As(s.Key(auth.DealsRead)).Get("/v2-preview/fundings", 200, &p)
		assert.Equal(t, p.Data[1].Decision.BuyRate, nil, "without hulls:write")
	})
}

func TestListDocuments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		east, west := s.Test.Location(), s.Test.Location()
		deal := s.Test.AcceptedDeal(map[string]any{"hull_id": s.Test.Hull(east, nil)})
		other := s.Test.AcceptedDeal(map[string]any{"hull_id": s.Test.Hull(west, nil)})
		s.Other.SignedDocument(s.Other.AcceptedDeal(nil), "bill_of_sale")
		signed := s.Test.SignedDocument(deal, "purchase_agreement")
		var issued struct{ ID string }
		s.Test.Post("/v1/deals/"+other+"/documents", `{"kind": "bill_of_sale"}`, 201, &issued)
		for query, want := range map[string][]string{
			"":                                 {issued.ID, signed},
			"status=signed":                    {signed},
			"status=issued":                    {issued.ID},
			"kind=bill_of_sale":                {issued.ID},
			"kind=purchase_agreement":          {signed},
			"location_id=" + east:              {signed},
			"location_id=" + west + "&limit=1": {issued.ID},
			"status=voided":                    nil,
			"ending_before=" + signed:          {issued.ID},
		} {
			assert.Equal(t, list(s, "documents?"+query), want, query)
		}
		s.Test.Get("/v2-preview/documents?kind=letter", 400, nil)
	})
}
