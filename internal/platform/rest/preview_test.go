package rest_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
)

// previewed is a feature with the same operation in both parts of the API.
type previewed struct{}

type (
	boat        struct{ Name string }
	PreviewBoat struct{ Title string }
)

func (previewed) Mount(r *rest.Router) {
	r = r.Family(family.Hulls)
	rest.Raw(r, "GET", 200, rest.Route{
		Path: "/boats", ID: "getBoat", Needs: auth.AnyCredential,
		Summary: "Get a boat",
	}, func(context.Context, *struct{}) (boat, error) { return boat{"Ann"}, nil })
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, rest.Route{
		Path: "/boats", ID: "getBoatV2", Needs: auth.AnyCredential,
		Summary: "Get a boat",
		Text:    "With a title.",
	}, func(context.Context, *struct{}) (PreviewBoat, error) { return PreviewBoat{"Ann"}, nil })
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, rest.Route{
		Path: "/old_boats", ID: "getOldBoat", Needs: auth.AnyCredential,
		Summary:    "Get an old boat",
		Deprecated: rest.Deprecation{Since: "2026-12-01", Sunset: "2027-03-01"},
	}, func(context.Context, *struct{}) (PreviewBoat, error) { return PreviewBoat{"Ben"}, nil })
}

// The preview says in headers when an operation can become
// stable and when it ends.
func TestPreview(t *testing.T) {
	r := rest.New(rest.Config{
		Authenticate: func(context.Context, string) (auth.Principal, error) {
			return auth.Principal{Env: 1, Version: "2026-11-15"}, nil
		},
		Limits: ratelimit.DefaultLimits, Log: slog.New(slog.DiscardHandler),
	}, previewed{})

	for _, c := range []struct {
		path, body                   string
		preview, deprecation, sunset string
	}{
		{"/v1/boats", `{"Name":"Ann"}`, "", "", ""},
		{"/v2-preview/boats", `{"Title":"Ann"}`, "entered=2026-11-16, promotes=2027-02-14", "", ""},
		{"/v2-preview/old_boats", `{"Title":"Ben"}`, "entered=2026-11-16, promotes=2027-02-14", "@1796083200",
			"Mon, 01 Mar 2027 00:00:00 GMT"},
	} {
		res := send(t, r, c.path)
		h := res.Header
		got := [4]string{h.Get("Service-Preview"), h.Get("Deprecation"), h.Get("Sunset"), h.Get("Service-Version")}
		if want := [4]string{c.preview, c.deprecation, c.sunset, "2026-11-15"}; got != want {
			t.Errorf("%s: got headers %q, want %q", c.path, got, want)
		}
		if body, _ := io.ReadAll(res.Body); string(body) != c.body+"\n" {
			t.Errorf("%s: got %s, want %s", c.path, body, c.body)
		}
	}
}

// A stable operation can't be deprecated.
func TestStableOperationsStay(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a stable operation was deprecated, want a panic")
		}
	}()
	rest.New(rest.Config{}, mounted(func(r *rest.Router) {
		rest.Get(r, rest.Route{
			Path: "/boats", ID: "getBoat", Needs: auth.AnyCredential,
			Summary:    "Get a boat",
			Deprecated: rest.Deprecation{Since: "2026-12-01", Sunset: "2027-03-01"},
		}, func(context.Context, *db.Tx, *struct{}) (boat, error) { return boat{}, nil })
	}))
}

type mounted func(*rest.Router)

func (m mounted) Mount(r *rest.Router) { m(r) }

func send(t *testing.T, h http.Handler, path string) *http.Response {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
	req.Header.Set("Authorization", "Bearer sk_test_1")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Result()
}

// twice mounts two operations with one ID.
type twice struct{}

func (twice) Mount(r *rest.Router) {
	is := rest.Route{Path: "/boats", ID: "getBoat", Needs: auth.AnyCredential, Summary: "Get a boat"}
	handler := func(context.Context, *struct{}) (rest.None, error) { return rest.None{}, nil }
	rest.Raw(r, "GET", 200, is, handler)
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, is, handler)
}

// Operation IDs are unique in the whole API.
func TestTwoOperationsWithOneID(t *testing.T) {
	defer func() {
		const want = "rest: GET /v2-preview/boats and GET /v1/boats both have the ID getBoat"
		if got := recover(); got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}()
	rest.New(rest.Config{}, twice{})
}
