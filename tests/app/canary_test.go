package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"slipway/internal/contacts"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/privacy"
)

// What the canary tests write in fields. No part of the service writes these itself.
const (
	canaryText = "Canaryquill"
	canaryCost = 13131313
	canaryRate = "1.3131"
)

// aboutBoats is the operation whose recipe has no contact: a proposal for a price.
const aboutBoats = "declineProposal"

// canary is a text in a field of a request.
type canary struct {
	operation, field string
	aboutContact     bool // not about the dealership, its boats and its employees
	sale             bool // the law requires it for a sale
}

// canaries are the texts that were sent, by their number.
type canaries struct{ all []canary }

// fill adds texts and costs to a body, in each field that can have them, and leaves out
// some fields.
func (c *canaries) fill(op *rest.Operation, body map[string]any, t reflect.Type, without []string, prefix string) {
	for _, f := range privacy.Of(t) {
		path := prefix + f.Name
		if slices.ContainsFunc(without, func(bad string) bool {
			return path == bad || strings.HasPrefix(bad, path+"[") || strings.HasPrefix(bad, path+".")
		}) {
			continue
		}
		switch {
		case f.Class == privacy.Cost && f.Type.Kind() == reflect.Int64:
			body[f.Name] = canaryCost
		case f.Class == privacy.Cost && f.Type.Kind() == reflect.String:
			body[f.Name] = canaryRate
		case f.Class == privacy.Personal && f.Text && f.Tag.Get("json") != "-":
			text := fmt.Sprintf("%s%dx", canaryText, len(c.all))
			c.all = append(c.all, canary{op.ID, path, !ofDealership(op.Out) && op.ID != aboutBoats, f.Sale})
			switch {
			case f.Type.Kind() == reflect.Map:
				body[f.Name] = map[string]any{"note": text}
			case f.List:
				body[f.Name] = []string{text}
			default:
				body[f.Name] = text
			}
		case f.Type.Kind() == reflect.Struct && f.Class != privacy.Secret:
			c.fillInside(op, body, f, without, path)
		}
	}
}

// fillInside fills an object or the first item of a list. It adds one if there is none.
func (c *canaries) fillInside(op *rest.Operation, body map[string]any, f privacy.Field, without []string, path string) {
	if body[f.Name] == nil {
		added := map[string]any{}
		if c.fill(op, added, f.Type, without, path+"."); len(added) > 0 {
			body[f.Name] = added
			if f.List {
				body[f.Name] = []any{added}
			}
		}
		return
	}
	switch inner := body[f.Name].(type) {
	case map[string]any:
		c.fill(op, inner, f.Type, without, path+".")
	case []any:
		if len(inner) > 0 {
			if first, ok := inner[0].(map[string]any); ok {
				c.fill(op, first, f.Type, without, path+"[0].")
			}
		}
	}
}

// ofDealership reports whether a type declares that its text is not about a contact.
func ofDealership(t reflect.Type) bool {
	if t = privacy.Inside(t); t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		if f.Name == "_" && f.Tag.Get("privacy") == "plain" || f.Anonymous && ofDealership(f.Type) {
			return true
		}
	}
	return false
}

// found returns the canaries in a text.
func (c *canaries) found(text string) (found []canary) {
	for i, one := range c.all {
		if strings.Contains(strings.ToLower(text), strings.ToLower(fmt.Sprintf("%s%dx", canaryText, i))) {
			found = append(found, one)
		}
	}
	return found
}

// send sends a request that fails with all canaries, and then one that succeeds, if one can:
// the fields that reject the text keep the values of the recipe.
func (c *canaries) send(t *testing.T, s *testkit.Server, op *rest.Operation, r recipe) {
	path := op.Path
	if r.params != nil {
		for name, value := range r.params(s.Live) {
			path = strings.ReplaceAll(path, "{"+name+"}", value)
		}
	}
	of, _ := op.In.FieldByName("Body")
	recipe := any(map[string]any{})
	if r.body != nil {
		recipe = r.body(s.Live)
	}
	var without []string
	for range 6 {
		body := asMap(t, recipe)
		c.fill(op, body, privacy.Inside(of.Type), without, "")
		if without == nil {
			wrong := asMap(t, body)
			wrong["no_such_field"] = canaryText + "0x"
			_, err := s.Live.Send(op.Method, path, wrong)
			assert.NoError(t, err)
		}
		res, err := s.Live.Send(op.Method, path, body)
		assert.NoError(t, err)
		if res.StatusCode < 400 {
			return
		}
		var f struct {
			Error struct{ Details []struct{ Field string } }
		}
		_ = json.Unmarshal(res.Bytes, &f)
		for _, d := range f.Error.Details {
			without = append(without, d.Field)
		}
		if len(f.Error.Details) == 0 {
			break
		}
	}
	t.Logf("%s doesn't succeed with canaries (without %v)", op.ID, without)
}

