package inventory

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"slipway/internal/hulls"
	"slipway/internal/photos"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// The sizes of a photo that is deleted in the meantime are deleted too. A photo
// that can't be decoded fails.
func TestPhotoJobFailures(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Hull(s.Test.Location(), nil)
		path := "/v1/hulls/" + id + "/photos"
		var p photos.HullPhoto
		s.Test.Post(path, testkit.Picture(), 201, &p)
		blob := testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, p.ID)[0]
		job := photos.MakeSizes{Env: s.Env("hulls", id), HullID: id, PhotoID: p.ID, Blob: blob}
		feature := s.Photos()
		s.Test.Delete(path+"/"+p.ID, 204)
		if err := feature.Blobs.Put(t.Context(), job.Blob+"/card", strings.NewReader("from a run that crashed")); err != nil {
			t.Fatal(err)
		}
		if err := jobs.Run(t.Context(), feature.MakeSizes, job); err != nil {
			t.Fatal(err)
		}
		if err := feature.SweepBlobs(t.Context(), photos.SweepBlobs{}); err != nil || len(s.StoredFiles()) != 0 {
			t.Errorf("got error %v and files %v, want none", err, s.StoredFiles())
		}

		// The structure of this file is valid, but its data is not.
		file := jpegWithBrokenData(t)
		s.Test.Post(path, file, 201, &p)
		s.MakeSizes(p.ID)
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		if f := list.Data[0]; f.State != "failed" || f.Problem == nil || f.URLs != nil {
			t.Errorf("got %s, want state failed with a problem and without URLs", assert.Show(f))
		}
		s.Test.Get(path+"/"+p.ID+"/content", 409, nil)
		assert.Len(t, s.StoredFiles(), 0)
	})
}

// jpegWithBrokenData returns a JPEG with valid tables and a code that is in none of them.
func jpegWithBrokenData(t *testing.T) testkit.File {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 64)), nil); err != nil {
		t.Fatal(err)
	}
	file := b.Bytes()
	scan := bytes.Index(file, []byte{0xff, 0xda})
	for i := scan + 10; i < len(file)-2; i++ {
		file[i] = 0xfe
	}
	return testkit.File{Type: "image/jpeg", Bytes: file}
}

// The job queue creates the sizes and deletes the blobs. The blobs are in a bucket.
func TestPhotoJobsRun(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		backend := s3mem.New()
		if err := backend.CreateBucket("boats"); err != nil {
			t.Fatal(err)
		}
		bucket := httptest.NewServer(gofakes3.New(backend).Server())
		t.Cleanup(bucket.Close)
		store, err := blobs.Open("s3://key:secret@"+strings.TrimPrefix(bucket.URL, "http://")+"/boats?tls=false&region=us-east-1", "")
		if err != nil {
			t.Fatal(err)
		}
		s.Blobs.Store = store
		objects := func() int {
			list, err := backend.ListBucket("boats", nil, gofakes3.ListBucketPage{})
			if err != nil {
				t.Fatal(err)
			}
			return len(list.Contents)
		}
		s.RunJobs()
		id := s.Test.Hull(s.Test.Location(), nil)
		var p photos.HullPhoto
		s.Test.Post("/v1/hulls/"+id+"/photos", testkit.Picture(), 201, &p)
		content := "/v1/hulls/" + id + "/photos/" + p.ID + "/content"
		assert.Eventually(t, "ready", func() bool {
			res, err := s.Test.Send("GET", content+"?variant=card", nil)
			return err == nil && res.StatusCode == 200
		})
		part := s.Test.With("Range", "bytes=0-1").Get(content, 206, nil)
		assert.Equal(t, string(part.Bytes), "\x89P")
		var h hulls.Hull
		if s.Test.Get("/v1/hulls/"+id, 200, &h); getPublic(t, s, *h.PrimaryPhotoURL).StatusCode != 200 {
			t.Error("the public link does not work")
		}
		assert.Eventually(t, "only the sizes are stored", func() bool { return objects() == 4 })
		s.Test.Delete("/v1/hulls/"+id+"/photos/"+p.ID, 204)
		assert.Eventually(t, "nothing is stored", func() bool { return objects() == 0 })
	})
}

// A photo that stops the server while it is decoded fails after a few attempts. It
// doesn't stop the server again and again.
func TestPhotoThatStopsTheServer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil) + "/photos"
		var p photos.HullPhoto
		s.Test.Post(path, testkit.Picture(), 201, &p)
		s.Exec(`UPDATE hull_photos SET attempts = 3 WHERE id = ?`, p.ID) // the server stopped three times

		s.MakeSizes(p.ID)
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		assert.Equal(t, list.Data[0].State, "failed")
		assert.Contains(t, *list.Data[0].Problem, "can't be processed")
	})
}

// A photo that a killed server was decoding is decoded again.
func TestPhotoAfterKill(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil) + "/photos"
		var p photos.HullPhoto
		s.Test.Post(path, testkit.Picture(), 201, &p)
		s.Exec(`UPDATE hull_photos SET attempts = 1, claimed_until = ?, claimed_by = ? WHERE id = ?`,
			s.DB.Now().Add(photos.MakeSizes{}.Timeout()), testkit.KilledNode, p.ID)
		s.KillJobs("make_photo_sizes")

		s.RunJobs()
		assert.Eventually(t, "ready", func() bool {
			return testkit.Rows[string](s, `SELECT state FROM hull_photos WHERE id = ?`, p.ID)[0] == "ready"
		})
	})
}

