package slipway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const html = "<html><body>Bad Gateway</body></html>"

func TestRetries(t *testing.T) {
	for _, c := range []struct {
		what  string
		steps []step
		waits []time.Duration
		err   error // nil if the call succeeds
	}{
		{"succeeds", []step{ok}, nil, nil},
		{"dropped after the headers", []step{drops, ok}, seconds(0.5), nil},
		{"no response", []step{vanishes, vanishes, ok}, seconds(0.5, 1), nil},
		{"429 with Retry-After", []step{fails(429, "rate_limited", "Retry-After", "2"), ok}, seconds(2), nil},
		{"503 twice", []step{fails(503, "unavailable"), fails(503, "unavailable"), ok}, seconds(0.5, 1), nil},
		{"503 with Retry-After", []step{fails(503, "unavailable", "Retry-After", "30"), ok}, seconds(30), nil},
		{"409 with Retry-After", []step{fails(409, "conflict", "Retry-After", "1"), ok}, seconds(1), nil},
		{"409", []step{fails(409, "conflict")}, nil, ErrConflict},
		{"422", []step{fails(422, "unprocessable")}, nil, ErrUnprocessable},
		{"401", []step{fails(401, "unauthenticated")}, nil, ErrUnauthenticated},
		{"HTML of a proxy", []step{reply(502, html), reply(502, html), reply(502, html), reply(502, html)}, seconds(0.5, 1, 2), ErrServer},
		{"a long Retry-After", []step{fails(503, "unavailable", "Retry-After", "3600")}, nil, ErrUnavailable},
		{"a page of a proxy with 200", []step{reply(200, html)}, nil, ErrServer},
		{"a redirect", []step{reply(301, "", "Location", "/elsewhere")}, nil, ErrServer},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := script(t, c.steps...)
			contact, err := s.Contacts.Create(t.Context(), ContactCreate{LastName: "Bell"})
			if !errors.Is(err, c.err) {
				t.Fatalf("got error %v, want %v", err, c.err)
			}
			if c.err == nil {
				equal(t, contact.ID, "con_1", "ID")
			}
			equal(t, len(s.requests), len(c.steps), "requests")
			equal(t, s.waits, c.waits, "waits")
			equal(t, len(s.keys()), 1, "idempotency keys")
			equal(t, len(s.keys()[0]), 36, "length of the key")
			for _, r := range s.requests {
				equal(t, r.body, `{"last_name":"Bell"}`, "body")
			}
		})
	}
}

func TestReadsAndDeletesAreRetriedWithoutKeys(t *testing.T) {
	s := script(t, vanishes, ok, vanishes, reply(204, ""))
	if _, err := s.Contacts.Get(t.Context(), "con_1"); err != nil {
		t.Error(err)
	}
	if err := s.Contacts.Erase(t.Context(), "con_1", IfVersion(3)); err != nil {
		t.Error(err)
	}
	equal(t, s.keys(), []string{""}, "keys")
	equal(t, s.requests[3].header.Get("If-Match"), `"3"`, "If-Match")
}

func TestIdempotencyKeys(t *testing.T) {
	s := script(t, ok, ok, fails(503, "unavailable"), ok)
	for _, opts := range [][]RequestOption{nil, nil, {IdempotencyKey("7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10")}} {
		if _, err := s.Contacts.Create(t.Context(), ContactCreate{LastName: "Bell"}, opts...); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, len(s.keys()), 3, "keys")
	equal(t, s.keys()[2], "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10", "own key")
}

func TestMaxRetries(t *testing.T) {
	s := scriptWith(t, []Option{WithMaxRetries(0)}, fails(503, "unavailable"))
	_, err := s.Contacts.Get(t.Context(), "con_1")
	equal(t, errors.Is(err, ErrUnavailable), true, "unavailable")
}

