package app

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// The second version had a date in the future. Keys, apps and webhooks of that time keep it.
func TestDateBeforeRelease(t *testing.T) {
	file, err := os.ReadFile("../../internal/platform/db/migrations/0085_version_dates.sql")
	assert.NoError(t, err)
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var hook struct{ ID string }
		s.Test.Post("/v1/webhooks", object{"url": "https://example.com/hooks", "events": []string{"*"}}, 201, &hook)
		s.Test.App(nil)
		s.Exec(`UPDATE api_keys SET pin = '2026-12-01'`)
		s.Exec(`UPDATE apps SET pin = '2026-12-01'`)
		s.Exec(`UPDATE webhooks SET api_version = '2026-12-01'`)
		res := s.Test.Get("/v1/me", 200, nil)
		assert.Equal(t, res.Header.Get("Service-Version"), version.Latest())
		assert.Contains(t, res.Bytes, `"service_version":"`+version.Latest())

		for line := range strings.Lines(string(file)) {
			if strings.HasPrefix(line, "UPDATE") {
				s.Exec(strings.TrimSuffix(strings.TrimSpace(line), ";"))
			}
		}
		for _, query := range []string{"SELECT pin FROM api_keys", "SELECT pin FROM apps", "SELECT api_version FROM webhooks"} {
			for _, pin := range testkit.Rows[string](s, query) {
				got, err := version.Resolve(pin)
				assert.NoError(t, err)
				assert.Equal(t, got, version.Latest(), query)
				assert.Equal(t, pin <= version.Latest(), true, query)
			}
		}
	})
}

// The description of a version only has what the version has.
func TestDescriptionOfVersion(t *testing.T) {
	s := testkit.OnSQLite(t)
	type schema struct{ Properties map[string]any }
	read := func(query string) (version string, deal map[string]any, events int) {
		var doc struct {
			Info       struct{ Version string }
			Components struct{ Schemas map[string]schema }
			Webhooks   map[string]any
		}
		res := s.Test.Get("/openapi.json"+query, 200, nil)
		assert.NoError(t, json.Unmarshal(res.Bytes, &doc))
		assert.Equal(t, res.Header.Get("Service-Version"), doc.Info.Version)
		assert.Equal(t, bytes.Count(res.Bytes, []byte("\n")), 1, "lines, because it is served without indentation")
		return doc.Info.Version, doc.Components.Schemas["Deal"].Properties, len(doc.Webhooks)
	}
	first := version.Published[0].Date
	v, deal, events := read("?version=" + first)
	assert.Equal(t, v, first)
	if deal["taxes"] != nil || deal["status"] == nil {
		t.Errorf("got the properties %v, want those of the first version", deal)
	}
	now, deal, all := read("")
	assert.Equal(t, now, version.Latest())
	if deal["taxes"] == nil || all <= events {
		t.Errorf("got %d events of %d and %v, want all of the newest version", all, events, deal)
	}
	v, _, _ = read("?version=2099-01-01")
	assert.Equal(t, v, version.Latest())
	f := failed(t, send(t, s.Test, "GET", "/openapi.json?version=latest", nil), 400)
	assert.Equal(t, f.HasDetail("version", "pattern"), true)
	assert.Contains(t, s.Test.Get("/openapi.yaml?version="+first, 200, nil).Bytes, "version: \""+first)
}
