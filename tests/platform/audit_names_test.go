package platform

import (
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/preview"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The names of objects, and the state of the log that mentions them.
func TestNamesAndChain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		deal := s.Test.Deal(nil)
		var names preview.Names
		s.Test.Get("/v2-preview/names?ids="+hull+","+deal+",hull_unknown,evt_x", 200, &names)
		assert.Len(t, names.Data, 2)
		assert.Equal(t, names.Data[0].Name, "2024 Grady-White Freedom 235")

		var role, key, document struct{ ID string }
		s.Test.Post("/v1/roles", map[string]any{"name": "Dock", "scopes": []string{"hulls:read"}}, 201, &role)
		s.Test.Post("/v1/api_keys", map[string]any{"name": "Website", "scopes": []string{"hulls:read"}}, 201, &key)
		s.Test.Post("/v1/deals/"+s.Test.Deal(nil)+"/documents", map[string]any{"kind": "buyers_order"}, 201, &document)
		s.Test.Get("/v2-preview/names?ids="+role.ID+","+key.ID+","+document.ID+",role_unknown", 200, &names)
		assert.Len(t, names.Data, 3)
		assert.Equal(t, names.Data[0].Name, "Dock")
		assert.Equal(t, names.Data[1].Name, "Website")
		assert.Equal(t, names.Data[2].Name, "buyers order 1001")

		var chain dealership.AuditChain
		s.Test.Get("/v2-preview/audit_chain", 200, &chain)
		assert.Equal(t, string(chain.State), "intact")
		s.Test.Post("/v2-preview/audit_chain/check", nil, 200, &chain)
		assert.Equal(t, string(chain.State), "intact")
		assert.Equal(t, chain.Complete, true)
	})
}