// The database of a backup is older than its files. A photo that was completed in between is
// ready after the restore, and one whose file is gone says so.
func TestPhotoAfterRestore(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), nil) + "/photos"
		var done, gone photos.HullPhoto
		s.Test.Post(path, testkit.Picture(), 201, &done)
		s.Test.Post(path, testkit.Picture(), 201, &gone)
		s.MakeSizes(done.ID)
		s.MakeSizes(gone.ID)
		s.Exec(`UPDATE hull_photos SET state = 'processing', claimed_until = NULL, attempts = 0`)
		blob := testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, gone.ID)[0]
		if err := s.Photos().Blobs.Remove(t.Context(), blob+"/card"); err != nil {
			t.Fatal(err)
		}

		s.MakeSizes(done.ID)
		s.MakeSizes(gone.ID)
		var list page.Page[photos.HullPhoto]
		s.Test.Get(path, 200, &list)
		assert.Equal(t, list.Data[0].State, "ready")
		assert.Equal(t, list.Data[1].State, "failed")
		assert.Contains(t, *list.Data[1].Problem, "Upload it again.")
	})
}

// An outage of the store doesn't count as an attempt.
func TestPhotoSurvivesOutageOfTheStore(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		var p photos.HullPhoto
		s.Test.Post("/v1/hulls/"+hull+"/photos", testkit.Picture(), 201, &p)
		blob := testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, p.ID)[0]
		job := photos.MakeSizes{Env: s.Env("hulls", hull), HullID: hull, PhotoID: p.ID, Blob: blob}

		feature := s.Photos()
		feature.Blobs = &blobs.Files{DB: s.DB, Store: unavailable{}}
		for range 5 {
			if err := jobs.Run(t.Context(), feature.MakeSizes, job); err == nil {
				t.Fatal("got no error without a store, want one")
			}
		}
		s.MakeSizes(p.ID)
		assert.Equal(t, testkit.Rows[string](s, `SELECT state FROM hull_photos WHERE id = ?`, p.ID)[0], "ready")
	})
}

// unavailable is a store that doesn't respond.
type unavailable struct{ blobs.Store }

func (unavailable) Open(context.Context, string) (io.ReadSeekCloser, error) {
	return nil, errors.New("unavailable")
}

// A server that stops while it decodes a photo leaves it to the next job.
func TestPhotoWhileTheServerStops(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		var p photos.HullPhoto
		s.Test.Post("/v1/hulls/"+hull+"/photos", testkit.Picture(), 201, &p)
		blob := testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, p.ID)[0]
		ctx, stop := context.WithCancel(t.Context())
		feature := s.Photos()
		feature.Blobs = &blobs.Files{DB: s.DB, Store: stopping{stop: stop}}
		job := photos.MakeSizes{Env: s.Env("hulls", hull), HullID: hull, PhotoID: p.ID, Blob: blob}
		if err := jobs.Run(ctx, feature.MakeSizes, job); err == nil {
			t.Fatal("got no error, want one, so that the queue tries again")
		}
		s.MakeSizes(p.ID)
		assert.Equal(t, testkit.Rows[string](s, `SELECT state FROM hull_photos WHERE id = ?`, p.ID)[0], "ready")
	})
}

// stopping is a store whose server stops while it is used.
type stopping struct {
	blobs.Store
	stop context.CancelFunc
}

func (s stopping) Open(ctx context.Context, _ string) (io.ReadSeekCloser, error) {
	s.stop()
	return nil, ctx.Err()
}

// Many uploads of one dealership don't delay the photos of another: they take
// turns.
func TestDealershipsTakeTurns(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		var queue []photos.MakeSizes
		upload := func(c *testkit.Client, hull string) (p photos.HullPhoto) {
			c.Post("/v1/hulls/"+hull+"/photos", testkit.Picture(), 201, &p)
			blob := testkit.Rows[string](s, `SELECT blob FROM hull_photos WHERE id = ?`, p.ID)[0]
			queue = append(queue, photos.MakeSizes{Env: s.Env("hulls", hull), HullID: hull, PhotoID: p.ID, Blob: blob})
			return p
		}
		for range 5 {
			upload(s.Test, hull)
		}
		other := upload(s.Other, s.Other.Hull(s.Other.Location(), nil))

		state := func(id string) string {
			return testkit.Rows[string](s, `SELECT state FROM hull_photos WHERE id = ?`, id)[0]
		}
		for _, job := range queue[:2] {
			assert.NoError(t, jobs.Run(t.Context(), s.Photos().MakeSizes, job))
		}
		assert.Equal(t, state(other.ID), "ready", "after two jobs of the first dealership")

		for _, job := range queue[2:] {
			assert.NoError(t, jobs.Run(t.Context(), s.Photos().MakeSizes, job))
		}
		for _, job := range queue {
			assert.Equal(t, state(job.PhotoID), "ready", "after all jobs")
		}
	})
}
