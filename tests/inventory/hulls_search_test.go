package inventory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// Small limits make the searches of tests use all their paths with few hulls.
func init() {
	l := &hulls.SearchLimits
	l.Few, l.Many, l.Common, l.Nearby = 3, 6, 20, 4
}

// envOf returns the environment of a hull. Jobs need it, and the API never shows it.
func envOf(t *testing.T, s *testkit.Server, hull string) auth.Env {
	t.Helper()
	env, err := db.Read(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (auth.Env, error) {
		return db.One[auth.Env](ctx, tx, `SELECT env FROM hulls WHERE id = ?`, hull)
	})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// ids returns the hulls on all pages of a list.
func ids(t *testing.T, c *testkit.Client, query string, limit int) (all []string) {
	t.Helper()
	cursor := ""
	for range 100 {
		var p page.Page[hulls.Hull]
		c.Get(fmt.Sprintf("/v1/hulls?limit=%d&%s%s", limit, query, cursor), 200, &p)
		for _, h := range p.Data {
			all = append(all, h.ID)
		}
		if !p.HasMore {
			assert.Equal(t, p.NextCursor, nil, query, "no cursor on the last page")
			return all
		}
		cursor = "&starting_after=" + *p.NextCursor
	}
	t.Fatal("the list doesn't end")
	return nil
}

func TestFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		here, there := s.Test.Location(), s.Test.Location()
		start := s.DB.Now()
		grady := s.Test.Hull(here, map[string]any{"make": "Grady-White", "model": "Freedom 235", "year": 2024,
			"price_usd": 120000, "length_ft": 23.5})
		s.Advance(time.Hour)
		catalina := s.Test.Hull(there, map[string]any{"make": "Catalina", "model": "315", "year": 2019, "price_usd": 0, "length_ft": 31.9,
			"condition": "used", "boat_class": "sail-sloop", "stock_number": "C-77"})
		s.Advance(time.Hour)
		ordered := s.Test.Hull(here, map[string]any{"make": "Béné Teau", "model": "Oceanis 38.1", "status": "on_order", "hin": nil,
			"price_usd": 300000, "length_ft": 38})
		gone := s.Test.Hull(here, map[string]any{"make": "Sea-Doo", "model": "GTX", "category": "pwc"})
		s.Test.Post("/v1/hulls/"+gone+"/archive", nil, 200, nil)
		s.Test.Patch("/v1/hulls/"+grady, `{"title":"Ready to fish"}`, 200, nil)

		at := func(d time.Duration) string { return url.QueryEscape(start.Add(d).UTC().Format(time.RFC3339Nano)) }
		for query, want := range map[string][]string{
			"":                                      {ordered, catalina, grady},
			"status=available":                      {catalina, grady},
			"status=on_order":                       {ordered},
			"status=archived":                       {gone},
			"archived=true":                         {gone},
			"archived=false":                        {ordered, catalina, grady},
			"include_archived=true":                 {gone, ordered, catalina, grady},
			"include_archived=true&status=on_order": {ordered},
			"include_archived=true&updated_after=" + at(90*time.Minute): {gone, ordered, grady},
			"location_id=" + there:                 {catalina},
			"make=GRADY-white":                     {grady},
			"make=bene%20teau":                     {ordered},
			"make=grady":                           nil,
			"model=oceanis%2038.1":                 {ordered},
			"year_min=2020":                        {ordered, grady},
			"year_max=2019":                        {catalina},
			"price_max=0":                          {catalina},
			"price_min=1&price_max=120000":         {grady},
			"length_min=31.9":                      {ordered, catalina},
			"length_max=31.89":                     {grady},
			"condition=used":                       {catalina},
			"category=sail":                        {catalina},
			"created_after=" + at(30*time.Minute):  {ordered, catalina},
			"created_before=" + at(30*time.Minute): {grady},
			"updated_after=" + at(90*time.Minute):  {ordered, grady},
			"q=grady":                              {grady},
			"q=gra":                                {grady},
			"q=GRADYWHITE":                         {grady},
			"q=fish%20ready":                       {grady},
			"q=fish%20catalina":                    nil,
			"q=bene":                               {ordered},
			"q=c77":                                {catalina},
			"q=C-77":                               {catalina},
			"q=38":                                 {ordered},
			"q=gtx":                                nil,
			"q=gtx&archived=true":                  {gone},
			"q=o&status=on_order":                  nil, // a single letter matches only itself
			"q=%21%3F":                             nil, // nothing to search for
			"q=grady&price_max=1":                  nil,
			"location_id=nowhere":                  nil,
		} {
			if got := ids(t, s.Test, query, 2); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		for query, field := range map[string]string{
			"archived=false&status=archived":      "archived",
			"archived=true&status=sold":           "archived",
			"archived=true&include_archived=true": "include_archived",
			"year_min=2020&year_max=2019":         "year_min",
			"price_min=2&price_max=1":             "price_min",
			"length_min=2&length_max=1":           "length_min",
			"status=afloat":                       "status",
			"price_min=-1":                        "price_min",
			"year_min=soon":                       "year_min",
			"created_after=yesterday":             "created_after",
			"color=red":                           "color",
		} {
			f := s.Test.Get("/v1/hulls?"+query, 400, nil).Fault(t)
			if len(f.Details) == 0 || f.Details[0].Field != field {
				t.Errorf("%s: got %+v; want len(f.Details) != 0, f.Details[0].Field = %q", query, f, field)
			}
		}
	})
}

