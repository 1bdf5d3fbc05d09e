package finance

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/deals"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// The same examples as in the tests of money, calculated from a deal.
func TestStructures(t *testing.T) {
	for _, v := range []struct {
		dollars                        int64
		apr                            money.Percent
		months                         int64
		payment, final, charge, totals int64
	}{
		{100_000, "4.5", 60, 186430, 186443, 1185813, 11185813},
		{200_000, "6", 360, 119910, 120014, 23167704, 43167704},
		{100_000, "9.99", 36, 322625, 322625, 1614500, 11614500},
		{250_000, "7.49", 240, 201245, 201477, 23299032, 48299032},
		{32_000, "8.99", 144, 36399, 36387, 2041444, 5241444},
		{50_000, "0", 60, 83333, 83353, 0, 5000000},
	} {
		s, err := FinanceStructureCreate{APRPercent: v.apr, TermMonths: v.months}.Structure(deals.Deal{PriceUSD: v.dollars, Taxes: deals.SalesTax("0")},
			0, now)
		assert.NoError(t, err, v.dollars, "at", v.apr)
		assert.Equal(t, s.AmountFinancedCents, v.dollars*100, v.dollars, "at", v.apr)
		assert.Equal(t, s.PaymentCents, v.payment, v.dollars, "at", v.apr)
		assert.Equal(t, s.FinalPaymentCents, v.final, v.dollars, "at", v.apr)
		assert.Equal(t, s.FinanceChargeCents, v.charge, v.dollars, "at", v.apr)
		assert.Equal(t, s.TotalOfPaymentsCents, v.totals, v.dollars, "at", v.apr)
	}
}

func TestAmountFinanced(t *testing.T) {
	for name, tt := range map[string]struct {
		change   func(d *deals.Deal, c *FinanceStructureCreate)
		deposits int64
		want     int64 // 0: nothing to finance
	}{
		"the price":           {func(*deals.Deal, *FinanceStructureCreate) {}, 0, 10000000},
		"tax":                 {func(d *deals.Deal, _ *FinanceStructureCreate) { d.Taxes = deals.SalesTax("6") }, 0, 10600000},
		"cash down, deposits": {func(_ *deals.Deal, c *FinanceStructureCreate) { c.CashDownCents = 1000000 }, 500000, 8500000},
		"financed products only": {func(_ *deals.Deal, c *FinanceStructureCreate) {
			c.Products = []FinanceProduct{{Kind: "gap", PriceCents: 70000, Financed: true}, {Kind: "key", PriceCents: 30000}}
		}, 0, 10070000},
		"positive equity":           {func(d *deals.Deal, _ *FinanceStructureCreate) { d.TradeEquityCents = 2000000 }, 0, 8000000},
		"negative equity":           {func(d *deals.Deal, _ *FinanceStructureCreate) { d.TradeEquityCents = -2000000 }, 0, 12000000},
		"one cent":                  {func(_ *deals.Deal, c *FinanceStructureCreate) { c.CashDownCents = 9999999 }, 0, 1},
		"nothing to finance":        {func(_ *deals.Deal, c *FinanceStructureCreate) { c.CashDownCents = 10000000 }, 0, 0},
		"cash down above the price": {func(*deals.Deal, *FinanceStructureCreate) {}, 10000001, 0},
		"other products kept":       {func(d *deals.Deal, _ *FinanceStructureCreate) { d.ProductsCents = 99999 }, 0, 10000000}, // of an earlier structure
	} {
		d, c := deals.Deal{PriceUSD: 100000, Taxes: deals.SalesTax("0")}, FinanceStructureCreate{APRPercent: "5", TermMonths: 12}
		tt.change(&d, &c)
		s, err := c.Structure(d, tt.deposits, now)
		if tt.want == 0 {
			if fault.KindOf(err) != fault.KindUnprocessable {
				t.Errorf("%s: got %v, want the kind fault.KindUnprocessable", name, err)
			}
			continue
		}
		if err != nil || s.AmountFinancedCents != tt.want {
			t.Errorf("%s: %d, want %d (%v)", name, s.AmountFinancedCents, tt.want, err)
		}
	}
}

// For any deal and any structure, the buyer and the lender together pay the total
// of the deal with the selected structure.
func TestStructurePaysTheDeal(t *testing.T) {
	cents := rapid.Int64Range(0, 1_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		d := deals.Deal{
			Status: deals.Accepted, PriceUSD: rapid.Int64Range(1, 10_000_000).Draw(t, "price"), Taxes: deals.SalesTax("6.25"),
			TradeEquityCents: rapid.Int64Range(-50_000_000, 50_000_000).Draw(t, "equity"),
		}
		c := FinanceStructureCreate{APRPercent: "7.49", TermMonths: rapid.Int64Range(1, 480).Draw(t, "months"),
			CashDownCents: cents.Draw(t, "down")}
		inCash := int64(0)

		for range rapid.IntRange(0, 4).Draw(t, "products") {
			p := FinanceProduct{Kind: "other", PriceCents: cents.Draw(t, "product"), Financed: rapid.Bool().Draw(t, "financed"),
				Taxable: new(rapid.Bool().Draw(t, "taxable"))}
			if !p.Financed {
				inCash += p.PriceCents
			}
			c.Products = append(c.Products, p)
		}

		deposits := cents.Draw(t, "deposits")
		s, err := c.Structure(d, deposits, now)
		if err != nil {
			if fault.KindOf(err) != fault.KindUnprocessable {
				t.Fatalf("got %v, want the kind fault.KindUnprocessable", err)
			}
			return
		}

		s.ID = "fin_1"
		if err := s.selectFor(&d, nil); err != nil {
			t.Fatal(err)
		}
		inCash += s.ProductTaxCents - s.FinancedTaxCents()
		if total := d.NetCents() + d.ProductsCents + s.ProductTaxCents; total != s.AmountFinancedCents+c.CashDownCents+deposits+inCash {
			t.Fatalf("got a total of %d, paid are %d + %d + %d + %d, want %v", total, s.AmountFinancedCents, c.CashDownCents, deposits, inCash,
				s.AmountFinancedCents+c.CashDownCents+deposits+inCash)
		}

		rows := s.Installments()
		if s.TotalOfPaymentsCents-s.FinanceChargeCents != s.AmountFinancedCents ||
			rows[len(rows)-1].BalanceCents != 0 || rows[0].DueOn != "2026-06-01" {
			t.Fatalf(`got %+v; want s.TotalOfPaymentsCents-s.FinanceChargeCents = %v, rows[len(rows)-1].BalanceCents = 0, `+
				`rows[0].DueOn = "2026-06-01"`, s, s.AmountFinancedCents)
		}
	})
}

func TestSelectRejectsAnotherTotal(t *testing.T) {
	d := deals.Deal{Status: deals.Open, PriceUSD: 100000, Taxes: deals.SalesTax("0")}
	s, err := FinanceStructureCreate{APRPercent: "5", TermMonths: 12}.Structure(d, 0, now)
	if err != nil {
		t.Fatal(err)
	}
	d.PriceUSD++
	assert.Equal(t, fault.KindOf(s.selectFor(&d, nil)), fault.KindConflict)
	assert.Equal(t, d.SelectedStructureID, nil)
}
