package reports

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"slipway/internal/deals"
	"slipway/internal/finance"
	"slipway/internal/hulls"
	"slipway/internal/leads"
)

func equal(t rapid.TB, got, want any, note ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %#v, want %#v", fmt.Sprint(note...), got, want)
	}
}

func at(t rapid.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The days of a period in New York, where clocks change on March 14 and November 7,
// 2027.
func TestDays(t *testing.T) {
	zone := zoneNamed("America/New_York")
	for _, c := range []struct {
		from, to, now string
		start, end    string
		months        int
	}{
		{"", "", "2027-03-01T04:59:00Z", "2027-01-30T05:00:00Z", "2027-03-01T05:00:00Z", 2},
		{"", "", "2027-03-01T05:00:00Z", "2027-01-31T05:00:00Z", "2027-03-02T05:00:00Z", 3},
		{"2027-03-14", "2027-03-14", "2027-03-20T00:00:00Z", "2027-03-14T05:00:00Z", "2027-03-15T04:00:00Z", 1},
		{"2027-11-07", "2027-11-07", "2027-11-20T00:00:00Z", "2027-11-07T04:00:00Z", "2027-11-08T05:00:00Z", 1},
		{"", "2027-02-28", "2027-11-20T00:00:00Z", "2027-01-30T05:00:00Z", "2027-03-01T05:00:00Z", 2},
		{"2027-01-01", "2027-12-31", "2027-11-20T00:00:00Z", "2027-01-01T05:00:00Z", "2028-01-01T05:00:00Z", 12},
		{"2028-01-01", "2028-12-31", "2027-11-20T00:00:00Z", "2028-01-01T05:00:00Z", "2029-01-01T05:00:00Z", 12},
	} {
		p, err := Filter{From: c.from, To: c.to}.days(zone, at(t, c.now), true)
		if err != nil {
			t.Errorf("%v: got %v, want no error", c, err)
		}
		equal(t, p.start.UTC(), at(t, c.start), c)
		equal(t, p.end.UTC(), at(t, c.end), c)
		equal(t, len(p.months()), c.months, c)
		equal(t, p.months()[len(p.months())-1].end.Before(p.end), false, c)
	}
	if _, err := (Filter{From: "2027-01-01", To: "2028-01-02"}).days(zone, time.Time{}, true); err == nil {
		t.Error("got no error for 367 days, want one")
	}
	if _, err := (Filter{From: "2027-01-01", To: "2028-01-02"}).days(zone, time.Time{}, false); err != nil {
		t.Errorf("got %v for a report about now, want no error", err)
	}
}

func TestMonthOf(t *testing.T) {
	p, err := Filter{From: "2027-01-31", To: "2027-03-01"}.days(zoneNamed("America/New_York"), time.Time{}, true)
	if err != nil {
		t.Fatal(err)
	}
	sql, args := p.monthOf("d.at", func(at time.Time) any { return at.UTC() })
	equal(t, sql, "CASE WHEN d.at < ? THEN 0 WHEN d.at < ? THEN 1 ELSE 2 END")
	equal(t, args, []any{at(t, "2027-02-01T05:00:00Z"), at(t, "2027-03-01T05:00:00Z")})
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		values  []int64
		percent int
		want    int64
	}{
		{[]int64{7}, 50, 7}, {[]int64{7}, 90, 7}, {[]int64{2, 1}, 50, 1}, {[]int64{3, 1, 2}, 50, 2}, {[]int64{4, 3, 2, 1}, 50, 2},
		{[]int64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 90, 9}, {[]int64{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 90, 10},
	} {
		equal(t, *rank(c.values, c.percent), c.want, c)
	}
	equal(t, rank(nil, 50), (*int64)(nil))
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{{0, 3, "0"}, {1, 3, "33.3"}, {2, 3, "66.7"}, {3, 3, "100"}, {1, 8, "12.5"}, {1, 2000, "0.1"}, {1, 2001, "0"}, {999, 1000, "99.9"}} {
		equal(t, string(*share(c.part, c.whole)), c.want, c)
	}
	if share(1, 0) != nil {
		t.Error("got a share of nothing, want nil")
	}
}

func TestDollars(t *testing.T) {
	for cents, want := range map[int64]string{0: "0.00", 5: "0.05", 123456: "1234.56", -5: "-0.05", -2000: "-20.00"} {
		equal(t, dollars(cents), want)
	}
}

var anyPeriod = period{zone: time.UTC, Covers: Covers{Today: "2027-02-15"}, now: time.Date(2027, 2, 15, 12, 0, 0, 0, time.UTC),
	start: time.Date(2027, 1, 10, 0, 0, 0, 0, time.UTC), end: time.Date(2027, 3, 10, 0, 0, 0, 0, time.UTC)}

func cents(t *rapid.T, name string) int64 { return rapid.Int64Range(0, 1e11).Draw(t, name) }

func optionalCents(t *rapid.T, name string) *int64 {
	if rapid.Bool().Draw(t, name+" is known") {
		return new(cents(t, name))
	}
	return nil
}

// Whatever the rows are, the total is the sum of the rows.
func TestTotalsAreSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stock []stockGroup
		var sold []soldDeal
		var asked []leadGroup
		var contracts []contract
		var money []cashGroup
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			n := rapid.Int64Range(1, 50).Draw(t, "hulls")
			day := time.Date(2026, 1, 1+rapid.IntRange(0, 420).Draw(t, "day"), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			stock = append(stock, stockGroup{ReceivedOn: &day, Timezone: "UTC", Hulls: n, WithCost: n - 1, PriceUSD: cents(t, "price") / 100,
				CostCents: cents(t, "cost"), Status: rapid.SampledFrom([]hulls.Status{"available", "on_hold", "on_order"}).Draw(t, "status"),
				Ownership: rapid.SampledFrom([]hulls.Ownership{"owned", "floorplan"}).Draw(t, "ownership")})
			sold = append(sold, soldDeal{PriceUSD: cents(t, "price") / 100, CostCents: optionalCents(t, "cost"),
				ProductsCents: cents(t, "products"), ProductsWithoutCost: rapid.Int64Range(0, 1).Draw(t, "unknown"),
				DeliveredAt: anyPeriod.end.Add(-time.Duration(len(sold)+1) * 60 * time.Hour)})
			asked = append(asked, leadGroup{Month: rapid.Int64Range(0, 2).Draw(t, "month"), Leads: n, Sold: rapid.Int64Range(0, 1).Draw(t, "sold"),
				Source: rapid.SampledFrom([]leads.Source{"web", "event"}).Draw(t, "source"),
				Status: rapid.SampledFrom([]string{"new", "working", "converted", "lost"}).Draw(t, "status")})
			contracts = append(contracts, contract{Lender: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "lender"), AmountCents: cents(t, "amount"),
				Status: rapid.SampledFrom(inTransit).Draw(t, "status"), Stipulations: n})
			money = append(money, cashGroup{Kind: "deposit", Method: rapid.SampledFrom([]finance.PaymentMethod{"card", "wire"}).Draw(t, "method"), Payments: n,
				AmountCents: cents(t, "amount"), Type: rapid.SampledFrom([]finance.PaymentType{"payment", "refund", "reversal"}).Draw(t, "type")})
		}

		checkInventory(t, inventory(stock, true, func(string) string { return "2027-02-15" }), stock)
		checkGross(t, gross(anyPeriod, sold, nil, rows{limit: 5}), sold)
		checkLeads(t, leadsReport(anyPeriod, asked, true))

		f := funding(anyPeriod, contracts, rows{limit: 5})
		var byLender, byStage FundingSum
		for _, s := range f.Lenders {
			byLender.AmountCents, byLender.Contracts = byLender.AmountCents+s.AmountCents, byLender.Contracts+s.Contracts
		}
		for _, s := range f.Stages {
			byStage.AmountCents, byStage.Contracts = byStage.AmountCents+s.AmountCents, byStage.Contracts+s.Contracts
		}
		equal(t, byLender, byStage, "lenders and stages")
		equal(t, byStage, FundingSum{Contracts: f.Total.Contracts, AmountCents: f.Total.AmountCents, OpenStipulations: 0}, "stages")

		c := cash(anyPeriod, money, nil, rows{})
		var rows CashSum
		for _, r := range c.Rows {
			rows.Payments += r.Payments
			rows.ReceivedCents += r.ReceivedCents
			rows.RefundedCents += r.RefundedCents
			rows.ReversedCents += r.ReversedCents
			rows.NetCents += r.NetCents
		}
		equal(t, rows, c.Total, "cash")
	})
}

