package deals

import (
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/vocab/money"
)

// Taxes of states, as a dealership would enter them. The amounts were calculated
// by hand from the rules of each state. Check current rates and caps before you
// use them.
var (
	florida = []DealTax{
		{Name: "Florida sales tax", RatePercent: "6", Base: "deal", CapCents: new(int64(1_800_000))},
		{Name: "County surtax", RatePercent: "1", Base: "deal", BaseCapCents: new(int64(500_000))},
	}
	maryland      = []DealTax{{Name: "Vessel excise tax", RatePercent: "5", Base: "deal", CapCents: new(int64(1_610_000))}}
	northCarolina = []DealTax{{Name: "Sales tax", RatePercent: "3", Base: "deal", CapCents: new(int64(150_000))}}
	virginia      = []DealTax{{Name: "Watercraft sales tax", RatePercent: "2", Base: "price", CapCents: new(int64(200_000))}}
	newJersey     = []DealTax{{Name: "Sales tax", RatePercent: "3.3125", Base: "deal", CapCents: new(int64(2_000_000))}}
	arizona       = []DealTax{
		{Name: "State", RatePercent: "5.6", Base: "deal"}, {Name: "County", RatePercent: "0.7", Base: "deal"},
		{Name: "City", RatePercent: "2.3", Base: "deal"},
	}
)

func TestStateTaxes(t *testing.T) {
	for name, c := range map[string]struct {
		taxes  []DealTax
		price  int64 // in dollars
		trade  int64 // in dollars, with credit
		lines  int64 // in cents, taxable
		want   []int64
		exempt bool
	}{
		"Florida":                         {florida, 118_000, 0, 0, []int64{708_000, 5_000}, false},
		"Florida, below the surtax limit": {florida, 3_000, 0, 0, []int64{18_000, 3_000}, false},
		"Florida, at the limit":           {florida, 5_000, 0, 0, []int64{30_000, 5_000}, false},
		"Florida, capped":                 {florida, 400_000, 0, 0, []int64{1_800_000, 5_000}, false},
		"Florida, exactly the cap":        {florida, 300_000, 0, 0, []int64{1_800_000, 5_000}, false},
		"Florida, with a trade-in":        {florida, 118_000, 30_000, 0, []int64{528_000, 5_000}, false},
		"Florida, trade-in worth more":    {florida, 30_000, 40_000, 0, []int64{0, 0}, false},
		"Florida, with a taxable fee":     {florida, 118_000, 0, 49_900, []int64{710_994, 5_000}, false},
		"Florida, with a discount":        {florida, 118_000, 0, -100_000, []int64{702_000, 5_000}, false},
		"Florida, exempt":                 {florida, 118_000, 0, 0, []int64{0, 0}, true},
		"Maryland":                        {maryland, 118_000, 0, 0, []int64{590_000}, false},
		"Maryland, capped":                {maryland, 400_000, 0, 0, []int64{1_610_000}, false},
		"Maryland, with a trade-in":       {maryland, 118_000, 30_000, 0, []int64{440_000}, false},
		"North Carolina":                  {northCarolina, 40_000, 0, 0, []int64{120_000}, false},
		"North Carolina, capped":          {northCarolina, 118_000, 0, 0, []int64{150_000}, false},
		"Virginia":                        {virginia, 99_999, 0, 0, []int64{199_998}, false},
		"Virginia, capped":                {virginia, 118_000, 0, 0, []int64{200_000}, false},
		"Virginia, only the price":        {virginia, 50_000, 0, 49_900, []int64{100_000}, false},
		"New Jersey":                      {newJersey, 118_000, 0, 0, []int64{390_875}, false},
		"New Jersey, with a trade-in":     {newJersey, 118_000, 30_000, 0, []int64{291_500}, false},
		"New Jersey, capped":              {newJersey, 700_000, 0, 0, []int64{2_000_000}, false},
		"Arizona, not capped":             {arizona, 700_000, 0, 0, []int64{3_920_000, 490_000, 1_610_000}, false},
		"Arizona, with a trade-in":        {arizona, 700_000, 30_000, 0, []int64{3_752_000, 469_000, 1_541_000}, false},
		"only line items": {[]DealTax{{Name: "Accessories", RatePercent: "7", Base: "lines"}}, 118_000, 30_000, 185_000,
			[]int64{12_950}, false},
		"rounded half up": {[]DealTax{{Name: "Tax", RatePercent: "6.25", Base: "lines"}}, 0, 0, 200, []int64{13}, false},
		"no taxes":        {nil, 118_000, 0, 0, nil, false},
	} {
		d := Deal{PriceUSD: c.price, TradeTaxCredit: true, TradeAllowanceCents: c.trade * 100, Taxes: c.taxes}
		if c.lines != 0 {
			l := DealLineItem{Kind: "fee", AmountCents: c.lines, Taxable: new(true)}
			if c.lines < 0 {
				l.Kind, l.AmountCents = "discount", -c.lines
			}
			d.LineItems = []DealLineItem{l, {Kind: "fee", AmountCents: 12345, Taxable: new(false)}}
		}
		if c.exempt {
			d.SaleType = "wholesale"
			d.setSaleType("retail")
		}

		d.derive()
		sum := int64(0)
		for i, want := range c.want {
			if d.Taxes[i].AmountCents != want {
				t.Errorf("%s: %s is %d, want %d", name, d.Taxes[i].Name, d.Taxes[i].AmountCents, want)
			}
			sum += want
		}
		if d.Totals.TaxCents != sum || len(d.Taxes) != len(c.want) {
			t.Errorf("%s: total %d, want %d", name, d.Totals.TaxCents, sum)
		}
	}
	if florida[0].AmountCents != 0 || florida[0].ExemptReason != nil {
		t.Error("calculating the taxes of a deal changed the rules of all deals")
	}
}