// A text is written in each field of each request, in the live environment. It must not be
// in the request log, in the server's log, or in the audit log if it is about a contact. It
// is not in events for callers without the scope. After the contacts are erased, it is
// nowhere. The same is true for costs, except that they are not erased.
func TestCanaries(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := &canaries{}
		c.all = append(c.all, canary{"", "no_such_field", false, false})
		for _, op := range routes() {
			name := op.ID
			if strings.HasPrefix(op.Path, rest.PreviewPath) {
				name = "preview." + op.ID
			}
			r, ok := recipes[name]
			_, hasBody := op.In.FieldByName("Body")
			if !ok || !hasBody || op.Method == http.MethodGet || op.Accepts.Types != nil || slices.Contains(selfService, op.ID) {
				continue
			}
			t.Run(op.ID, func(t *testing.T) { c.send(t, s.In(t), op, r) })
		}
		assert.NoError(t, s.Settle(t.Context()))
		s.RunRelay()
		s.WaitForRelay()

		checkCostDoors(t, s)
		for _, row := range testkit.Rows[string](s, `SELECT COALESCE(operation, '') || ' ' || query || COALESCE(request_body, '') || COALESCE(error, '') FROM request_logs`) {
			for _, one := range c.found(row) {
				t.Errorf("request log: %s of %s in %s", one.field, one.operation, row)
			}
		}
		for _, row := range testkit.Rows[string](s, `SELECT action || ' ' || changes FROM audit_entries`) {
			for _, one := range c.found(row) {
				if one.aboutContact {
					t.Errorf("audit log: %s of %s in %s", one.field, one.operation, row)
				}
			}
		}
		for _, d := range doors[:2] { // without the scopes of contacts
			d.read(s, func(path, text string) {
				for _, one := range c.found(text) {
					if one.aboutContact {
						t.Errorf("%s for %s: %s of %s", path, d.scopes, one.field, one.operation)
					}
				}
			})
		}
		for _, one := range c.found(s.Logged.String()) {
			t.Errorf("server log: %s of %s", one.field, one.operation)
		}
		checkErased(t, s, c)
	})
}

// checkCostDoors looks for costs where a caller with admin, but without the scopes to see
// them, or with any read scope finds them.
func checkCostDoors(t *testing.T, s *testkit.Server) {
	t.Helper()
	isCost := func(text string) bool {
		return strings.Contains(text, fmt.Sprint(canaryCost)) || strings.Contains(text, canaryRate)
	}
	assert.Equal(t, len(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE changes LIKE '%`+fmt.Sprint(canaryCost)+`%'`)) > 0, true,
		"the audit log has costs")
	for _, query := range []string{
		`SELECT COALESCE(operation, '') || ' ' || query || COALESCE(request_body, '') || COALESCE(error, '') FROM request_logs`,
		`SELECT type || ' ' || data FROM {emitted}`,
	} {
		for _, row := range testkit.Rows[string](s, query) {
			assert.Equal(t, isCost(row), false, "a cost in", row)
		}
	}
	for _, d := range doors {
		d.read(s, func(path, text string) { assert.Equal(t, isCost(text), false, "a cost in", path, "for", d.scopes) })
	}
	assert.Equal(t, isCost(s.Logged.String()), false, "a cost in the server's log")
}

// doors are lists with the scopes of a caller who must not find costs there.
var doors = []door{
	{"admin", []string{"/v1/audit", "/v2-preview/request_logs"}},
	{"webhooks admin", []string{"/v1/events"}},
	{"webhooks hulls:read leads:read deals:read", []string{
		"/v1/events", "/v1/hulls", "/v2-preview/hulls?expand=pricing", "/v1/deals", "/v2-preview/deals", "/v2-preview/fundings", "/v1/contacts",
	}},
}

type door struct {
	scopes string
	paths  []string
}

// read reads all pages of the lists.
func (d door) read(s *testkit.Server, check func(path, text string)) {
	reader := s.As(liveKey(s, strings.Fields(d.scopes)...))
	for _, path := range d.paths {
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		for cursor := ""; ; {
			var p page.Page[map[string]any]
			check(path, string(reader.Get(path+sep+"limit=100"+cursor, 200, &p).Bytes))
			if !p.HasMore {
				break
			}
			cursor = "&starting_after=" + *p.NextCursor
		}
	}
}

// liveKey issues a key of the live environment.
func liveKey(s *testkit.Server, scopes ...string) string {
	var k struct{ Key string }
	s.Live.Post("/v1/api_keys", map[string]any{"name": "Reader", "scopes": scopes, "mfa_token": s.Live.Proof()}, 201, &k)
	return k.Key
}

// checkErased erases all contacts and looks for what was about them in all tables.
func checkErased(t *testing.T, s *testkit.Server, c *canaries) {
	t.Helper()
	for _, id := range testkit.Rows[string](s, `SELECT id FROM deals WHERE status NOT IN ('closed', 'cancelled')`) {
		if res, err := s.Live.Send("POST", "/v1/deals/"+id+"/cancel", map[string]any{"reason": "Test", "deposit_outcome": "refund"}); err != nil || res.StatusCode != 200 {
			s.Exec(`UPDATE deals SET status = 'closed' WHERE id = ?`, id)
		}
	}
	var found page.Page[contacts.Contact]
	for {
		s.Live.Get("/v1/contacts?limit=100", 200, &found)
		for _, one := range found.Data {
			s.Live.Delete("/v1/contacts/"+one.ID, 204)
		}
		if len(found.Data) == 0 {
			break
		}
	}
	for _, table := range tables(s) {
		for _, row := range rowsOf(s, table) {
			for _, one := range c.found(row) {
				if one.aboutContact && !one.sale {
					t.Errorf("%s has %s of %s after the erasure: %s", table, one.field, one.operation, row)
				}
			}
		}
	}
}

func tables(s *testkit.Server) []string {
	if s.DB.SQLite() {
		return testkit.Rows[string](s, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	}
	return testkit.Rows[string](s, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
}

// rowsOf returns the rows of a table as text.
func rowsOf(s *testkit.Server, table string) []string {
	if !s.DB.SQLite() {
		return testkit.Rows[string](s, `SELECT CAST(t AS TEXT) FROM `+table+` t`)
	}
	var columns []string
	for _, name := range testkit.Rows[string](s, `SELECT name FROM pragma_table_info('`+table+`')`) {
		columns = append(columns, `COALESCE(CAST("`+name+`" AS TEXT), '')`)
	}
	return testkit.Rows[string](s, `SELECT `+strings.Join(columns, ` || ' ' || `)+` FROM `+table)
}
