package rest

import (
	"fmt"
	"reflect"
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

type (
	Barge        struct{ Name string }
	PreviewBarge struct{ Title string }
)

// The service doesn't start if a part of the API would describe two types as one.
func TestTwoTypesWithOneName(t *testing.T) {
	const want = "rest: GET /v2-preview/mine returns rest.Barge, and getBarge returns rest.PreviewBarge. Both are the schema Barge. In the preview, return the type of the preview."
	for name, c := range map[string]struct {
		first, second reflect.Type
		want          string
	}{
		"another type":      {reflect.TypeFor[PreviewBarge](), reflect.TypeFor[Barge](), want},
		"a page of another": {reflect.TypeFor[page.Page[PreviewBarge]](), reflect.TypeFor[page.Page[Barge]](), want},
		"the same type":     {reflect.TypeFor[page.Page[PreviewBarge]](), reflect.TypeFor[PreviewBarge](), "<nil>"},
		"no resource":       {reflect.TypeFor[None](), reflect.TypeFor[*Content](), "<nil>"},
	} {
		s, got := &Surface{}, any(nil)
		func() {
			defer func() { got = recover() }()
			s.mustNameOneType(&Operation{Route: Route{ID: "getBarge"}, Out: c.first})
			s.mustNameOneType(&Operation{Route: Route{Path: "/v2-preview/mine"}, Method: "GET", Out: c.second})
		}()
		assert.Equal(t, fmt.Sprint(got), c.want, name)
	}
}
