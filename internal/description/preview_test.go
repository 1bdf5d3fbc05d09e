package description

import (
	"context"
	"testing"

	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
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
	rest.Raw(r, "GET", 200, rest.Route{Path: "/boats", ID: "getBoat", Needs: auth.AnyCredential, Summary: "Get a boat"},
		func(context.Context, *struct{}) (boat, error) { return boat{"Ann"}, nil })
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, rest.Route{Path: "/boats", ID: "getBoatV2", Needs: auth.AnyCredential, Summary: "Get a boat", Text: "With a title."},
		func(context.Context, *struct{}) (PreviewBoat, error) { return PreviewBoat{"Ann"}, nil })
	rest.Raw(r.Preview("2026-11-16"), "GET", 200, rest.Route{
		Path: "/old_boats", ID: "getOldBoat", Needs: auth.AnyCredential, Summary: "Get an old boat",
		Deprecated: rest.Deprecation{Since: "2026-12-01", Sunset: "2027-03-01"},
	}, func(context.Context, *struct{}) (PreviewBoat, error) { return PreviewBoat{"Ben"}, nil })
}

// The preview has its own document, which says when an operation can become stable.
func TestPreview(t *testing.T) {
	d := Of(rest.New(rest.Config{}, previewed{}))
	assert.Equal(t, len(d.Stable().Paths), 1)
	paths := d.Preview().Paths
	assert.Equal(t, paths["/v2-preview/boats"].Get.Description,
		"With a title.\n\nIn preview since November 16, 2026. Can become stable on February 14, 2027.")
	assert.Equal(t, paths["/v2-preview/old_boats"].Get.Deprecated, true)
	if d.Preview().Components.Schemas.Map()["Boat"] == nil {
		t.Error("got no schema Boat in the preview, want one without the prefix of its type")
	}
}
