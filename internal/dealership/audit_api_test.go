package dealership_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// log is the audit log, newest first.
func log(c *testkit.Client, query url.Values) []dealership.AuditEntry {
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
		made := agent.Post("/v1/locations", `{"name": "Harbor East", "code": "HE"}`, 201, &l)
		changed := agent.Patch("/v1/locations/"+l.ID, `{"name": "Harbor West", "code": "HE"}`, 200, nil)
		p := s.Person("owner")
		theirs := p.Patch("/v1/locations/"+l.ID, `{"phone": "+14105550123"}`, 200, nil)

		entries := log(s.Test, url.Values{"target_id": {l.ID}})
		if len(entries) != 3 {
			t.Fatalf("got %s, want len(entries) = 3", testkit.Show(entries))
		}
		slices.Reverse(entries)
		for i, res := range []*testkit.Response{made, changed, theirs} {
			e := entries[i]
			testkit.Equal(t, e.RequestID, new(res.Header.Get("Request-Id")), "entry", i)
			testkit.Equal(t, e.IP, new("127.0.0.1"), "entry", i)
			testkit.Equal(t, e.Outcome, "success", "entry", i)
			testkit.Equal(t, e.Target, (dealership.AuditTarget{Type: "location", ID: l.ID}), "entry", i)
		}
		e := entries[0]
		testkit.Equal(t, e.Action, "location.created")
		testkit.Equal(t, e.Actor, me.Credential)
		testkit.Equal(t, e.UserAgent, new("tester/1"))
		testkit.Equal(t, e.Changes["name"], [2]any{nil, "Harbor East"})
		if e := entries[1]; e.Action != "location.updated" || len(e.Changes) != 1 || e.Changes["name"] != [2]any{"Harbor East", "Harbor West"} {
			t.Errorf("got %s; want location.updated with the old and the new name", testkit.Show(e))
		}
		e = entries[2]
		testkit.Equal(t, e.Actor, (auth.Actor{Type: "user", ID: p.ID, Label: "Uma"}), "changed by a person")
		testkit.Equal(t, e.Changes["phone"], [2]any{nil, "+14105550123"}, "changed by a person")
		for _, e := range log(s.Test, url.Values{"action": {"dealership.created"}}) {
			testkit.Equal(t, e.Actor, auth.System, "on the command line")
			testkit.Equal(t, e.RequestID, nil, "on the command line")
			testkit.Equal(t, e.IP, nil, "on the command line")
			testkit.Equal(t, e.UserAgent, nil, "on the command line")
		}
		// A change that is refused leaves nothing.
		refused := s.Test.Patch("/v1/locations/"+l.ID, `{"name": ""}`, 422, nil)
		testkit.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE request_id = ?`, refused.Header.Get("Request-Id"))[0], 0, "after a refused change", "entries")
	})
}

// Reading the log leaves an entry in it.
func TestReadingTheLogIsAudited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		first := p.Get("/v1/audit?action=location", 200, nil)
		entries := log(s.Test, url.Values{"action": {"audit.read"}})
		testkit.Len(t, entries, 1)
		testkit.Equal(t, entries[0].Actor.ID, p.ID)
		testkit.Equal(t, entries[0].RequestID, new(first.Header.Get("Request-Id")))
		testkit.Equal(t, entries[0].Target.Type, "audit")
		testkit.Len(t, log(s.Test, url.Values{"action": {"audit.read"}}), 2, "reads in the log")
	})
}

// A filter shows exactly the entries that it describes.
func TestAuditFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("owner")
		for range 3 {
			s.Advance(time.Minute)
			place := p.Location()
			s.Test.Patch("/v1/locations/"+place, `{"name": "B"}`, 200, nil)
			s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, nil)
			s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": "guess", "environment": "test"}, 401, nil)
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		whole := log(s.Test, url.Values{})
		if len(whole) < 15 || len(whole) == 100 {
			t.Fatalf("got %d entries; want len(whole) >= 15, len(whole) != 100", len(whole))
		}
		middle := whole[len(whole)/2]
		at := middle.At.Format(time.RFC3339Nano)
		named := func(prefix string) func(dealership.AuditEntry) bool {
			return func(e dealership.AuditEntry) bool { return strings.HasPrefix(e.Action, prefix) }
		}
		for query, matches := range map[string]func(e dealership.AuditEntry) bool{
			"action=location":                       named("location"),
			"action=location.":                      named("location."),
			"action=location.created":               named("location.created"),
			"action=api_key.":                       named("api_key."),
			"action=api%25":                         named("api%"), // not a pattern
			"action=LOCATION":                       named("LOCATION"),
			"actor_id=" + p.ID:                      func(e dealership.AuditEntry) bool { return e.Actor.ID == p.ID },
			"actor_id=system":                       func(e dealership.AuditEntry) bool { return e.Actor.ID == "system" },
			"actor_id=nobody":                       func(dealership.AuditEntry) bool { return false },
			"target_id=" + middle.Target.ID:         func(e dealership.AuditEntry) bool { return e.Target.ID == middle.Target.ID },
			"outcome=failure":                       func(e dealership.AuditEntry) bool { return e.Outcome == "failure" },
			"outcome=success":                       func(e dealership.AuditEntry) bool { return e.Outcome == "success" },
			"created_after=" + url.QueryEscape(at):  func(e dealership.AuditEntry) bool { return e.At.After(middle.At) },
			"created_before=" + url.QueryEscape(at): func(e dealership.AuditEntry) bool { return e.At.Before(middle.At) },
			"created_after=" + url.QueryEscape(at) + "&created_before=" + url.QueryEscape(at): func(dealership.AuditEntry) bool { return false },
			"action=location.&actor_id=" + p.ID + "&outcome=success&created_after=" + url.QueryEscape(at): func(e dealership.AuditEntry) bool {
				return named("location.")(e) && e.Actor.ID == p.ID && e.At.After(middle.At)
			},
			"outcome=failure&action=location": func(dealership.AuditEntry) bool { return false },
		} {
			var got, want []string
			values, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range log(s.Test, values) {
				if e.ID <= whole[0].ID { // not the reads since
					got = append(got, e.ID)
				}
			}
			for _, e := range whole {
				if matches(e) {
					want = append(want, e.ID)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d entries, want %d", query, len(got), len(want))
			}
		}
		for _, bad := range []string{"outcome=maybe", "created_after=yesterday", "created_before=2026-02-30T00:00:00Z", "starting_after=key_00000000000000000000000000", "actor=" + p.ID} {
			s.Test.Get("/v1/audit?"+bad, 400, nil)
		}
		// Pages of one show what one page shows.
		var walked []string
		cursor := ""
		for len(walked) < len(whole) {
			var one page.Page[dealership.AuditEntry]
			s.Test.Get("/v1/audit?limit=7&created_before="+url.QueryEscape(whole[0].At.Add(time.Millisecond).Format(time.RFC3339Nano))+cursor, 200, &one)
			for _, e := range one.Data {
				walked = append(walked, e.ID)
			}
			if one.NextCursor == nil {
				break
			}
			cursor = "&starting_after=" + *one.NextCursor
		}
		for i, e := range whole {
			if i >= len(walked) || walked[i] != e.ID {
				t.Fatalf("entry %d is not where it was; want %s", i, e.ID)
			}
		}
	})
}
