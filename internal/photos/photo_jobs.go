package photos

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

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

// Timeout is enough for the largest image on a small machine.
func (MakeSizes) Timeout() time.Duration { return 5 * time.Minute }

// MakeSizes decodes the uploaded file, stores copies without metadata and deletes
// the upload, which might contain the location. It can run again with the same result.
func (a *API) MakeSizes(ctx context.Context, job MakeSizes) error {
	p, err := a.photoOf(ctx, job)
	if err != nil {
		return err
	}
	if p.ID == "" { // deleted; an earlier attempt might have left sizes
		return a.finishPhoto(ctx, job, photoFailed, nil)
	}

	if p.State == photoProcessing {
		err := a.render(ctx, p.Blob)
		if f, ok := errors.AsType[*fault.Error](err); ok {
			p.State, p.Problem = photoFailed, &f.Message
		} else if err != nil {
			return err
		} else {
			p.State = photoReady
		}
		if err := a.finishPhoto(ctx, job, p.State, p.Problem); err != nil {
			return err
		}
	}
	return a.Blobs.Remove(ctx, job.Blob+"/upload")
}

// photoOf returns the photo of a job, or a zero photo if it was deleted.
func (a *API) photoOf(ctx context.Context, job MakeSizes) (HullPhoto, error) {
	return db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (HullPhoto, error) {
		p, err := findPhoto(ctx, tx, hulls.Hull{Env: job.Env, ID: job.HullID}, job.PhotoID)
		if fault.KindOf(err) == fault.KindNotFound {
			return HullPhoto{}, nil
		}
		return p, err
	})
}

func (a *API) render(ctx context.Context, key string) error {
	file, err := a.Blobs.Open(ctx, key+"/upload")
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
	return pic.Render(file, func(v images.Variant) error {
		return a.Blobs.Put(ctx, key+"/"+v.Name, bytes.NewReader(v.Data))
	})
}

// finishPhoto saves the result. If the photo was deleted since then, it releases
// the sizes, so that SweepBlobs deletes them.
func (a *API) finishPhoto(ctx context.Context, job MakeSizes, state string, problem *string) error {
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
