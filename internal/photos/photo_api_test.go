package photos_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/testkit"
	"slipway/internal/vocab/page"
)

// public reads a public link, without a credential.
func public(t *testing.T, s *testkit.Server, url string) *testkit.Response {
	t.Helper()
	res, err := s.As("").Send("GET", strings.TrimPrefix(url, "http://localhost"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestPhotos(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		first, second, third := testkit.Picture(), testkit.Picture(), testkit.Picture()
		var a, b, c photos.HullPhoto
		res := s.Test.Post(path, first, 201, &a)
		sum := sha256.Sum256(first.Bytes)
		testkit.Equal(t, a.State, "processing")
		testkit.Equal(t, a.Position, 1)
		testkit.Equal(t, a.Width, 40)
		testkit.Equal(t, a.Height, 30)
		testkit.Equal(t, a.SHA256, hex.EncodeToString(sum[:]))
		testkit.Equal(t, a.Bytes, int64(len(first.Bytes)))
		testkit.Equal(t, a.ContentType, "image/png")
		testkit.Equal(t, a.URLs, nil)
		testkit.Equal(t, a.IsPrimary, false)
		testkit.Equal(t, res.Header.Get("ETag"), `"1"`)
		s.Test.Post(path, testkit.Form(t, second, "caption", "Helm", "position", "1"), 201, &b)
		s.Test.Post(path+"?caption=Stern&position=99", third, 201, &c)
		testkit.Equal(t, b.Position, 1, "form", "parameters")
		testkit.Equal(t, b.Caption, new("Helm"), "form", "parameters")
		testkit.Equal(t, c.Position, 3, "form", "parameters")
		testkit.Equal(t, c.Caption, new("Stern"), "form", "parameters")
		order := func(want ...string) {
			t.Helper()
			var list page.Page[photos.HullPhoto]
			s.Test.Get(path, 200, &list)
			var got []string
			for i, p := range list.Data {
				got = append(got, p.ID)
				testkit.Equal(t, p.Position, int64(i+1), "position", "at place", i+1)
			}
			if !slices.Equal(got, want) {
				t.Errorf("order %v, want %v", got, want)
			}
		}
		order(b.ID, a.ID, c.ID)

		// The same file again is the photo that is there.
		var again photos.HullPhoto
		s.Test.Post(path, testkit.Form(t, first), 200, &again)
		testkit.Equal(t, again.ID, a.ID)
		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		testkit.Equal(t, h.PhotoCount, 3, "before the sizes are made")
		testkit.Equal(t, h.PrimaryPhotoURL, nil, "before the sizes are made")
		testkit.Equal(t, h.Version, 4, "before the sizes are made")
		s.Test.Get(path+"/"+a.ID+"/content", 409, nil).WantDetail(t, "state", "state", "content too early")

		// The first that is ready is the hull's own.
		s.MakeSizes(a.ID)
		s.MakeSizes(a.ID) // as after a crash
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		if h.PrimaryPhotoURL == nil || h.Version != 5 || public(t, s, *h.PrimaryPhotoURL).StatusCode != 200 {
			t.Fatalf("with one photo ready: got %s; want h.PrimaryPhotoURL != nil, h.Version = 5, public(t, s, *h.PrimaryPhotoURL).StatusCode = 200", testkit.Show(h))
		}
		s.MakeSizes(b.ID)
		s.MakeSizes(c.ID)
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		p := list.Data[0]
		testkit.Equal(t, p.ID, b.ID, "primary", "hull")
		testkit.Equal(t, p.IsPrimary, true, "primary", "hull")
		testkit.Equal(t, p.URLs.Full, *h.PrimaryPhotoURL, "primary", "hull")
		testkit.Equal(t, list.Data[1].IsPrimary, false, "primary", "hull")
		testkit.Equal(t, p.State, "ready", "primary", "hull")
		if got := s.StoredFiles(); len(got) != 12 || slices.Contains(got, "upload") {
			t.Errorf(`kept %v; want len(got) = 12, got not to contain "upload"`, got)
		}

		// Moving and captions.
		var moved photos.HullPhoto
		s.Test.Patch(path+"/"+c.ID, `{"position":1,"caption":null}`, 200, &moved)
		testkit.Equal(t, moved.Position, 1)
		testkit.Equal(t, moved.Caption, nil)
		testkit.Equal(t, moved.IsPrimary, true)
		testkit.Equal(t, moved.Version, 3)
		order(c.ID, b.ID, a.ID)
		s.Test.Patch(path+"/"+c.ID, `{"position":100}`, 200, nil)
		order(b.ID, a.ID, c.ID)
		s.Test.Patch(path+"/"+a.ID, `{"position":2}`, 200, nil)
		order(b.ID, a.ID, c.ID)
		s.Test.With("If-Match", `"1"`).Patch(path+"/"+a.ID, `{"caption":"late"}`, 409, nil)
		for _, bad := range []string{`{"position":0}`, `{"position":101}`, `{"sha256":"x"}`, `{"caption":"` + strings.Repeat("x", 501) + `"}`} {
			s.Test.Patch(path+"/"+a.ID, bad, 422, nil)
		}

		// Pages.
		var pageTwo page.Page[photos.HullPhoto]
		s.Test.Get(path+"?limit=1&starting_after="+b.ID, 200, &pageTwo)
		testkit.Len(t, pageTwo.Data, 1, "after the first")
		testkit.Equal(t, pageTwo.Data[0].ID, a.ID, "after the first")
		testkit.Equal(t, pageTwo.HasMore, true, "after the first")
		testkit.Equal(t, pageTwo.NextCursor, new(a.ID), "after the first")
		testkit.Equal(t, pageTwo.PrevCursor, new(a.ID), "after the first")
		s.Test.Get(path+"?limit=1&ending_before="+c.ID, 200, &pageTwo)
		testkit.Len(t, pageTwo.Data, 1, "before the last")
		testkit.Equal(t, pageTwo.Data[0].ID, a.ID, "before the last")
		testkit.Equal(t, pageTwo.HasMore, true, "before the last")
		s.Test.Get(path+"?starting_after=nonsense", 400, nil)

		// Gone is gone, and the next one is shown first.
		s.Test.Delete(path+"/"+b.ID, 204)
		order(a.ID, c.ID)
		var after hulls.Hull
		if s.Test.Get("/v1/hulls/"+id, 200, &after); after.PhotoCount != 2 || *after.PrimaryPhotoURL == *h.PrimaryPhotoURL {
			t.Errorf("after the first was deleted: got %s; want 2 photos and another primary photo", testkit.Show(after))
		}
		s.Test.Get(path+"/"+b.ID+"/content", 404, nil)
		if err := s.Photos().SweepBlobs(t.Context(), photos.SweepBlobs{}); err != nil {
			t.Fatal(err)
		}
		got := s.StoredFiles()
		testkit.Len(t, got, 8)
		testkit.Equal(t, public(t, s, *h.PrimaryPhotoURL).StatusCode, 404)
		events := testkit.Rows[string](s, `SELECT type FROM outbox WHERE object_id = ? ORDER BY sequence`, id)
		want := []string{"hull.created", "hull.photos_added", "hull.photos_added", "hull.photos_added", "hull.updated", "hull.updated", "hull.updated", "hull.updated", "hull.updated"}
		testkit.Equal(t, events, want)
	})
}

func TestPhotoContent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		var big bytes.Buffer
		if err := jpeg.Encode(&big, image.NewGray(image.Rect(0, 0, 1200, 900)), nil); err != nil {
			t.Fatal(err)
		}
		var p photos.HullPhoto
		s.Test.Post("/v1/hulls/"+id+"/photos", testkit.File{Type: "image/png", Bytes: big.Bytes()}, 201, &p)
		testkit.Equal(t, p.ContentType, "image/jpeg", "judged by content, not by name")
		s.MakeSizes(p.ID)
		content := "/v1/hulls/" + id + "/photos/" + p.ID + "/content"
		for variant, width := range map[string]int{"thumb": 320, "card": 800, "full": 1200, "original": 1200} {
			res := s.Test.Get(content+"?variant="+variant, 200, nil)
			config, _, err := image.DecodeConfig(bytes.NewReader(res.Bytes))
			if err != nil || config.Width != width || res.Header.Get("Content-Type") != "image/jpeg" ||
				!strings.HasPrefix(res.Header.Get("Cache-Control"), "private, max-age=") || res.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf(`%s: got %d wide, %v, %v; want no error, config.Width = %v, res.Header.Get("Content-Type") = "image/jpeg", res.Header.Get("Cache-Control") to start with "private, max-age=", res.Header.Get("X-Content-Type-Options") = "nosniff"`, variant, config.Width, err, res.Header, width)
			}
			etag := res.Header.Get("ETag")
			if cached := s.Test.With("If-None-Match", etag).Get(content+"?variant="+variant, 304, nil); etag == "" || len(cached.Bytes) != 0 {
				t.Errorf(`%s with its tag %s: got %d bytes; want etag != "", len(cached.Bytes) = 0`, variant, etag, len(cached.Bytes))
			}
			part := s.Test.With("Range", "bytes=2-9").Get(content+"?variant="+variant, 206, nil)
			testkit.Equal(t, string(part.Bytes), string(res.Bytes[2:10]), variant, "in part")
			testkit.Equal(t, part.Header.Get("Content-Range"), fmt.Sprintf("bytes 2-9/%d", len(res.Bytes)), variant, "in part")
		}
		s.Test.Get(content+"?variant=huge", 400, nil)

		// The public's link: signed, the same all day, over after a week.
		s.Advance(s.DB.Now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour + time.Minute).Sub(s.DB.Now())) // early in the day
		urls := func() photos.PhotoURLs {
			var list page.Page[photos.HullPhoto]
			s.Test.Get("/v1/hulls/"+id+"/photos", 200, &list)
			return *list.Data[0].URLs
		}
		link := urls()
		s.Advance(20 * time.Hour)
		if urls() != link {
			t.Error("the link changed during the day")
		}
		res := public(t, s, link.Thumb)
		if config, _, err := image.DecodeConfig(bytes.NewReader(res.Bytes)); err != nil || config.Width != 320 || !strings.HasPrefix(res.Header.Get("Cache-Control"), "public, immutable, max-age=") {
			t.Errorf(`got %d %v %v; want no error, config.Width = 320, res.Header.Get("Cache-Control") to start with "public, immutable, max-age="`, res.StatusCode, res.Header, err)
		}
		tag := res.Header.Get("ETag")
		cached, err := s.As("").With("If-None-Match", tag).Send("GET", strings.TrimPrefix(link.Thumb, "http://localhost"), nil)
		if err != nil || cached.StatusCode != 304 {
			t.Errorf("with its tag %s: got %s %v; want no error, cached.StatusCode = 304", tag, testkit.Show(cached), err)
		}
		parts := strings.Split(link.Full, "/")
		pass := parts[4]
		end, mark, _ := strings.Cut(pass, ".")
		until, err := strconv.ParseInt(end, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for name, url := range map[string]string{
			"prolonged":   strings.Replace(link.Full, end, strconv.FormatInt(until+86400, 10), 1),
			"unmarked":    strings.Replace(link.Full, mark, "", 1),
			"mismarked":   strings.Replace(link.Full, mark, strings.ToUpper(mark)[1:]+"A", 1),
			"original":    strings.Replace(link.Full, "full.jpg", "original.jpg", 1),
			"upload":      strings.Replace(link.Full, "full.jpg", "upload", 1),
			"up":          strings.Replace(link.Full, "full.jpg", "..%2f..", 1),
			"other photo": strings.Replace(link.Full, parts[5], "01jcqz8t5n8m2x4v6b7c9d0e1f", 1),
			"nonsense":    "http://localhost/media/x/y/z",
		} {
			testkit.Equal(t, public(t, s, url).StatusCode, 404, name)
		}
		s.Advance(6 * 24 * time.Hour)
		testkit.Equal(t, public(t, s, link.Full).StatusCode, 200, "after six days")
		s.Advance(3 * 24 * time.Hour)
		testkit.Equal(t, public(t, s, link.Full).StatusCode, 404, "after nine days")
	})
}

