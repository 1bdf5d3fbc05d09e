package app

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// The changelog lists what the descriptions contain, as a page and as JSON.
func TestChangelog(t *testing.T) {
	s := testkit.OnSQLite(t)
	var c description.Changelog
	s.Test.Get("/changelog.json", 200, &c)
	assert.Len(t, c.Versions, len(version.Published))
	newest := c.Versions[0]
	assert.Equal(t, newest.Date, version.Latest(), "the newest version is first")
	for _, want := range []struct {
		list []string
		item string
	}{{newest.Fields, "Deal.taxes"}, {newest.Events, "channel.updated"}} {
		if !slices.Contains(want.list, want.item) {
			t.Errorf("the changelog of %s lists %v, want it to contain %s", newest.Date, want.list, want.item)
		}
	}
	assert.Len(t, c.Versions[len(c.Versions)-1].Fields, 0, "the first version added no fields")

	assert.Len(t, c.Preview, len(operationsOf(app.Described().Preview())))
	at := slices.IndexFunc(c.Preview, func(o description.PreviewOperation) bool { return o.Operation == "createHullV2" })
	assert.Equal(t, c.Preview[at], description.PreviewOperation{
		Operation: "createHullV2", Method: "POST", Path: "/v2-preview/hulls", Summary: "Add a hull to inventory",
		Entered: "2026-11-16", Promotes: "2027-02-14",
	})

	res, err := http.Get(s.URL + "/changelog") //nolint:noctx // a page without a context
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{newest.Date, "<code>Deal.taxes</code>", "POST /v2-preview/hulls", "Deals have <code>taxes</code> with caps"} {
		assert.Contains(t, page, part)
	}
	if strings.Contains(string(page), "&lt;code&gt;") {
		t.Error("the page shows escaped code")
	}
}
