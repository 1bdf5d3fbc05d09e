package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"slipway/internal/photos"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	// photoTimeout is how long downloading a photo can take, with its redirects.
	photoTimeout = 30 * time.Second
	maxRedirects = 3
	maxAttempts  = 3
	// photoBatch is how many photos a job downloads, photosAtOnce of them at the same time.
	photoBatch   = 40
	photosAtOnce = 4
)

// FetchPhotos is the job that downloads photos of an import.
type FetchPhotos struct {
	Env      auth.Env `json:"env"`
	ImportID string   `json:"import_id"`
}

// Kind returns the name of the job.
func (FetchPhotos) Kind() string { return "fetch_import_photos" }

// Lane keeps slow servers apart from quick jobs.
func (FetchPhotos) Lane() string { return jobs.Network }

// Timeout is enough if each photo takes as long as it can.
func (FetchPhotos) Timeout() time.Duration { return photoBatch*photoTimeout + time.Minute }

// FetchPhotos downloads the next photos, and queues another job for the rest. The
// photos of a hull are downloaded in their order.
func (a *API) FetchPhotos(ctx context.Context, job FetchPhotos) error {
	var i HullImport
	batch, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (batch []photo, err error) {
		if i, err = table.Find(ctx, tx, job.ImportID); err != nil {
			return nil, err
		}
		return duePhotos(ctx, tx, job.ImportID, photoBatch)
	})
	if err != nil {
		return err
	}

	ctx = auth.With(ctx, auth.Principal{Env: i.Env, Actor: i.Actor})
	if err := a.fetchAll(ctx, batch); err != nil {
		return err
	}
	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		at, ok, err := nextPhotoAt(ctx, tx, job.ImportID)
		if err != nil || !ok {
			return struct{}{}, err
		}
		return struct{}{}, a.Jobs.Enqueue(ctx, tx, job, at)
	})
	return err
}

// fetchAll downloads photos, those of a hull one after the other.
func (a *API) fetchAll(ctx context.Context, batch []photo) (failed error) {
	byHull := make(chan []photo, len(batch))
	for from := 0; from < len(batch); {
		to := from + 1
		for to < len(batch) && batch[to].HullID == batch[from].HullID {
			to++
		}
		byHull <- batch[from:to]
		from = to
	}
	close(byHull)

	var wg sync.WaitGroup
	var mu sync.Mutex
	for range photosAtOnce {
		wg.Go(func() {
			for all := range byHull {
				for _, p := range all {
					if err := a.fetchPhoto(ctx, p); err != nil {
						mu.Lock()
						failed = errors.Join(failed, err)
						mu.Unlock()
						return
					}
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// fetchPhoto downloads a photo and saves the result. A failure is a note on the row.
func (a *API) fetchPhoto(ctx context.Context, p photo) error {
	limited, cancel := context.WithTimeout(ctx, photoTimeout)
	problem, temporary, err := a.download(limited, p)
	cancel()
	if err != nil {
		return err
	}

	_, err = db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		p := p
		switch {
		case problem == "":
			p.State = photoAdded
		case temporary && p.Attempts+1 < maxAttempts:
			p.Attempts++
			p.DueAt = tx.Now.Add(time.Duration(p.Attempts) * time.Minute)
		default:
			p.State = photoFailed
			line := noteRow{p.Env, p.ImportID, p.Row*linesPerRow + linesPerRow/2 + p.Position,
				HullImportNote{Row: p.Row, Field: "photo_urls", Code: "photo", Message: fmt.Sprintf("has the photo %s, which %s", p.URL, problem)}}
			if err := insertNote(ctx, tx, line); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, savePhoto(ctx, tx, p)
	})
	return err
}

// download adds a photo to its hull. problem says why it can't, and temporary whether
// it is worth another attempt. err is a failure of Slipway.
func (a *API) download(ctx context.Context, p photo) (problem string, temporary bool, err error) {
	res, problem, temporary := a.open(ctx, p.URL)
	if problem != "" {
		return problem, temporary, nil
	}
	defer res.Body.Close()

	body := &remote{r: res.Body}
	album := &photos.API{DB: a.DB, Jobs: a.Jobs, Blobs: a.Blobs}
	err = album.Append(context.WithoutCancel(ctx), p.HullID, body)
	f, rejected := errors.AsType[*fault.Error](err)
	switch {
	case body.err != nil:
		return "could not be downloaded completely", true, nil
	case rejected && f.Kind.Status < 500:
		return "was rejected: " + f.Message, false, nil
	}
	return "", false, err
}

// remote remembers the error of a download.
type remote struct {
	r   io.Reader
	err error
}

func (r *remote) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

// open requests a URL and follows redirects. The client checks the address of each.
func (a *API) open(ctx context.Context, address string) (res *http.Response, problem string, temporary bool) {
	for range maxRedirects + 1 {
		var bad fault.Fields
		if outbound.CheckURL(&bad, "url", address, false); len(bad) > 0 {
			return nil, bad[0].Message, false
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, "is not a URL", false
		}
		req.Header.Set("User-Agent", "Slipway")
		req.Header.Set("Accept", "image/jpeg, image/png, image/webp")

		res, err := a.Photos.Do(req)
		switch {
		case errors.Is(err, outbound.ErrPrivateAddress):
			return nil, "does not resolve to a public address", false
		case err != nil: // it might contain internal addresses
			return nil, "could not be reached, or did not respond in time", true
		case res.StatusCode == http.StatusOK:
			return res, "", false
		}

		_ = res.Body.Close()
		next, err := res.Location()
		if err != nil || res.StatusCode < 300 || res.StatusCode > 399 {
			temporary := res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500
			return nil, fmt.Sprintf("returned the status %d", res.StatusCode), temporary
		}
		address = (&url.URL{Scheme: next.Scheme, Host: next.Host, Path: next.Path, RawPath: next.RawPath, RawQuery: next.RawQuery}).String()
	}
	return nil, "redirects too often", false
}
