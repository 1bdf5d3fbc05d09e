package clients

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

const allScopes = "hulls:read hulls:write leads:read leads:write deals:read deals:write webhooks admin"

var (
	readers = []string{
		"call_operation", "describe_operation", "diagnose", "find_boats", "find_operation", "find_people", "get_boat", "get_deal", "get_lead",
		"list_deals", "list_leads", "quote_payment", "report", "what_happened",
	}
	writers = []string{"propose_change", "propose_message", "update_lead"}
)

// Both transports and all supported versions of the protocol list and call the same tools.
func TestTransports(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-1003"})
		key := s.Key(scopes(allScopes)...)
		for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			for name, a := range map[string]assistant{"http": overHTTP(t, s, key, version), "stdio": overStdio(t, s, key, true, version)} {
				assert.Equal(t, a.tools(), sorted(readers, writers), name, version)
				assert.Equal(t, a.InitializeResult().ProtocolVersion, version, name)
				found := rows(a.call("find_boats", map[string]any{"q": "GW-1003"}))
				assert.Equal(t, len(found), 1, name, version)
				assert.Equal(t, found[0]["id"], any(hull), name, version)
			}
		}
	})
}

func sorted(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return all
}

// A credential sees the tools that it can use. The rest is as the API would answer.
func TestListedTools(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		operations := []string{"call_operation", "describe_operation", "find_operation"}
		for held, want := range map[string][]string{
			"hulls:read":             {"find_boats", "get_boat", "report", "what_happened"},
			"leads:read":             {"find_people", "get_lead", "list_leads", "report", "what_happened"},
			"deals:read":             {"get_deal", "list_deals", "quote_payment", "report", "what_happened"},
			"webhooks":               {"diagnose"},
			"hulls:write":            {"propose_change"},
			"leads:read leads:write": {"find_people", "get_lead", "list_leads", "propose_change", "propose_message", "report", "update_lead", "what_happened"},
		} {
			key := s.Key(scopes(held)...)
			assert.Equal(t, overHTTP(t, s, key, "").tools(), sorted(want, operations), held)
			readOnly := slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(writers, name) })
			assert.Equal(t, overStdio(t, s, key, false, "").tools(), sorted(readOnly, operations), held, "without --write")
		}
	})
}

// tools/list is part of each conversation.
func TestListIsSmall(t *testing.T) {
	s := testkit.OnSQLite(t)
	found, err := overHTTP(t, s, s.Key(scopes(allScopes)...), "").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("tools/list has %d bytes", len(encoded))
	assert.Equal(t, len(encoded)/4 < 4000, true, "tokens:", fmt.Sprint(len(encoded)/4))
	for _, tool := range found.Tools {
		writes := slices.Contains(writers, tool.Name) || tool.Name == "call_operation"
		assert.Equal(t, tool.Annotations.ReadOnlyHint, !writes, tool.Name)
	}
}

func TestReadTools(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := overHTTP(t, s, s.Key(scopes(allScopes)...), "")
		location := s.Test.Location()
		hull := s.Test.Hull(location, map[string]any{"stock_number": "GW-1003", "make": "Grady-White", "model": "Freedom 235", "year": 2022, "price_usd": 138900})
		s.Test.Put("/v1/hulls/"+hull+"/pricing", map[string]any{"price_usd": 131600}, 200, nil)
		lead := s.Test.Lead(map[string]any{"hull_id": hull, "message": "Is it available?"})
		deal := s.Test.Deal(nil)

		boat := a.call("get_boat", map[string]any{"boat": "gw-1003", "include": []string{"specs", "pricing", "listings", "history"}})
		row := boat["boat"].(map[string]any)
		assert.Equal(t, row["title"].(map[string]any)["untrusted_text"], any("2022 Grady-White Freedom 235"))
		assert.Equal(t, row["price"], any("$131,600, was $138,900"))
		assert.Equal(t, len(boat["included"].(map[string]any)), 4)

		assert.Equal(t, rows(a.call("list_leads", map[string]any{"view": "unanswered"}))[0]["id"], any(lead))
		found := a.call("get_lead", map[string]any{"lead_id": lead})
		assert.Contains(t, fmt.Sprint(found["form"]), "Is it available?")
		contact := found["contact"].(map[string]any)["id"]
		name := found["contact"].(map[string]any)["name"].(map[string]any)["untrusted_text"]
		a.call("update_lead", map[string]any{"lead_id": lead, "status": "contacted", "note": "Called."})
		found = a.call("get_lead", map[string]any{"lead_id": lead})
		assert.Equal(t, found["lead"].(map[string]any)["status"], any("contacted"))
		assert.Contains(t, fmt.Sprint(found["notes"]), "Called.")
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", `{"channel":"email","from":"ann@example.com","body":"Hello"}`, 201, nil)
		message := a.call("get_lead", map[string]any{"lead_id": lead})["messages"].([]any)[0].(map[string]any)
		assert.Equal(t, message["sender_verified"], any(false))
		people := rows(a.call("find_people", map[string]any{"q": name}))
		assert.Equal(t, slices.ContainsFunc(people, func(p map[string]any) bool { return p["id"] == contact }), true, fmt.Sprint(people))

		view := a.call("get_deal", map[string]any{"deal": deal})
		assert.Equal(t, len(view["next"].([]any)) > 0, true, fmt.Sprint(view))
		number := fmt.Sprint(view["deal"].(map[string]any)["number"])
		assert.Equal(t, a.call("get_deal", map[string]any{"deal": number})["deal"].(map[string]any)["id"], any(deal))
		assert.Equal(t, len(rows(a.call("list_deals", map[string]any{"status_category": "open"}))), 1)
		quote := a.call("quote_payment", map[string]any{"price_usd": 100000, "apr_percent": "7.49", "terms": []int{120, 240}})
		assert.Equal(t, len(quote["terms"].([]any)), 2)

		defer s.RunRelay()()
		s.WaitForRelay()
		assert.Equal(t, len(rows(a.call("what_happened", map[string]any{"object_id": lead}))) > 0, true)
		for _, name := range []string{"inventory", "pipeline", "leads", "responses"} {
			a.call("report", map[string]any{"report": name})
		}
		request := s.Test.LoggedRequest()
		assert.Contains(t, fmt.Sprint(a.call("diagnose", map[string]any{"id": request})), request)
	})
}

