package clients

import (
	"context"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// A proposal of an assistant runs after a person has approved it in the console.
func TestApproval(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := overHTTP(t, s, s.Key(auth.HullsRead, auth.HullsWrite), "")
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 138900})
		out := a.call("propose_change", map[string]any{"change": "price", "hull_id": hull, "price_usd": 131600, "reason": "Similar boats are cheaper."})
		assert.Equal(t, out["status"], any("pending"))
		assert.Contains(t, out["approve_at"].(string), "/console/test/approvals/prp_")

		id := out["proposal_id"].(string)
		s.Test.Post("/v2-preview/proposals/"+id+"/approve", nil, 403, nil) // programs can't
		b := s.Browser()
		b.SignIn(b.Open("/oauth/sign-in"), s.Person("manager").Email, testkit.Password, "")
		b.Header.Set("Slipway-Mode", "test")
		b.Header.Set("Sec-Fetch-Site", "same-origin")
		v := b.Send("POST", "/console/api/v2-preview/proposals/"+id+"/approve", "")
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, a.call("get_boat", map[string]any{"boat": hull})["boat"].(map[string]any)["price"], any("$131,600, was $138,900"))
	})
}

// A client that can open pages is asked to open the one where a person decides. The result is
// the same, and there is one proposal.
func TestOpenApproval(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		key := s.Key(auth.HullsRead, auth.HullsWrite)
		canOpen := &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{URL: &sdk.URLElicitationCapabilities{}}}
		canFill := &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}}
		for _, c := range []struct {
			transport, version, action string
			can                        *sdk.ClientCapabilities
			asked                      bool
		}{
			{"stdio", "2025-11-25", "accept", canOpen, true},
			{"stdio", "2026-07-28", "decline", canOpen, true},
			{"stdio", "2026-07-28", "accept", canFill, false},
			{"http", "2026-07-28", "cancel", canOpen, true},
			{"http", "2025-11-25", "accept", canOpen, false}, // the server keeps nothing, so it can't ask
		} {
			var asked []*sdk.ElicitParams
			transport := httpTransport(s, key)
			if c.transport == "stdio" {
				transport = stdioTransport(t, s, key, true)
			}
			a := connect(t, transport, c.version, &sdk.ClientOptions{
				Capabilities: c.can, ElicitationHandler: func(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = append(asked, req.Params)
					return &sdk.ElicitResult{Action: c.action}, nil
				},
			})
			for tool, args := range map[string]map[string]any{
				"propose_change": {"change": "archive", "hull_id": hull, "reason": "Sold elsewhere."},
				"call_operation": {"operation_id": "archiveHull", "path": map[string]any{"hull_id": hull}, "reason": "Sold elsewhere."},
			} {
				asked = nil
				before := testkit.Rows[int](s, `SELECT COUNT(*) FROM proposals`)[0]
				out := a.call(tool, args)
				if tool == "call_operation" {
					out = out["proposal"].(map[string]any)
				}
				assert.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM proposals`)[0], before+1, c.transport, c.version, tool)
				assert.Equal(t, out["status"], any("pending"), c.transport, c.version, tool)
				if !c.asked {
					assert.Len(t, asked, 0, c.transport, c.version, tool)
					continue
				}
				assert.Len(t, asked, 1, c.transport, c.version, tool)
				assert.Equal(t, any(asked[0].URL), out["approve_at"])
				assert.Equal(t, any(asked[0].ElicitationID), out["proposal_id"])
				assert.Contains(t, asked[0].Message, "Approve or decline in the console: Archive")
			}
		}
	})
}
