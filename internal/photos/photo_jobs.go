package photos

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"slipway/internal/hulls"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/images"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// Work registers the jobs of photos.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.MakeSizes)
	jobs.On(q, a.SweepBlobs)
	jobs.Every(q, time.Hour, SweepBlobs{})
	jobs.OnTakeover(q, releaseClaims)
}

// MakeSizes is the job that creates the sizes of a photo.
type MakeSizes struct {
	Env     auth.Env `json:"env"`
	HullID  string   `json:"hull_id"`
	PhotoID string   `json:"photo_id"`
	Blob    string   `json:"blob"`
}

// Kind returns the name of the job.
func (MakeSizes) Kind() string { return "make_photo_sizes" }

// Lane separates slow decoding from quick jobs.
func (MakeSizes) Lane() string { return jobs.Heavy }

// Timeout leaves time to save the result after renderTimeout.
func (MakeSizes) Timeout() time.Duration { return renderTimeout + time.Minute }

const (
	// renderTimeout is how long decoding a photo and storing its sizes can take.
	renderTimeout = time.Minute
	// maxAttempts is how often the server can stop while it decodes a photo.
	maxAttempts = 3
	// maxDecoding is the memory for all photos that are decoded at the same time.
	maxDecoding = 200 << 20
)

// decoding limits the memory of all photos that this process decodes.
var decoding = semaphore.NewWeighted(maxDecoding)

// MakeSizes decodes one photo, stores copies without metadata and deletes the
// upload, which might contain the location. It can run again with the same result.
//
// There is one job for each photo, but it can handle another one: environments
// take turns, so that many uploads of one dealership don't delay the others.
func (a *API) MakeSizes(ctx context.Context, job MakeSizes) error {
	c, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (claim, error) { return claimPhoto(ctx, tx, job, a.Jobs.Node()) })
	if err != nil {
		return err
	}
	if c.own.ID == "" { // deleted; an earlier attempt might have left sizes
		err = a.finishPhoto(ctx, job, photoFailed, nil)
	}
	if err == nil && c.own.State != photoProcessing {
		err = a.Blobs.Remove(ctx, job.Blob+"/upload")
	}
	if err != nil || c.claimed.ID == "" {
		return err
	}
	return a.process(auth.InEnv(ctx, c.claimed.Env), c.claimed)
}

// process creates the sizes of a claimed photo.
func (a *API) process(ctx context.Context, p HullPhoto) error {
	state, problem, err := a.tryRender(ctx, p)
	if err != nil {
		return errors.Join(err, a.releasePhoto(ctx, p))
	}
	if err := a.finishPhoto(ctx, MakeSizes{p.Env, p.HullID, p.ID, p.Blob}, state, problem); err != nil {
		return err
	}
	return a.Blobs.Remove(ctx, p.Blob+"/upload")
}

// tryRender returns the new state of a photo and why it failed. An error means
// that it can succeed later, for example because the store is unavailable.
func (a *API) tryRender(ctx context.Context, p HullPhoto) (state State, problem *string, err error) {
	if p.Attempts > maxAttempts {
		return photoFailed, new("The photo can't be processed. Save it in another format and upload it again."), nil
	}
	limited, cancel := context.WithTimeout(ctx, renderTimeout)
	defer cancel()
	err = a.render(limited, p.Blob)

	f, rejected := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return photoReady, nil, nil
	case limited.Err() != nil && ctx.Err() == nil:
		return photoFailed, new("Processing the photo took too long. Save it with fewer pixels and upload it again."), nil
	case rejected:
		return photoFailed, &f.Message, nil
	}
	return "", nil, err
}

func (a *API) render(ctx context.Context, key string) error {
	file, err := a.Blobs.Open(ctx, key+"/upload")
	if errors.Is(err, blobs.ErrNotFound) {
		return a.checkSizes(ctx, key)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	pic, err := images.Inspect(file)
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}

	if err := decoding.Acquire(ctx, pic.Memory); err != nil {
		return err
	}
	defer decoding.Release(pic.Memory)
	return pic.Render(contextReader{ctx, file}, func(v images.Variant) error {
		return a.store(ctx, key+"/"+v.Name, v)
	})
}

// checkSizes returns an error unless all sizes of a photo are stored. The upload is removed after
// them. The database of a backup can be older than its files.
func (a *API) checkSizes(ctx context.Context, key string) error {
	stored, err := a.Blobs.List(ctx, key)
	if err != nil {
		return err
	}
	for _, name := range images.Variants {
		if !slices.Contains(stored, key+"/"+name) {
			return fault.New(fault.KindNotFound, "The file is missing. Upload it again.")
		}
	}
	return nil
}

// store encodes a size while it is being stored.
func (a *API) store(ctx context.Context, key string, v images.Variant) error {
	r, w := io.Pipe()
	defer func() { _ = r.Close() }() // stops encoding if storing fails
	go func() {
		buffer := bufio.NewWriterSize(w, 64<<10)
		w.CloseWithError(errors.Join(v.Encode(buffer), buffer.Flush()))
	}()
	return a.Blobs.Put(ctx, key, r)
}

// contextReader fails when the context ends, so that decoding stops.
type contextReader struct {
	ctx context.Context //nolint:containedctx // a reader has no parameter for it
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// releasePhoto lets the next job handle a photo. The attempt doesn't count. It also
// does so if the server stops. Otherwise the next job would find the claim, and leave
// the photo to a job that has ended.
func (a *API) releasePhoto(ctx context.Context, p HullPhoto) error {
	_, err := db.Write(context.WithoutCancel(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return endClaim(ctx, tx, p)
	})
	return err
}

// finishPhoto saves the result. If the photo was deleted since then, it releases
// the sizes, so that SweepBlobs deletes them.
func (a *API) finishPhoto(ctx context.Context, job MakeSizes, state State, problem *string) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		h, err := hulls.FindForUpdate(ctx, tx, job.HullID)
		if err != nil {
			return struct{}{}, err
		}
		p, err := findPhoto(ctx, tx, h, job.PhotoID)
		if fault.KindOf(err) == fault.KindNotFound {
			return struct{}{}, blobs.DeleteLater(ctx, tx, job.Blob)
		}
		if err != nil {
			return struct{}{}, err
		}

		p.State, p.Problem = state, problem
		if err := table.Save(ctx, tx, &p); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, photosChanged(ctx, tx, &h)
	})
	return err
}

// SweepBlobs is the job that deletes unused blobs.
type SweepBlobs struct{}

// Kind returns the name of the job.
func (SweepBlobs) Kind() string { return "sweep_blobs" }

// Lane separates a slow bucket from quick jobs.
func (SweepBlobs) Lane() string { return jobs.Network }

// SweepBlobs deletes unused blobs. The next run, within an hour, retries failures.
func (a *API) SweepBlobs(ctx context.Context, _ SweepBlobs) error {
	_, err := a.Blobs.DeleteUnused(ctx)
	return err
}
