package identity

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// auditLog returns the entries of the audit log, newest first.
func auditLog(c *testkit.Client, query url.Values) []dealership.AuditEntry {
	query.Set("limit", "100")
	var list page.Page[dealership.AuditEntry]
	c.Get("/v1/audit?"+query.Encode(), 200, &list)
	return list.Data
}

func TestAuditEntry(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var l dealership.Location
		var me struct{ Credential auth.Actor }
		s.Test.Get("/v1/me", 200, &me)
		agent := s.Test.With("User-Agent", "tester/1")
		created := agent.Post("/v1/locations", `{"name": "Harbor East", "code": "HE"}`, 201, &l)
		updated := agent.Patch("/v1/locations/"+l.ID, `{"name": "Harbor West", "code": "HE"}`, 200, nil)
		p := s.Person("owner")
		updatedByUser := p.Patch("/v1/locations/"+l.ID, `{"phone": "+14105550123"}`, 200, nil)

		entries := auditLog(s.Test, url.Values{"target_id": {l.ID}})
		if len(entries) != 3 {
			t.Fatalf("got entries %s, want 3", assert.Show(entries))
		}

		slices.Reverse(entries)
		for i, res := range []*testkit.Response{created, updated, updatedByUser} {
			e := entries[i]
			assert.Equal(t, e.RequestID, new(res.Header.Get("Request-Id")), "entry", i)
			assert.Equal(t, e.IP, new("127.0.0.1"), "entry", i)
			assert.Equal(t, e.Outcome, "success", "entry", i)
			assert.Equal(t, e.Target, (dealership.AuditTarget{Type: "location", ID: l.ID}), "entry", i)
		}

		e := entries[0]
		assert.Equal(t, e.Action, "location.created")
		assert.Equal(t, e.Actor, me.Credential)
		assert.Equal(t, e.UserAgent, new("tester/1"))
		assert.Equal(t, e.Changes["name"], [2]any{nil, "Harbor East"})
		if e := entries[1]; e.Action != "location.updated" || len(e.Changes) != 1 || e.Changes["name"] != [2]any{"Harbor East", "Harbor West"} {
			t.Errorf("got %s, want location.updated with the old and the new name", assert.Show(e))
		}
		e = entries[2]
		assert.Equal(t, e.Actor, (auth.Actor{Type: "user", ID: p.ID, Label: "Uma"}), "updated by a user")
		assert.Equal(t, e.Changes["phone"], [2]any{nil, "+14105550123"}, "updated by a user")

		for _, e := range auditLog(s.Test, url.Values{"action": {"dealership.created"}}) {
			assert.Equal(t, e.Actor, auth.System, "on the command line")
			assert.Equal(t, e.RequestID, nil, "on the command line")
			assert.Equal(t, e.IP, nil, "on the command line")
			assert.Equal(t, e.UserAgent, nil, "on the command line")
		}

		// A rejected change isn't audited.
		rejected := s.Test.Patch("/v1/locations/"+l.ID, `{"name": ""}`, 422, nil)
		entriesOf := testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE request_id = ?`, rejected.Header.Get("Request-Id"))
		assert.Equal(t, entriesOf[0], 0, "entries of a rejected change")
	})
}

func TestReadingTheLogIsAudited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		first := p.Get("/v1/audit?action=location", 200, nil)

		entries := auditLog(s.Test, url.Values{"action": {"audit.read"}})
		assert.Len(t, entries, 1)
		assert.Equal(t, entries[0].Actor.ID, p.ID)
		assert.Equal(t, entries[0].RequestID, new(first.Header.Get("Request-Id")))
		assert.Equal(t, entries[0].Target.Type, "audit")
		assert.Len(t, auditLog(s.Test, url.Values{"action": {"audit.read"}}), 2, "entries after the second read")
	})
}

// Each filter returns the entries that match it, and no others.
func TestAuditFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		for range 3 {
			s.Advance(time.Minute)
			location := p.Location()
			s.Test.Patch("/v1/locations/"+location, `{"name": "B"}`, 200, nil)
			s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, nil)
			s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": "guess", "environment": "test"}, 401, nil)
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}

		all := auditLog(s.Test, url.Values{})
		if len(all) < 15 || len(all) == 100 {
			t.Fatalf("got %d entries, want 15 to 99", len(all))
		}

		middle := all[len(all)/2]
		at := middle.At.Format(time.RFC3339Nano)
		hasAction := func(prefix string) func(dealership.AuditEntry) bool {
			return func(e dealership.AuditEntry) bool { return strings.HasPrefix(e.Action, prefix) }
		}
		for query, matches := range map[string]func(e dealership.AuditEntry) bool{
			"action=location":                       hasAction("location"),
			"action=location.":                      hasAction("location."),
			"action=location.created":               hasAction("location.created"),
			"action=api_key.":                       hasAction("api_key."),
			"action=api%25":                         hasAction("api%"), // not a pattern
			"action=LOCATION":                       hasAction("LOCATION"),
			"actor_id=" + p.ID:                      func(e dealership.AuditEntry) bool { return e.Actor.ID == p.ID },
			"actor_id=system":                       func(e dealership.AuditEntry) bool { return e.Actor.ID == "system" },
			"actor_id=unknown":                      func(dealership.AuditEntry) bool { return false },
			"target_id=" + middle.Target.ID:         func(e dealership.AuditEntry) bool { return e.Target.ID == middle.Target.ID },
			"outcome=failure":                       func(e dealership.AuditEntry) bool { return e.Outcome == "failure" },
			"outcome=success":                       func(e dealership.AuditEntry) bool { return e.Outcome == "success" },
			"created_after=" + url.QueryEscape(at):  func(e dealership.AuditEntry) bool { return e.At.After(middle.At) },
			"created_before=" + url.QueryEscape(at): func(e dealership.AuditEntry) bool { return e.At.Before(middle.At) },
			"created_after=" + url.QueryEscape(at) + "&created_before=" + url.QueryEscape(at): func(dealership.AuditEntry) bool { return false },
			"action=location.&actor_id=" + p.ID + "&outcome=success&created_after=" + url.QueryEscape(at): func(e dealership.AuditEntry) bool {
				return hasAction("location.")(e) && e.Actor.ID == p.ID && e.At.After(middle.At)
			},
			"outcome=failure&action=location": func(dealership.AuditEntry) bool { return false },
		} {
			var got, want []string
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range auditLog(s.Test, values) {
				if e.ID <= all[0].ID { // without the entries of these requests
					got = append(got, e.ID)
				}
			}
			for _, e := range all {
				if matches(e) {
					want = append(want, e.ID)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: got %d entries, want %d", query, len(got), len(want))
			}
		}

		for _, invalid := range []string{
			"outcome=maybe", "created_after=yesterday", "created_before=2026-02-30T00:00:00Z",
			"starting_after=key_00000000000000000000000000", "actor=" + p.ID,
		} {
			s.Test.Get("/v1/audit?"+invalid, 400, nil)
		}

		// Small pages contain the same entries as one large page.
		before := url.QueryEscape(all[0].At.Add(time.Millisecond).Format(time.RFC3339Nano))
		var paged []string
		cursor := ""
		for len(paged) < len(all) {
			var small page.Page[dealership.AuditEntry]
			s.Test.Get("/v1/audit?limit=7&created_before="+before+cursor, 200, &small)
			for _, e := range small.Data {
				if e.ID <= all[0].ID { // without an entry of these requests in the same millisecond
					paged = append(paged, e.ID)
				}
			}
			if small.NextCursor == nil {
				break
			}
			cursor = "&starting_after=" + *small.NextCursor
		}
		for i, e := range all {
			if i >= len(paged) || paged[i] != e.ID {
				t.Fatalf("entry %d of the small pages differs, want %s", i, e.ID)
			}
		}
	})
}
