package sales

import (
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The taxes of a new deal follow the region where the buyer lives.
func TestTaxesByBuyersRegion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		at := s.Test.Location()
		rules := `{"default_taxes": [{"name": "Maryland vessel excise tax", "rate_percent": "5", "jurisdiction": "Maryland"}], "buyer_taxes": [
			{"region": "DE", "exempt_reason": "Removed to Delaware within 10 days"},
			{"region": "VA", "taxes": [{"name": "Virginia watercraft tax", "rate_percent": "2", "cap_cents": 200000, "jurisdiction": "Virginia"}]}]}`
		s.Test.Patch("/v1/locations/"+at, `{"buyer_taxes": [{"region": "DE"}]}`, 422, nil).WantDetail(t, "buyer_taxes[0].exempt_reason", "exclusive")
		s.Test.Patch("/v1/locations/"+at, `{"buyer_taxes": [{"region": "DE", "exempt_reason": "a"}, {"region": "de", "exempt_reason": "b"}]}`, 422, nil).
			WantDetail(t, "buyer_taxes[1].region", "duplicate")
		s.Test.Patch("/v1/locations/"+at, rules, 200, nil)

		ids := map[string]string{}
		for region, want := range map[string]int64{"MD": 500000, "de": 0, "VA": 200000, "": 500000} {
			contact := map[string]any{}
			if region != "" {
				contact["address"] = map[string]any{"city": "Lewes", "region": region, "country": "US"}
			}
			ids[region] = s.Test.DealIn("delivered", map[string]any{"hull_id": s.Test.Hull(at, nil), "buyer_id": s.Test.Contact(contact), "offer_usd": 100000})
			assert.Equal(t, deal(s, ids[region]).Totals.TaxCents, want, "buyer from "+region)
		}

		// The affidavit states the exemption. A deal without one has none.
		text := print(t, s, ids["de"], "exemption_affidavit")
		assert.Contains(t, text, "Maryland vessel excise tax Removed to Delaware within 10 days")
		assert.Contains(t, text, "State of residence de")
		s.Test.Post("/v1/deals/"+ids["MD"]+"/documents", `{"kind": "exemption_affidavit"}`, 409, nil).WantDetail(t, "taxes", "state")

		assert.Equal(t, csv(t, s.Test, "taxes"), "jurisdiction,name,exempt_reason,deals,sales_usd,tax_usd\n"+
			"Maryland,Maryland vessel excise tax,,2,200000.00,10000.00\n"+
			"Maryland,Maryland vessel excise tax,Removed to Delaware within 10 days,1,100000.00,0.00\n"+
			"Virginia,Virginia watercraft tax,,1,100000.00,2000.00")
	})
}
