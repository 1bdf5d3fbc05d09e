package deals_test

import (
	"encoding/json"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/testkit"
)

// A hull on hold for a deal can't be reserved for another deal.
func TestHoldForADeal(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		mine, other := s.Test.Deal(map[string]any{"hull_id": boat}), s.Test.Deal(map[string]any{"hull_id": boat})
		hold := map[string]string{"to": "on_hold", "expires_at": s.DB.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)}
		s.Test.Post("/v1/hulls/"+boat+"/transition", hold, 200, nil)
		held := hull(s, boat).Hold
		held.DealID = &mine
		text, err := json.Marshal(held)
		if err != nil {
			t.Fatal(err)
		}
		s.Exec(`UPDATE hulls SET hold = ? WHERE id = ?`, string(text), boat)

		accept(s, other, 409).WantDetail(t, "hull_id", "hull_on_hold")
		testkit.Equal(t, hull(s, boat).Status, hulls.OnHold)
		accept(s, mine, 200)
		testkit.Equal(t, hull(s, boat).Status, hulls.SalePending)

		s.Test.Post("/v1/deals/"+mine+"/cancel", `{"reason": "no"}`, 200, nil)
		testkit.Equal(t, hull(s, boat).Status, hulls.OnHold, "after canceling")
		testkit.Equal(t, hull(s, boat).Hold.DealID, &mine, "after canceling")
	})
}