// What is refused leaves nothing behind: no row, no file, no note of a file.
func TestBadPhotos(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		good := testkit.Picture()
		raw := func(b []byte) testkit.File { return testkit.File{Type: "image/jpeg", Bytes: b} }
		for name, c := range map[string]struct {
			body        testkit.File
			query       string
			status      int
			field, code string
		}{
			"nothing":           {raw(nil), "", 422, "file", "empty"},
			"nothing in a form": {testkit.Form(t, raw(nil)), "", 422, "file", "empty"},
			"half":              {raw(good.Bytes[:len(good.Bytes)/2]), "", 422, "file", "damaged"},
			"svg":               {raw([]byte("<svg onload='alert(1)'/>")), "", 422, "file", "type"},
			"html in a form":    {testkit.Form(t, raw([]byte("<html>"))), "", 422, "file", "type"},
			"too large":         {raw(bytes.Repeat([]byte{0xff}, 25<<20+1)), "", 413, "file", "too_long"},
			"caption":           {testkit.Form(t, good, "caption", strings.Repeat("ü", 501)), "", 422, "caption", "too_long"},
			"position":          {testkit.Form(t, good, "caption", "ok", "position", "0"), "", 422, "position", "minimum"},
			"position of words": {good, "?position=first", 422, "position", "type"},
			"unknown field":     {testkit.Form(t, good, "caption", "ok", "sha256", "x"), "", 422, "sha256", "unknown_field"},
			"unknown parameter": {good, "?name=x", 400, "name", "unknown_parameter"},
			"JSON":              {testkit.File{Type: "application/json", Bytes: []byte("{}")}, "", 415, "Content-Type", "enum"},
			"gif":               {testkit.File{Type: "image/gif", Bytes: good.Bytes}, "", 415, "Content-Type", "enum"},
		} {
			s.Test.Post(path+c.query, c.body, c.status, nil).WantDetail(t, c.field, c.code, name)
		}
		s.Test.Post("/v1/hulls/hull_00000000000000000000000000/photos", good, 404, nil)
		if files := s.StoredFiles(); len(files) > 0 {
			t.Errorf("left %v, want len(files) <= 0", files)
		}
		for _, table := range []string{"hull_photos", "loose_blobs"} {
			testkit.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+table)[0], 0, "left", table)
		}
	})
}

