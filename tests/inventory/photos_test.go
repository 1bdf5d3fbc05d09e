package inventory

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
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// getPublic requests a public link, without a credential.
func getPublic(t *testing.T, s *testkit.Server, url string) *testkit.Response {
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
		assert.Equal(t, a.State, "processing")
		assert.Equal(t, a.Position, 1)
		assert.Equal(t, a.Width, 40)
		assert.Equal(t, a.Height, 30)
		assert.Equal(t, a.SHA256, hex.EncodeToString(sum[:]))
		assert.Equal(t, a.Bytes, int64(len(first.Bytes)))
		assert.Equal(t, a.ContentType, "image/png")
		assert.Equal(t, a.URLs, nil)
		assert.Equal(t, a.IsPrimary, false)
		assert.Equal(t, res.Header.Get("ETag"), `"1"`)
		s.Test.Post(path, testkit.Form(t, second, "caption", "Helm", "position", "1"), 201, &b)
		s.Test.Post(path+"?caption=Stern&position=99", third, 201, &c)
		assert.Equal(t, b.Position, 1, "from the form or the query")
		assert.Equal(t, b.Caption, new("Helm"), "from the form or the query")
		assert.Equal(t, c.Position, 3, "from the form or the query")
		assert.Equal(t, c.Caption, new("Stern"), "from the form or the query")
		checkOrder := func(want ...string) {
			t.Helper()
			var list page.Page[photos.HullPhoto]
			s.Test.Get(path, 200, &list)
			var got []string
			for i, p := range list.Data {
				got = append(got, p.ID)
				assert.Equal(t, p.Position, int64(i+1), "photo", i+1)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got order %v, want %v", got, want)
			}
		}
		checkOrder(b.ID, a.ID, c.ID)

		// Uploading the same file again returns the existing photo.
		var again photos.HullPhoto
		s.Test.Post(path, testkit.Form(t, first), 200, &again)
		assert.Equal(t, again.ID, a.ID)
		var h hulls.Hull
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		assert.Equal(t, h.PhotoCount, 3, "before the sizes are created")
		assert.Equal(t, h.PrimaryPhotoURL, nil, "before the sizes are created")
		assert.Equal(t, h.Version, 4, "before the sizes are created")
		s.Test.Get(path+"/"+a.ID+"/content", 409, nil).WantDetail(t, "state", "state", "before it is ready")

		// The first photo that is ready is the primary photo.
		s.MakeSizes(a.ID)
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		if h.PrimaryPhotoURL == nil || h.Version != 5 || getPublic(t, s, *h.PrimaryPhotoURL).StatusCode != 200 {
			t.Fatalf("with one photo ready: got %s, want a primary photo with a working link, and version 5", assert.Show(h))
		}
		s.MakeSizes(b.ID)
		s.MakeSizes(c.ID)
		s.MakeSizes(c.ID) // as after a crash
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		s.Test.Get("/v1/hulls/"+id, 200, &h)
		p := list.Data[0]
		assert.Equal(t, p.ID, b.ID, "primary photo")
		assert.Equal(t, p.IsPrimary, true, "primary photo")
		assert.Equal(t, p.URLs.Full, *h.PrimaryPhotoURL, "primary photo")
		assert.Equal(t, p.URLs.Card, strings.Replace(*h.PrimaryPhotoURL, "full.jpg", "card.jpg", 1), "smaller copy of the primary photo")
		assert.Equal(t, p.URLs.Thumb, strings.Replace(*h.PrimaryPhotoURL, "full.jpg", "thumb.jpg", 1), "smallest copy of the primary photo")
		assert.Equal(t, list.Data[1].IsPrimary, false, "primary photo")
		assert.Equal(t, p.State, "ready", "primary photo")
		if got := s.StoredFiles(); len(got) != 12 || slices.Contains(got, "upload") {
			t.Errorf("got files %v, want 12 without an upload", got)
		}

		// Change positions and captions.
		var moved photos.HullPhoto
		s.Test.Patch(path+"/"+c.ID, `{"position":1,"caption":null}`, 200, &moved)
		assert.Equal(t, moved.Position, 1)
		assert.Equal(t, moved.Caption, nil)
		assert.Equal(t, moved.IsPrimary, true)
		assert.Equal(t, moved.Version, 3)
		checkOrder(c.ID, b.ID, a.ID)
		s.Test.Patch(path+"/"+c.ID, `{"position":100}`, 200, nil)
		checkOrder(b.ID, a.ID, c.ID)
		s.Test.Patch(path+"/"+a.ID, `{"position":2}`, 200, nil)
		checkOrder(b.ID, a.ID, c.ID)
		s.Test.With("If-Match", `"1"`).Patch(path+"/"+a.ID, `{"caption":"late"}`, 409, nil)
		tooLong := `{"caption":"` + strings.Repeat("x", 501) + `"}`
		for _, invalid := range []string{`{"position":0}`, `{"position":101}`, `{"sha256":"x"}`, tooLong} {
			s.Test.Patch(path+"/"+a.ID, invalid, 422, nil)
		}

		// Read pages.
		var list2 page.Page[photos.HullPhoto]
		s.Test.Get(path+"?limit=1&starting_after="+b.ID, 200, &list2)
		assert.Len(t, list2.Data, 1, "after the first")
		assert.Equal(t, list2.Data[0].ID, a.ID, "after the first")
		assert.Equal(t, list2.HasMore, true, "after the first")
		assert.Equal(t, list2.NextCursor, new(a.ID), "after the first")
		assert.Equal(t, list2.PrevCursor, new(a.ID), "after the first")
		s.Test.Get(path+"?limit=1&ending_before="+c.ID, 200, &list2)
		assert.Len(t, list2.Data, 1, "before the last")
		assert.Equal(t, list2.Data[0].ID, a.ID, "before the last")
		assert.Equal(t, list2.HasMore, true, "before the last")
		s.Test.Get(path+"?starting_after=nonsense", 400, nil)

		// After the primary photo is deleted, the next one is primary.
		s.Test.Delete(path+"/"+b.ID, 204)
		checkOrder(a.ID, c.ID)
		var after hulls.Hull
		if s.Test.Get("/v1/hulls/"+id, 200, &after); after.PhotoCount != 2 || *after.PrimaryPhotoURL == *h.PrimaryPhotoURL {
			t.Errorf("after a delete: got %s, want 2 photos and another primary photo", assert.Show(after))
		}
		s.Test.Get(path+"/"+b.ID+"/content", 404, nil)
		if err := s.Photos().SweepBlobs(t.Context(), photos.SweepBlobs{}); err != nil {
			t.Fatal(err)
		}
		got := s.StoredFiles()
		assert.Len(t, got, 8)
		assert.Equal(t, getPublic(t, s, *h.PrimaryPhotoURL).StatusCode, 404)
		events := s.EventTypes(id)
		want := []string{
			"hull.created", "hull.photos_added", "hull.photos_added", "hull.photos_added",
			"hull.updated", "hull.updated", "hull.updated", "hull.updated", "hull.updated",
		}
		assert.Equal(t, events, want)
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
		assert.Equal(t, p.ContentType, "image/jpeg", "detected from the content")
		s.MakeSizes(p.ID)
		content := "/v1/hulls/" + id + "/photos/" + p.ID + "/content"
		for variant, width := range map[string]int{"thumb": 320, "card": 800, "full": 1200, "original": 1200} {
			res := s.Test.Get(content+"?variant="+variant, 200, nil)
			config, _, err := image.DecodeConfig(bytes.NewReader(res.Bytes))
			if err != nil || config.Width != width {
				t.Errorf("%s: got error %v and width %d, want width %d", variant, err, config.Width, width)
			}
			assert.Equal(t, res.Header.Get("Content-Type"), "image/jpeg", variant)
			assert.Equal(t, res.Header.Get("X-Content-Type-Options"), "nosniff", variant)
			if cache := res.Header.Get("Cache-Control"); !strings.HasPrefix(cache, "private, max-age=") {
				t.Errorf("%s: got Cache-Control %q, want private, max-age=...", variant, cache)
			}
			etag := res.Header.Get("ETag")
			if cached := s.Test.With("If-None-Match", etag).Get(content+"?variant="+variant, 304, nil); etag == "" || len(cached.Bytes) != 0 {
				t.Errorf("%s: got ETag %q and %d bytes, want an ETag and no bytes", variant, etag, len(cached.Bytes))
			}
			part := s.Test.With("Range", "bytes=2-9").Get(content+"?variant="+variant, 206, nil)
			assert.Equal(t, string(part.Bytes), string(res.Bytes[2:10]), variant, "range")
			assert.Equal(t, part.Header.Get("Content-Range"), fmt.Sprintf("bytes 2-9/%d", len(res.Bytes)), variant, "range")
		}
		s.Test.Get(content+"?variant=huge", 400, nil)

		// A public link is signed, is the same all day and works for at least a week.
		nextDay := s.DB.Now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour + time.Minute)
		s.Advance(nextDay.Sub(s.DB.Now()))
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
		res := getPublic(t, s, link.Thumb)
		if config, _, err := image.DecodeConfig(bytes.NewReader(res.Bytes)); err != nil || config.Width != 320 {
			t.Errorf("got status %d, error %v and width %d, want width 320", res.StatusCode, err, config.Width)
		}
		if cache := res.Header.Get("Cache-Control"); !strings.HasPrefix(cache, "public, immutable, max-age=") {
			t.Errorf("got Cache-Control %q, want public, immutable, max-age=...", cache)
		}
		tag := res.Header.Get("ETag")
		cached, err := s.As("").With("If-None-Match", tag).Send("GET", strings.TrimPrefix(link.Thumb, "http://localhost"), nil)
		if err != nil || cached.StatusCode != 304 {
			t.Errorf("with If-None-Match %s: got %s and error %v, want 304", tag, assert.Show(cached), err)
		}
		parts := strings.Split(link.Full, "/")
		pass := parts[4]
		expires, signature, _ := strings.Cut(pass, ".")
		seconds, err := strconv.ParseInt(expires, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for name, url := range map[string]string{
			"extended":          strings.Replace(link.Full, expires, strconv.FormatInt(seconds+86400, 10), 1),
			"not signed":        strings.Replace(link.Full, signature, "", 1),
			"invalid signature": strings.Replace(link.Full, signature, strings.ToUpper(signature)[1:]+"A", 1),
			"original":          strings.Replace(link.Full, "full.jpg", "original.jpg", 1),
			"upload":            strings.Replace(link.Full, "full.jpg", "upload", 1),
			"parent folder":     strings.Replace(link.Full, "full.jpg", "..%2f..", 1),
			"other photo":       strings.Replace(link.Full, parts[5], "01jcqz8t5n8m2x4v6b7c9d0e1f", 1),
			"invalid":           "http://localhost/media/x/y/z",
		} {
			assert.Equal(t, getPublic(t, s, url).StatusCode, 404, name)
		}
		s.Advance(6 * 24 * time.Hour)
		assert.Equal(t, getPublic(t, s, link.Full).StatusCode, 200, "after six days")
		s.Advance(3 * 24 * time.Hour)
		assert.Equal(t, getPublic(t, s, link.Full).StatusCode, 404, "after nine days")
	})
}

