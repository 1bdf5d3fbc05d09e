package rest

import (
	"reflect"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/testkit/assert"
)

// Quote has everything that has another shape in the preview.
type Quote struct {
	PriceUSD int64            `json:"price_usd" minimum:"0" maximum:"1000" doc:"Price in whole US dollars. Includes fee_cents."`
	FloorUSD *int64           `json:"floor_usd"`
	Fees     map[string]Fee   `json:"fees"`
	Lines    []Fee            `json:"lines"`
	Min      int64            `json:"price_min"`
	At       string           `json:"at"`
	Field    string           `json:"field" enum:"price_usd,title"`
	Text     map[string]int64 `json:"text"`
}

type Fee struct {
	FeeCents int64 `json:"fee_cents"`
}

// Amounts and names are the same after a round trip. Values of the caller stay.
func TestShape(t *testing.T) {
	s := shapeOf(reflect.TypeFor[Quote]())
	const stable = `{"price_usd":120,"floor_usd":null,"fees":{"fee_cents":{"fee_cents":-5}},"lines":[{"fee_cents":3}],` +
		`"price_min":7,"at":"price_usd","field":"price_usd","text":{"my_usd":1}}`
	const previewed = `{"price":{"amount":12000,"currency":"USD"},"floor":null,"fees":{"fee_cents":{"fee":{"amount":-5,"currency":"USD"}}},` +
		`"lines":[{"fee":{"amount":3,"currency":"USD"}}],"price_min":{"amount":700,"currency":"USD"},"created_at":"price_usd",` +
		`"field":"price","text":{"my_usd":1}}`
	got, err := s.toPreview([]byte(stable))
	assert.NoError(t, err)
	assert.Equal(t, string(got), previewed)
	back, err := s.fromPreview(got)
	assert.NoError(t, err)
	assert.Equal(t, string(back), stable)
}

// The schemas say what the conversion does. Converting them twice is the same.
func TestShapeSchemas(t *testing.T) {
	r := NewSchemas()
	r.Schema(reflect.TypeFor[Quote](), true, "")
	for range 2 {
		ConvertSchemas(r)
		quote := r.Map()["Quote"]
		price := quote.Properties["price"]
		assert.Equal(t, price.Description, "Price. Includes fee.")
		assert.Equal(t, []float64{*price.Properties["amount"].Maximum, *price.Properties["amount"].MultipleOf}, []float64{100_000, 100})
		assert.Equal(t, quote.Properties["floor"].AnyOf[1].Type, "null")
		assert.Equal(t, quote.Properties["price_min"].Ref, schemaPrefix+"Money")
		assert.Equal(t, quote.Properties["field"].Enum, []any{"price", "title"})
		assert.Equal(t, quote.Properties["at"], (*huma.Schema)(nil))
		assert.Equal(t, r.Map()["Fee"].Properties["fee"].Ref, schemaPrefix+"Money")
	}
}
