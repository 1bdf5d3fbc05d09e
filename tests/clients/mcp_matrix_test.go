package clients

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"slipway/internal/mcp"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// objects are what one environment has. Its name is in the texts of all of them.
type objects struct {
	name                                                           string
	location, hull, contact, lead, deal, channel, webhook, request string
	event                                                          string
}

func newObjects(s *testkit.Server, c *testkit.Client, name string) (o objects) {
	o.name, o.location, o.channel, o.request = name, c.Location(), c.Channel(map[string]any{"name": name}), c.LoggedRequest()
	o.hull = c.Hull(o.location, map[string]any{"model": name, "title": name, "received_on": "2026-01-15"})
	o.contact = c.Contact(map[string]any{"last_name": name})
	o.lead = c.Lead(map[string]any{"contact_id": o.contact, "hull_id": o.hull, "message": name})
	o.deal = c.Deal(map[string]any{"hull_id": o.hull, "buyer_id": o.contact})
	var created struct{ ID string }
	c.Post("/v1/webhooks", map[string]any{"url": "https://hooks.example.com/" + name, "events": []string{"contact.erased"}, "description": name}, 201, &created)
	o.webhook = created.ID
	s.WaitForRelay()
	var found struct{ Data []struct{ ID string } }
	c.Get("/v1/events?object_id="+o.hull, 200, &found)
	o.event = found.Data[0].ID
	return o
}

// knownBy are texts that show that something of the environment was found.
func (o objects) knownBy() []string {
	return []string{o.name, o.location, o.hull, o.contact, o.lead, o.deal, o.channel, o.webhook, o.event}
}

// trial is a call of a tool, and a request that the API answers in the same way.
type trial struct {
	args         map[string]any
	method, path string // empty if the tool only describes the API
	body         any
}

func reading(args map[string]any, path string) trial { return trial{args, http.MethodGet, path, nil} }

func proposing(args map[string]any, operation string, path, body map[string]any) trial {
	in := map[string]any{"operation_id": operation, "path": path, "reason": "Because."}
	if body != nil {
		in["body"] = body
	}
	args["reason"] = "Because."
	return trial{args, http.MethodPost, "/v2-preview/proposals", in}
}