// A rejected upload leaves no row and no file.
func TestInvalidPhotos(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		valid := testkit.Picture()
		raw := func(b []byte) testkit.File { return testkit.File{Type: "image/jpeg", Bytes: b} }
		for name, c := range map[string]struct {
			body        testkit.File
			query       string
			status      int
			field, code string
		}{
			"empty":             {raw(nil), "", 422, "file", "empty"},
			"empty in a form":   {testkit.Form(t, raw(nil)), "", 422, "file", "empty"},
			"incomplete":        {raw(valid.Bytes[:len(valid.Bytes)/2]), "", 422, "file", "damaged"},
			"svg":               {raw([]byte("<svg onload='alert(1)'/>")), "", 422, "file", "type"},
			"html in a form":    {testkit.Form(t, raw([]byte("<html>"))), "", 422, "file", "type"},
			"too large":         {raw(bytes.Repeat([]byte{0xff}, 25<<20+1)), "", 413, "file", "too_long"},
			"caption":           {testkit.Form(t, valid, "caption", strings.Repeat("ü", 501)), "", 422, "caption", "too_long"},
			"position":          {testkit.Form(t, valid, "caption", "ok", "position", "0"), "", 422, "position", "minimum"},
			"position as text":  {valid, "?position=first", 422, "position", "type"},
			"unknown field":     {testkit.Form(t, valid, "caption", "ok", "sha256", "x"), "", 422, "sha256", "unknown_field"},
			"unknown parameter": {valid, "?name=x", 400, "name", "unknown_parameter"},
			"JSON":              {testkit.File{Type: "application/json", Bytes: []byte("{}")}, "", 415, "Content-Type", "enum"},
			"gif":               {testkit.File{Type: "image/gif", Bytes: valid.Bytes}, "", 415, "Content-Type", "enum"},
		} {
			s.Test.Post(path+c.query, c.body, c.status, nil).WantDetail(t, c.field, c.code, name)
		}
		s.Test.Post("/v1/hulls/hull_00000000000000000000000000/photos", valid, 404, nil)
		if files := s.StoredFiles(); len(files) > 0 {
			t.Errorf("got files %v, want none", files)
		}
		for _, table := range []string{"hull_photos", "loose_blobs"} {
			assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+table)[0], 0, "rows in", table)
		}
	})
}

