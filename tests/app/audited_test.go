package app

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Each operation that changes data is audited. Reads are not, except reading the
// audit log and exporting a contact.
func TestEveryChangeIsAudited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		entries := func(res *testkit.Response) int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE request_id = ?`, res.Header.Get("Request-Id"))[0]
		}
		for _, o := range operations() {
			res := succeed(t, s, o)
			audited := writes(o) || o.OperationID == "listAudit" || o.OperationID == "exportContact"
			n := entries(res)
			assert.Equal(t, n > 0, audited, o.OperationID, "has", n, "audit entries")
		}

		var session struct{ Token string }
		if res := s.As("").Post("/oauth/sessions", s.SignIn(), 201, &session); entries(res) == 0 {
			t.Error("the sign-in was not audited")
		}
		if res := s.As(session.Token).Delete("/oauth/sessions/current", 204); entries(res) == 0 {
			t.Error("the sign-out was not audited")
		}
	})
}

// What each change leaves is in a file: its audit entries, which name who did what, and its
// events, which tell webhooks. Each event has an audit entry of the same object. The ways of
// taking back money are listed too, because they are one operation.
//
// `make openapi` rewrites the file.
func TestWhatChangesLeave(t *testing.T) {
	const golden = "testdata/changes.txt"
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var all strings.Builder
		note := func(name string, res *testkit.Response) {
			request := res.Header.Get("Request-Id")
			recorded := testkit.Rows[string](s, `SELECT DISTINCT action FROM audit_entries WHERE request_id = ? ORDER BY action`, request)
			emitted := testkit.Rows[string](s, `SELECT type FROM events WHERE request_id = ? UNION SELECT type FROM outbox WHERE request_id = ? ORDER BY type`,
				request, request)
			fmt.Fprintf(&all, "%s: audit %s, events %s\n", name, cmp.Or(strings.Join(recorded, " "), "-"), cmp.Or(strings.Join(emitted, " "), "-"))
			for _, table := range []string{"events", "outbox"} {
				alone := testkit.Rows[string](s, `SELECT type FROM `+table+` e WHERE request_id = ? AND NOT EXISTS (SELECT 1 FROM audit_entries a
					WHERE a.env = e.env AND a.request_id = e.request_id AND a.action = e.type AND a.target_id = e.object_id)`, request)
				if len(alone) > 0 && name != "preview.triggerEvent" && name != "testWebhook" { // they send examples
					t.Errorf("%s: emitted %v without audit entries", name, alone)
				}
			}
		}
		for _, o := range operations() {
			if writes(o) {
				note(o.OperationID, succeed(t, s, o))
			}
		}
		for _, body := range []string{`{"reason": "Bounced", "reversal": true}`, `{"reason": "Too much", "amount_cents": 1}`} {
			p := aPayment(s.Test)
			note("refundPayment "+body, s.Test.Post("/v1/deals/"+p["deal_id"]+"/payments/"+p["payment_id"]+"/refund", body, 201, nil))
		}

		if *update {
			assert.NoError(t, os.WriteFile(golden, []byte(all.String()), 0o600))
		}
		want, err := os.ReadFile(golden)
		assert.NoError(t, err)
		before, after := strings.Split(string(want), "\n"), strings.Split(all.String(), "\n")
		for _, line := range after {
			if !slices.Contains(before, line) {
				t.Errorf("got %s\nwant what %s lists", line, golden)
			}
		}
		assert.Len(t, after, len(before), "changes")
	})
}

var allRoutes = sync.OnceValue(app.Routes)

// writes reports whether an operation changes data.
func writes(o *huma.Operation) bool {
	return o.Method != http.MethodGet && !allRoutes().FindOperation(strings.TrimPrefix(o.OperationID, "preview.")).OnlyReads
}

// succeed sends the request of an operation's recipe.
func succeed(t *testing.T, s *testkit.Server, o *huma.Operation) *testkit.Response {
	t.Helper()
	r := recipes[o.OperationID]
	if o.OperationID == "verifyMfaFactor" {
		r = verifiedFactor(t, s) // the usual recipe requests a challenge, which changes nothing
	}
	path := o.Path
	var params map[string]string
	if r.params != nil {
		params = r.params(s.Test)
		for name, value := range params {
			path = strings.ReplaceAll(path, "{"+name+"}", value)
		}
	}
	var body any
	if r.body != nil {
		body = r.body(s.Test)
	}
	res := send(t, callerOf(s, o, params), o.Method, path, body)
	if res.StatusCode >= 300 {
		t.Fatalf("%s: got %d %s, want success", o.OperationID, res.StatusCode, res.Bytes)
	}
	return res
}

// verifiedFactor returns a recipe with a valid code of an authenticator app.
func verifiedFactor(t *testing.T, s *testkit.Server) recipe {
	t.Helper()
	p := s.Person()
	var e struct{ ID, Secret string }
	p.Post("/v1/users/"+p.ID+"/mfa_factors", `{"kind": "totp"}`, 201, &e)
	code := s.Code(e.Secret)
	return recipe{
		func(*testkit.Client) map[string]string { return map[string]string{"user_id": p.ID, "factor_id": e.ID} },
		func(*testkit.Client) any { return map[string]string{"code": code} },
	}
}