func TestCancelEndsTheWait(t *testing.T) {
	s := script(t, fails(503, "unavailable", "Retry-After", "30"))
	ctx, cancel := context.WithCancel(t.Context())
	s.retries.sleep = func(ctx context.Context, d time.Duration) error {
		cancel()
		return sleep(ctx, d)
	}
	_, err := s.Contacts.Get(ctx, "con_1")
	equal(t, errors.Is(err, context.Canceled) && errors.Is(err, ErrUnavailable), true, "canceled and unavailable")

	_, err = s.Contacts.Get(ctx, "con_1")
	equal(t, errors.Is(err, context.Canceled), true, "canceled before the request")
}

// A wait that would exceed the deadline of the caller doesn't start.
func TestDeadline(t *testing.T) {
	s := script(t, fails(503, "unavailable", "Retry-After", "30"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := s.Contacts.Get(ctx, "con_1")
	equal(t, errors.Is(err, ErrUnavailable), true, "unavailable")
	equal(t, len(s.waits), 0, "waits")
}

func TestTimeout(t *testing.T) {
	hangs := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	s := script(t, hangs, ok)
	if _, err := s.Contacts.Get(t.Context(), "con_1", RequestTimeout(50*time.Millisecond)); err != nil {
		t.Errorf("got %v, want a second attempt after the time limit", err)
	}
}

func TestErrors(t *testing.T) {
	s := script(t, fails(422, "unprocessable"), reply(404, html))
	_, err := s.Hulls.Update(t.Context(), "hull_1", HullPatch{Title: Set("x")})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an Error", err)
	}
	equal(t, e.Error(), "slipway: No. (422 unprocessable, req_1)", "text")
	equal(t, []string{e.Field("title"), e.Field("model"), e.RequestID}, []string{"is too long", "", "req_1"}, "fields")

	_, err = s.Hulls.Get(t.Context(), "hull_1")
	errors.As(err, &e)
	equal(t, []any{e.Status, e.Code, e.RequestID}, []any{404, ErrServer, "req_1"}, "page of a proxy")
}

func TestRequests(t *testing.T) {
	s := scriptWith(t, []Option{WithHeader("X-Client-Request-Id", "7")}, ok, reply(200, `{"data": []}`), reply(204, ""), ok)
	patch := HullPatch{Title: Set("Winterized"), StockNumber: Clear[string]()}
	if _, err := s.Hulls.Update(t.Context(), "hull/1", patch, IfVersion(4)); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests[0].method+" "+s.requests[0].url, "PATCH /v1/hulls/hull%2F1", "request")
	equal(t, s.requests[0].body, `{"stock_number":null,"title":"Winterized"}`, "patch")
	for name, want := range map[string]string{"Authorization": "Bearer sk_test_1", "Service-Version": Version, "If-Match": `"4"`,
		"Content-Type": "application/json", "X-Client-Request-Id": "7", "User-Agent": "slipway-go/" + Version} {
		equal(t, s.requests[0].header.Get(name), want, name)
	}

	params := PreviewHullListParams{Make: "Grady-White", YearMin: 2020, Archived: Ptr(false),
		Expand:       []PreviewHullExpansion{"location", "pricing"},
		CreatedAfter: time.Date(2026, 5, 1, 2, 0, 0, 0, time.FixedZone("", 2*3600))}
	for _, err := range s.Preview.Hulls.List(t.Context(), params) {
		t.Fatal(err)
	}
	equal(t, s.requests[1].url, "/v2-preview/hulls?archived=false&created_after=2026-05-01T00%3A00%3A00Z"+
		"&expand=location%2Cpricing&limit=100&make=Grady-White&year_min=2020", "query")

	var res *http.Response
	if err := s.Access.RevokeSession(t.Context(), "ses_1", MFAToken("mfa_1"), CaptureResponse(&res)); err != nil {
		t.Fatal(err)
	}
	equal(t, []string{s.requests[2].header.Get("MFA-Token"), res.Header.Get("Request-Id")}, []string{"mfa_1", "req_1"}, "headers")

	if _, err := s.Hulls.Archive(t.Context(), "hull_1", nil); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests[3].body+s.requests[3].header.Get("Content-Type"), "", "optional body")
}

// An empty ID would delete or read something else.
func TestEmptyIDs(t *testing.T) {
	s := script(t)
	for _, id := range []string{"", ".", ".."} {
		_, err := s.Hulls.Get(t.Context(), id)
		if err == nil {
			t.Errorf("%q: got no error", id)
			continue
		}
		contains(t, err.Error(), "hull_id")
	}
}

