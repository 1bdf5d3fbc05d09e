package identity

import (
	"slices"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// ids returns the IDs of a list, sorted.
func ids(c *testkit.Client, path string) []string {
	var list struct{ Data []struct{ ID string } }
	c.Get(path, 200, &list)
	all := []string{}
	for _, row := range list.Data {
		all = append(all, row.ID)
	}
	slices.Sort(all)
	return all
}

func sorted(all ...string) []string {
	slices.Sort(all)
	return all
}

// A salesperson of two stores sees and changes what belongs to them, and nothing of the third store.
func TestOwnLocations(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, scope := range []string{"admin", "webhooks"} {
			body := map[string]any{"name": scope, "scopes": []string{scope}, "own_locations": true, "mfa_token": s.Test.Proof()}
			s.Test.Post("/v1/roles", body, 422, nil).WantDetail(t, "own_locations", "exclusive")
		}
		east, west, north := s.Test.Location(), s.Test.Location(), s.Test.Location()
		hulls, deals, leads := map[string]string{}, map[string]string{}, map[string]string{}
		for _, at := range []string{east, west, north} {
			hulls[at] = s.Test.Hull(at, nil)
			deals[at] = s.Test.Deal(map[string]any{"hull_id": hulls[at]})
			leads[at] = s.Test.Lead(map[string]any{"hull_id": hulls[at]})
		}
		var role struct{ ID string }
		s.Test.Post("/v1/roles", map[string]any{"name": "store", "scopes": []string{"hulls:read", "leads:read", "leads:write", "deals:read", "deals:write"}}, 201, &role)
		user := s.Test.User(map[string]any{"role_ids": []string{role.ID}, "location_ids": []string{east, west}})
		s.Activate(user)
		c := s.As(s.Token(testkit.Rows[string](s, `SELECT email FROM users WHERE id = ?`, user)[0]))
		assert.Len(t, ids(c, "/v1/hulls"), 3, "before the limit")

		s.Test.Patch("/v1/roles/"+role.ID, `{"own_locations": true}`, 200, nil)
		for path, of := range map[string]map[string]string{
			"/v1/hulls": hulls, "/v2-preview/hulls?sort=price": hulls, "/v1/deals": deals, "/v1/leads": leads, "/v2-preview/leads?sort=last_activity": leads,
		} {
			assert.Equal(t, ids(c, path), sorted(of[east], of[west]), path)
			sep := "?"
			if strings.Contains(path, "?") {
				sep = "&"
			}
			assert.Equal(t, ids(c, path+sep+"location_id="+east), []string{of[east]}, path)
			c.Get(path+sep+"location_id="+north, 403, nil).WantDetail(t, "Authorization", "other_location")
			c.Get(path+sep+"location_id="+east+","+north, 403, nil)
		}
		var r struct {
			LocationID string                `json:"location_id"`
			Total      struct{ Hulls int64 } `json:"total"`
		}
		c.Get("/v2-preview/reports/inventory", 200, &r)
		assert.Equal(t, r.Total.Hulls, 2)
		assert.Equal(t, sorted(strings.Split(r.LocationID, ",")...), sorted(east, west))
		var found struct{ Hulls, Deals, Leads []struct{ ID string } }
		c.Get("/v2-preview/search?q=bell", 200, &found)
		assert.Len(t, found.Deals, 2)
		assert.Len(t, found.Leads, 2)
		c.Get("/v2-preview/search?q=freedom", 200, &found)
		assert.Len(t, found.Hulls, 2)

		c.Get("/v1/deals/"+deals[east], 200, nil)
		f := c.Get("/v1/deals/"+deals[north], 403, nil).Fault(t)
		assert.Contains(t, f.Message, deals[north])
		c.Get("/v1/deals/deal_00000000000000000000000000", 404, nil)
		c.Patch("/v1/deals/"+deals[north], `{"metadata": {"a": "b"}}`, 403, nil)
		c.Patch("/v1/deals/"+deals[west], `{"metadata": {"a": "b"}}`, 200, nil)
		c.Post("/v1/deals", s.Test.DealBody(map[string]any{"hull_id": hulls[north]}), 403, nil)
		c.Patch("/v1/leads/"+leads[east], map[string]any{"location_id": north}, 403, nil)
		c.Patch("/v1/leads/"+leads[east], map[string]any{"hull_id": hulls[north]}, 403, nil)
		c.Get("/v2-preview/timeline", 403, nil)
		c.Get("/v2-preview/timeline?object_id="+hulls[east], 200, nil)
		c.Get("/v2-preview/activities?user_id="+user, 200, nil)
		c.Get("/v2-preview/activities", 403, nil)
		lead := c.Lead(map[string]any{"contact_id": s.Test.Contact(nil)})
		assert.Contains(t, strings.Join(ids(c, "/v1/leads"), " "), lead, "an own lead")

		// A key of the command line is limited like its user.
		key := s.Key(auth.HullsRead, auth.DealsRead)
		assert.Len(t, ids(s.As(key), "/v1/hulls"), 3)
		s.Exec(`UPDATE api_keys SET user_id = ? WHERE id = (SELECT MAX(id) FROM api_keys)`, user)
		assert.Len(t, ids(s.As(key), "/v1/hulls"), 2)
		s.As(key).Get("/v1/deals/"+deals[north], 403, nil).WantDetail(t, "Authorization", "other_location")

		// Another role, or no locations: everything.
		s.Test.Put("/v1/users/"+user+"/roles", map[string]any{"role_ids": []string{role.ID, s.RoleID("viewer")}}, 200, nil)
		assert.Len(t, ids(c, "/v1/hulls"), 3, "with another role")
		s.Test.Put("/v1/users/"+user+"/roles", map[string]any{"role_ids": []string{role.ID}}, 200, nil)
		assert.Len(t, ids(c, "/v1/hulls"), 2, "with one role")
		s.Test.Patch("/v1/users/"+user, `{"location_ids": []}`, 200, nil)
		assert.Len(t, ids(c, "/v1/hulls"), 3, "at all locations")
	})
}
