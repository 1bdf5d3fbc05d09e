package platform

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"slipway/internal/platform/blobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

// stores are a folder, and a bucket on a server that speaks S3.
func stores(t *testing.T) map[string]blobs.Store {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("boats"); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(web.Close)
	out := map[string]blobs.Store{}
	for name, url := range map[string]string{
		"folder": "", "bucket": "s3://key:secret@" + strings.TrimPrefix(web.URL, "http://") + "/boats/slipway?tls=false&region=us-east-1",
	} {
		s, err := blobs.Open(url, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		out[name] = s
	}
	return out
}

func TestStores(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			large := bytes.Repeat([]byte("0123456789"), 2<<20) // more than one part
			put := func(key string, r io.Reader) {
				t.Helper()
				if err := s.Put(ctx, key, r); err != nil {
					t.Fatal(err)
				}
			}
			put("photos/a/card", bytes.NewReader([]byte("first")))
			put("photos/a/card", bytes.NewReader([]byte("second")))
			put("photos/a/full", iotest.OneByteReader(strings.NewReader("full")))
			put("photos/ab/full", strings.NewReader("neighbor"))
			put("imports/large", struct{ io.Reader }{bytes.NewReader(large)})
			assert.Equal(t, string(readBlob(t, s, "photos/a/card")), "second")
			assert.Equal(t, string(readBlob(t, s, "imports/large")), string(large))
			f, err := s.Open(ctx, "imports/large")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			part := make([]byte, 5)
			if _, err := f.Seek(15_000_003, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(f, part); err != nil || string(part) != "34567" {
				t.Errorf(`from the middle: got %q %v; want no error, string(part) = "34567"`, part, err)
			}
			broken := errors.New("broken")
			if err := s.Put(ctx, "photos/a/broken", iotest.ErrReader(broken)); err == nil {
				t.Error("an incomplete upload was stored")
			}
			for _, gone := range []string{"photos/a/broken", "photos/a/none", "none/at/all"} {
				if _, err := s.Open(ctx, gone); !errors.Is(err, blobs.ErrNotFound) {
					t.Errorf("%s: got %v, want the error blobs.ErrNotFound", gone, err)
				}
			}
			for key, want := range map[string][]string{"photos/a": {"photos/a/card", "photos/a/full"}, "photos/none": nil} {
				keys, err := s.List(ctx, key)
				if err != nil {
					t.Fatal(err)
				}
				assert.Equal(t, keys, want, "keys in "+key)
			}
			for range 2 { // also when there is nothing left
				if err := s.Remove(ctx, "photos/a"); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Open(ctx, "photos/a/card"); !errors.Is(err, blobs.ErrNotFound) {
				t.Errorf("after it was removed: got %v, want the error blobs.ErrNotFound", err)
			}
			assert.Equal(t, string(readBlob(t, s, "photos/ab/full")), "neighbor")
		})
	}
}

func readBlob(t *testing.T, s blobs.Store, key string) []byte {
	t.Helper()
	f, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFolderIsAWall(t *testing.T) {
	s, err := blobs.Open("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"../outside", "photos/../../outside", "/etc/passwd"} {
		if err := s.Put(t.Context(), key, strings.NewReader("x")); err == nil {
			t.Errorf("wrote %s, want an error", key)
		}
		if f, err := s.Open(t.Context(), key); err == nil {
			f.Close()
			t.Errorf("read %s, want an error", key)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"http://host/bucket", "s3://host", "s3:///bucket", "s3://key:topsecret@%zz/b", "folder"} {
		_, err := blobs.Open(bad, t.TempDir())
		if err == nil || strings.Contains(err.Error(), "topsecret") {
			t.Errorf(`%s: got %v; want an error, err.Error() not to contain "topsecret"`, bad, err)
		}
	}
}

// Whenever the process ends, a blob belongs to a row or will be swept.
func TestFiles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for name, store := range stores(t) {
			t.Run(name, func(t *testing.T) {
				s := s.In(t)
				keeper := &blobs.Files{DB: s.DB, Store: store}
				env := s.Env("dealerships", testkit.Rows[string](s, `SELECT id FROM dealerships WHERE mode = 'test'`)[0])
				stage := func() string {
					t.Helper()
					key, err := keeper.Upload(t.Context(), env, "photos", "upload", strings.NewReader("boat"))
					if err != nil {
						t.Fatal(err)
					}
					return key
				}
				there := func(key string) bool {
					f, err := keeper.Open(t.Context(), key+"/upload")
					if err == nil {
						f.Close()
					}
					return err == nil
				}
				sweep := func(want int) {
					t.Helper()
					if n, err := keeper.DeleteUnused(t.Context()); n != want || err != nil {
						t.Errorf("swept %d, want %d: %v", n, want, err)
					}
				}
				claim := func(key string) error { return s.InTx(blobs.Keep, env, key) }

				crashed, claimed, discarded := stage(), stage(), stage()
				if err := claim(claimed); err != nil {
					t.Fatal(err)
				}
				keeper.Cancel(t.Context(), env, discarded)
				keeper.Cancel(t.Context(), env, claimed) // as after a commit that seemed to fail
				if there(discarded) || !there(claimed) || !there(crashed) {
					t.Error("discarded the wrong ones")
				}
				sweep(0)
				s.Advance(25 * time.Hour)
				sweep(1)
				if there(crashed) || !there(claimed) {
					t.Error("swept the wrong one")
				}
				assert.Equal(t, fault.KindOf(claim(crashed)), fault.KindConflict, "claim after the sweep")
				if err := s.InTx(blobs.DeleteLater, env, claimed); err != nil {
					t.Fatal(err)
				}
				sweep(1)
				if there(claimed) {
					t.Error("still there after its row went")
				}

				_, err := keeper.Upload(t.Context(), env, "photos", "upload", iotest.ErrReader(fault.BadRequest("cut off")))
				assert.Equal(t, fault.KindOf(err), fault.KindBadRequest, "the sender's mistake")
				assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM loose_blobs`)[0], 0, "no longer on the list")
			})
		}
	})
}
