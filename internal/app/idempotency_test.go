package app_test

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

// keyed is the client with an idempotency key.
func keyed(c *testkit.Client, key string) *testkit.Client { return c.With("Idempotency-Key", key) }

func replayed(res *testkit.Response) bool { return res.Header.Get("Idempotent-Replayed") == "true" }

// locationsOf counts a client's locations.
func locationsOf(t *testing.T, c *testkit.Client) int {
	t.Helper()
	var l listing
	c.Get("/v1/locations?limit=100", 200, &l)
	return len(l.Data)
}

// Sixty requests with one key make one hull and get one answer.
func TestConcurrentRepeats(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body := testkit.HullBody(s.Test.Location(), nil)
		client := keyed(s.Test, uuid.NewString())
		answers := make([]*testkit.Response, 60)
		errs := make([]error, len(answers))
		start := make(chan struct{})
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				<-start
				answers[i], errs[i] = client.Send("POST", "/v1/hulls", body)
			})
		}
		close(start)
		wg.Wait()
		first, requests := 0, map[string]bool{}
		for i, res := range answers {
			if errs[i] != nil {
				t.Fatalf("got %v, want no error", errs[i])
			}
			testkit.Equal(t, res.StatusCode, 201, "request", i)
			testkit.Equal(t, string(res.Bytes), string(answers[0].Bytes), "request", i)
			testkit.Equal(t, res.Header.Get("ETag"), `"1"`, "request", i)
			if !replayed(res) {
				first++
			}
			requests[res.Header.Get("Request-Id")] = true
		}
		n := count(t, s.Test)
		testkit.Equal(t, n, 1, "hulls")
		testkit.Equal(t, first, 1, "answers that are not replayed")
		testkit.Equal(t, len(requests), 60, "request ids")
	})
}

// A key stands for one request: method, path, query and body.
func TestKeyOfAnotherRequest(t *testing.T) {
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
			"another body":   {"PATCH", loc, `{"name": "a"}`, "PATCH", loc, `{"name": "b"}`},
			"other blanks":   {"PATCH", loc, `{"name": "a"}`, "PATCH", loc, `{"name":"a"}`},
			"no body":        {"POST", hull + "/archive", `{}`, "POST", hull + "/archive", nil},
			"another path":   {"PATCH", hull, `{"title": "a"}`, "PATCH", other, `{"title": "a"}`},
			"another method": {"PUT", hull + "/pricing", `{"price_usd": 1}`, "POST", hull + "/transition", `{"to": "available"}`},
		} {
			t.Run(name, func(t *testing.T) {
				client := keyed(s.Test, uuid.NewString())
				first := client.Do(c.firstMethod, c.firstPath, c.firstBody, 200, nil)
				f := failed(t, send(t, client, c.secondMethod, c.secondPath, c.secondBody), 422)
				f.WantDetail(t, "Idempotency-Key", "reused", "blamed fields")
				again := client.Do(c.firstMethod, c.firstPath, c.firstBody, 200, nil)
				if !replayed(again) || !bytes.Equal(first.Bytes, again.Bytes) || first.Header.Get("ETag") != again.Header.Get("ETag") {
					t.Errorf("got %s; want the first answer replayed: %s", again.Bytes, first.Bytes)
				}
			})
		}
	})
}

// A request that failed changed nothing, so its key may be used again, even
// for another request.
func TestFailureFreesTheKey(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		s.Test.Hull(loc, map[string]any{"stock_number": "GW-1"})
		reader := s.As(s.Key(auth.HullsRead))
		client := keyed(s.Test, uuid.NewString())
		for _, c := range []struct {
			client *testkit.Client
			body   any
			status int
		}{
			{keyed(reader, client.Header.Get("Idempotency-Key")), testkit.HullBody(loc, nil), 403},
			{client, `{"make": `, 400},
			{client, `{}`, 400},
			{client, testkit.HullBody(loc, map[string]any{"condition": "shabby"}), 422},
			{client, testkit.HullBody("loc_1", nil), 422},
			{client, testkit.HullBody(loc, map[string]any{"stock_number": "GW-1"}), 409},
		} {
			if res := send(t, c.client, "POST", "/v1/hulls", c.body); res.StatusCode != c.status || replayed(res) {
				t.Fatalf("status %d, want %d: %s", res.StatusCode, c.status, res.Bytes)
			}
		}
		body := testkit.HullBody(loc, nil)
		first := client.Post("/v1/hulls", body, 201, nil)
		if again := client.Post("/v1/hulls", body, 201, nil); replayed(first) || !replayed(again) || !bytes.Equal(first.Bytes, again.Bytes) ||
			count(t, s.Test) != 2 {
			t.Errorf("got %s, then %s, %d hulls; want the first answer replayed, 2 hulls", first.Bytes, again.Bytes, count(t, s.Test))
		}
	})
}

