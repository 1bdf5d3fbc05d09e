package crm

import (
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/views"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// People see their own views and the shared ones of the lists that they can see. Only the owner of a view and managers change a shared one.
func TestViews(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const path = "/v2-preview/views"
		sales, finance, manager := s.Person("sales"), s.Person("finance"), s.Person("manager")
		names := func(p *testkit.Person, query string) (all []string) {
			var found page.Page[views.SavedView]
			p.Get(path+query, 200, &found)
			for _, v := range found.Data {
				all = append(all, v.Name)
			}
			return all
		}
		var mine, shared views.SavedView
		sales.Post(path, `{"screen": "leads", "name": "My hot ones", "query": "owner=me&status=working"}`, 201, &mine)
		sales.Post(path, `{"screen": "boats", "name": "Over 90 days", "query": "status=available&sort=-age", "columns": ["Boat", "Price"], "shared": true}`, 201, &shared)
		assert.Equal(t, mine.OwnerID, sales.ID)
		assert.Equal(t, mine.CanChange, true)
		assert.Equal(t, shared.Columns, []string{"Boat", "Price"})

		assert.Equal(t, names(sales, ""), []string{"Over 90 days", "My hot ones"})
		assert.Equal(t, names(sales, "?screen=leads"), []string{"My hot ones"})
		assert.Equal(t, names(finance, ""), []string{"Over 90 days"})

		// Others don't learn of a view that isn't shared. They see a shared one and can't change it.
		finance.Patch(path+"/"+mine.ID, `{"name": "x"}`, 404, nil)
		manager.Delete(path+"/"+mine.ID, 404)
		finance.Patch(path+"/"+shared.ID, `{"name": "x"}`, 403, nil)
		finance.Delete(path+"/"+shared.ID, 403)
		manager.Patch(path+"/"+shared.ID, `{"name": "Old stock", "shared": true}`, 200, &shared)
		assert.Equal(t, shared.Name, "Old stock")
		sales.Patch(path+"/"+shared.ID, `{"shared": false}`, 200, nil)
		assert.Len(t, names(finance, ""), 0)
		sales.Delete(path+"/"+shared.ID, 204)

		for body, want := range map[string][2]string{
			`{"screen": "boats", "name": " ", "query": ""}`:                  {"name", "too_short"},
			`{"screen": "boats", "name": "x", "query": "a=%zz"}`:             {"query", "format"},
			`{"screen": "roles", "name": "x", "query": ""}`:                  {"screen", "enum"},
			`{"screen": "leads", "name": "x", "query": "q=ann+bell"}`:        {"query", "format"},
			`{"screen": "boats", "name": "x", "query": "", "columns": [""]}`: {"columns", "too_long"},
		} {
			sales.Post(path, body, 422, nil).WantDetail(t, want[0], want[1])
		}
		key := s.As(s.Key(auth.HullsRead))
		key.Post(path, `{"screen": "deals", "name": "x", "query": ""}`, 403, nil)
		key.Post(path, `{"screen": "boats", "name": "x", "query": ""}`, 201, nil)
		for range 99 {
			key.Post(path, `{"screen": "boats", "name": "x", "query": ""}`, 201, nil)
		}
		key.Post(path, `{"screen": "boats", "name": "x", "query": ""}`, 409, nil)
	})
}
