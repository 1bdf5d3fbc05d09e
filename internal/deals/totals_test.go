package deals

import (
	"testing"

	"pgregory.net/rapid"

	"slipway/internal/dealership"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

func TestTotals(t *testing.T) {
	items := []DealLineItem{
		{Kind: "fee", AmountCents: 49900, CostCents: new(int64(0)), Taxable: new(true)},
		{Kind: "accessory", AmountCents: 185000, CostCents: new(int64(110000)), Taxable: new(true)},
		{Kind: "product", AmountCents: 200000, CostCents: new(int64(90000))},
		{Kind: "discount", AmountCents: 100000},
	}

	for name, tt := range map[string]struct {
		change func(d *Deal)
		want   DealTotals
		front  int64
		back   int64
	}{
		"the offer alone": {func(d *Deal) { d.LineItems = nil },
			DealTotals{PriceCents: 10000000, TotalCents: 10000000, BalanceDueCents: 10000000}, 2000000, 0},
		"line items and tax": {
			func(d *Deal) { d.Taxes = SalesTax("6") },
			DealTotals{PriceCents: 10000000, LineItemsCents: 334900, TaxCents: 614094, TotalCents: 10948994, BalanceDueCents: 10948994},
			2024900, 110000,
		},
		"positive equity": {
			func(d *Deal) {
				d.LineItems = nil
				tradeChange{after: &TradeIn{AllowanceCents: 300000, PayoffCents: 100000, ACVCents: new(int64(250000))}}.apply(d)
			},
			DealTotals{PriceCents: 10000000, TradeEquityCents: 200000, TotalCents: 9800000, BalanceDueCents: 9800000}, 1950000, 0,
		},
		"negative equity is carried": {
			func(d *Deal) {
				d.LineItems = nil
				tradeChange{after: &TradeIn{AllowanceCents: 100000, PayoffCents: 300000, ACVCents: new(int64(100000))}}.apply(d)
			},
			DealTotals{PriceCents: 10000000, TradeEquityCents: -200000, TotalCents: 10200000, BalanceDueCents: 10200000}, 2000000, 0,
		},
		"credit for the trade": {
			func(d *Deal) {
				d.LineItems, d.Taxes, d.TradeTaxCredit = nil, SalesTax("5"), true
				tradeChange{after: &TradeIn{AllowanceCents: 1000000, ACVCents: new(int64(1000000))}}.apply(d)
			},
			DealTotals{PriceCents: 10000000, TaxCents: 450000, TradeEquityCents: 1000000, TotalCents: 9450000, BalanceDueCents: 9450000}, 2000000, 0,
		},
		"payments": {
			func(d *Deal) { d.LineItems, d.PaidCents = nil, 10000001 },
			DealTotals{PriceCents: 10000000, TotalCents: 10000000, PaidCents: 10000001, BalanceDueCents: -1}, 2000000, 0,
		},
		"products of the selected structure": {
			func(d *Deal) {
				d.LineItems = nil
				d.Select(new("fin_1"), Products{PriceCents: 50000, CostCents: 20000})
			},
			DealTotals{PriceCents: 10000000, LineItemsCents: 50000, TotalCents: 10050000, BalanceDueCents: 10050000}, 2000000, 30000,
		},
	} {
		d := Deal{PriceUSD: 100000, Taxes: SalesTax("0"), LineItems: items}
		tt.change(&d)
		var bad fault.Fields
		if d.check(&bad); len(bad) > 0 {
			t.Fatal(bad)
		}
		d.derive()
		if d.Totals != tt.want {
			t.Errorf("%s: %+v, want %+v", name, d.Totals, tt.want)
		}
		d.showProfit(new(int64(8000000)))
		if *d.Totals.FrontProfitCents != tt.front || *d.Totals.BackProfitCents != tt.back {
			t.Errorf("%s: profit %d and %d, want %d and %d", name, *d.Totals.FrontProfitCents, *d.Totals.BackProfitCents, tt.front, tt.back)
		}
	}
}

// The totals of any deal add up. Undoing a change restores them.
func TestTotalsAddUp(t *testing.T) {
	cents := rapid.Int64Range(0, money.MaxCents)
	rapid.Check(t, func(t *rapid.T) {
		d := Deal{
			PriceUSD:       rapid.Int64Range(0, 1_000_000_000).Draw(t, "price"),
			Taxes:          SalesTax(money.Percent(rapid.SampledFrom([]string{"0", "6", "7.4321", "100"}).Draw(t, "rate"))),
			TradeTaxCredit: rapid.Bool().Draw(t, "credit"), PaidCents: cents.Draw(t, "paid"),
		}
		for range rapid.IntRange(0, 8).Draw(t, "items") {
			d.LineItems = append(d.LineItems, DealLineItem{
				Kind: rapid.SampledFrom([]LineItemKind{"fee", "product", "accessory", "discount"}).Draw(t, "kind"), AmountCents: cents.Draw(t, "amount"),
				Taxable: new(rapid.Bool().Draw(t, "taxable")),
			})
		}

		before := d
		before.derive()
		trade := TradeIn{AllowanceCents: cents.Draw(t, "allowance"), PayoffCents: cents.Draw(t, "payoff"), ACVCents: new(cents.Draw(t, "acv"))}
		tradeChange{after: &trade}.apply(&d)
		d.derive()

		s := d.Totals
		switch {
		case s.TotalCents != s.PriceCents+s.LineItemsCents+s.TaxCents-s.TradeEquityCents:
			t.Fatalf("total: %+v", s)
		case s.BalanceDueCents != s.TotalCents-s.PaidCents:
			t.Fatalf("balance: %+v", s)
		case s.TaxCents < 0 || s.TaxCents > before.Totals.TaxCents:
			t.Fatalf("tax: %+v, before %+v", s, before.Totals)
		}

		tradeChange{before: &trade}.apply(&d)
		if d.derive(); d.Totals != before.Totals {
			t.Fatalf("undone: %+v, want %+v", d.Totals, before.Totals)
		}
	})
}

// A change of the total clears the selected structure. A change without effect
// doesn't.
func TestSelectionFollowsThePrice(t *testing.T) {
	d := Deal{Status: Accepted, PriceUSD: 100000, Taxes: SalesTax("6"), DealType: Cash,
		FundingState: FundingNotRequired, LineItems: []DealLineItem{}}
	d.Select(new("fin_1"), Products{PriceCents: 50000, CostCents: 20000})
	assert.Equal(t, d.DealType, Finance)
	assert.Equal(t, d.FundingState, FundingNotStarted)
	if err := (DealPatch{}).apply(&d, dealership.Settings{}); err != nil || d.SelectedStructureID == nil {
		t.Errorf("got %v, %+v; want no error, d.SelectedStructureID != nil", err, d)
	}
	p := DealPatch{}
	p.LineItems.Set, p.LineItems.V = true, &[]DealLineItem{{Kind: "fee", AmountCents: 1}}
	assert.NoError(t, p.apply(&d, dealership.Settings{}))
	assert.Equal(t, d.SelectedStructureID, nil)
	assert.Equal(t, d.ProductsCents, 0)
}
