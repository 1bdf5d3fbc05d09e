package inventory

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/wire"
)

// feedIDs returns the IDs of the hulls in a feed, in order.
func feedIDs(t *testing.T, format string, body []byte) (ids []string) {
	t.Helper()
	switch format {
	case "json":
		var doc struct {
			Type  string `json:"@type"`
			Items []struct {
				Item struct {
					ID string `json:"productID"`
				} `json:"item"`
			} `json:"dataFeedElement"`
		}
		assert.NoError(t, json.Unmarshal(body, &doc))
		assert.Equal(t, doc.Type, "DataFeed")
		for _, i := range doc.Items {
			ids = append(ids, i.Item.ID)
		}

	case "xml":
		var doc struct {
			Boats []struct {
				ID string `xml:"id,attr"`
			} `xml:"boat"`
		}
		if err := xml.Unmarshal(body, &doc); err != nil {
			t.Fatal(err)
		}
		for _, b := range doc.Boats {
			ids = append(ids, b.ID)
		}

	case "openmarine":
		var doc struct {
			Adverts []struct {
				Ref string `xml:"ref,attr"`
			} `xml:"broker>adverts>advert"`
		}
		if err := xml.Unmarshal(body, &doc); err != nil {
			t.Fatal(err)
		}
		for _, a := range doc.Adverts {
			ids = append(ids, a.Ref)
		}

	case "boatstream":
		var doc struct {
			Boats []struct {
				ID string `xml:"VehicleRemarketingHeader>DocumentIdentificationGroup>DocumentIdentification>DocumentID"`
			} `xml:"ProcessVehicleRemarketingDataArea>VehicleRemarketing"`
		}
		if err := xml.Unmarshal(body, &doc); err != nil {
			t.Fatal(err)
		}
		for _, b := range doc.Boats {
			ids = append(ids, b.ID)
		}

	case "csv":
		rows, err := csv.NewReader(strings.NewReader(string(body))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			ids = append(ids, r[0])
		}
	}

	return ids
}

func TestFeed(t *testing.T) {
	types := map[string]string{
		"json": "application/ld+json", "xml": "application/xml", "csv": "text/csv; charset=utf-8", "openmarine": "application/xml",
		"boatstream": "application/xml",
	}
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		channels := map[string]string{}
		for format := range types {
			channels[format] = s.Test.Channel(map[string]any{"format": format, "auto_publish": true})
			assert.Len(t, feedIDs(t, format, s.Test.Get("/v1/channels/"+channels[format]+"/feed", 200, nil).Bytes), 0, format, "nothing")
		}

		lines := []string{"stock_number,hin,make,model,year,length_ft,price_usd,location_id,title\n"}
		for n := range 203 { // more than two batches
			lines = append(lines, fmt.Sprintf("F-%d,ABC%05dL495,Lund,Tyee,2024,20,1000,%s,=1+1\n", n, n, loc))
		}

		var i imports.HullImport
		s.Test.Post("/v1/hull_imports", testkit.File{Type: "text/csv", Bytes: []byte(strings.Join(lines, ""))}, 202, &i)
		job := imports.RunImport{Env: s.Env("hull_imports", i.ID), ImportID: i.ID}
		if err := jobs.Run(t.Context(), (&imports.API{DB: s.DB, Jobs: s.Jobs, Blobs: s.Blobs}).RunImport, job); err != nil {
			t.Fatal(err)
		}

		want := testkit.Rows[string](s, `SELECT id FROM hulls ORDER BY id`)
		s.Test.Hull(loc, map[string]any{"status": "not_for_sale"})
		photo := s.Test.Photo(want[0])
		for format, kind := range types {
			path := "/v1/channels/" + channels[format] + "/feed"
			res := s.Test.Get(path, 200, nil)
			if got := feedIDs(t, format, res.Bytes); !slices.Equal(got, want) || res.Header.Get("Content-Type") != kind {
				t.Errorf("%s as %s: %d hulls, want %d", format, res.Header.Get("Content-Type"), len(got), len(want))
			}
			assert.Excludes(t, res.Bytes, ",=1+1", format, "no formula")
			assert.Contains(t, res.Bytes, "/media/", format, "no formula")

			// The ETag is the same until the feed changes.
			tag := res.Header.Get("ETag")
			same := func(want int) {
				t.Helper()
				s.Test.With("If-None-Match", tag).Do("HEAD", path, nil, want, nil) // doesn't write the feed
			}
			same(304)
			s.Test.Patch("/v1/hulls/"+want[5], `{"metadata":{"note":"`+format+`"}}`, 200, nil)
			same(304)

			for _, change := range []func(){
				func() {
					s.Test.Put("/v1/hulls/"+want[5]+"/pricing", map[string]any{"price_usd": 1000 + len(format), "price_hidden": false}, 200, nil)
				},
				func() {
					s.Test.Put("/v1/hulls/"+want[5]+"/pricing", map[string]any{"price_usd": 1000 + len(format), "price_hidden": true}, 200, nil)
				},
				func() { s.Test.Put("/v1/hulls/"+want[5]+"/specs", `{"hull_color":"`+format+`"}`, 200, nil) },
				func() { s.Test.Patch("/v1/hulls/"+want[0]+"/photos/"+photo, `{"caption":"`+format+`"}`, 200, nil) },
				func() { s.Test.Do("DELETE", "/v1/hulls/"+want[7]+"/syndication/"+channels[format], nil, 200, nil) },
				func() { s.Test.Put("/v1/hulls/"+want[7]+"/syndication/"+channels[format], nil, 200, nil) },
				func() { s.Test.Patch("/v1/locations/"+loc, `{"name":"Harbor `+format+`"}`, 200, nil) },
			} {
				change()
				same(200)
				tag = s.Test.Do("HEAD", path, nil, 200, nil).Header.Get("ETag")
			}
			s.Advance(48 * time.Hour)
			same(304)
		}

		if n := len(s.Live.Get("/v1/channels/"+s.Live.Channel(nil)+"/feed", 200, nil).Bytes); n > 200 {
			t.Errorf("the other environment's feed has %d bytes, want n <= 200", n)
		}
	})
}

