package crm

import (
	"fmt"
	"testing"

	"slipway/internal/templates"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// Snippets are filled in for a lead, without what is missing. Sending the text is a message like any other.
func TestSnippets(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const path = "/v2-preview/snippets"
		still := created(s, path, `{"name": "still-here", "body": "Hi {first_name|there}, the {boat} is still here for {price}. See it at {link}. Photo: {photo}"}`)
		created(s, path, `{"name": "thanks", "body": "Thank you! {dealership}"}`)
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "CA-7"})
		lead := s.Test.Lead(map[string]any{"hull_id": hull, "contact": map[string]any{"first_name": "Grace", "email": "grace@example.com"}})

		of := func(lead string) map[string]templates.LeadSnippet {
			var all templates.LeadSnippets
			s.Test.Get("/v2-preview/leads/"+lead+"/snippets", 200, &all)
			byName := map[string]templates.LeadSnippet{}
			for _, f := range all.Data {
				byName[f.Name] = f
			}
			return byName
		}
		got := of(lead)
		assert.Equal(t, len(got), 2)
		assert.Equal(t, got["still-here"].Text, "Hi Grace, the 2024 Grady-White Freedom 235 is still here for $124,900.")
		assert.Equal(t, got["still-here"].Missing, []string{"link", "photo"})
		assert.Equal(t, got["thanks"].Text, "Thank you! Acme Marine")

		// The website shows the boat: its page is the link.
		created(s, "/v1/channels", `{"name": "Website", "kind": "website", "auto_publish": true, "listing_url": "https://boats.example.com/{stock_number}"}`)
		listed := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "CA-8"})
		buyer := s.Test.Lead(map[string]any{"hull_id": listed})
		assert.Contains(t, of(buyer)["still-here"].Text, "See it at https://boats.example.com/CA-8.")
		s.Test.Put("/v1/hulls/"+listed+"/pricing", `{"price_usd": 124900, "price_hidden": true}`, 200, nil)
		assert.Equal(t, of(buyer)["still-here"].Text, "See it at https://boats.example.com/CA-8.", "without a price that the public doesn't see")
		s.Test.Get("/v2-preview/leads/lead_01jcqz8t5n8m2x4v6b7c9d0e1f/snippets", 404, nil)

		// The consent check decides about the text like about any other.
		s.Test.Post("/v1/leads/"+lead+"/messages", map[string]any{"channel": "email", "purpose": "marketing", "subject": "Boat", "body": got["thanks"].Text}, 422, nil)

		// Names are unique, and bad texts change nothing.
		s.Test.Post(path, `{"name": "thanks", "body": "x"}`, 409, nil)
		for body, want := range map[string][2]string{
			`{"name": "Big One", "body": "x"}`: {"name", "pattern"}, `{"name": "x", "body": "{vin}"}`: {"body", "enum"},
			`{"name": "x", "body": "{boat"}`: {"body", "pattern"}, `{"name": "x", "body": " "}`: {"body", "too_short"},
		} {
			s.Test.Post(path, body, 422, nil).WantDetail(t, want[0], want[1])
		}
		var changed templates.MessageSnippet
		s.Test.Patch(path+"/"+still, `{"name": "available", "body": "The {boat} is available."}`, 200, &changed)
		assert.Equal(t, changed.Version, 2)
		s.Test.Delete(path+"/"+still, 204)
		var rest page.Page[templates.MessageSnippet]
		s.Test.Get(path, 200, &rest)
		assert.Len(t, rest.Data, 1)
		for i := range 99 {
			created(s, path, fmt.Sprintf(`{"name": "s%d", "body": "x"}`, i))
		}
		s.Test.Post(path, `{"name": "last", "body": "x"}`, 409, nil)
	})
}
