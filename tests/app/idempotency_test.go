package app

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// withKey returns a client that sends an idempotency key.
func withKey(c *testkit.Client, key string) *testkit.Client { return c.With("Idempotency-Key", key) }

func replayed(res *testkit.Response) bool { return res.Header.Get("Idempotent-Replayed") == "true" }

// countLocations returns the number of locations that a client can list.
func countLocations(t *testing.T, c *testkit.Client) int {
	t.Helper()
	var l listing
	c.Get("/v1/locations?limit=100", 200, &l)
	return len(l.Data)
}

// 60 concurrent requests with the same key create one hull and get the same
// response.
func TestConcurrentRetries(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body := testkit.HullBody(s.Test.Location(), nil)
		client := withKey(s.Test, uuid.NewString())
		responses := make([]*testkit.Response, 60)
		errs := make([]error, len(responses))
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range responses {
			wg.Go(func() {
				<-start
				responses[i], errs[i] = client.Send("POST", "/v1/hulls", body)
			})
		}
		close(start)
		wg.Wait()
		first, requests := 0, map[string]bool{}
		for i, res := range responses {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			assert.Equal(t, res.StatusCode, 201, "request", i)
			assert.Equal(t, string(res.Bytes), string(responses[0].Bytes), "request", i)
			assert.Equal(t, res.Header.Get("ETag"), `"1"`, "request", i)
			if !replayed(res) {
				first++
			}
			requests[res.Header.Get("Request-Id")] = true
		}
		n := count(t, s.Test)
		assert.Equal(t, n, 1, "hulls")
		assert.Equal(t, first, 1, "responses that are not replayed")
		assert.Equal(t, len(requests), 60, "request IDs")
	})
}

// A key can't be used for a request with another method, path, query or body.
func TestReusedKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := "/v1/locations/" + s.Test.Location()
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
		other := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil)
		for name, c := range map[string]struct {
			firstMethod, firstPath   string
			firstBody                any
			secondMethod, secondPath string
			secondBody               any
		}{
			"another body":      {"PATCH", loc, `{"name": "a"}`, "PATCH", loc, `{"name": "b"}`},
			"other white space": {"PATCH", loc, `{"name": "a"}`, "PATCH", loc, `{"name":"a"}`},
			"no body":           {"POST", hull + "/archive", `{}`, "POST", hull + "/archive", nil},
			"another path":      {"PATCH", hull, `{"title": "a"}`, "PATCH", other, `{"title": "a"}`},
			"another method":    {"PUT", hull + "/pricing", `{"price_usd": 1}`, "POST", hull + "/transition", `{"to": "available"}`},
		} {
			t.Run(name, func(t *testing.T) {
				client := withKey(s.Test, uuid.NewString())
				first := client.Do(c.firstMethod, c.firstPath, c.firstBody, 200, nil)
				f := failed(t, send(t, client, c.secondMethod, c.secondPath, c.secondBody), 422)
				f.WantDetail(t, "Idempotency-Key", "reused")
				again := client.Do(c.firstMethod, c.firstPath, c.firstBody, 200, nil)
				if !replayed(again) || !bytes.Equal(first.Bytes, again.Bytes) || first.Header.Get("ETag") != again.Header.Get("ETag") {
					t.Errorf("got %s, want a replay of %s", again.Bytes, first.Bytes)
				}
			})
		}
	})
}

// After a failed request, its key can be used again, even for another request.
func TestKeyAfterFailure(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		s.Test.Hull(loc, map[string]any{"stock_number": "GW-1"})
		reader := s.As(s.Key(auth.HullsRead))
		client := withKey(s.Test, uuid.NewString())
		for _, c := range []struct {
			client *testkit.Client
			body   any
			status int
		}{
			{withKey(reader, client.Header.Get("Idempotency-Key")), testkit.HullBody(loc, nil), 403},
			{client, `{"make": `, 400},
			{client, `{}`, 400},
			{client, testkit.HullBody(loc, map[string]any{"condition": "shabby"}), 422},
			{client, testkit.HullBody("loc_1", nil), 422},
			{client, testkit.HullBody(loc, map[string]any{"stock_number": "GW-1"}), 409},
		} {
			if res := send(t, c.client, "POST", "/v1/hulls", c.body); res.StatusCode != c.status || replayed(res) {
				t.Fatalf("got status %d, want %d: %s", res.StatusCode, c.status, res.Bytes)
			}
		}
		body := testkit.HullBody(loc, nil)
		first := client.Post("/v1/hulls", body, 201, nil)
		again := client.Post("/v1/hulls", body, 201, nil)
		if replayed(first) || !replayed(again) || !bytes.Equal(first.Bytes, again.Bytes) {
			t.Errorf("got %s, then %s, want a replay of the first response", first.Bytes, again.Bytes)
		}
		assert.Equal(t, count(t, s.Test), 2, "hulls")
	})
}

