package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// maxUploads is the goal for the memory in bytes.
const maxUploads = 400 << 20

// The size of a photo: 40 megapixels.
const photoWidth, photoHeight = 7680, 5216

// uploaded is the result of many uploads together.
type uploaded struct {
	photos, ready, retries int
	size                   int           // of a photo, in bytes
	sent, took             time.Duration // until all were sent, and until all were ready
	peak                   memory
	before, during         outcome // of other requests
}

// uploads sends many large photos together, while another client reads.
func uploads(ctx context.Context, o options, r *report) (err error) {
	s, err := openReal(ctx, o, "uploads", false)
	if s != nil && s.process != nil {
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if err != nil {
		return err
	}
	photo, err := newPhoto()
	if err != nil {
		return err
	}

	const readers = 50 // requests per second of the other client
	u := uploaded{photos: o.uploads, size: len(photo)}
	progress("uploads: %d requests per second before", readers)
	u.before = offer(ctx, readers, 3*o.length(), s.get)

	progress("uploads: %d photos of 40 megapixels and %d MB", u.photos, u.size>>20)
	reading, done := context.WithCancel(ctx)
	during, peak := make(chan outcome, 1), s.watch()
	go func() { during <- offer(reading, readers, 10*time.Minute, s.get) }()
	begin := time.Now()
	u.retries, err = s.uploadAll(ctx, photo, u.photos)
	u.sent = time.Since(begin)
	if err == nil {
		u.ready, err = s.waitReady(ctx, u.photos)
	}
	u.took, u.peak = time.Since(begin), peak()
	done()
	u.during = <-during
	u.during.length = u.took
	r.uploads = append(r.uploads, u)
	return err
}

// newPhoto returns a JPEG with noise, so that it is as large as a photo.
func newPhoto() ([]byte, error) {
	picture := image.NewYCbCr(image.Rect(0, 0, photoWidth, photoHeight), image.YCbCrSubsampleRatio420)
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the photo must be the same each time
	for i := range picture.Y {
		picture.Y[i] = byte(i/photoWidth/32) + byte(random.Uint32()>>28)
	}
	for i := range picture.Cb {
		picture.Cb[i], picture.Cr[i] = byte(i>>12), byte(i>>14)
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, picture, &jpeg.Options{Quality: 90})
	return b.Bytes(), err
}

// uploadAll uploads a photo to each of n hulls together. It retries after the time in
// Retry-After, as the documentation says, and returns how often.
func (s *realServer) uploadAll(ctx context.Context, photo []byte, n int) (retries int, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			for again := true; again && ctx.Err() == nil; {
				wait, failed := s.upload(ctx, photo, i)
				mu.Lock()
				if again = wait > 0; again {
					retries++
				}
				err = errors.Join(err, failed)
				mu.Unlock()
				if again {
					_ = pause(ctx, wait) // the loop ends with ctx
				}
			}
		})
	}
	wg.Wait()
	return retries, errors.Join(err, ctx.Err())
}

// upload sends the photo with a comment, because a hull has each photo once. It
// returns how long to wait if the server was busy.
func (s *realServer) upload(ctx context.Context, photo []byte, i int) (wait time.Duration, err error) {
	head := append([]byte{}, photo[:2]...)                      // start of the image
	head = binary.BigEndian.AppendUint32(head, 0xFFFE_0006)     // a comment with 4 bytes
	head = binary.BigEndian.AppendUint32(head, uint32(i)|1<<31) //nolint:gosec // a small number
	body := io.MultiReader(bytes.NewReader(head), bytes.NewReader(photo[2:]))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/v1/hulls/"+s.editable[i]+"/photos", body)
	if err != nil {
		return 0, err
	}
	req.ContentLength = int64(len(head) + len(photo) - 2)
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "image/jpeg")
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err
	}
	if res.StatusCode == http.StatusServiceUnavailable || res.StatusCode == http.StatusTooManyRequests {
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, err
	}
	if res.StatusCode != http.StatusCreated {
		return 0, fmt.Errorf("upload: status %d: %.300s", res.StatusCode, text)
	}
	return 0, nil
}

// waitReady waits until each of the first n hulls has a photo that is ready.
func (s *realServer) waitReady(ctx context.Context, n int) (ready int, err error) {
	for i := 0; i < n; {
		req, err := s.request(ctx, http.MethodGet, "/v1/hulls/"+s.editable[i]+"/photos", nil)
		if err != nil {
			return ready, err
		}
		body, err := send(req, http.StatusOK)
		if err != nil {
			return ready, err
		}
		var list struct{ Data []struct{ State string } }
		if err := json.Unmarshal(body, &list); err != nil {
			return ready, err
		}
		if len(list.Data) != 1 {
			return ready, fmt.Errorf("hull %d has %d photos", i, len(list.Data))
		}

		switch list.Data[0].State {
		case "ready":
			ready++
			i++
		case "failed":
			i++
		default:
			if err := pause(ctx, 200*time.Millisecond); err != nil {
				return ready, err
			}
		}
	}
	return ready, nil
}

func (u uploaded) meets() bool {
	return u.ready == u.photos && u.peak.rss < maxUploads && u.during.failures == 0
}

func (r *report) uploadsTable() table {
	t := table{
		title: "Uploads",
		note: fmt.Sprintf("Photos of 40 megapixels (JPEG) that are uploaded together, each to its own hull. Another client reads hulls "+
			"at a fixed rate before and during that, including the processing. Its latency in milliseconds. "+
			"The clients run on the same cores. Goals: all "+
			"photos are ready, and memory under %d MB.", maxUploads>>20),
		columns: []string{"photos", "MB each", "ready", "retries", "seconds to send", "seconds to ready", "peak MB", "private MB",
			"GET p50 before", "p50 during", "p99 before", "p99 during", "goal"},
	}
	for _, u := range r.uploads {
		t.rows = append(t.rows, []string{
			fmt.Sprint(u.photos), megabytes(int64(u.size)), fmt.Sprint(u.ready), fmt.Sprint(u.retries), fmt.Sprintf("%.1f", u.sent.Seconds()),
			fmt.Sprintf("%.1f", u.took.Seconds()), megabytes(u.peak.rss), megabytes(u.peak.private),
			ms(quantile(u.before.accepted, 0.5)), ms(quantile(u.during.accepted, 0.5)),
			ms(quantile(u.before.accepted, 0.99)), ms(quantile(u.during.accepted, 0.99)), mark(u.meets()),
		})
	}
	return t
}
