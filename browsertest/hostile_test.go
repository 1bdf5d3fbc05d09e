package browsertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// hostile is text that breaks pages which are not careful: markup, code, letters that run
// backward, emoji, and a word without spaces.
var hostile = `<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script>` + "\u202e" +
	`javascript:window.hacked=3 👩‍👩‍👧🏴‍☠️` + strings.Repeat("W", 2_000)

// schema is a part of the OpenAPI document.
type schema struct {
	Ref             string `json:"$ref"`
	Type            any
	Properties      map[string]schema
	Items           *schema
	Enum            []any
	Format, Pattern string
	MaxLength       int
}

type document struct {
	Paths map[string]map[string]struct {
		RequestBody struct {
			Content map[string]struct{ Schema schema }
		}
	}
	Components struct{ Schemas map[string]schema }
}

// writer sends hostile text in each field that takes text.
type writer struct {
	t   *testing.T
	c   *testkit.Client
	doc document
}

func newWriter(t *testing.T, c *testkit.Client) *writer {
	t.Helper()
	w := &writer{t: t, c: c}
	text, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &w.doc); err != nil {
		t.Fatal(err)
	}
	return w
}

// value returns a hostile value, or nil if the field takes something else than text.
func (w *writer) value(s schema) any {
	if s.Ref != "" {
		s = w.doc.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	switch kinds := fmt.Sprint(s.Type); {
	case strings.Contains(kinds, "string") && s.Enum == nil && s.Format == "" && s.Pattern == "":
		if letters := []rune(hostile); s.MaxLength > 0 && s.MaxLength < len(letters) {
			return string(letters[:s.MaxLength])
		}
		return hostile
	case strings.Contains(kinds, "object") && len(s.Properties) > 0:
		all := map[string]any{}
		for name, property := range s.Properties {
			if v := w.value(property); v != nil && !strings.HasSuffix(name, "_id") {
				all[name] = v
			}
		}
		if len(all) > 0 {
			return all
		}
	case strings.Contains(kinds, "array") && s.Items != nil:
		if v := w.value(*s.Items); v != nil {
			return []any{v}
		}
	}
	return nil
}

// send adds hostile text to a body and sends it. It leaves out the fields that the API
// rejects, because they are not text. It returns the ID in the response.
func (w *writer) send(method, path, pattern string, body map[string]any) (id string) {
	w.t.Helper()
	s := w.doc.Paths[pattern][strings.ToLower(method)].RequestBody.Content["application/json"].Schema
	filled, ok := w.value(s).(map[string]any)
	if !ok {
		w.t.Fatalf("%s %s has no text fields", method, pattern)
	}
	for name, v := range body {
		if filled[name] = v; v == nil {
			delete(filled, name)
		}
	}
	for {
		res, err := w.c.Send(method, path, filled)
		if err != nil {
			w.t.Fatal(err)
		}
		if res.StatusCode < 300 {
			var created struct{ ID string }
			_ = json.Unmarshal(res.Bytes, &created) // some responses have no ID
			return created.ID
		}
		before := len(filled)
		for _, d := range res.Fault(w.t).Details {
			name, _, _ := strings.Cut(strings.ReplaceAll(d.Field, "[", "."), ".")
			if _, given := body[name]; !given {
				delete(filled, name)
			}
		}
		if len(filled) == before || res.StatusCode != http.StatusUnprocessableEntity && res.StatusCode != http.StatusBadRequest {
			w.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, res.Bytes)
		}
	}
}

func (w *writer) post(path, pattern string, body map[string]any) string {
	w.t.Helper()
	return w.send(http.MethodPost, path, pattern, body)
}