func TestMaxPhotos(t *testing.T) {
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
		for range 4 { // concurrently, to test that the limit is checked under the lock
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
		assert.Equal(t, counts[201], 100)
		assert.Equal(t, counts[422], 4)
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		for i, p := range list.Data {
			assert.Equal(t, p.Position, int64(i+1), "photo", i+1)
		}
		assert.Len(t, list.Data, 100, "after 104 uploads")
		assert.Equal(t, list.HasMore, false, "after 104 uploads")
		assert.Len(t, s.StoredFiles(), 100, "after 104 uploads")
	})
}

// Concurrent uploads of the same file create one photo.
func TestConcurrentUploadsOfSamePhoto(t *testing.T) {
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
		assert.Equal(t, counts[201], 1)
		assert.Equal(t, counts[200], 7)
		assert.Len(t, s.StoredFiles(), 1)
	})
}

func TestPhotoUploadIsIdempotent(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		c := s.Test.With("Idempotency-Key", uuid.NewString())
		file := testkit.Picture()
		first := c.Post(path, testkit.Form(t, file, "caption", "Bow"), 201, nil)
		again := c.Post(path, testkit.Form(t, file, "caption", "Bow"), 201, nil)
		assert.Equal(t, string(first.Bytes), string(again.Bytes))
		assert.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
		c.Post(path, testkit.Form(t, file, "caption", "Stern"), 422, nil)
		c.Post(path, testkit.Form(t, testkit.Picture(), "caption", "Bow"), 422, nil)
		assert.Len(t, s.StoredFiles(), 1)
	})
}

// An iPhone's picture is rejected with what to do about it, however it is sent.
func TestHEICSaysWhatToDo(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil) + "/photos"
		heic := append([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), make([]byte, 1000)...)
		for kind, status := range map[string]int{"image/heic": 415, "image/heif": 415, "image/jpeg": 422} {
			f := s.Test.Post(path, testkit.File{Type: kind, Bytes: heic}, status, nil).Fault(t)
			assert.Contains(t, f.Message, "Most Compatible", kind)
			assert.Contains(t, f.Message, "JPEG", kind)
		}
		f := s.Test.Post(path, testkit.Form(t, testkit.File{Type: "image/heic", Bytes: heic}), 422, nil).Fault(t)
		assert.Contains(t, f.Message, "Most Compatible", "a form")
		f.WantDetail(t, "file", "type", "a form")
	})
}