// Operations that no other tool covers can be found, described and read.
func TestOperations(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := overHTTP(t, s, s.Key(scopes(allScopes)...), "")
		s.Test.Location()
		found := rows(a.call("find_operation", map[string]any{"q": "list locations"}))
		assert.Equal(t, found[0]["operation_id"], any("listLocations"))
		assert.Contains(t, fmt.Sprint(a.call("describe_operation", map[string]any{"operation_id": "updateHull"})), "stock_number")
		out := a.call("call_operation", map[string]any{"operation_id": "listLocations", "query": map[string]any{"limit": "5"}})
		assert.Contains(t, fmt.Sprint(out), "untrusted_text")

		for _, id := range []string{
			"logLeadConsent", "listApiKeys", "createApiKey", "listUsers", "provisionUser", "listRoles", "rotateWebhookSecret", "createWebhook", "eraseContact",
			"mergeContact", "signDocument", "recordPayment", "refundPayment", "exportContact", "streamEvents", "approveProposal",
			"nothing",
		} {
			res := a.try("call_operation", map[string]any{"operation_id": id})
			assert.Equal(t, res.IsError, true, id)
			assert.Contains(t, textOf(res), "no operation", id)
			for _, row := range rows(a.call("find_operation", map[string]any{"q": id})) {
				assert.Equal(t, row["operation_id"] != any(id), true, id)
			}
		}
		reader := overHTTP(t, s, s.Key(scopes("hulls:read")...), "")
		assert.Contains(t, textOf(reader.try("call_operation", map[string]any{"operation_id": "listLeads"})), "leads:read")
		assert.Contains(t, textOf(reader.try("call_operation", map[string]any{"operation_id": "archiveHull"})), "hulls:write")
	})
}

// Errors are those of the API, marked so that a model can correct itself.
func TestErrors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := overHTTP(t, s, s.Key(scopes(allScopes)...), "")
		other := s.Other.Lead(nil)
		live := s.Live.Lead(nil)
		for _, id := range []string{other, live, "lead_nothing"} {
			res := a.try("get_lead", map[string]any{"lead_id": id})
			assert.Equal(t, res.IsError, true, id)
			assert.Contains(t, textOf(res), "not found", id)
			assert.Contains(t, textOf(res), "request req_", id)
		}
		res := a.try("quote_payment", map[string]any{"price_usd": 1000, "apr_percent": "many", "terms": []int{12}})
		assert.Contains(t, textOf(res), "apr_percent")
		assert.Equal(t, a.try("find_boats", map[string]any{"status": "lost"}).IsError, true, "an argument that the schema rejects")
		assert.Equal(t, a.try("find_boats", map[string]any{"paint": "red"}).IsError, true, "an unknown argument")
		_, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop_tables"})
		assert.Equal(t, err != nil, true, "an unknown tool")
	})
}

// The requests of tools count against the rate limit of the credential.
func TestRateLimit(t *testing.T) {
	s := testkit.OnSQLite(t)
	a := overHTTP(t, s.NodeWith(func(set *app.Settings) { set.TestRate = 1 }), s.Key(scopes(allScopes)...), "")
	for range 50 {
		if res := a.try("find_boats", map[string]any{}); res.IsError {
			assert.Contains(t, textOf(res), "(rate_limited, request req_")
			return
		}
	}
	t.Error("50 calls succeeded, want a limit of one request per second")
}

// Results are cut at 20 KB and 50 rows, and say how to narrow the request.
func TestLargeResults(t *testing.T) {
	s := testkit.OnSQLite(t)
	a := overHTTP(t, s, s.Key(scopes(allScopes)...), "")
	location := s.Test.Location()
	for i := range 60 {
		s.Test.Hull(location, map[string]any{"stock_number": fmt.Sprint("S-", i), "model": strings.Repeat("Long ", 15) + fmt.Sprint(i)})
	}
	lead := s.Test.Lead(nil)
	for range 25 {
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": strings.Repeat("é <b>", 300)}, 201, nil)
	}
	out := a.call("find_boats", map[string]any{"limit": 50})
	assert.Equal(t, out["more"], any(true))
	assert.Contains(t, fmt.Sprint(out["narrow"]), "Add q")
	assert.Equal(t, len(rows(out)) > 10, true, len(rows(out)))
	out = a.call("get_lead", map[string]any{"lead_id": lead})
	assert.Equal(t, out["more"], any(true))
	assert.Equal(t, len(out["messages"].([]any)) > 0, true)
	a.call("call_operation", map[string]any{"operation_id": "listHulls", "query": map[string]any{"limit": "100"}})
}
