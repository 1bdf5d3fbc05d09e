package rest_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

// previewed is a feature with the same operation in both parts of the API.
type previewed struct{}

type (
	boat        struct{ Name string }
	PreviewBoat struct{ Title string }
)

func (previewed) Mount(r *rest.Router) {
	r = r.Family("Hulls")
	rest.Raw(r, "GET", 200, "/boats", "getBoat", auth.AnyCredential, "Get a boat",
		func(context.Context, *struct{}) (boat, error) { return boat{"Ann"}, nil })
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, "/boats", "getBoat", auth.AnyCredential, "Get a boat",
		func(context.Context, *struct{}) (PreviewBoat, error) { return PreviewBoat{"Ann"}, nil }, rest.Describe("With a title."))
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, "/old_boats", "getOldBoat", auth.AnyCredential, "Get an old boat",
		func(context.Context, *struct{}) (PreviewBoat, error) { return PreviewBoat{"Ben"}, nil },
		rest.Deprecated("2026-12-01", "2027-03-01"))
}

// The preview has its own document and says in headers when an operation can become
// stable and when it ends.
func TestPreview(t *testing.T) {
	r := rest.New(rest.Config{
		Authenticate: func(context.Context, string) (auth.Principal, error) {
			return auth.Principal{Env: 1, Version: "2026-11-15"}, nil
		},
		Limits: rest.DefaultLimits, Log: slog.New(slog.DiscardHandler),
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

	if n := len(r.OpenAPI().Paths); n != 1 {
		t.Errorf("got %d stable paths, want 1", n)
	}
	op := r.PreviewOpenAPI().Paths["/v2-preview/boats"].Get
	want := "With a title.\n\nIn preview since November 16, 2026. Can become stable on February 14, 2027."
	if op.Description != want {
		t.Errorf("got the description %q, want %q", op.Description, want)
	}
	if r.PreviewOpenAPI().Components.Schemas.Map()["Boat"] == nil {
		t.Error("got no schema Boat in the preview, want one without the prefix of its type")
	}
	if !r.PreviewOpenAPI().Paths["/v2-preview/old_boats"].Get.Deprecated {
		t.Error("getOldBoat is not marked as deprecated")
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
		rest.Get(r, "/boats", "getBoat", auth.AnyCredential, "Get a boat",
			func(context.Context, *db.Tx, *struct{}) (boat, error) { return boat{}, nil }, rest.Deprecated("2026-12-01", "2027-03-01"))
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
