package platform

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// A URL with a private address is rejected when it is set, and the error names the
// setting that allows it.
func TestPrivateAddress(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		set := s.Settings()
		set.AllowPrivate = false
		a, err := app.Open(t.Context(), set, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Close() }()
		if err := site.LoadKeys(t.Context(), a.DB, a.Box, false); err != nil {
			t.Fatal(err)
		}
		web := httptest.NewServer(a.Handler)
		defer web.Close()
		key := s.Key(auth.Webhooks, auth.HullsRead)
		send := func(method, path, url string, want int) (id string) {
			t.Helper()
			body, err := json.Marshal(map[string]any{"url": url, "events": []string{"hull.*"}})
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != want {
				t.Fatalf("%s: got %d %s and error %v, want %d", url, res.StatusCode, text, err, want)
			}
			if want == 422 {
				assert.Contains(t, string(text), "private_address", url)
				assert.Contains(t, string(text), "SLIPWAY_ALLOW_PRIVATE_WEBHOOKS", url)
			}
			var created struct{ ID string }
			_ = json.Unmarshal(text, &created)
			return created.ID
		}

		for _, url := range []string{
			"http://127.0.0.1:3000/hook", "http://localhost:3000", "http://app.localhost", "http://10.1.2.3", "http://192.168.0.1",
			"http://[::1]:3000", "http://[fd00::1]/",
		} {
			send("POST", "/v1/webhooks", url, 422)
		}
		hook := send("POST", "/v1/webhooks", "http://93.184.216.34/hook", 201)
		send("PATCH", "/v1/webhooks/"+hook, "http://127.0.0.1:3000", 422)

		// One that exists can still be changed.
		s.Test.Patch("/v1/webhooks/"+hook, `{"url": "http://127.0.0.1:3000"}`, 200, nil)
		send("PATCH", "/v1/webhooks/"+hook, "http://127.0.0.1:3000", 200)
	})
}

// Sample events can be emitted through the API, in the test environment.
func TestTrigger(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunRelay()
		var e struct {
			Type     string
			ObjectID string `json:"object_id"`
		}
		s.Test.Post("/v2-preview/events/trigger", `{"type": "deal.accepted"}`, 202, &e)
		assert.Equal(t, e.Type, "deal.accepted")
		s.WaitForRelay()
		var list struct {
			Data []struct {
				Type string
				Data struct {
					Object   struct{ ID, Status string }
					Previous map[string]any
				}
			}
		}
		s.Test.Get("/v1/events?object_id="+e.ObjectID, 200, &list)
		assert.Len(t, list.Data, 1)
		assert.Equal(t, list.Data[0].Data.Object.ID, e.ObjectID)
		assert.Equal(t, list.Data[0].Data.Object.Status, "accepted")
		assert.Equal(t, list.Data[0].Data.Previous["status"], any("open"))

		s.Test.Post("/v2-preview/events/trigger", `{"type": "deal.sunk"}`, 422, nil).WantDetail(t, "type", "enum")
		s.As(s.Key(auth.Webhooks)).Post("/v2-preview/events/trigger", `{"type": "deal.accepted"}`, 403, nil)
		s.Live.Post("/v2-preview/events/trigger", `{"type": "deal.accepted"}`, 403, nil)
	})
}
