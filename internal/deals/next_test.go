package deals

import (
	"slices"
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
)

// built is a boat that has arrived.
var built = hulls.Hull{HIN: new("GRT40912B324")}

// codes returns the codes of what is missing for a step.
func (s DealStep) codes() (codes []string) {
	for _, m := range s.Missing {
		codes = append(codes, string(m.Code))
	}
	return codes
}

func TestNext(t *testing.T) {
	for name, tt := range map[string]struct {
		deal  Deal
		rules dealership.Settings
		boat  hulls.Hull
		want  map[Status][]string // what is missing; no entry: not a step
	}{
		"open": {Deal{Status: Open}, dealership.Settings{}, built, map[Status][]string{
			Accepted: {"accepted_offer"}, InFinance: {"accepted_offer"}, Contracted: {"accepted_offer", "signed_agreement"},
			Funded: {"accepted_offer"}, Delivered: {"accepted_offer"}, Closed: {"accepted_offer"},
		}},
		"accepted, finance": {Deal{Status: Accepted, DealType: Finance}, dealership.Settings{}, built, map[Status][]string{
			InFinance: nil, Contracted: {"signed_agreement", "selected_structure"}, Funded: {"earlier_status", "funding"},
			Delivered: {"earlier_status"}, Closed: {"earlier_status", "funding"},
		}},
		"contracted, cash": {
			Deal{Status: Contracted, Totals: DealTotals{BalanceDueCents: 119000}}, dealership.Settings{}, built,
			map[Status][]string{Funded: {"payment"}, Delivered: {"earlier_status"}, Closed: {"earlier_status", "payment"}},
		},
		"contracted, delivery before funding": {
			Deal{Status: Contracted}, dealership.Settings{AllowDeliveryBeforeFunding: true}, built,
			map[Status][]string{Funded: nil, Delivered: nil, Closed: {"earlier_status"}},
		},
		"delivered, paid": {Deal{Status: Delivered}, dealership.Settings{}, built, map[Status][]string{Closed: nil}},
		"funded, the boat has no HIN": {Deal{Status: Funded, SignedAgreementID: new("doc_1")}, dealership.Settings{}, hulls.Hull{},
			map[Status][]string{Delivered: {"hin"}, Closed: {"earlier_status"}}},
		"funded, the agreement is from before the HIN": {Deal{Status: Funded, SignedAgreementID: new("doc_1")}, dealership.Settings{}, built,
			map[Status][]string{Delivered: {"agreement_hin"}, Closed: {"earlier_status"}}},
		"funded, the agreement states another HIN": {Deal{Status: Funded, SignedAgreementID: new("doc_1"), AgreementHIN: new("GRT40912B424")}, dealership.Settings{}, built,
			map[Status][]string{Delivered: {"agreement_hin"}, Closed: {"earlier_status"}}},
		"funded, a boat without a HIN": {Deal{Status: Funded, SignedAgreementID: new("doc_1")}, dealership.Settings{},
			hulls.Hull{HINAbsentReason: new(hulls.HINBefore1972)}, map[Status][]string{Delivered: nil, Closed: {"earlier_status"}}},
		"closed":    {Deal{Status: Closed}, dealership.Settings{}, built, map[Status][]string{}},
		"cancelled": {Deal{Status: Cancelled}, dealership.Settings{}, built, map[Status][]string{}},
	} {
		r := requirements{rules: tt.rules, hull: tt.boat}
		n := tt.deal.next(r)
		if len(n.Steps) != len(tt.want) {
			t.Errorf("%s: got %d steps, want %d", name, len(n.Steps), len(tt.want))
		}
		for _, step := range n.Steps {
			if want, ok := tt.want[step.To]; !ok || !slices.Equal(step.codes(), want) || step.Allowed != (len(want) == 0) {
				t.Errorf("%s to %s: got %v, want %v", name, step.To, step.codes(), want)
			}
			d := tt.deal
			if err := d.advance(DealAdvance{To: step.To}, r, now); (err == nil) != step.Allowed {
				t.Errorf("%s to %s: got allowed %t, but advance returns %v", name, step.To, step.Allowed, err)
			}
			for _, m := range step.Missing {
				if m.Message == "" || m.Message[len(m.Message)-1] != '.' {
					t.Errorf("%s to %s: got message %q, want a sentence", name, step.To, m.Message)
				}
			}
		}
	}
}
