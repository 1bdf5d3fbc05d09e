package sales

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// all sends requests at the same time and returns the responses.
func all(t *testing.T, n int, send func(i int) (*testkit.Response, error)) []*testkit.Response {
	t.Helper()
	answers := make([]*testkit.Response, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			res, err := send(i)
			if err != nil {
				t.Error(err)
				return
			}
			answers[i] = res
		})
	}

	close(start)
	wg.Wait()
	if t.Failed() {
		t.FailNow()
	}

	return answers
}

// 100 deals on one hull are accepted at the same time. One succeeds, and the
// others return its ID.
func TestHundredAcceptsOfOneHull(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const n = 100
		boat, buyer := s.Test.Hull(s.Test.Location(), nil), s.Test.Contact(nil)
		var ids, paths []string
		for range n {
			id := s.Test.Deal(map[string]any{"hull_id": boat, "buyer_id": buyer})
			ids, paths = append(ids, id), append(paths, "/v1/deals/"+id+"/offers/"+s.Test.OpeningOffer(id)+"/accept")
		}
		winner, losers := "", 0
		answers := all(t, n, func(i int) (*testkit.Response, error) { return s.Test.Send("POST", paths[i], nil) })
		for i, res := range answers {
			if res.StatusCode == 200 {
				assert.Equal(t, winner, "", ids[i], "also has the hull")
				winner = ids[i]
			}
		}
		for _, res := range answers {
			if res.StatusCode != 409 {
				continue
			}
			losers++
			f := res.Fault(t)
			f.WantDetail(t, "hull_id", "hull_unavailable", "response to a rejected accept")
			f.WantDetail(t, "deal_id", "hull_unavailable", "response to a rejected accept")
			assert.Contains(t, res.Bytes, winner, "response to a rejected accept")
		}
		same(t, "losers", losers, n-1)
		same(t, "hull", hull(s, boat).Status, hulls.SalePending)
		same(t, "accepted", testkit.Rows[int64](s, `SELECT COUNT(*) FROM {emitted} WHERE type = 'deal.accepted'`)[0], 1)
		same(t, "events of the hull", eventTypes(s, boat), "hull.created hull.status_changed")

		// Without deals:read, the error does not include the deal.
		blind := s.As(s.Key(auth.DealsWrite))
		for i, path := range paths {
			if ids[i] != winner {
				assert.Excludes(t, blind.Post(path, nil, 409, nil).Bytes, winner)
				break
			}
		}
	})
}

// The index protects the hull even if the code does not check.
func TestIndexGuardsTheHull(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		first, second := s.Test.AcceptedDeal(map[string]any{"hull_id": boat}), s.Test.Deal(map[string]any{"hull_id": boat})
		_, err := testkit.TryExec(s, `UPDATE deals SET status = 'contracted' WHERE id = ?`, second)
		if err == nil {
			t.Errorf("%s and %s both have the hull, want an error", first, second)
		}
	})
}

// 100 repeats of one request at the same time create one deal.
func TestHundredRepeatsOfOneDeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body, c := s.Test.DealBody(nil), s.Test.With("Idempotency-Key", uuid.NewString())
		answers := all(t, 100, func(int) (*testkit.Response, error) { return c.Send("POST", "/v1/deals", body) })
		first := 0
		for _, res := range answers {
			if res.StatusCode != 201 || string(res.Bytes) != string(answers[0].Bytes) {
				t.Fatalf("got %d %s, want 201 %s as the others", res.StatusCode, res.Bytes, answers[0].Bytes)
			}
			if res.Header.Get("Idempotent-Replayed") == "" {
				first++
			}
		}
		same(t, "responses that are not replayed", first, 1)
		for table, want := range map[string]int64{"deals": 1, "offers": 1, "deal_history": 1} {
			same(t, table, testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+table)[0], want)
		}
		same(t, "events", testkit.Rows[int64](s, `SELECT COUNT(*) FROM {emitted} WHERE type = 'deal.opened'`)[0], 1)
	})
}

// Both sides decide at the same time. The offer is accepted or rejected, never both.
func TestAcceptAgainstCancelAndReject(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for range 5 {
			boat := s.Test.Hull(s.Test.Location(), nil)
			id := s.Test.Deal(map[string]any{"hull_id": boat})
			offer := "/v1/deals/" + id + "/offers/" + s.Test.OpeningOffer(id)
			paths := []string{offer + "/accept", offer + "/reject", "/v1/deals/" + id + "/cancel"}
			bodies := []any{nil, nil, `{"reason": "no"}`}
			all(t, len(paths), func(i int) (*testkit.Response, error) { return s.Test.Send("POST", paths[i], bodies[i]) })
			d, h := deal(s, id), hull(s, boat)
			want := map[string]hulls.Status{"accepted": hulls.SalePending, "cancelled": hulls.Available}[string(d.Status)]
			assert.Equal(t, h.Status, want, "the deal is", d.Status, "its hull")
		}
	})
}
