package sales

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/money"
	"slipway/internal/vocab/page"
)

// A key without hulls:write tries to read what the dealership earns: the rate
// that a lender charges it, and the profit, which reveals the cost of the boat.
func TestBuyRateAndProfitAreHiddenLikeCosts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := structured(s)
		path := "/v1/deals/" + id
		s.Test.Put("/v1/hulls/"+deal(s, id).HullID+"/pricing", `{"price_usd": 124900, "cost": {"invoice_cents": 9000000}}`, 200, nil)
		var f finance.Funding
		s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &f)
		advance, contact := path+"/fundings/"+f.ID+"/advance", deal(s, id).BuyerID
		s.Test.Post(advance, `{"to": "countered", "decision": {"buy_rate_percent": "6.25", "apr_percent": "7.49"}}`, 200, &f)
		assert.Equal(t, f.Decision.BuyRate, new(money.Percent("6.25")))

		for name, key := range map[string]*testkit.Client{
			"deals:read":  s.As(s.Key(auth.DealsRead, auth.HullsWrite, auth.LeadsRead)),
			"deals:write": s.As(s.Key(auth.DealsRead, auth.DealsWrite, auth.LeadsRead, auth.HullsRead)),
		} {
			var one finance.Funding
			key.Get(path+"/fundings/"+f.ID, 200, &one)
			assert.Equal(t, one.Decision.BuyRate, nil, name)
			assert.Equal(t, one.Decision.APRPercent, new(money.Percent("7.49")), name)
			var all page.Page[finance.Funding]
			key.Get(path+"/fundings", 200, &all)
			assert.Equal(t, all.Data[0].Decision.BuyRate, nil, name)
			var d deals.Deal
			key.Get(path, 200, &d)
			assert.Equal(t, d.Totals.FrontProfitCents, nil, name)
			assert.Equal(t, d.Totals.BackProfitCents, nil, name)
			assert.Excludes(t, key.Get("/v1/contacts/"+contact+"/export", 200, nil).Bytes, "6.25", name)
		}
		assert.Excludes(t, s.Test.Get("/v1/contacts/"+contact+"/export", 200, nil).Bytes, "6.25", "not the contact's data")

		// A caller who can't see the rate doesn't remove it by sending a decision.
		office := s.As(s.Key(auth.DealsRead, auth.DealsWrite))
		res := office.Post(advance, `{"to": "approved", "decision": {"apr_percent": "7.25"}}`, 200, nil)
		assert.Excludes(t, res.Bytes, "6.25")
		s.Test.Get(path+"/fundings/"+f.ID, 200, &f)
		assert.Equal(t, f.Decision.BuyRate, new(money.Percent("6.25")))
		assert.Equal(t, f.Decision.APRPercent, new(money.Percent("7.25")))
		for _, data := range testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ?`, f.ID) {
			assert.Excludes(t, data, "6.25", "event")
		}
	})
}
