package sales

import (
	"testing"

	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Operations of /v1 have the same rules in the preview. Events and the timeline have its amounts.
func TestTwinsAndEvents(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		s.RunRelay()
		path := "/v2-preview/hulls/" + hull + "/pricing"
		var p struct{ Price rest.Money }
		s.Test.Put(path, `{"price": {"amount": 9900000, "currency": "USD"}}`, 200, &p)
		assert.Equal(t, p.Price, dollars(99000))
		s.Test.Put(path, `{"price": {"amount": 9900050, "currency": "USD"}}`, 422, nil).WantDetail(t, "price.amount", "multiple_of")
		s.Test.Put(path, `{"price_usd": 99000}`, 400, nil)

		s.WaitForRelay()
		var events struct {
			Data []struct {
				Type string
				Data struct{ Object, Previous struct{ Price rest.Money } }
			}
		}
		s.Test.Get("/v2-preview/events?type=hull.price_changed&object_id="+hull, 200, &events)
		assert.Equal(t, events.Data[0].Data.Object.Price, dollars(99000))
		assert.Equal(t, events.Data[0].Data.Previous.Price, dollars(124900))

		var timeline struct {
			Data []struct {
				Changes struct{ Price []rest.Money }
				Object  struct{ Price rest.Money }
			}
		}
		s.Test.Get("/v2-preview/timeline?object_id="+hull, 200, &timeline)
		assert.Equal(t, timeline.Data[0].Changes.Price, []rest.Money{dollars(124900), dollars(99000)})
		assert.Equal(t, timeline.Data[0].Object.Price, dollars(99000))
	})
}