func TestHundredPhotos(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		var wg sync.WaitGroup
		var mu sync.Mutex
		counts := map[int]int{}
		next := make(chan testkit.File, 104)
		for range 104 {
			next <- testkit.Picture()
		}
		close(next)
		for range 4 { // at once, so that a count taken too early would let one more in
			wg.Go(func() {
				for file := range next {
					res, err := s.Test.Send("POST", path, file)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					counts[res.StatusCode]++
					if res.StatusCode == 422 && !res.Fault(t).HasDetail("file", "too_many") {
						t.Errorf("got %s, want the detail file too_many", res.Bytes)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		testkit.Equal(t, counts[201], 100)
		testkit.Equal(t, counts[422], 4)
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		for i, p := range list.Data {
			testkit.Equal(t, p.Position, int64(i+1), "place", i+1, "position")
		}
		testkit.Len(t, list.Data, 100, "photos", "files")
		testkit.Equal(t, list.HasMore, false, "photos", "files")
		testkit.Len(t, s.StoredFiles(), 100, "photos", "files")
	})
}

// The same file, many times at once, is one photo.
func TestSamePhotoAtOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		file := testkit.Picture()
		var wg sync.WaitGroup
		var mu sync.Mutex
		counts := map[int]int{}
		for range 8 {
			wg.Go(func() {
				res, err := s.Test.Send("POST", "/v1/hulls/"+id+"/photos", file)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				counts[res.StatusCode]++
			})
		}
		wg.Wait()
		testkit.Equal(t, counts[201], 1)
		testkit.Equal(t, counts[200], 7)
		testkit.Len(t, s.StoredFiles(), 1)
	})
}

func TestPhotoUploadRepeats(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		c := s.Test.With("Idempotency-Key", uuid.NewString())
		file := testkit.Picture()
		first := c.Post(path, testkit.Form(t, file, "caption", "Bow"), 201, nil)
		again := c.Post(path, testkit.Form(t, file, "caption", "Bow"), 201, nil)
		testkit.Equal(t, string(first.Bytes), string(again.Bytes))
		testkit.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
		c.Post(path, testkit.Form(t, file, "caption", "Stern"), 422, nil)
		c.Post(path, testkit.Form(t, testkit.Picture(), "caption", "Bow"), 422, nil)
		testkit.Len(t, s.StoredFiles(), 1)
	})
}