// A partner that looks for newer dates must find a boat whose specifications or
// photos have changed.
func TestFeedShowsTheDateOfEachChange(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		first := s.Test.Photo(id)
		s.MakeSizes(first)
		feeds := map[string]string{}
		for _, format := range []string{"json", "xml", "csv"} {
			feeds[format] = s.Test.Channel(map[string]any{"format": format, "auto_publish": true})
		}
		for name, change := range map[string]func(){
			"specs":   func() { s.Test.Put("/v1/hulls/"+id+"/specs", `{"beam_ft": 8.5}`, 200, nil) },
			"caption": func() { s.Test.Patch("/v1/hulls/"+id+"/photos/"+first, `{"caption": "Helm"}`, 200, nil) },
			"hidden": func() {
				s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 124900, "price_hidden": true}`, 200, nil)
			},
			"msrp": func() { s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 124900, "msrp_usd": 138000}`, 200, nil) },
		} {
			s.Advance(time.Hour)
			change()
			var h hulls.Hull
			s.Test.Get("/v1/hulls/"+id, 200, &h)
			if age := s.DB.Now().Sub(h.UpdatedAt); age > time.Minute {
				t.Errorf("%s: updated_at is %s old", name, age)
			}
			for format, channel := range feeds {
				feed := s.Test.Get("/v1/channels/"+channel+"/feed", 200, nil).Bytes
				assert.Contains(t, feed, h.UpdatedAt.UTC().Format(wire.TimeFormat), name, format)
			}
		}
	})
}

// A hidden price must not be in a feed, whatever the format.
func TestFeedHidesThePrice(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 987654})
		for _, format := range []string{"json", "xml", "csv", "openmarine", "boatstream"} {
			path := "/v1/channels/" + s.Test.Channel(map[string]any{"format": format, "auto_publish": true}) + "/feed"
			for body, shown := range map[string]bool{
				`{"price_usd": 987654, "price_type": "asking", "price_hidden": false}`: true,
				`{"price_usd": 987654, "price_type": "call", "price_hidden": false}`:   false,
				`{"price_usd": 987654, "price_type": "sale", "price_hidden": true}`:    false,
			} {
				s.Test.Put("/v1/hulls/"+id+"/pricing", body, 200, nil)
				if got := strings.Contains(string(s.Test.Get(path, 200, nil).Bytes), "987654"); got != shown {
					t.Errorf("%s %s: got the price in the feed: %t, want %t", format, body, got, shown)
				}
			}
		}
	})
}

// A marketplace takes a photo with another URL for another photo. The links of a boat
// stay the same, and work, as long as it is for sale.
func TestPhotoLinksOfFeeds(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Photo(hull)
		feed := "/v1/channels/" + s.Test.Channel(map[string]any{"format": "csv", "auto_publish": true}) + "/feed"
		s.Test.Put("/v1/hulls/"+hull+"/syndication/"+strings.Split(feed, "/")[3], nil, 200, nil)
		link := regexp.MustCompile(`http://localhost(/media/[^\s",]+)`)
		find := func() string {
			found := link.FindSubmatch(s.Test.Get(feed, 200, nil).Bytes)
			if found == nil {
				t.Fatal("got no photo in the feed")
			}
			return string(found[1])
		}
		status := func(path string) int {
			res, err := s.As("").Send("GET", path, nil)
			if err != nil {
				t.Fatal(err)
			}
			return res.StatusCode
		}

		first := find()
		s.Advance(30 * 24 * time.Hour)
		assert.Equal(t, find(), first)
		assert.Equal(t, status(first), 200)
		assert.Equal(t, status(strings.Replace(first, "/media/", "/media/1", 1)), 404, "another environment")
		s.Test.Post("/v1/hulls/"+hull+"/archive", nil, 200, nil)
		assert.Equal(t, status(first), 404, "after the boat is archived")
	})
}
