package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A length has two decimals. More are rejected and not rounded silently.
func TestLengthHasTwoDecimals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), object{"length_ft": 31.17})
		f := failed(t, send(t, s.Test, "PATCH", hull, object{"length_ft": 31.175}), 422)
		assert.Equal(t, f.HasDetail("length_ft", "multiple_of"), true)
		for _, feet := range []float64{0.1 + 0.2, 23.58, 19} {
			s.Test.Patch(hull, object{"length_ft": feet}, 200, nil)
		}
		deal := "/v1/deals/" + s.Test.Deal(nil) + "/trade_ins"
		f = failed(t, send(t, s.Test, "POST", deal, object{"description": "Skiff", "allowance_cents": 1, "length_ft": 12.345}), 422)
		assert.Equal(t, f.HasDetail("length_ft", "multiple_of"), true)
	})
}

// A field that another operation changes names that operation.
func TestFieldOfAnotherOperation(t *testing.T) {
	s := testkit.OnSQLite(t)
	f := failed(t, send(t, s.Test, "PATCH", "/v1/hulls/"+s.Test.Hull(s.Test.Location(), nil), object{"price_usd": 1, "pricee": 2}), 422)
	assert.Equal(t, f.HasDetail("price_usd", "unknown_field"), true)
	assert.Contains(t, []byte(f.Message), "Use PUT /v1/hulls/{hull_id}/pricing")
}

// A redirect URI has a port that exists.
func TestPortOfRedirectURI(t *testing.T) {
	s := testkit.OnSQLite(t)
	for uri, status := range map[string]int{
		"http://127.0.0.1:99999/cb": 422, "https://app.example.com:0/cb": 422, "https://app.example.com:65536/cb": 422,
		"http://127.0.0.1:65535/cb": 201,
	} {
		res := send(t, s.Test, "POST", "/v1/apps", object{"name": "x", "type": "public", "redirect_uris": []string{uri}, "scopes": []string{"hulls:read"}})
		assert.Equal(t, res.StatusCode, status, uri)
	}
}

// A mistyped issuer is noticed when the connection is created or changed, and not when someone
// signs in.
func TestIssuerIsChecked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Fleet()
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"issuer": "https://other.example.com"}`))
		}))
		t.Cleanup(other.Close)
		c := s.Test.SSOConnection(nil)
		for issuer, text := range map[string]string{
			s.URL:                   "could not be read",
			other.URL:               `calls itself \"https://other.example.com\"`,
			"http://127.0.0.1:1024": "could not be checked",
		} {
			body := object{"name": "Acme", "issuer": issuer, "client_id": "1", "client_secret": "2"}
			f := failed(t, send(t, s.Test, "POST", "/v1/sso_connections", body), 422)
			if !f.HasDetail("issuer", "metadata") || !strings.Contains(f.Message, strings.ReplaceAll(text, `\`, "")) {
				t.Errorf("%s: got %+v, want the detail issuer metadata with %q", issuer, f, text)
			}
			f = failed(t, send(t, s.Test, "PATCH", "/v1/sso_connections/"+c.ID, object{"issuer": issuer}), 422)
			assert.Equal(t, f.HasDetail("issuer", "metadata"), true, issuer)
		}
	})
}

// A person who opens an unknown path sees a page. A program gets the envelope.
func TestUnknownPathInABrowser(t *testing.T) {
	s := testkit.OnSQLite(t)
	for path, page := range map[string]bool{"/pricing": true, "/docs/nothing": true, "/docs/guides/nothing": true, "/v1/nothing": false} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		assert.NoError(t, err)
		req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		req.Header.Set("Authorization", "Bearer "+s.Test.Key)
		res, err := http.DefaultClient.Do(req)
		assert.NoError(t, err)
		assert.NoError(t, res.Body.Close())
		assert.Equal(t, res.StatusCode, 404, path)
		assert.Equal(t, strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"), page, path)
		assert.Equal(t, res.Header.Get("Request-Id") != "", true, path)
	}
	failed(t, send(t, s.Test, "GET", "/pricing", nil), 404)
}
