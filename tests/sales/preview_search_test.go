package sales

import (
	"net/url"
	"testing"

	"slipway/internal/preview"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

func TestSearch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-1003"})
		maren := s.Test.Contact(map[string]any{"first_name": "Maren", "last_name": "Holt", "email": "maren@example.com"})
		lead := s.Test.Lead(map[string]any{"contact_id": maren, "hull_id": boat})
		deal := s.Test.AcceptedDeal(map[string]any{"buyer_id": maren, "hull_id": boat})
		joint := s.Test.Deal(map[string]any{"co_buyer_id": maren})
		document := s.Test.SignedDocument(deal, "purchase_agreement")
		s.Other.Contact(map[string]any{"first_name": "Maren"})
		number := testkit.Rows[string](s, `SELECT CAST(number AS TEXT) FROM deals WHERE id = ?`, deal)[0]
		docNumber := testkit.Rows[string](s, `SELECT CAST(number AS TEXT) FROM documents WHERE id = ?`, document)[0]

		ids := func(hits []preview.SearchHit) (all []string) {
			for _, h := range hits {
				all = append(all, h.ID)
			}
			return all
		}
		find := func(c *testkit.Client, q string) (r preview.SearchResult) {
			c.Get("/v2-preview/search?q="+url.QueryEscape(q), 200, &r)
			return r
		}

		r := find(s.Test, "gw1003")
		assert.Equal(t, r.Hulls, []preview.SearchHit{{ID: boat, Title: "2024 Grady-White Freedom 235", Detail: new("GW-1003"), Status: new("sale_pending")}})
		assert.Equal(t, ids(r.Deals), []string{deal}, "by stock number")
		assert.Len(t, r.Contacts, 0)

		old := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "BW-7"})
		cancelled := s.Test.DealIn("cancelled", map[string]any{"hull_id": old})
		s.Test.Post("/v1/hulls/"+old+"/archive", nil, 200, nil)
		r = find(s.Test, "bw-7")
		assert.Len(t, r.Hulls, 0)
		assert.Equal(t, ids(r.Deals), []string{cancelled}, "by the stock number of an archived hull")

		r = find(s.Test, "holt mar")
		assert.Equal(t, r.Contacts, []preview.SearchHit{{ID: maren, Title: "Maren Holt", Detail: new("maren@example.com")}})
		assert.Equal(t, r.Leads[0], preview.SearchHit{ID: lead, Title: "Maren Holt", Detail: new("2024 Grady-White Freedom 235"), Status: new("new")})
		assert.Equal(t, ids(r.Deals), []string{deal, joint}, "by buyer and co-buyer")
		assert.Equal(t, r.Deals[0].Title, "Deal "+number+": Maren Holt")

		assert.Equal(t, ids(find(s.Test, number).Deals), []string{deal}, "by number")
		assert.Equal(t, ids(find(s.Test, "#"+number).Deals), []string{deal})
		r = find(s.Test, docNumber)
		assert.Equal(t, ids(r.Documents), []string{document})
		assert.Equal(t, *r.Documents[0].DealID, deal)

		for _, q := range []string{"*", " ", "nothing"} {
			r = find(s.Test, q)
			assert.Equal(t, len(r.Hulls)+len(r.Contacts)+len(r.Leads)+len(r.Deals)+len(r.Documents), 0, q)
		}
		s.Test.Get("/v2-preview/search", 200, &r)

		// Each type requires its scope, and so does finding a deal by its buyer.
		r = find(s.As(s.Key(auth.DealsRead)), "holt")
		assert.Equal(t, len(r.Contacts)+len(r.Leads)+len(r.Deals), 0)
		r = find(s.As(s.Key(auth.DealsRead)), number)
		assert.Equal(t, r.Deals, []preview.SearchHit{{ID: deal, Title: "Deal " + number, Status: new("accepted")}})
		r = find(s.As(s.Key(auth.LeadsRead)), "holt")
		assert.Equal(t, len(r.Deals), 0)
		assert.Equal(t, *r.Leads[0].Detail, "A center console", "without hulls:read")
		s.As(s.Key(auth.Webhooks)).Get("/v2-preview/search?q=holt", 403, nil)
	})
}
