package inventory

import (
	"testing"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The second engine of a twin is stored with its own serial number and hours, a total cost isn't
// counted twice, and a second import changes nothing.
func TestTwinsAndTotals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		harborEast(s)
		const file = "Stock #,VIN,Make,Model,Year,LOA,Price,Location,Status,Engine 1,Engine 2,Engine 1 Serial,Engine 2 Serial,Engine Hours,Engine 2 Hours,Freight,Rigging,Total Cost\n" +
			"T-1,GRT40912B324,Grady-White,Canyon 306,2024,30' 6\",$289.9k,HE,Dock,Yamaha F300,Yamaha F300,6CEN1001,6CEN1002,120,121.5,2100,900,121400\n"
		for _, count := range []string{"created", "unchanged"} {
			i := runImport(t, s, startImport(s, "", csvFile(file)))
			assert.Equal(t, i.State, "completed", assert.Show(i.Errors))
			assert.Equal(t, map[string]int64{"created": i.Created, "unchanged": i.Unchanged}[count], 1, assert.Show(i))
			assert.Equal(t, i.Notes[0].Message, `"Dock" is not a known status and was ignored`)
		}

		h := byStock(s)["T-1"]
		assert.Equal(t, h.HIN, new("GRT40912B324"))
		assert.Equal(t, h.PriceUSD, 289900)
		assert.Equal(t, h.Status, hulls.Available)
		var specs hulls.HullSpecs
		s.Test.Get("/v1/hulls/"+h.ID+"/specs", 200, &specs)
		assert.Len(t, *specs.Engines, 2)
		for n, e := range *specs.Engines {
			assert.Equal(t, e.Make, new("Yamaha"))
			assert.Equal(t, e.Model, new("F300"))
			assert.Equal(t, e.Serial, new([]string{"6CEN1001", "6CEN1002"}[n]))
			assert.Equal(t, e.Hours, new([]float64{120, 121.5}[n]))
		}
		var pricing hulls.HullPricing
		s.Test.Get("/v1/hulls/"+h.ID+"/pricing", 200, &pricing)
		assert.Equal(t, *pricing.Cost, hulls.HullCost{InvoiceCents: new(int64(11840000)), FreightCents: new(int64(210000)), RiggingCents: new(int64(90000))})
	})
}

// All errors of a row are reported together, whichever rule found them.
func TestAllErrorsOfARow(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Hull(harborEast(s), map[string]any{"stock_number": "B-1"})
		i := runImport(t, s, startImport(s, "", csvFile("Stock #,HIN,Make,Model,Year,LOA,Price,Location,Freight\n"+
			"E-1,NTL,,Seafarer,20222,long,much,Kent Isl.,-5\nB-1,,,,1800,,-1,HE,\nE-2,,Lund,Tyee,2031,20,1,HE,\n")))
		got := map[int64][]string{}
		for _, e := range i.Errors {
			got[e.Row] = append(got[e.Row], e.Field)
		}
		assert.Equal(t, got, map[int64][]string{
			2: {"length_ft", "price_usd", "freight_usd", "make", "year", "location_id", "hin"},
			3: {"year", "price_usd"},
			4: {"year", "hin"},
		})
	})
}