func checkInventory(t *rapid.T, r InventoryReport, stock []stockGroup) {
	t.Helper()
	var groups int64
	for _, g := range stock {
		groups += g.Hulls
	}
	equal(t, r.Total.Hulls+r.OnTheWay.Hulls, groups, "all hulls")
	for name, parts := range map[string]func(yield func(InventoryValue) bool){
		"buckets": func(yield func(InventoryValue) bool) {
			for _, b := range r.Buckets {
				yield(b.InventoryValue)
			}
		},
		"statuses": func(yield func(InventoryValue) bool) {
			for _, b := range r.ByStatus {
				yield(b.InventoryValue)
			}
		},
		"owners": func(yield func(InventoryValue) bool) {
			for _, b := range r.ByOwnership {
				yield(b.InventoryValue)
			}
		},
	} {
		sum := zeroValue(true)
		for v := range parts {
			sum.Hulls += v.Hulls
			sum.PriceCents += v.PriceCents
			*sum.CostCents += *v.CostCents
			*sum.WithoutCost += *v.WithoutCost
		}
		equal(t, sum, r.Total, name)
	}
}

func checkGross(t *rapid.T, r GrossReport, sold []soldDeal) {
	t.Helper()
	var months, all GrossSum
	for _, m := range r.Months {
		months.Deals += m.Deals
		months.PriceCents += m.PriceCents
		months.FrontCents += m.FrontCents
		months.BackCents += m.BackCents
		months.ProfitCents += m.ProfitCents
		months.WithoutFront += m.WithoutFront
		months.WithoutBack += m.WithoutBack
	}
	for _, s := range sold {
		d := deals.Deal{PriceUSD: s.PriceUSD, ProductsCents: s.ProductsCents, ProductsWithoutCost: s.ProductsWithoutCost}
		front, back := d.Profits(s.CostCents)
		all.add(s, front, back)
	}
	equal(t, months, r.Total, "months")
	equal(t, r.Total, all, "all deals")
	equal(t, len(r.Deals), min(5, len(sold)), "listed")
}

func checkLeads(t *rapid.T, r LeadsReport) {
	t.Helper()
	for name, parts := range map[string]func(yield func(LeadsCount) bool){
		"sources": func(yield func(LeadsCount) bool) {
			for _, s := range r.Sources {
				yield(s.LeadsCount)
			}
		},
		"months": func(yield func(LeadsCount) bool) {
			for _, m := range r.Months {
				yield(m.LeadsCount)
			}
		},
	} {
		var sum LeadsCount
		for c := range parts {
			sum.Leads += c.Leads
			sum.New += c.New
			sum.Working += c.Working
			sum.Converted += c.Converted
			sum.Lost += c.Lost
			if sum.Sold == nil {
				sum.Sold = new(int64)
			}
			*sum.Sold += *c.Sold
		}
		if sum.Sold == nil {
			sum.Sold = new(int64)
		}
		sum.finish(true)
		equal(t, sum, r.Total, name)
	}
	equal(t, r.Total.Leads, r.Total.New+r.Total.Working+r.Total.Converted+r.Total.Lost, "statuses")
}
