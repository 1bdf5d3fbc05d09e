package deals

import (
	"slices"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/vocab/fault"
)

var (
	now      = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	statuses = []Status{Open, Accepted, InFinance, Contracted, Funded, Delivered, Closed, Cancelled}
)

// ready returns a deal in a status that meets the conditions of all steps.
func ready(s Status) Deal {
	d := Deal{ID: "deal_1", HullID: "hull_1", BuyerID: "con_1", Status: s, DealType: Cash, PriceUSD: 100, Taxes: SalesTax("0"),
		PaidCents: 10000, SignedAgreementID: new("doc_1"), AgreementHIN: built.HIN}
	d.derive()
	return d
}

// Tests each pair of statuses against the transitions of the contract.
func TestEveryAdvance(t *testing.T) {
	allowed := map[Status][]Status{
		Accepted:   {InFinance, Contracted},
		InFinance:  {Contracted},
		Contracted: {Funded, Delivered}, // delivered before funding, if the dealership allows it
		Funded:     {Delivered},
		Delivered:  {Closed},
	}
	spot := dealership.Settings{AllowDeliveryBeforeFunding: true}

	for _, from := range statuses {
		for _, to := range statuses {
			d := ready(from)
			err := d.advance(DealAdvance{To: to}, requirements{rules: spot, hull: built}, now)
			if want := slices.Contains(allowed[from], to); (err == nil) != want {
				t.Errorf("%s → %s: %v, want allowed = %v", from, to, err, want)
			}
			switch {
			case err == nil && d.Status != to:
				t.Errorf("%s → %s leaves %s", from, to, d.Status)
			case err != nil && (fault.KindOf(err) != fault.KindConflict || d.Status != from):
				t.Errorf("%s → %s: %v, %s", from, to, err, d.Status)
			}
		}
	}
}

// Each status and its default next status.
func TestEveryNextStep(t *testing.T) {
	for _, tt := range []struct {
		from   Status
		pays   Type
		want   Status
		reason string
	}{
		{Open, Cash, "", "an offer must be accepted"},
		{Accepted, Cash, Contracted, ""},
		{Accepted, OutsideFinance, Contracted, ""},
		{Accepted, Finance, InFinance, ""},
		{InFinance, Finance, Contracted, ""},
		{Contracted, Cash, Funded, ""},
		{Funded, Cash, Delivered, ""},
		{Delivered, Cash, Closed, ""},
		{Closed, Cash, "", "the deal is closed"},
		{Cancelled, Cash, "", "the deal is cancelled"},
	} {
		d := ready(tt.from)
		d.DealType, d.SelectedStructureID, d.FundingState = tt.pays, new("fin_1"), FundingFunded
		err := d.advance(DealAdvance{}, requirements{hull: built}, now)
		if (err == nil) != (tt.want != "") || err == nil && d.Status != tt.want {
			t.Errorf("%s of a %s deal: %s, %v; want %q", tt.from, tt.pays, d.Status, err, tt.want)
		}
	}
}

func TestMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		from, to Status
		change   func(d *Deal)
		fields   []string
	}{
		"no agreement": {Accepted, Contracted, func(d *Deal) { d.SignedAgreementID = nil },
			[]string{"signed_agreement_id"}},
		"no agreement, no structure": {InFinance, Contracted, func(d *Deal) { d.SignedAgreementID, d.DealType = nil, Finance },
			[]string{"signed_agreement_id", "selected_structure_id"}},
		"balance due": {Contracted, Funded, func(d *Deal) { d.PaidCents-- }, []string{"totals.balance_due_cents"}},
		"outside lender has not paid": {Contracted, Funded, func(d *Deal) { d.DealType, d.PaidCents = OutsideFinance, 0 },
			[]string{"totals.balance_due_cents"}},
		"lender has not funded": {Contracted, Funded, func(d *Deal) { d.DealType, d.FundingState = Finance, "approved_to_fund" },
			[]string{"funding_state"}},
		"no delivery before funding":         {Contracted, Delivered, func(*Deal) {}, []string{"status"}},
		"delivered before funding, not paid": {Delivered, Closed, func(d *Deal) { d.PaidCents = 0 }, []string{"totals.balance_due_cents"}},
		"delivered before funding, no lender": {Delivered, Closed, func(d *Deal) { d.DealType, d.FundingState = Finance, "signed" },
			[]string{"funding_state"}},
	} {
		d := ready(tt.from)
		tt.change(&d)
		d.derive()
		err, ok := d.advance(DealAdvance{To: tt.to}, requirements{hull: built}, now).(*fault.Error) //nolint:errorlint // a fault as it is made
		var fields []string
		if ok {
			for _, detail := range err.Details {
				fields = append(fields, detail.Field)
			}
		}
		if !slices.Equal(fields, tt.fields) || d.Status != tt.from {
			t.Errorf("%s: %v, want %v", name, fields, tt.fields)
		}
	}

	// An overpaid deal is also paid.
	d := ready(Contracted)
	d.PaidCents++
	d.derive()
	if err := d.advance(DealAdvance{To: Funded}, requirements{hull: built}, now); err != nil || d.FundedAt == nil {
		t.Errorf("overpaid: got %v; want no error, d.FundedAt != nil", err)
	}
}

func TestEveryCancel(t *testing.T) {
	for _, from := range statuses {
		d := ready(from)
		err := d.cancel(DealCancel{Reason: "why", DepositOutcome: new(DepositOutcome("forfeit"))}, now)
		if want := slices.Contains([]Status{Open, Accepted, InFinance, Contracted}, from); (err == nil) != want {
			t.Errorf("%s: %v, want allowed = %v", from, err, want)
		}
		if d.derive(); err == nil && (d.Totals.BalanceDueCents != 0 || d.StatusCategory != "cancelled") {
			t.Errorf("%s: got category %s, totals %+v; want cancelled with nothing due", from, d.StatusCategory, d.Totals)
		}
	}

	for name, tt := range map[string]struct {
		change func(d *Deal)
		kind   fault.Kind
	}{
		"money was paid":        {func(*Deal) {}, fault.KindBadRequest},
		"the lender has funded": {func(d *Deal) { d.FundingState = FundingFunded }, fault.KindConflict},
	} {
		d := ready(Accepted)
		tt.change(&d)
		if err := d.cancel(DealCancel{Reason: "why"}, now); fault.KindOf(err) != tt.kind {
			t.Errorf("%s: got %v, want the kind %s", name, err, tt.kind.Code)
		}
	}
}

// Terms can change until they are signed.
func TestEveryChangeOfTerms(t *testing.T) {
	for _, s := range statuses {
		d := ready(s)
		if err := d.CheckTermsOpen(); err == nil {
			t.Errorf("%s: got no error, want signed terms to be fixed", s)
		}
		d.SignedAgreementID = nil
		if want := slices.Contains([]Status{Open, Accepted, InFinance}, s); (d.CheckTermsOpen() == nil) != want {
			t.Errorf("%s: want allowed = %v", s, want)
		}
	}
}
