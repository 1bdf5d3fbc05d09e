package sales

import (
	"encoding/json"
	"os"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/pdftext"
)

// disclosure is a deal with the figures that the law requires on its contract. They were
// worked out by hand: arithmetic shows each step.
type disclosure struct {
	Name         string
	Arithmetic   []string
	OfferUSD     int64           `json:"offer_usd"`
	TaxRate      string          `json:"tax_rate_percent"`
	TradeIn      json.RawMessage `json:"trade_in"`
	DepositCents int64           `json:"deposit_cents"`
	Structure    json.RawMessage
	Printed      []string       // on the contract
	JSON         map[string]any // of the structure
}

// The printed contract and the API have the Truth in Lending figures that were worked out by
// hand.
func TestTruthInLending(t *testing.T) {
	file, err := os.ReadFile("testdata/truth_in_lending.json")
	assert.NoError(t, err)
	var cases []disclosure
	assert.NoError(t, json.Unmarshal(file, &cases))
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, c := range cases {
			rate := c.TaxRate
			if rate == "" {
				rate = "0"
			}
			id := s.Test.AcceptedDeal(map[string]any{"offer_usd": c.OfferUSD, "tax_rate_percent": rate})
			path := "/v1/deals/" + id
			if c.TradeIn != nil {
				s.Test.Post(path+"/trade_ins", string(c.TradeIn), 201, nil)
			}
			if c.DepositCents > 0 {
				pay(s, id, c.DepositCents)
			}
			var structure map[string]any
			s.Test.Post(path+"/finance_structures", string(c.Structure), 201, &structure)
			for field, want := range c.JSON {
				assert.Equal(t, structure[field], want, c.Name+": "+field)
			}

			s.Test.Post(path+"/finance_structures/"+structure["id"].(string)+"/select", nil, 200, nil)
			var doc struct{ ID string }
			s.Test.Post(path+"/documents", `{"kind": "retail_installment_contract"}`, 201, &doc)
			text := pdftext.Of(t, s.Test.Get(path+"/documents/"+doc.ID+"/content", 200, nil).Bytes)
			for _, want := range c.Printed {
				assert.Contains(t, text, want, c.Name)
			}
		}
	})
}
