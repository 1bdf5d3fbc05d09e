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
func (a *API) Work(r *jobs.Registry) {
	jobs.On(r, a.MakeSizes)
	jobs.On(r, a.SweepBlobs)
	jobs.Every(r, time.Hour, SweepBlobs{})
}

// MakeSizes makes the sizes of a photo.
type MakeSizes struct {
	Env     auth.Env `json:"env"`
	HullID  string   `json:"hull_id"`
	PhotoID string   `json:"photo_id"`
	Blob    string   `json:"blob"`
}

// Kind names the job.
func (MakeSizes) Kind() string { return "make_photo_sizes" }

// Lane keeps decoding off the quick work.
func (MakeSizes) Lane() string { return jobs.Heavy }

// Timeout is enough for the largest picture on a small machine.
func (MakeSizes) Timeout() time.Duration { return 5 * time.Minute }

// MakeSizes decodes the file that was sent, keeps clean copies and removes it:
// it may hold where it was taken. Done twice, it makes the same files again.
func (a *API) MakeSizes(ctx context.Context, job MakeSizes) error {
	p, err := a.photoOf(ctx, job)
	if err != nil {
		return err
	}
	if p.ID == "" { // deleted; an earlier try may have left sizes behind
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

// photoOf finds the photo of a job, the zero one if it was deleted.
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

// finishPhoto writes down how it ended. Of a photo that was deleted meanwhile
// the sizes are loose, and swept again.
func (a *API) finishPhoto(ctx context.Context, job MakeSizes, state string, problem *string) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		h, err := hulls.FindForUpdate(ctx, tx, job.HullID)
		if err != nil {
			return struct{}{}, err
		}
		p, err := findPhoto(ctx, tx, h, job.PhotoID)
		if fault.KindOf(err) == fault.KindNotFound {
			return struct{}{}, blobs.Release(ctx, tx, job.Blob)
		}
		if err != nil {
			return struct{}{}, err
		}
		p.State, p.Problem = state, problem
		if err := savePhoto(ctx, tx, &p); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, photosChanged(ctx, tx, &h)
	})
	return err
}

// SweepBlobs removes the blobs that belong to nobody.
type SweepBlobs struct{}

// Kind names the job.
func (SweepBlobs) Kind() string { return "sweep_blobs" }

// Lane keeps a slow bucket off the quick work.
func (SweepBlobs) Lane() string { return jobs.Outside }

// SweepBlobs removes them; whatever is left is tried again within the hour.
func (a *API) SweepBlobs(ctx context.Context, _ SweepBlobs) error {
	_, err := a.Blobs.Sweep(ctx)
	return err
}
