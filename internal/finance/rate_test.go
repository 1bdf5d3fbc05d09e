package finance

import (
	"testing"

	"slipway/internal/deals"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/money"
)

// The results were calculated with a separate program, with 60 decimal places:
// simple interest for odd days of a year of 365 days with the first payment,
// payments that are rounded once, interest that is rounded each month, and the rate of Appendix J of
// Regulation Z by bisection.
func TestOddDaysAndBalloons(t *testing.T) {
	type want struct {
		oddDays, oddInterest, payment, first, final, charge int64
		apr                                                 money.Percent
	}
	for _, c := range []struct {
		cents           int64
		rate            money.Percent
		months          int64
		contract, first string
		odd             OddDaysInterest
		balloon         int64
		want            want
	}{
		{10000000, "7.49", 240, "2026-05-01", "2026-06-01", "", 0, want{0, 0, 80498, 80498, 80608, 9319630, "7.49"}},
		{10000000, "7.49", 240, "2026-05-01", "2026-06-15", "", 0, want{14, 0, 80498, 80498, 80608, 9319630, "7.45"}},
		{10000000, "7.49", 240, "2026-05-01", "2026-06-15", "ignored", 0, want{14, 0, 80498, 80498, 80608, 9319630, "7.45"}},
		{10000000, "7.49", 240, "2026-05-01", "2026-06-15", "charged", 0, want{14, 28729, 80498, 109227, 80608, 9348359, "7.49"}},
		{10000000, "7.49", 240, "2026-05-01", "2026-08-01", "charged", 0, want{61, 125175, 80498, 205673, 80608, 9444805, "7.49"}},
		{10000000, "7.49", 240, "2026-05-01", "2026-08-01", "ignored", 0, want{61, 0, 80498, 80498, 80608, 9319630, "7.33"}},
		{10000000, "7.49", 240, "2026-05-01", "2026-08-16", "charged", 0, want{76, 155956, 80498, 236454, 80608, 9475586, "7.49"}},
		{5000000, "12", 12, "2026-05-01", "2026-05-11", "charged", 0, want{-20, -32877, 444244, 411367, 444243, 298050, "12.02"}},
		{5000000, "12", 12, "2026-05-01", "2026-05-11", "ignored", 0, want{-20, 0, 444244, 444244, 444243, 330927, "13.41"}},
		{5000000, "9.9", 60, "2026-01-31", "2026-02-28", "", 0, want{0, 0, 105989, 105989, 106015, 1359366, "9.90"}},
		{10000000, "6.99", 60, "2026-05-01", "2026-06-01", "", 4000000, want{0, 0, 142079, 142079, 4142073, 2524734, "6.99"}},
		{10000000, "6.99", 60, "2026-05-01", "2026-07-20", "charged", 4000000, want{50, 95753, 142079, 237832, 4142073, 2620487, "6.99"}},
		{5000000, "0", 60, "2026-05-01", "2026-09-01", "charged", 1000000, want{92, 0, 66667, 66667, 1066647, 0, "0.00"}},
		{3200000, "8.99", 144, "2026-12-15", "2027-03-01", "charged", 0, want{48, 37832, 36399, 74231, 36387, 2079276, "8.99"}},
	} {
		in := FinanceStructureCreate{
			APRPercent: c.rate, TermMonths: c.months, ContractOn: &c.contract, FirstPaymentOn: &c.first, BalloonCents: c.balloon,
		}
		if c.odd != "" {
			in.OddDaysInterest = &c.odd
		}
		s, err := in.Structure(deals.Deal{PriceUSD: c.cents / 100}, 0, now)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		got := want{s.OddDays, s.OddDaysInterestCents, s.PaymentCents, s.FirstPaymentCents, s.FinalPaymentCents, s.FinanceChargeCents,
			s.DisclosedAPRPercent}
		if got != c.want {
			t.Errorf("%s%% from %s to %s, %q: got %+v, want %+v", c.rate, c.contract, c.first, c.odd, got, c.want)
		}
		rows := s.Installments()
		if rows[len(rows)-1].BalanceCents != 0 || s.TotalOfPaymentsCents != s.AmountFinancedCents+s.FinanceChargeCents {
			t.Errorf("%s%%: the schedule ends with %+v", c.rate, rows[len(rows)-1])
		}
	}
}