// recipes are trials of each tool. A tool without a recipe fails the test. The scopes are
// alternatives: one of them is enough. Without scopes, each credential is.
var recipes = map[string]struct {
	scopes string
	trials func(o objects) []trial
}{
	"find_boats": {"hulls:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"q": o.name}, "/v1/hulls?q="+o.name)}
	}},
	"get_boat": {"hulls:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"boat": o.hull, "include": []string{"specs", "pricing", "listings", "history"}}, "/v1/hulls/"+o.hull)}
	}},
	"find_people": {"leads:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"q": o.name}, "/v1/contacts?q="+o.name)}
	}},
	"list_leads": {"leads:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"q": o.name}, "/v2-preview/leads?q="+o.name)}
	}},
	"get_lead": {"leads:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"lead_id": o.lead}, "/v2-preview/leads/"+o.lead)}
	}},
	"update_lead": {"leads:write", func(o objects) []trial {
		person := map[string]any{"last_name": "Newcomer", "email": "new@example.com"}
		return []trial{
			{map[string]any{"lead_id": o.lead, "status": "contacted"}, http.MethodPatch, "/v1/leads/" + o.lead, map[string]any{"status": "contacted"}},
			{
				map[string]any{"lead_id": o.lead, "note": "Called."}, http.MethodPost, "/v2-preview/activities",
				map[string]any{"kind": "note", "object_id": o.lead, "body": "Called."},
			},
			{
				map[string]any{"create": map[string]any{"last_name": "Newcomer", "email": "new@example.com", "hull_id": o.hull}}, http.MethodPost, "/v1/leads",
				map[string]any{"contact": person, "hull_id": o.hull, "source": "other"},
			},
		}
	}},
	"list_deals": {"deals:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"hull_id": o.hull}, "/v2-preview/deals?hull_id="+o.hull)}
	}},
	"get_deal": {"deals:read", func(o objects) []trial {
		return []trial{reading(map[string]any{"deal": o.deal}, "/v2-preview/deals/"+o.deal)}
	}},
	"quote_payment": {"deals:read", func(o objects) []trial {
		args := map[string]any{"deal_id": o.deal, "apr_percent": "7.49", "terms": []int{120}}
		return []trial{{args, http.MethodPost, "/v2-preview/finance_quotes", args}}
	}},
	"what_happened": {"hulls:read leads:read deals:read", func(o objects) (all []trial) {
		for _, id := range []string{o.hull, o.lead, o.deal} {
			all = append(all, reading(map[string]any{"object_id": id}, "/v2-preview/timeline?object_id="+id))
		}
		return append(all, reading(map[string]any{}, "/v2-preview/timeline"))
	}},
	"report": {"hulls:read leads:read deals:read", func(o objects) (all []trial) {
		for _, name := range []string{"inventory", "pipeline", "leads", "responses"} {
			all = append(all, reading(map[string]any{"report": name, "location_id": o.location}, "/v2-preview/reports/"+name+"?location_id="+o.location))
		}
		return all
	}},
	"diagnose": {"webhooks admin", func(o objects) []trial {
		return []trial{
			reading(map[string]any{"id": o.request}, "/v2-preview/request_logs/"+o.request),
			reading(map[string]any{"id": o.webhook}, "/v1/webhooks/"+o.webhook),
			reading(map[string]any{"id": o.event}, "/v1/events/"+o.event),
		}
	}},
	"propose_message": {"leads:write", func(o objects) []trial {
		args := map[string]any{"lead_id": o.lead, "channel": "email", "subject": "Your boat", "body": "It is here."}
		body := map[string]any{"channel": "email", "purpose": "transactional", "subject": "Your boat", "body": "It is here."}
		return []trial{proposing(args, "sendLeadMessage", map[string]any{"lead_id": o.lead}, body)}
	}},
	"propose_change": {"hulls:write leads:write deals:write", func(o objects) []trial {
		onHull, onChannel := map[string]any{"hull_id": o.hull}, map[string]any{"hull_id": o.hull, "channel_id": o.channel}
		change := func(name string, more ...any) map[string]any {
			args := map[string]any{"change": name}
			for i := 0; i < len(more); i += 2 {
				args[more[i].(string)] = more[i+1]
			}
			return args
		}
		until := "2099-12-24T12:00:00Z"
		return []trial{
			proposing(change("archive", "hull_id", o.hull), "archiveHull", onHull, map[string]any{"reason": "Because."}),
			proposing(change("hold", "hull_id", o.hull, "until", until), "transitionHull", onHull,
				map[string]any{"to": "on_hold", "expires_at": until, "reason": "Because."}),
			proposing(change("list", "hull_id", o.hull, "channel_id", o.channel), "publishHull", onChannel, nil),
			proposing(change("unlist", "hull_id", o.hull, "channel_id", o.channel), "withdrawHull", onChannel, nil),
			proposing(change("offer", "deal_id", o.deal, "amount_usd", 110000), "makeOffer", map[string]any{"deal_id": o.deal},
				map[string]any{"amount_usd": 110000, "made_by": "dealer"}),
			// The tool keeps the rest of the pricing, so it also reads it.
			{change("price", "hull_id", o.hull, "price_usd", 120000, "reason", "Because."), http.MethodGet, "/v1/hulls/" + o.hull + "/pricing", nil},
		}
	}},
	"find_operation": {"", func(objects) []trial { return []trial{{args: map[string]any{"q": "list appointments"}}} }},
	"describe_operation": {"", func(objects) []trial {
		return []trial{
			reading(map[string]any{"operation_id": "listHulls"}, "/v1/hulls"),
			reading(map[string]any{"operation_id": "listLeads"}, "/v1/leads"),
			reading(map[string]any{"operation_id": "listWebhooks"}, "/v1/webhooks"),
		}
	}},
	"call_operation": {"", func(o objects) []trial {
		archive := map[string]any{"operation_id": "archiveHull", "path": map[string]any{"hull_id": o.hull}}
		return []trial{
			reading(map[string]any{"operation_id": "getContact", "path": map[string]any{"contact_id": o.contact}}, "/v1/contacts/"+o.contact),
			reading(map[string]any{"operation_id": "listHulls", "query": map[string]any{"q": o.name}}, "/v1/hulls?q="+o.name),
			reading(map[string]any{"operation_id": "getLocation", "path": map[string]any{"location_id": o.location}}, "/v1/locations/"+o.location),
			proposing(archive, "archiveHull", map[string]any{"hull_id": o.hull}, nil),
		}
	}},
}

// scopeSets are what the callers of the matrix hold, besides each single scope.
var scopeSets = []string{
	"hulls:read leads:read deals:read", "hulls:read hulls:write", "leads:read leads:write", "deals:read deals:write", allScopes,
}

// Each tool is listed, rejected, or answers as the API would: for each set of scopes, in both
// modes, and for objects of the own environment, the other mode and another dealership.
func TestMatrix(t *testing.T) {
	for name := range recipes {
		assert.Equal(t, slices.Contains(mcp.ToolNames(), name), true, "a tool of the recipe", name)
	}
	sets := slices.Clone(scopeSets)
	for _, s := range auth.Scopes {
		sets = append(sets, string(s.Scope))
	}
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		defer s.RunRelay()()
		inTest, inLive, inOther := newObjects(s, s.Test, "Kestrel"), newObjects(s, s.Live, "Osprey"), newObjects(s, s.Other, "Heron")
		tokens, sets := liveTokens(t, s), sets
		if !s.DB.SQLite() {
			sets = []string{allScopes} // scopes don't depend on the database, but what is found does
		}
		for _, held := range sets {
			key := s.Key(scopes(held)...)
			column{s, held, key, s.As(key), overHTTP(t, s, key, ""), inTest, []objects{inLive, inOther}}.check(t)
			token := tokens(held)
			column{s, held, token, s.As(liveKey(s, held)), overHTTP(t, s, token, ""), inLive, []objects{inTest, inOther}}.check(t)
		}
	})
}

