package channels

import (
	"bytes"
	"strings"
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
)

// A site that embeds the feed in a script element can't be made to run a script by
// the text of a hull.
func TestJSONFeedCannotEndAScript(t *testing.T) {
	const attack = "</script><script>alert(1)</script>"
	var b bytes.Buffer
	feed, s := &jsonWriter{w: &b}, shop{name: attack}
	l := listing{Hull: hulls.Hull{Make: attack, Description: new(attack)}, at: &dealership.Location{Name: attack}, shop: s}
	for _, write := range []func() error{
		func() error { return feed.begin(s) },
		func() error { return feed.write(l) },
		feed.end,
		func() error { return feed.alone(l) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(b.String(), "<>") {
		t.Errorf("got a feed with < or >, want them escaped:\n%s", b.String())
	}
}