func TestHooks(t *testing.T) {
	var log []string
	s := scriptWith(t, []Option{
		OnRequest(func(r RequestInfo) { log = append(log, r.Method+" "+r.Path) }),
		OnResponse(func(r ResponseInfo) {
			log = append(log, strings.Join([]string{http.StatusText(r.Status), r.RequestID}, " "))
			equal(t, r.Err == nil, r.Attempt == 2, "succeeded")
			equal(t, len(r.IdempotencyKey), 36, "length of the key")
		}),
	}, fails(503, "unavailable"), ok)
	if _, err := s.Contacts.Update(t.Context(), "con_1", ContactPatch{}); err != nil {
		t.Fatal(err)
	}
	const path = "PATCH /v1/contacts/{contact_id}"
	equal(t, log, []string{path, "Service Unavailable req_1", path, "OK req_1"}, "log")
}

func TestUploads(t *testing.T) {
	const content = "a photo"
	for _, c := range []struct {
		what    string
		content io.Reader
		steps   []step
		bodies  []string
		fails   bool
	}{
		{"can seek", strings.NewReader(content), []step{fails(503, "unavailable"), ok}, []string{content, content}, false},
		{"can't seek", io.MultiReader(strings.NewReader(content)), []step{fails(503, "unavailable")}, []string{content}, true},
		{"can't seek, succeeds", io.MultiReader(strings.NewReader(content)), []step{ok}, []string{content}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := script(t, c.steps...)
			var sent int64
			file := File{Content: c.content, ContentType: "image/png", Progress: func(n int64) { sent = n }}
			_, err := s.Hulls.UploadPhoto(t.Context(), "hull_1", file, HullUploadPhotoParams{Caption: "At the dock"})
			equal(t, err != nil, c.fails, "fails")
			equal(t, sent, int64(len(content)), "progress")
			equal(t, len(s.keys()), 1, "keys")
			for i, r := range s.requests {
				equal(t, r.body+r.header.Get("Content-Type")+r.url, c.bodies[i]+"image/png/v1/hulls/hull_1/photos?caption=At+the+dock", "request")
			}
		})
	}
}

// A file that was not read yet can be sent again.
func TestUploadThatWasNotRead(t *testing.T) {
	s := script(t, ok)
	refused := true
	transport := s.http.Transport
	s.http.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		if refused {
			refused = false
			_ = r.Body.Close()
			return nil, errors.New("connection refused")
		}
		return transport.RoundTrip(r)
	})
	file := File{Content: io.MultiReader(strings.NewReader("a photo")), ContentType: "image/png"}
	if _, err := s.Hulls.UploadPhoto(t.Context(), "hull_1", file, HullUploadPhotoParams{}); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests[0].body, "a photo", "body")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestDownloads(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	s := script(t, fails(503, "unavailable"), reply(200, big, "Content-Type", "image/jpeg"), fails(404, "not_found"))
	var res *http.Response
	body, err := s.Hulls.GetPhotoContent(t.Context(), "hull_1", "pho_1", HullGetPhotoContentParams{Variant: PhotoSizeThumb}, CaptureResponse(&res))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(body)
	if err != nil || !bytes.Equal(got, []byte(big)) {
		t.Errorf("got %d bytes, %v; want %d", len(got), err, len(big))
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	equal(t, res.Header.Get("Content-Type"), "image/jpeg", "type")

	_, err = s.Hulls.GetPhotoContent(t.Context(), "hull_1", "pho_2", HullGetPhotoContentParams{})
	equal(t, errors.Is(err, ErrNotFound), true, "not found")
}

// Without a key, no request is sent.
func TestMissingKey(t *testing.T) {
	_, err := New("http://127.0.0.1:1", "", WithMaxRetries(0)).Hulls.Get(t.Context(), "hull_1")
	if err == nil {
		t.Fatal("got no error")
	}
	contains(t, err.Error(), "SLIPWAY_KEY")
}