// Hostile text in each field of each noun is only text, on each screen, and doesn't break
// the layout.
func TestHostileText(t *testing.T) {
	t.Parallel()
	s := working(t, testkit.OnSQLite(t))
	w := newWriter(t, s.Test)
	location := w.post("/v1/locations", "/v1/locations", map[string]any{"timezone": "America/New_York"})
	boat := testkit.HullBody(location, nil)
	delete(boat, "make")
	delete(boat, "model")
	hull := w.post("/v1/hulls", "/v1/hulls", boat)
	w.send(http.MethodPut, "/v1/hulls/"+hull+"/specs", "/v1/hulls/{hull_id}/specs", nil)
	contact := w.post("/v1/contacts", "/v1/contacts", map[string]any{"email": "ann@example.com", "phone": "(410) 555-0123"})
	lead := w.post("/v1/leads", "/v1/leads", map[string]any{"contact_id": contact, "hull_id": hull, "contact": nil})
	leads := "/v1/leads/" + lead
	w.post(leads+"/consents", "/v1/leads/{lead_id}/consents", map[string]any{"channels": []string{"sms", "email"}, "scope": "all", "basis": "express_written"})
	w.post(leads+"/inbound_messages", "/v1/leads/{lead_id}/inbound_messages", map[string]any{"channel": "sms", "from": phoneOf(s, contact)})
	s.Test.Post(leads+"/messages", map[string]any{"channel": "email", "purpose": "transactional", "subject": hostile[:180], "body": hostile}, 202, nil)
	deal := w.post("/v1/deals", "/v1/deals", map[string]any{"hull_id": hull, "buyer_id": contact, "offer_usd": 118000})
	deals := "/v1/deals/" + deal
	s.Test.Post("/v2-preview/activities", map[string]any{"kind": "note", "object_id": deal, "body": hostile}, 201, nil)
	w.post(deals+"/trade_ins", "/v1/deals/{deal_id}/trade_ins", map[string]any{"allowance_cents": 100000})
	s.Test.Post(deals+"/offers/"+s.Test.OpeningOffer(deal)+"/accept", nil, 200, nil)
	w.post(deals+"/payments", "/v1/deals/{deal_id}/payments", map[string]any{"kind": "deposit", "method": "card", "amount_cents": 500000})
	document := w.post(deals+"/documents", "/v1/deals/{deal_id}/documents", map[string]any{"kind": "insurance_binder", "required_signers": []string{"dealer"}})
	w.post("/v1/channels", "/v1/channels", nil)
	w.post("/v1/webhooks", "/v1/webhooks", map[string]any{"url": s.URL + "/healthz", "events": []string{"*"}})
	w.post("/v1/api_keys", "/v1/api_keys", map[string]any{"scopes": []string{"hulls:read"}})
	w.post("/v1/roles", "/v1/roles", map[string]any{"scopes": []string{"hulls:read"}})
	w.post("/v1/users", "/v1/users", map[string]any{"email": "uma@example.com"})
	w.post("/v1/apps", "/v1/apps", map[string]any{"name": "<img src=x>", "redirect_uris": []string{"https://app.example.com/callback"}, "scopes": []string{"hulls:read"}})
	w.send(http.MethodPatch, "/v1/dealership", "/v1/dealership", nil)

	b := ownerAt(t, s, "today")
	paths := []string{"today", "boats", "boats?peek=" + hull, "boats/import", "leads/" + lead, "contacts", "contacts/" + contact, "contacts?peek=" + contact,
		"deals", "deals?view=table", "deals/" + deal, "deals/new", "documents", "documents?document=" + document,
		"reports/inventory", "reports/pipeline", "reports/leads", "reports/responses", "developers/keys", "developers/webhooks", "developers/events",
		"developers/requests", "developers/audit"}
	for _, tab := range []string{"", "/specs", "/pricing", "/photos", "/listings", "/activity", "?edit=yes"} {
		paths = append(paths, "boats/"+hull+tab)
	}
	for _, section := range []string{"dealership", "locations", "people", "roles", "channels", "sso", "apps", "profile"} {
		paths = append(paths, "settings/"+section)
	}
	plain := []string{"deals/new", "boats/import", "developers/requests", "settings/sso", "settings/profile"} // without text of others
	for _, path := range paths {
		b.show(desk)
		b.open(path, "")
		if !slices.Contains(plain, path) {
			b.until(`document.body.innerText.includes("<img src=x") || [...document.querySelectorAll("input, textarea")].some((e) => e.value.includes("<img src=x"))`,
				path+" with the text")
		}
		for _, l := range []look{desk, phone} {
			b.show(l)
			b.wantFits(path)
		}
		b.screenshot("hostile-" + strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path))
		assert.Equal(t, evaluate[int](b, `document.querySelectorAll("img[src=x], body script, [onerror]").length`), 0, path)
		assert.Equal(t, evaluate[bool](b, `"hacked" in window`), false, path)
	}
}
