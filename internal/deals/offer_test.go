package deals

import (
	"testing"
	"time"

	"slipway/internal/vocab/fault"
)

// Tests each action of each party on an offer in each status.
func TestEveryDecision(t *testing.T) {
	past, future := now.Add(-time.Second), now.Add(time.Second)
	for _, o := range []struct {
		status  OfferStatus
		expires *time.Time
		live    bool
	}{
		{Pending, nil, true},
		{Pending, &future, true},
		{Pending, &past, false},
		{Pending, &now, false},
		{OfferAccepted, nil, false},
		{Rejected, nil, false},
		{Withdrawn, nil, false},
		{Superseded, nil, false},
		{Expired, nil, false},
	} {
		for _, maker := range []Side{Buyer, Dealer} {
			for _, by := range []Side{Buyer, Dealer} {
				offer := Offer{MadeBy: maker, Status: o.status, ExpiresAt: o.expires}
				accepted := offer
				err := accepted.accept(by, now)
				if want := o.live && by != maker; (err == nil) != want || want && accepted.Status != OfferAccepted {
					t.Errorf("the %s accepts a %s offer of the %s: got %v, %s; want it allowed: %t", by, o.status, maker, err, accepted.Status, want)
				}
				if err != nil && fault.KindOf(err) != fault.KindConflict {
					t.Errorf("got %v, want a conflict", err)
				}
				rejected, want := offer, Rejected
				if by == maker {
					want = Withdrawn
				}
				if err := rejected.reject(OfferReject{By: by}, now); (err == nil) != o.live || o.live && rejected.Status != want {
					t.Errorf("the %s rejects a %s offer of the %s: got %v, %s; want it allowed: %t, then %s", by, o.status, maker,
						err, rejected.Status, o.live, want)
				}
			}
		}
	}
}

// Offers can only be added to an open deal.
func TestEveryOffer(t *testing.T) {
	for _, s := range statuses {
		_, err := OfferMake{AmountUSD: 1, MadeBy: Buyer}.offer(Deal{Status: s}, now)
		if (err == nil) != (s == Open) {
			t.Errorf("%s: got %v, want an error unless open", s, err)
		}
	}
	if _, err := (OfferMake{ExpiresAt: &now}).offer(Deal{Status: Open}, now); fault.KindOf(err) != fault.KindUnprocessable {
		t.Errorf("expires_at in the past: got %v, want the kind fault.KindUnprocessable", err)
	}
}
