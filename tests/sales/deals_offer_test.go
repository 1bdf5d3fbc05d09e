package sales

import (
	"context"
	"slipway/internal/platform/jobs"
	"testing"
	"time"

	"slipway/internal/deals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func offersOf(s *testkit.Server, id string) (p page.Page[deals.Offer]) {
	s.Test.Get("/v1/deals/"+id+"/offers", 200, &p)
	return p
}

func TestOffers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/offers"
		opening := s.Test.OpeningOffer(id)
		var counter, second, got deals.Offer
		s.Test.Post(path, map[string]any{"amount_usd": 121500, "made_by": "dealer", "in_reply_to": opening, "note": "With a full tank"},
			201, &counter)
		assert.Equal(t, counter.Status, deals.Pending)
		assert.Equal(t, counter.InReplyTo, new(opening))
		assert.Equal(t, counter.AmountUSD, 121500)
		same(t, "current price", deal(s, id).Totals.PriceCents, 12150000)
		s.Test.Post(path, map[string]any{"amount_usd": 119000, "made_by": "buyer", "in_reply_to": counter.ID}, 201, &second)
		s.Test.Get(path+"/"+opening, 200, &got)
		s.Test.Post(path+"/"+counter.ID+"/accept", nil, 409, nil).WantDetail(t, "status", "state", "the buyer has answered it")
		if got.Status != deals.Superseded || got.DecidedAt == nil || got.Version != 2 {
			t.Errorf("opening offer %s; want got.Status = deals.Superseded, got.DecidedAt != nil, got.Version = 2", assert.Show(got))
		}

		same(t, "current price", deal(s, id).Totals.PriceCents, 11900000)
		s.Test.Post(path+"/"+second.ID+"/reject", `{"by": "buyer", "reason": "Thought again"}`, 200, &got)
		assert.Equal(t, got.Status, deals.Withdrawn)
		assert.Equal(t, got.Reason, new("Thought again"))
		same(t, "current price", deal(s, id).Totals.PriceCents, 11800000)
		s.Test.Post(path, map[string]any{"amount_usd": 121500, "made_by": "dealer"}, 201, &counter)
		s.Test.Post(path+"/"+counter.ID+"/accept", `{"by": "dealer"}`, 409, nil)
		s.Test.Post(path+"/"+opening+"/accept", nil, 409, nil)
		s.Test.With("If-Match", `"7"`).Post(path+"/"+counter.ID+"/accept", nil, 409, nil)
		s.Test.Post(path, map[string]any{"amount_usd": 119500, "made_by": "buyer"}, 201, &second)
		s.Test.Post(path+"/"+counter.ID+"/accept", `{"by": "buyer"}`, 200, &got)
		same(t, "accepted", got.Status, deals.OfferAccepted)

		d := deal(s, id)
		assert.Equal(t, d.AcceptedOfferID, new(counter.ID))
		assert.Equal(t, d.Totals.PriceCents, 12150000)
		assert.Equal(t, d.OfferUSD, 118000)
		assert.Equal(t, d.Status, deals.Accepted)
		s.Test.Get(path+"/"+second.ID, 200, &got)
		same(t, "offer of the other party", got.Status, deals.Superseded)
		s.Test.Post(path, `{"amount_usd": 1, "made_by": "buyer"}`, 409, nil)
		same(t, "events", eventTypes(s, id), "deal.opened deal.offer_made deal.offer_made deal.offer_withdrawn deal.offer_made deal.offer_made deal.accepted")
		same(t, "offers", len(offersOf(s, id).Data), 5)
	})
}

func TestOffersReject(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id, other := s.Test.Deal(nil), s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/offers"
		opening, foreign := s.Test.OpeningOffer(id), s.Test.OpeningOffer(other)
		f := s.Test.Post(path, `{"amount_usd": -1, "made_by": "bank", "expires_at": "2020-01-01T00:00:00Z"}`, 422, nil).Fault(t)
		f.WantDetail(t, "amount_usd", "minimum", "all errors together")
		f.WantDetail(t, "made_by", "enum", "all errors together")
		f.WantDetail(t, "expires_at", "minimum", "all errors together")
		s.Test.Post(path, map[string]any{"amount_usd": 1, "made_by": "dealer", "in_reply_to": foreign}, 422, nil).
			WantDetail(t, "in_reply_to", "not_found")
		s.Test.Post(path, map[string]any{"amount_usd": 1, "made_by": "buyer", "in_reply_to": opening}, 422, nil).
			WantDetail(t, "in_reply_to", "exclusive")
		s.Test.Post(path+"/"+foreign+"/accept", nil, 404, nil)
		s.Test.Get(path+"/"+foreign, 404, nil)
		s.Test.Post(path+"/"+opening+"/reject", `{"reason": "Below invoice"}`, 200, nil)
		s.Test.Post(path+"/"+opening+"/reject", nil, 409, nil)
		same(t, "events", eventTypes(s, id), "deal.opened deal.offer_rejected")
	})
}

func TestOfferExpires(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		sales := &deals.API{DB: s.DB, Jobs: s.Jobs}
		id := s.Test.Deal(nil)
		path := "/v1/deals/" + id + "/offers"
		var o deals.Offer
		s.Test.Post(path, map[string]any{"amount_usd": 121500, "made_by": "dealer",
			"expires_at": s.DB.Now().Add(time.Hour).UTC().Format(time.RFC3339)}, 201, &o)

		expire := func() (got deals.Offer) {
			if err := jobs.Run(t.Context(), sales.ExpireOffer, deals.ExpireOffer{Env: envOf(s, id), DealID: id, OfferID: o.ID}); err != nil {
				t.Fatal(err)
			}
			s.Test.Get(path+"/"+o.ID, 200, &got)
			return got
		}
		same(t, "before it expires", expire().Status, deals.Pending)
		s.Advance(2 * time.Hour)
		s.Test.Post(path+"/"+o.ID+"/accept", nil, 409, nil).WantDetail(t, "expires_at", "state", "expired, but the job has not run")
		same(t, "after it expires", expire().Status, deals.Expired)
		same(t, "twice", expire().Version, 2)
		same(t, "current price", deal(s, id).Totals.PriceCents, 11800000)
		same(t, "events", eventTypes(s, id), "deal.opened deal.offer_made deal.offer_expired")
	})
}

// The job queue runs the job on both databases.
func TestOfferJobRuns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		if err := s.Jobs.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Jobs.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		id := s.Test.Deal(nil)
		s.Test.Post("/v1/deals/"+id+"/offers", map[string]any{
			"amount_usd": 1, "made_by": "dealer", "expires_at": s.DB.Now().Add(1200 * time.Millisecond).UTC().Format(time.RFC3339Nano),
		}, 201, nil)
		assert.Eventually(t, "the offer to expire", func() bool { return offersOf(s, id).Data[0].Status == deals.Expired })
	})
}
