package app

import (
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// An unknown name gets the name that the client probably meant, on every surface.
func TestSuggestions(t *testing.T) {
	s := testkit.OnSQLite(t)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"field":               {"POST", "/v1/hulls", `{"prise_usd": 1}`, 400, "prise_usd is not a known field (did you mean price_usd?)"},
		"nested field":        {"PUT", noHull + "/specs", `{"engines": [{"horse_power": 1, "fule": "gas"}]}`, 422, "fule is not a known field (did you mean fuel?)"},
		"parameter":           {"GET", "/v1/hulls?startingAfter=x", ``, 400, "startingAfter is not a known parameter (did you mean starting_after?)"},
		"shared parameter":    {"GET", "/v1/events?limits=1", ``, 400, "limits is not a known parameter (did you mean limit?)"},
		"preview parameter":   {"GET", "/v2-preview/hulls?expands=pricing", ``, 400, "expands is not a known parameter (did you mean expand?)"},
		"preview field":       {"POST", "/v2-preview/appointments", `{"start_at": "x"}`, 400, "start_at is not a known field (did you mean starts_at?)"},
		"nothing similar":     {"GET", "/v1/hulls?color=red", ``, 400, "color is not a known parameter."},
		"a name of 500 bytes": {"GET", "/v1/hulls?limi" + strings.Repeat("t", 500) + "=1", ``, 400, "is not a known parameter."},
	} {
		t.Run(name, func(t *testing.T) {
			var body any
			if c.body != "" {
				body = c.body
			}
			f := failed(t, send(t, s.In(t).Test, c.method, c.path, body), c.status)
			assert.Contains(t, f.Message, c.want)
		})
	}
}

// Errors link to their explanation, except for versions of the API without the link.
func TestErrorsLinkToTheirExplanation(t *testing.T) {
	s := testkit.OnSQLite(t)
	const errors = "http://localhost/docs/errors#"
	first := version.Published[0].Date
	for name, c := range map[string]struct {
		client       *testkit.Client
		method, path string
		status       int
		want         string
	}{
		"the only detail":            {s.Test, "GET", "/v1/hulls?limit=0", 400, errors + "minimum"},
		"no details":                 {s.Test, "GET", "/v1/hulls/hull_1", 404, errors + "not_found"},
		"no credential":              {s.As(""), "GET", "/v1/hulls", 401, errors + "unauthenticated"},
		"unknown path":               {s.Test, "GET", "/v1/yachts", 404, errors + "not_found"},
		"preview":                    {s.Test, "GET", "/v2-preview/hulls/hull_1", 404, errors + "not_found"},
		"preview in an old version":  {s.Test.With("Service-Version", first), "GET", "/v2-preview/hulls/hull_1", 404, errors + "not_found"},
		"old version":                {s.Test.With("Service-Version", first), "GET", "/v1/hulls/hull_1", 404, ""},
		"old version, invalid value": {s.Test.With("Service-Version", first), "GET", "/v1/hulls?limit=0", 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			res := send(t, c.client, c.method, c.path, nil)
			assert.Equal(t, res.StatusCode, c.status)
			assert.Equal(t, res.Fault(t).DocURL, c.want)
		})
	}
}
