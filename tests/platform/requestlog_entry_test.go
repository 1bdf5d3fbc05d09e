package platform

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/requestlog"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

const path = "/v2-preview/request_logs"

func list(t *testing.T, s *testkit.Server, c *testkit.Client, query string) []requestlog.RequestLog {
	t.Helper()
	settle(t, s)
	var p page.Page[requestlog.RequestLog]
	c.Get(path+"?"+query, 200, &p)
	return p.Data
}

// settle saves what the server has recorded.
func settle(t *testing.T, s *testkit.Server) {
	t.Helper()
	assert.NoError(t, s.Settle(t.Context()))
}

func TestRequestLog(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		hull := s.Test.Hull(location, nil)
		s.Test.Get("/v1/hulls/"+hull, 200, nil)
		got := s.Test.With("X-Client-Request-Id", "web-1").With("Idempotency-Key", "0b7d9f3c-6c55-4d0e-9b7e-0f4a8d3c2b1a").
			Post("/v1/contacts", map[string]any{"first_name": "Ann", "emial": "ann@example.com"}, 422, nil)

		all := list(t, s, s.Test, "limit=100")
		for _, e := range all {
			if e.Method == http.MethodGet {
				t.Errorf("the log has %s %s with status %d, expected no reads that succeeded", e.Method, e.Path, e.Status)
			}
		}
		e := all[0]
		assert.Equal(t, e.Path, "/v1/contacts")
		assert.Equal(t, e.Status, 422)
		assert.Equal(t, *e.Operation, "createContact")
		assert.Equal(t, e.Error.Code, "unprocessable")
		assert.Equal(t, e.Error.Details[0].Field, "emial")
		assert.Equal(t, *e.ClientRequestID, "web-1")
		assert.Equal(t, *e.IdempotencyKey, "0b7d9f3c-6c55-4d0e-9b7e-0f4a8d3c2b1a")
		assert.Equal(t, e.Actor.Type, "api_key")
		assert.Equal(t, e.IP, "127.0.0.1")
		assert.Equal(t, *e.RequestBody, map[string]any{"emial": "[unknown]", "first_name": "Ann"}, "the test environment keeps personal text")
		assert.Equal(t, e.ID, got.Header.Get("Request-Id"))
		assert.Equal(t, all[1].Path, "/v1/hulls", "writes that succeed are listed too")
		assert.Equal(t, all[1].RequestBody, nil, "without their body")

		var one requestlog.RequestLog
		s.Test.Get(path+"/"+e.ID, 200, &one)
		assert.Equal(t, one, e)
		s.Live.Get(path+"/"+e.ID, 404, nil)
		s.Other.Get(path+"/"+e.ID, 404, nil)
		s.As(s.Key(auth.HullsRead, auth.Webhooks)).Get(path, 403, nil)
	})
}

func TestLiveRequestsAreMasked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Live.Post("/v1/contacts?emial=ann@example.com", map[string]any{"first_name": "Ann", "emial": "ann@example.com"}, 400, nil)
		e := list(t, s, s.Live, "")[0]
		assert.Equal(t, *e.RequestBody, map[string]any{"emial": "[unknown]", "first_name": "[personal]"})
		assert.Equal(t, e.Query, "emial=...")

		token := strings.Repeat("x", 64)
		s.Live.Patch("/v1/hulls/"+token, map[string]any{"year": 2020}, 404, nil)
		e = list(t, s, s.Live, "")[0]
		assert.Equal(t, e.Path, "/v1/hulls/...", "a token that was sent instead of an ID")
		assert.Equal(t, strings.Contains(e.Error.Message, token), false, e.Error.Message)
	})
}

func TestRequestLogFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Patch("/v1/hulls/"+hull, map[string]any{"year": 1}, 422, nil)
		s.Test.Get("/v1/hulls/hull_00000000000000000000000000", 404, nil)
		key := s.As(s.Key(auth.HullsRead))
		key.Get("/v1/leads", 403, nil)

		for query, want := range map[string][]int{
			"status=4xx":                          {403, 404, 422},
			"status=404":                          {404},
			"method=PATCH":                        {422},
			"operation=updateHull":                {422},
			"object_id=" + hull:                   {422},
			"status=4xx&method=GET":               {403, 404},
			"status=5xx":                          {},
			"ip=203.0.113.1":                      {},
			"created_after=2100-01-01T00:00:00Z":  {},
			"created_before=2020-01-01T00:00:00Z": {},
			"status=4xx&limit=1":                  {403},
			"actor_id=key_nobody&status=4xx":      {},
		} {
			statuses := []int{}
			for _, e := range list(t, s, s.Test, query) {
				statuses = append(statuses, e.Status)
			}
			assert.Equal(t, statuses, want, query)
		}
		for _, query := range []string{"status=teapot", "method=BREW", "object_id=%25", "created_after=yesterday"} {
			s.Test.Get(path+"?"+query, 400, nil)
		}
	})
}

// Old entries are deleted, and those beyond the limit of the environment.
func TestPurgeRequestLog(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		count := func() int { return len(list(t, s, s.Test, "limit=100")) }
		for range 5 {
			s.Test.Post("/v1/contacts", map[string]any{"nope": 1}, 422, nil)
		}
		before := count()
		assert.Equal(t, before >= 5, true)
		assert.NoError(t, requestlog.Purge(t.Context(), s.DB, 3))
		assert.Equal(t, count(), 3, "the newest remain")

		s.Advance(31 * 24 * time.Hour)
		s.Test.Post("/v1/contacts", map[string]any{"nope": 1}, 422, nil)
		settle(t, s)
		assert.NoError(t, requestlog.Purge(t.Context(), s.DB, 100))
		assert.Equal(t, count(), 1, "the others are older than 30 days")
	})
}

// A client can send bytes that a database can't store. The entry is stored without them.
func TestUnusualBytes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.With("User-Agent", "a\xff\tb").With("X-Client-Request-Id", "\xc3\x28").
			Post("/v1/contacts", map[string]any{"first_name": "a", "nope": "\x01b"}, 422, nil)
		e := list(t, s, s.Test, "")[0]
		assert.Equal(t, e.UserAgent, "ab")
	})
}