func TestKeyIsKeptForADay(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		client, body := keyed(s.Test, uuid.NewString()), `{"name": "Pier"}`
		first := client.Post("/v1/locations", body, 201, nil)
		forget := func() int64 {
			n, err := db.Write(t.Context(), s.DB, rest.PurgeKeys)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		s.Advance(24*time.Hour - time.Minute)
		testkit.Equal(t, forget(), 0, "keys kept")
		if res := client.Post("/v1/locations", body, 201, nil); !replayed(res) || !bytes.Equal(first.Bytes, res.Bytes) {
			t.Errorf("within the day: got %s; want a replay of %s", res.Bytes, first.Bytes)
		}
		s.Advance(2 * time.Minute)
		// A day later the key is free, also for another request, whether or not it has been swept out.
		second := client.Post("/v1/locations", `{"name": "Dock"}`, 201, nil)
		if replayed(second) {
			t.Errorf("after the day: got a replay, want a new answer: %s", second.Bytes)
		}
		if res := client.Post("/v1/locations", `{"name": "Dock"}`, 201, nil); !replayed(res) || !bytes.Equal(second.Bytes, res.Bytes) {
			t.Errorf("the new use: got %s; want a replay of %s", res.Bytes, second.Bytes)
		}
		s.Advance(25 * time.Hour)
		testkit.Equal(t, forget(), 1, "swept keys")
		testkit.Equal(t, locationsOf(t, s.Test), 2)
	})
}

// The same key means another request in another environment and with another
// credential, and the same one after a rotation.
func TestIdempotencyKeySurvivesRotation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		key, body := uuid.NewString(), `{"name": "Pier"}`
		first := keyed(s.Test, key).Post("/v1/locations", body, 201, nil)
		other := s.As(s.Key(auth.Admin, auth.HullsRead))
		for name, c := range map[string]*testkit.Client{"another credential": other, "the live environment": s.Live,
			"another dealership": s.Other} {
			if res := keyed(c, key).Post("/v1/locations", body, 201, nil); replayed(res) {
				t.Errorf("%s: got a replay of the first answer, want a new one: %s", name, res.Bytes)
			}
		}
		n := locationsOf(t, s.Test)
		testkit.Equal(t, n, 2)
		testkit.Equal(t, locationsOf(t, s.Live), 1)
		testkit.Equal(t, locationsOf(t, s.Other), 1)
		var a, b access.Me
		s.Test.Get("/v1/me", 200, &a)
		other.Get("/v1/me", 200, &b)
		_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
			return db.Exec(ctx, tx, "UPDATE api_keys SET lineage = ? WHERE id = ?", a.Credential.ID, b.Credential.ID) // as a rotation leaves it
		})
		if err != nil {
			t.Fatal(err)
		}
		if res := keyed(other, key).Post("/v1/locations", body, 201, nil); !replayed(res) || !bytes.Equal(first.Bytes, res.Bytes) {
			t.Errorf("with the successor: got %s; want a replay of %s", res.Bytes, first.Bytes)
		}
	})
}

func TestFormOfKeys(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const good = "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10"
		for name, c := range map[string]struct {
			key string
			ok  bool
		}{
			"a UUID":           {good, true},
			"in capitals":      {"7C0C1B4E-2F1D-4A3B-9A57-3F8F4F3D2A10", true}, // the same one
			"a word":           {"order-17", false},
			"no hyphens":       {"7c0c1b4e2f1d4a3b9a573f8f4f3d2a10", false},
			"braces":           {"{" + good + "}", false},
			"a URN":            {"urn:uuid:" + good, false},
			"a digit too few":  {good[:35], false},
			"a digit too many": {good + "0", false},
			"not a digit":      {good[:35] + "g", false},
		} {
			res := send(t, keyed(s.Test, c.key), "POST", "/v1/locations", `{"name": "Pier"}`)
			testkit.Equal(t, res.StatusCode == 201, c.ok, name, "status", res.StatusCode)
			if !c.ok && !failed(t, res, 400).HasDetail("Idempotency-Key", "format") {
				t.Errorf("%s: got %s, want the detail Idempotency-Key format", name, res.Bytes)
			}
		}
		testkit.Equal(t, locationsOf(t, s.Test), 1)
		// Reading and removing repeat themselves: a key means nothing there.
		loc := "/v1/locations/" + s.Test.Location()
		for _, key := range []string{good, "order-17"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				if res := send(t, keyed(s.Test, key), method, loc, nil); res.StatusCode != 200 || replayed(res) {
					t.Errorf("%s with %s: got status %d; want 200, not replayed", method, key, res.StatusCode)
				}
			}
		}
		keyed(s.Test, good).Delete(loc, 204)
		if res := send(t, keyed(s.Test, good), "DELETE", loc, nil); res.StatusCode != 404 || replayed(res) {
			t.Errorf("the second removal: got status %d; want 404, not replayed", res.StatusCode)
		}
	})
}

// A kept answer may hold a secret that is shown once: the database must not.
func TestKeptAnswersAreSealed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		res := keyed(s.Test, uuid.NewString()).Post("/v1/locations", `{"name": "TELLTALE"}`, 201, nil)
		kept, err := db.Read(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) ([][]byte, error) {
			return db.All[[]byte](ctx, tx, "SELECT body FROM idempotency_keys")
		})
		if err != nil || len(kept) != 1 {
			t.Fatalf("got %d rows, %v; want no error, len(kept) = 1", len(kept), err)
		}
		if len(kept[0]) <= len(res.Bytes) || bytes.Contains(kept[0], []byte("TELLTALE")) || bytes.Contains(kept[0], []byte(`"name"`)) {
			t.Errorf(`kept in the clear: got %q; want len(kept[0]) > %v, kept[0] not to contain "TELLTALE", kept[0] not to contain "name"`,
				kept[0], len(res.Bytes))
		}
	})
}