// liveKey issues an API key for live.
func liveKey(s *testkit.Server, held string) string {
	body := map[string]any{"name": "Matrix", "scopes": strings.Fields(held)}
	if strings.Contains(held, "admin") {
		body["mfa_token"] = s.Live.Proof()
	}
	var created struct{ Key string }
	s.Live.Post("/v1/api_keys", body, 201, &created)
	return created.Key
}

// liveTokens returns how the owner allows an assistant to work in live.
func liveTokens(t *testing.T, s *testkit.Server) func(scope string) string {
	t.Helper()
	c, b := newClient(t, s, nil), s.Browser()
	allowApps(s)
	s.Activate(testkit.Rows[string](s, `SELECT u.id FROM users u JOIN dealerships d ON d.env = u.env WHERE d.mode = 'live' ORDER BY u.env LIMIT 1`)[0])
	b.SignIn(b.Open("/oauth/sign-in"), s.Owner.Email, testkit.Password, s.Code(s.Owner.LiveTOTPSecret))
	return func(scope string) string {
		v := c.page(b, scope)
		assert.Equal(t, strings.Index(v.Text, "Test: sample data") < strings.Index(v.Text, "Live: your real data"), true, "test is offered first")
		return c.finish(b.Submit(v, "decision", "allow", "environment", "live", "code", s.Code(s.Owner.LiveTOTPSecret))).AccessToken
	}
}

// column is a caller of the matrix.
type column struct {
	s          *testkit.Server
	held       string
	credential string          // for /mcp
	api        *testkit.Client // with the same scopes in the same environment
	a          assistant
	own        objects
	foreign    []objects
}

func (c column) check(t *testing.T) {
	t.Helper()
	listed := c.a.tools()
	for _, name := range mcp.ToolNames() {
		recipe, ok := recipes[name]
		if !ok {
			t.Errorf("%s has no recipe; add one", name)
			continue
		}
		can := recipe.scopes == "" || slices.ContainsFunc(strings.Fields(recipe.scopes), func(one string) bool {
			return slices.Contains(strings.Fields(c.held), one)
		})
		assert.Equal(t, slices.Contains(listed, name), can, name, "listed with", c.held)
		if !can {
			res := post(t, c.s, c.credential, name)
			assert.Equal(t, res.StatusCode, 403, name, "with", c.held)
			assert.Contains(t, res.Header.Get("WWW-Authenticate"), "insufficient_scope", name)
			continue
		}
		for i, one := range recipe.trials(c.own) {
			status, answer := c.compare(t, name, one)
			if c.held == allScopes && status >= 300 {
				t.Errorf("%s(%v) of %s: got %d %s, want a result with all scopes", name, one.args, c.own.name, status, answer)
			}
			for _, o := range c.foreign {
				excludesAll(t, answer, o.knownBy(), name, one.args)
				other := recipe.trials(o)[i]
				if status == http.StatusForbidden || reflect.DeepEqual(one, other) { // the object makes no difference
					continue
				}
				status, answer := c.compare(t, name, other)
				parts := o.knownBy()
				if status >= 300 {
					parts = []string{o.name} // the error can name the ID of the call
				}
				excludesAll(t, answer, parts, name, other.args)
			}
		}
	}
}

func excludesAll(t *testing.T, answer string, parts []string, what ...any) {
	t.Helper()
	for _, part := range parts {
		assert.Excludes(t, answer, part, what...)
	}
}

// compare checks that a tool succeeds or fails like the API. It returns the status of the
// API and the answer of the tool.
func (c column) compare(t *testing.T, name string, one trial) (status int, answer string) {
	t.Helper()
	status = http.StatusOK
	var fault testkit.Fault
	if one.path != "" {
		res, err := c.api.Send(one.method, one.path, one.body)
		if err != nil {
			t.Fatal(err)
		}
		if status = res.StatusCode; status >= 300 {
			fault = res.Fault(t)
		}
	}
	res := c.a.try(name, one.args)
	answer = textOf(res)
	want := "" // in the error
	switch {
	case status == http.StatusForbidden:
		want = "scope"
	case status >= 300:
		want = "(" + fault.Code + ", request req_"
	}
	if res.IsError != (status >= 300) || !strings.Contains(answer, want) {
		t.Errorf("%s(%v) with %s: got %s; want it as %s %s, which returned %d %s", name, one.args, c.held, answer, one.method, one.path, status,
			fmt.Sprint(fault))
	}
	return status, answer
}
