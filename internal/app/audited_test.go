package app_test

import (
	"net/http"
	"strings"
	"testing"

	"slipway/internal/testkit"
)

// Every operation that changes something leaves an audit entry of its own
// request; those that read leave none, but for the audit log's and an export.
func TestEveryChangeIsAudited(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		entries := func(res *testkit.Response) int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE request_id = ?`, res.Header.Get("Request-Id"))[0]
		}
		for _, o := range operations() {
			r := recipes[o.OperationID]
			if o.OperationID == "verifyMfaFactor" {
				r = provenFactor(t, s) // the usual recipe asks for a challenge, which changes nothing
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
				t.Errorf("%s: got %d %s, want res.StatusCode < 300", o.OperationID, res.StatusCode, res.Bytes)
				continue
			}
			audited := o.Method != http.MethodGet || o.OperationID == "listAudit" || o.OperationID == "exportContact"
			n := entries(res)
			testkit.Equal(t, n > 0, audited, o.OperationID, "left", n, "entries")
		}
		var in struct{ Token string }
		if res := s.As("").Post("/oauth/sessions", s.SignIn(), 201, &in); entries(res) == 0 {
			t.Error("a sign-in left no entry")
		}
		if res := s.As(in.Token).Delete("/oauth/sessions/current", 204); entries(res) == 0 {
			t.Error("a sign-out left no entry")
		}
	})
}

// provenFactor is a recipe with an authenticator app and its code.
func provenFactor(t *testing.T, s *testkit.Server) recipe {
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
