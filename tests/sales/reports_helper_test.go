package sales

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// world is a dealership in New York with a second location in Los Angeles.
type world struct {
	*testkit.Server
	t          *testing.T
	east, west string
}

// newWorld stops the clock at a time.
func newWorld(t *testing.T, s *testkit.Server, at string) *world {
	t.Helper()
	now, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	s.StopClock(now)
	s.Test.Patch("/v1/dealership", `{"timezone": "America/New_York"}`, 200, nil)
	w := &world{s, t, s.Test.Location(), s.Test.Location()}
	s.Test.Patch("/v1/locations/"+w.west, `{"timezone": "America/Los_Angeles"}`, 200, nil)
	return w
}

// hull adds a hull that was received on a day, and its cost in cents unless it is 0.
func (w *world) hull(location, received string, priceUSD, costCents int64, changes ...map[string]any) string {
	w.t.Helper()
	body := map[string]any{"price_usd": priceUSD}
	if received != "" {
		body["received_on"] = received
	}
	for _, c := range changes {
		for k, v := range c {
			body[k] = v
		}
	}
	id := w.Test.Hull(location, body)
	if costCents > 0 {
		w.Test.Patch("/v2-preview/hulls/"+id+"/pricing", map[string]any{"cost": map[string]any{
			"invoice": usd(costCents - 100), "freight": usd(100),
		}}, 200, nil)
	}
	return id
}

func usd(cents int64) rest.Money { return rest.Money{Amount: cents, Currency: "USD"} }

// csv returns a report as CSV, without the last line break.
func csv(t *testing.T, c *testkit.Client, path string) string {
	t.Helper()
	res, err := c.With("Accept", "text/csv").Send("GET", "/v2-preview/reports/"+path, nil)
	if err != nil || res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Fatalf("%s: got error %v and %s, want CSV", path, err, assert.Show(res))
	}
	return strings.TrimSuffix(string(res.Bytes), "\n")
}

// wantCSV checks a report. The first line has the columns.
func (w *world) wantCSV(path string, lines ...string) {
	w.t.Helper()
	assert.Equal(w.t, csv(w.t, w.Test, path), strings.Join(lines, "\n"), path)
}

// names are the reports.
var names = []string{"inventory", "gross", "leads", "responses", "pipeline", "funding", "cash", "pricing", "taxes"}
