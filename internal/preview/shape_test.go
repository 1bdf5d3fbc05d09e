package preview

import (
	"reflect"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/hulls"
)

// Servers in one process describe the same types at the same time.
func TestShapesAreDescribedConcurrently(_ *testing.T) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			r := huma.NewMapRegistry(refs, huma.DefaultSchemaNamer)
			PreviewHull{}.Schema(r)
			Body[hulls.HullCreate]{}.Schema(r)
		})
	}
	all.Wait()
}

// Amounts and names are the same after a round trip. Names of your own stay.
func TestShapeOfMoney(t *testing.T) {
	s := shapeOf(reflect.TypeFor[hulls.HullPricingPatch]())
	const stable = `{"price_usd":120000,"msrp_usd":null,"cost":{"invoice_cents":9850001},"reason":"price_usd"}`
	const shown = `{"price":{"amount":12000000,"currency":"USD"},"msrp":null,` +
		`"cost":{"invoice":{"amount":9850001,"currency":"USD"}},"reason":"price_usd"}`
	got, err := s.toPreview([]byte(stable))
	if err != nil || string(got) != shown {
		t.Errorf("to the preview: got %s, %v, want %s", got, err, shown)
	}
	back, err := s.fromPreview(got)
	if err != nil || string(back) != stable+"\n" {
		t.Errorf("from the preview: got %s, %v, want %s", back, err, stable)
	}
}