// The first payment is 15 to 62 days after the contract, or the request decides
// about the interest.
func TestOddDaysMustBeDecided(t *testing.T) {
	for first, allowed := range map[string]bool{
		"2026-05-15": false, "2026-05-16": true, "2026-06-01": true, "2026-07-02": true, "2026-07-03": false, "2026-12-01": false,
	} {
		in := FinanceStructureCreate{APRPercent: "7.49", TermMonths: 240, FirstPaymentOn: &first}
		_, err := in.Structure(deals.Deal{PriceUSD: 100000}, 0, now)
		if (err == nil) != allowed || err != nil && fault.KindOf(err) != fault.KindBadRequest {
			t.Errorf("%s without odd_days_interest: got %v, want it allowed: %t", first, err, allowed)
		}
		for _, odd := range []OddDaysInterest{"charged", "ignored"} {
			in.OddDaysInterest = &odd
			if _, err := in.Structure(deals.Deal{PriceUSD: 100000}, 0, now); err != nil {
				t.Errorf("%s, %s: got %v, want no error", first, odd, err)
			}
		}
	}

	for name, c := range map[string]FinanceStructureCreate{
		"before the contract":     {TermMonths: 240, FirstPaymentOn: new("2026-05-01"), OddDaysInterest: new(OddDaysInterest("ignored"))},
		"balloon above the loan":  {TermMonths: 60, BalloonCents: 10000000},
		"buy rate above the rate": {TermMonths: 60, BuyRatePercent: new(money.Percent("20.0001"))},
	} {
		c.APRPercent = "20"
		if _, err := c.Structure(deals.Deal{PriceUSD: 100000}, 0, now); fault.KindOf(err) != fault.KindUnprocessable {
			t.Errorf("%s: got %v, want the kind unprocessable", name, err)
		}
	}
}

// The reserve is the interest above the buy rate, times the split. 1777400 is the
// difference of the finance charges, from the same separate program.
func TestReserve(t *testing.T) {
	for split, want := range map[money.Percent]int64{"": 1777400, "100": 1777400, "75": 1333050, "0": 0} {
		in := FinanceStructureCreate{APRPercent: "7.49", TermMonths: 240, BuyRatePercent: new(money.Percent("6.25"))}
		if split != "" {
			in.ReserveSplitPercent = &split
		}
		s, err := in.Structure(deals.Deal{PriceUSD: 100000}, 0, now)
		if err != nil || *s.ReserveCents != want {
			t.Errorf("split %q: got %v, %v; want %d", split, s.ReserveCents, err, want)
		}
	}
	s, err := FinanceStructureCreate{APRPercent: "7.49", TermMonths: 240}.Structure(deals.Deal{PriceUSD: 100000}, 0, now)
	if err != nil || s.ReserveCents != nil {
		t.Errorf("without a buy rate: got %v, %v; want none", s.ReserveCents, err)
	}
}

// Differences between the approved terms and a structure.
func TestEveryDifference(t *testing.T) {
	submitted := FinanceStructure{AmountFinancedCents: 100, APRPercent: "7.49", TermMonths: 240}
	for name, c := range map[string]struct {
		decision *FundingDecision
		want     []string
	}{
		"no decision":  {nil, nil},
		"as submitted": {&FundingDecision{Amount: new(int64(100)), APRPercent: new(money.Percent("7.4900")), TermMonths: new(int64(240))}, nil},
		"other rate":   {&FundingDecision{APRPercent: new(money.Percent("8.25"))}, []string{"apr_percent"}},
		"other amount": {&FundingDecision{Amount: new(int64(90))}, []string{"amount_cents"}},
		"other term":   {&FundingDecision{TermMonths: new(int64(180))}, []string{"term_months"}},
		"nothing the same": {&FundingDecision{Amount: new(int64(90)), APRPercent: new(money.Percent("8")), TermMonths: new(int64(180))},
			[]string{"amount_cents", "apr_percent", "term_months"}},
	} {
		diff := Funding{Decision: c.decision}.approved(submitted).differences(submitted)
		if len(diff) != len(c.want) {
			t.Errorf("%s: got %v, want %v", name, diff, c.want)
			continue
		}
		for i, d := range diff {
			if string(d.Field) != c.want[i] || d.Decision == d.Structure {
				t.Errorf("%s: got %v, want %v", name, diff, c.want)
			}
		}
	}
}