// The one-line form exists only if one rate says everything.
func TestSingleRate(t *testing.T) {
	for name, c := range map[string]struct {
		taxes []DealTax
		want  money.Percent // "": none
	}{
		"no taxes":    {nil, "0"},
		"one":         {SalesTax("6.25"), "6.25"},
		"several":     {florida, ""},
		"with a cap":  {maryland, ""},
		"other base":  {[]DealTax{{RatePercent: "5", Base: "lines"}}, ""},
		"exempt":      {[]DealTax{{RatePercent: "5", Base: "deal", ExemptReason: new("Nonresident")}}, ""},
		"rate of 0":   {SalesTax("0"), "0"},
		"rate of 0.0": {SalesTax("0.00"), "0"},
	} {
		got := Deal{Taxes: c.taxes}.singleRate()
		if (got == nil) != (c.want == "") || got != nil && *got != c.want {
			t.Errorf("%s: got %v, want %q", name, got, c.want)
		}
	}
}

// The location's taxes come first, then the dealership's, then its single rate.
func TestTaxDefaults(t *testing.T) {
	one, two := dealership.TaxRules{{Name: "One", RatePercent: "1"}}, dealership.TaxRules{{Name: "Two", RatePercent: "2"}}
	for name, c := range map[string]struct {
		location   *dealership.TaxRules
		dealership dealership.TaxRules
		rate       string
		want       string // name of the tax
	}{
		"location":           {&one, two, "3", "One"},
		"location, no taxes": {&dealership.TaxRules{}, two, "3", ""},
		"dealership":         {nil, two, "3", "Two"},
		"rate":               {nil, nil, "3", "Sales tax"},
		"nothing":            {nil, nil, "0", ""},
	} {
		got := dealership.Settings{DefaultTaxes: c.dealership, DefaultTaxRatePercent: c.rate}.
			TaxesAt(dealership.Location{DefaultTaxes: c.location})
		if (len(got) == 0) != (c.want == "") || len(got) > 0 && got[0].Name != c.want {
			t.Errorf("%s: got %v, want %q", name, got, c.want)
		}
	}
}