// Search finds exactly the hulls that have all the words, with both of its
// strategies, page by page and in order.
func TestSearchMatchesScan(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seed := rand.Uint64()
		t.Log("seed", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		loc := s.Test.Location()
		makes, models := []string{"Sea Ray", "Sea Fox", "Seaswirl", "Ranger", "Sailfish"},
			[]string{"Sundancer 320", "SLX 250", "Bay 24", "Sport 25"}
		type boat struct{ id, text string }
		var boats []boat
		for i := range 60 {
			mk, model, stock := makes[r.IntN(len(makes))], models[r.IntN(len(models))], fmt.Sprintf("SX%03d", i)
			id := s.Test.Hull(loc, map[string]any{"make": mk, "model": model, "stock_number": stock, "status": "on_order", "hin": nil})
			boats = append(boats, boat{id, strings.ToLower(mk + " " + model + " " + stock)})
		}
		slices.Reverse(boats) // newest first

		for _, q := range []string{"sea", "se", "sx", "sx0", "sx00", "sea 25", "s", "sea sundancer 320", "sx bay",
			"ranger sx01", "sailfish ranger", "320 sun"} {
			var want []string
			for _, b := range boats {
				if hasAll(b.text, q) {
					want = append(want, b.id)
				}
			}

			for _, limit := range []int{3, 7, 100} {
				if got := ids(t, s.Test, "q="+url.QueryEscape(q), limit); !slices.Equal(got, want) {
					t.Errorf("q=%s by %d: %d hulls, want %d", q, limit, len(got), len(want))
				}
			}

			if len(want) > 4 { // backwards from the fourth: the three before it
				var p page.Page[hulls.Hull]
				s.Test.Get("/v1/hulls?limit=2&q="+url.QueryEscape(q)+"&ending_before="+want[3], 200, &p)
				if len(p.Data) != 2 || p.Data[0].ID != want[1] || p.Data[1].ID != want[2] || !p.HasMore ||
					p.NextCursor == nil || *p.PrevCursor != want[1] {
					t.Errorf("q=%s backwards: got %s; want %v with both cursors", q, assert.Show(p), want[1:3])
				}
			}
		}
	})
}

// hasAll reports whether text has a word that starts with each word of q.
func hasAll(text, q string) bool {
	for word := range strings.FieldsSeq(q) {
		if !slices.ContainsFunc(strings.Fields(text), func(w string) bool { return w == word || (len(word) > 1 && strings.HasPrefix(w, word)) }) {
			return false
		}
	}
	return true
}
