package finance

import (
	"testing"

	"pgregory.net/rapid"

	"slipway/internal/deals"
	"slipway/internal/vocab/fault"
)

// For any payments and refunds in any order, the refunds never exceed the
// payment, and the rest remains.
func TestRefundsNeverExceed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := PaymentRecord{Kind: "deposit", Method: "cash",
			AmountCents: rapid.Int64Range(1, 100000).Draw(t, "paid")}.payment(deals.Deal{Status: deals.Open}, now)
		if err != nil {
			t.Fatal(err)
		}

		p.ID = "pay_1"
		back := int64(0)
		for range rapid.IntRange(0, 20).Draw(t, "refunds") {
			r := PaymentRefund{Reason: "why"}
			if rapid.Bool().Draw(t, "some") {
				r.AmountCents = new(rapid.Int64Range(1, 60000).Draw(t, "amount"))
			}

			wanted := p.remaining()
			if r.AmountCents != nil {
				wanted = *r.AmountCents
			}

			refund, err := p.refund(r, now)
			if possible := wanted > 0 && back+wanted <= p.AmountCents; (err == nil) != possible {
				t.Fatalf("refund %d of %d, %d refunded before: got %v, want it allowed: %t", wanted, p.AmountCents, back, err, possible)
			}
			if err != nil {
				if fault.KindOf(err) != fault.KindConflict {
					t.Fatalf("got %v, want the kind fault.KindConflict", err)
				}
				continue
			}

			back += refund.AmountCents
			if p.derive(back, Refunded); *refund.RefundsPaymentID != p.ID || p.remaining() != p.AmountCents-back {
				t.Fatalf("got %+v of %+v; want refund.RefundsPaymentID = %q, p.remaining() = %v", refund, p, p.ID, p.AmountCents-back)
			}
		}

		want := map[bool]PaymentStatus{true: "refunded", false: "partially_refunded"}[back == p.AmountCents]
		if back == 0 {
			want = "succeeded"
		}
		if p.Status != want || back > p.AmountCents {
			t.Fatalf("got %+v after %d; want p.Status = %q, back <= %v", p, back, want, p.AmountCents)
		}
	})
}

func TestPaymentRules(t *testing.T) {
	for _, s := range []deals.Status{deals.Open, deals.Accepted, deals.InFinance, deals.Contracted, deals.Funded, deals.Delivered,
		deals.Closed, deals.Cancelled} {
		_, err := PaymentRecord{AmountCents: 1}.payment(deals.Deal{Status: s}, now)
		if want := s != deals.Closed && s != deals.Cancelled; (err == nil) != want {
			t.Errorf("%s: got %v, want it allowed: %t", s, err, want)
		}
	}
	if _, err := (PaymentRecord{ReceivedOn: new("2026-05-02")}).payment(deals.Deal{}, now); fault.KindOf(err) != fault.KindUnprocessable {
		t.Errorf("paid tomorrow: got %v, want the kind fault.KindUnprocessable", err)
	}
	if p, err := (PaymentRecord{ReceivedOn: new("2026-04-30")}).payment(deals.Deal{}, now); err != nil || p.ReceivedOn != "2026-04-30" {
		t.Errorf(`paid yesterday: got %v; want no error, p.ReceivedOn = "2026-04-30"`, err)
	}
	if _, err := (Payment{AmountCents: 1, RefundsPaymentID: new("pay_1")}).
		refund(PaymentRefund{}, now); fault.KindOf(err) != fault.KindConflict {
		t.Errorf("a refund of a refund: got %v, want the kind fault.KindConflict", err)
	}
}
