package inventory

import (
	"strings"
	"testing"

	"slipway/internal/channels"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A boat goes out when the rules of a channel apply to it, and both sides say why it doesn't.
func TestChannelRules(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		channel := s.Test.Channel(map[string]any{
			"name": "Boat Trader", "kind": "boat_trader", "format": "xml", "auto_publish": true, "party_number": "48213",
			"rules": map[string]any{"photos_min": 2, "description_min": 20, "price": true, "hin": true, "boat_class": true},
		})
		open := s.Test.Channel(map[string]any{"name": "Website", "auto_publish": true})
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "R-1", "boat_class": "power-center", "category": "power"})

		where := func() map[string]channels.HullOnChannel {
			var p struct{ Data []channels.HullOnChannel }
			s.Test.Get("/v2-preview/hulls/"+hull+"/channels", 200, &p)
			byID := map[string]channels.HullOnChannel{}
			for _, o := range p.Data {
				byID[o.ChannelID] = o
			}
			return byID
		}
		fields := func(o channels.HullOnChannel) (all []string) {
			for _, r := range o.Reasons {
				if r.Field != nil {
					all = append(all, *r.Field)
				} else {
					all = append(all, r.Code)
				}
			}
			return all
		}
		feed := func(id string) string { return string(s.Test.Get("/v1/channels/"+id+"/feed", 200, nil).Bytes) }
		leftOut := func() []channels.HullOnChannel {
			var p struct{ Data []channels.HullOnChannel }
			s.Test.Get("/v2-preview/channels/"+channel+"/left_out", 200, &p)
			return p.Data
		}

		assert.Equal(t, where()[open].Listed, true, "a channel without rules lists it")
		assert.Len(t, where()[open].Reasons, 0)
		assert.Equal(t, fields(where()[channel]), []string{"photo_count", "description"})
		assert.Equal(t, where()[channel].Reasons[0].Message, "is 0, but the channel requires at least 2")
		assert.Excludes(t, []byte(feed(channel)), hull)
		assert.Equal(t, leftOut()[0].HullID, hull)
		s.Test.Put("/v1/hulls/"+hull+"/syndication/"+channel, nil, 409, nil).WantDetail(t, "photo_count", "state")

		s.Test.Photo(hull)
		s.Test.Patch("/v1/hulls/"+hull, `{"description":"One owner, kept under a roof."}`, 200, nil)
		assert.Equal(t, fields(where()[channel]), []string{"photo_count"})
		s.Test.Photo(hull)
		assert.Equal(t, where()[channel].Listed, true, "all rules apply")
		assert.Len(t, leftOut(), 0)
		text := feed(channel)
		assert.Contains(t, text, "<PartyID>48213</PartyID>")
		assert.Contains(t, text, "<BoatClassCode>Center Consoles</BoatClassCode>")

		s.Test.Patch("/v1/hulls/"+hull, `{"description":"Short"}`, 200, nil)
		assert.Excludes(t, []byte(feed(channel)), hull)
		assert.Equal(t, fields(where()[channel]), []string{"description"})
		fill := func() {
			a := &channels.API{DB: s.DB, Jobs: s.Jobs}
			assert.NoError(t, jobs.Run(t.Context(), a.FillChannel, channels.FillChannel{Env: s.Env("channels", channel), ChannelID: channel}))
		}
		s.Test.Patch("/v2-preview/channels/"+channel, `{"rules":null,"party_number":null}`, 200, nil)
		fill()
		assert.Equal(t, where()[channel].Listed, true, "the rules were removed")
		assert.Equal(t, strings.Contains(feed(channel), "48213"), false)

		s.Test.Delete("/v1/hulls/"+hull+"/syndication/"+channel, 200)
		assert.Equal(t, fields(where()[channel]), []string{"withdrawn"})
		s.Test.Patch("/v2-preview/channels/"+open, `{"rules":{"photos_min":3}}`, 200, nil)
		a := &channels.API{DB: s.DB, Jobs: s.Jobs}
		assert.NoError(t, jobs.Run(t.Context(), a.FillChannel, channels.FillChannel{Env: s.Env("channels", open), ChannelID: open}))
		assert.Excludes(t, []byte(feed(open)), hull)
		s.Test.Patch("/v2-preview/channels/"+open, `{"rules":{"photos_min":0}}`, 422, nil)
		s.Test.Patch("/v2-preview/channels/"+open, `{"party_number":"a b"}`, 422, nil)

		manual := s.Test.Channel(nil)
		assert.Equal(t, fields(where()[manual]), []string{"paused"})
		s.Test.Get("/v2-preview/channels/chn_01jcqz8t5n8m2x4v6b7c9d0e1f/left_out", 404, nil)
	})
}
