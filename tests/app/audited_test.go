package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

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

// writes reports whether an operation changes data.
func writes(o *huma.Operation) bool {
	return o.Method != http.MethodGet && o.OperationID != "preview.quoteFinance"
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