func TestKeyIsStoredForOneDay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		client, body := withKey(s.Test, uuid.NewString()), `{"name": "Pier"}`
		first := client.Post("/v1/locations", body, 201, nil)
		purge := func() int64 {
			n, err := db.Write(t.Context(), s.DB, rest.PurgeKeys)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		s.Advance(24*time.Hour - time.Minute)
		assert.Equal(t, purge(), 0, "purged keys")
		if res := client.Post("/v1/locations", body, 201, nil); !replayed(res) || !bytes.Equal(first.Bytes, res.Bytes) {
			t.Errorf("within one day: got %s, want a replay of %s", res.Bytes, first.Bytes)
		}
		s.Advance(2 * time.Minute)

		// After one day, the key can be used for another request, even if it was not purged yet.
		second := client.Post("/v1/locations", `{"name": "Dock"}`, 201, nil)
		if replayed(second) {
			t.Errorf("after one day: got a replay, want a new response: %s", second.Bytes)
		}
		if res := client.Post("/v1/locations", `{"name": "Dock"}`, 201, nil); !replayed(res) || !bytes.Equal(second.Bytes, res.Bytes) {
			t.Errorf("the second use: got %s, want a replay of %s", res.Bytes, second.Bytes)
		}
		s.Advance(25 * time.Hour)
		assert.Equal(t, purge(), 1, "purged keys")
		assert.Equal(t, countLocations(t, s.Test), 2)
	})
}

// Idempotency keys are separate for each environment and credential. They stay
// valid after the credential is rotated.
func TestIdempotencyKeySurvivesRotation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		key, body := uuid.NewString(), `{"name": "Pier"}`
		first := withKey(s.Test, key).Post("/v1/locations", body, 201, nil)
		other := s.As(s.Key(auth.Admin, auth.HullsRead))
		for name, c := range map[string]*testkit.Client{
			"another credential": other, "the live environment": s.Live, "another dealership": s.Other,
		} {
			if res := withKey(c, key).Post("/v1/locations", body, 201, nil); replayed(res) {
				t.Errorf("%s: got a replay, want a new response: %s", name, res.Bytes)
			}
		}
		assert.Equal(t, countLocations(t, s.Test), 2)
		assert.Equal(t, countLocations(t, s.Live), 1)
		assert.Equal(t, countLocations(t, s.Other), 1)
		var a, b access.Me
		s.Test.Get("/v1/me", 200, &a)
		other.Get("/v1/me", 200, &b)
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			// As after a rotation.
			return db.Exec(ctx, tx, "UPDATE api_keys SET lineage = ? WHERE id = ?", a.Credential.ID, b.Credential.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
		if res := withKey(other, key).Post("/v1/locations", body, 201, nil); !replayed(res) || !bytes.Equal(first.Bytes, res.Bytes) {
			t.Errorf("after the rotation: got %s, want a replay of %s", res.Bytes, first.Bytes)
		}
	})
}

func TestKeyFormat(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const valid = "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10"
		for name, c := range map[string]struct {
			key string
			ok  bool
		}{
			"a UUID":           {valid, true},
			"in upper case":    {"7C0C1B4E-2F1D-4A3B-9A57-3F8F4F3D2A10", true}, // the same key
			"not a UUID":       {"order-17", false},
			"no hyphens":       {"7c0c1b4e2f1d4a3b9a573f8f4f3d2a10", false},
			"braces":           {"{" + valid + "}", false},
			"a URN":            {"urn:uuid:" + valid, false},
			"a digit too few":  {valid[:35], false},
			"a digit too many": {valid + "0", false},
			"an invalid digit": {valid[:35] + "g", false},
			"empty":            {"", false},
		} {
			res := send(t, withKey(s.Test, c.key), "POST", "/v1/locations", `{"name": "Pier"}`)
			assert.Equal(t, res.StatusCode == 201, c.ok, name, "got status", res.StatusCode)
			if !c.ok && !failed(t, res, 400).HasDetail("Idempotency-Key", "format") {
				t.Errorf("%s: got %s, want the detail Idempotency-Key format", name, res.Bytes)
			}
		}
		assert.Equal(t, countLocations(t, s.Test), 1)

		// GET, HEAD and DELETE ignore the key.
		loc := "/v1/locations/" + s.Test.Location()
		for _, key := range []string{valid, "order-17"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				if res := send(t, withKey(s.Test, key), method, loc, nil); res.StatusCode != 200 || replayed(res) {
					t.Errorf("%s with %s: got status %d, want 200 without a replay", method, key, res.StatusCode)
				}
			}
		}
		withKey(s.Test, valid).Delete(loc, 204)
		if res := send(t, withKey(s.Test, valid), "DELETE", loc, nil); res.StatusCode != 404 || replayed(res) {
			t.Errorf("the second DELETE: got status %d, want 404 without a replay", res.StatusCode)
		}
	})
}

// Stored responses are encrypted, because they can contain secrets.
func TestStoredResponsesAreEncrypted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		res := withKey(s.Test, uuid.NewString()).Post("/v1/locations", `{"name": "PLAINTEXT"}`, 201, nil)
		stored, err := db.Read(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([][]byte, error) {
			return db.All[[]byte](ctx, tx, "SELECT body FROM idempotency_keys")
		})
		if err != nil || len(stored) != 1 {
			t.Fatalf("got %d rows and error %v, want 1 row", len(stored), err)
		}
		if len(stored[0]) <= len(res.Bytes) || bytes.Contains(stored[0], []byte("PLAINTEXT")) || bytes.Contains(stored[0], []byte(`"name"`)) {
			t.Errorf("got %q, want it encrypted", stored[0])
		}
	})
}
