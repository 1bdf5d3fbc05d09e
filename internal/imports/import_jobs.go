package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/photos"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/vocab/auth"
)

const (
	// importBatch is the maximum number of rows in one transaction.
	importBatch = hulls.BatchSize
	// firstAnalyzed is the number of new hulls after which the database counts them. It
	// counts them again when there are four times as many.
	firstAnalyzed = 500
	// importQuiet is the time without progress after which another run takes
	// over an import.
	importQuiet = 2 * time.Minute
)

// errOvertaken means that another run continues the import.
var errOvertaken = errors.New("another run took over the import")

// Work registers the jobs of imports.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.RunImport)
	jobs.On(q, a.ResumeImports)
	jobs.On(q, a.FetchPhotos)
	jobs.Every(q, time.Minute, ResumeImports{})
}

// RunImport is the job that imports a file.
type RunImport struct {
	Env      auth.Env `json:"env"`
	ImportID string   `json:"import_id"`
}

// Kind returns the name of the job.
func (RunImport) Kind() string { return "run_import" }

// Lane separates large files from other jobs.
func (RunImport) Lane() string { return jobs.Long }

// Timeout is enough for the largest file.
func (RunImport) Timeout() time.Duration { return time.Hour }

// RunImport reads the file in batches. The rows of a batch and the progress are
// saved together. After a crash, another run continues there and no row is
// imported twice.
func (a *API) RunImport(ctx context.Context, job RunImport) error {
	i, err := a.beginImport(ctx, job)
	if errors.Is(err, errOvertaken) {
		return nil
	}
	if err != nil || i.State != importRunning {
		return err
	}

	ctx = auth.With(ctx, auth.Principal{Env: i.Env, Actor: i.Actor})
	requestID := ""
	if i.RequestID != nil {
		requestID = *i.RequestID
	}

	ctx = auth.WithRequest(ctx, auth.Request{ID: requestID})

	err = a.readImport(ctx, &i)
	if errors.Is(err, blobs.ErrNotFound) {
		err = a.endImport(ctx, &i, importFailed, new("The file no longer exists."))
	}
	if errors.Is(err, errOvertaken) {
		return nil
	}

	return err
}

// beginImport takes over an import from an earlier run.
func (a *API) beginImport(ctx context.Context, job RunImport) (HullImport, error) {
	return db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (HullImport, error) {
		i, err := findImport(ctx, tx, job.ImportID, 0)
		if err != nil || i.State != importQueued && i.State != importRunning {
			return i, err
		}
		if i.State == importQueued {
			i.State, i.StartedAt = importRunning, &tx.Now
		}
		err = saveImport(ctx, tx, &i)
		return i, err
	})
}

func (a *API) readImport(ctx context.Context, i *HullImport) error {
	file, err := a.Blobs.Open(ctx, i.Blob+"/file")
	if err != nil {
		return err
	}
	defer file.Close()

	rows, err := sheet.Open(file, i.options())
	if err != nil {
		return err
	}
	if i.Missing != missingIgnore && rows.Offset() == i.BytesDone {
		problem, err := a.checkMissing(ctx, *i, rows)
		if err != nil {
			return err
		}
		if problem != "" {
			return a.endImport(ctx, i, importFailed, &problem)
		}
		if rows, err = sheet.Open(file, i.options()); err != nil {
			return err
		}
	}

	if rows.Repairs, err = db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (map[int64]sheet.Repair, error) {
		return findRepairs(ctx, tx, i.ID)
	}); err != nil {
		return err
	}
	f := contents{seen: sheet.Seen{}}
	for rows.Offset() < i.BytesDone { // imported by an earlier run; read again to find duplicates
		batch, err := f.next(rows, 1)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
	}

	analyzed := int64(0)
	for size := firstBatch; ; {
		batch, err := f.next(rows, size)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			return a.completeImport(ctx, i, f)
		}
		took, err := a.importRows(ctx, i, batch, rows.Offset())
		if err != nil {
			return err
		}
		size = nextBatch(size, took, a.batchTakes())
		if i.Created > max(4*analyzed, firstAnalyzed) {
			analyzed = i.Created
			if err := a.DB.Analyze(ctx, string(i.Subject)); err != nil {
				return err
			}
		}
	}
}

// batchTakes is how long a transaction of an import should take.
func (a *API) batchTakes() time.Duration {
	if a.DB.SQLite() {
		return takesOnSQLite
	}
	return takesOnPostgres
}

// contents is what is known about a file after its rows are read.
type contents struct {
	seen         sheet.Seen
	unidentified int64 // invalid rows without a stock number or HIN
}

func (f *contents) next(rows *sheet.Reader, n int) ([]sheet.Row, error) {
	batch, err := rows.Next(n, f.seen)
	for _, r := range batch {
		if len(r.Bad) > 0 && !r.Identified() {
			f.unidentified++
		}
	}
	return batch, err
}

// completeImport saves the rows of an atomic import, compares the inventory with the
// file and ends the import.
func (a *API) completeImport(ctx context.Context, i *HullImport, f contents) error {
	if i.Mode == atomic && i.Stage == stageRows {
		if i.Failed > 0 {
			return a.rejectImport(ctx, i, outcome{})
		}
		if rejected, err := a.applyPending(ctx, i); err != nil || rejected {
			return err
		}
	}
	if i.Failed == i.Rows {
		return a.endImport(ctx, i, importFailed, new("All rows were rejected."))
	}
	if i.Missing != missingIgnore {
		if err := a.compareInventory(ctx, i, f); err != nil {
			return err
		}
	}
	return a.endImport(ctx, i, importCompleted, nil)
}

// importRows imports one batch, and returns how long others had to wait for it. A dry
// run and the first pass of an atomic import do the same work and roll it back.
func (a *API) importRows(ctx context.Context, i *HullImport, batch []sheet.Row, offset int64) (took time.Duration, err error) {
	var rehearsed *outcome
	if i.DryRun || i.Mode == atomic {
		out, rehearsal, err := a.rehearse(ctx, *i, batch)
		if err != nil {
			return 0, err
		}
		rehearsed, took = &out, rehearsal
	}

	var started time.Time
	after, err := db.Write(db.Separate(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (HullImport, error) {
		started = time.Now() //nolint:forbidigo // a duration of the real clock
		i := *i              // the transaction might run twice
		var out outcome
		var err error
		switch {
		case rehearsed == nil:
			out, err = applyRows(ctx, tx, i, batch)
		case i.Mode == atomic && !i.DryRun:
			out, err = *rehearsed, insertPending(ctx, tx, i, batch)
		default:
			out = *rehearsed
		}
		if err != nil {
			return i, err
		}

		i.count(out)
		i.BytesDone = offset
		if err := addLines(ctx, tx, i, out); err != nil {
			return i, err
		}
		err = saveImport(ctx, tx, &i)
		return i, err
	})
	if err == nil {
		a.observe(*i, after)
		*i = after
	}
	return max(took, time.Since(started)), err //nolint:forbidigo // as above
}

// observe reports the rows of a batch for metrics.
func (a *API) observe(before, after HullImport) {
	if after.DryRun || after.Subject != sheet.Hulls {
		return
	}
	for outcome, n := range map[string]int64{
		"created": after.Created - before.Created, "updated": after.Updated - before.Updated, "unchanged": after.Unchanged - before.Unchanged,
		"skipped": after.Skipped - before.Skipped, "failed": after.Failed - before.Failed,
	} {
		if n > 0 {
			db.Attached[Hooks](a.DB).Observe(outcome, n)
		}
	}
}

// errUndo rolls back the transaction of a trial run.
var errUndo = errors.New("trial run")

// rehearse imports a batch and rolls it back.
func (a *API) rehearse(ctx context.Context, i HullImport, batch []sheet.Row) (out outcome, took time.Duration, err error) {
	var started time.Time
	_, err = db.Write(db.Separate(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		started = time.Now() //nolint:forbidigo // a duration of the real clock
		if out, err = applyRows(ctx, tx, i, batch); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, errUndo
	})
	if errors.Is(err, errUndo) {
		err = nil
	}
	return out, time.Since(started), err //nolint:forbidigo // as above
}

// applyPending saves the rows of an atomic import in one transaction after all of
// them are valid. If one fails then, none is saved, and the import has ended.
func (a *API) applyPending(ctx context.Context, i *HullImport) (rejected bool, err error) {
	if i.DryRun {
		return false, nil
	}

	var out outcome
	after, err := db.Write(db.Separate(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (HullImport, error) {
		i := *i
		if err := saveImport(ctx, tx, &i); err != nil { // first, so that another run stops
			return i, err
		}

		out = outcome{}
		for after := int64(0); ; {
			rows, err := listPending(ctx, tx, i, after)
			if err != nil {
				return i, err
			}
			if len(rows) == 0 {
				break
			}
			more, err := applyRows(ctx, tx, i, rows)
			if err != nil {
				return i, err
			}
			out.add(more)
			after = rows[len(rows)-1].Number
		}

		if out.failed > 0 {
			return i, errUndo
		}

		noted := i.Noted // in the first pass
		i.Created, i.Updated, i.Unchanged, i.Skipped, i.PhotoCount = 0, 0, 0, 0, 0
		i.count(out)
		i.Noted, i.Stage = noted, stageMissing
		if err := replaceSkips(ctx, tx, i, out.skips); err != nil {
			return i, err
		}
		if err := deletePending(ctx, tx, i); err != nil {
			return i, err
		}
		err := saveImport(ctx, tx, &i)
		return i, err
	})
	if errors.Is(err, errUndo) {
		return true, a.rejectImport(ctx, i, out)
	}
	if err == nil {
		*i = after
	}
	return false, err
}

// rejectImport ends an atomic import without saving any row.
func (a *API) rejectImport(ctx context.Context, i *HullImport, late outcome) error {
	i.Failed += late.failed
	problem := fmt.Sprintf("%d rows were rejected, so no row was imported.", i.Failed)
	if !i.DryRun {
		i.Created, i.Updated, i.Unchanged, i.PhotoCount = 0, 0, 0, 0
	}
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		i := *i
		if err := addErrors(ctx, tx, i, late); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, finishImport(ctx, tx, &i, importFailed, &problem)
	})
	return err
}

func (a *API) endImport(ctx context.Context, i *HullImport, state State, problem *string) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		i := *i
		if err := finishImport(ctx, tx, &i, state, problem); err != nil {
			return struct{}{}, err
		}
		if i.PhotoCount > 0 && !i.DryRun {
			if err := a.Jobs.Enqueue(ctx, tx, FetchPhotos{tx.Env, i.ID}, tx.Now); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, a.Jobs.Enqueue(ctx, tx, photos.SweepBlobs{}, tx.Now)
	})
	return err
}

// ResumeImports is the job that finds imports that stopped, for example in a crash.
type ResumeImports struct{}

// Kind returns the name of the job.
func (ResumeImports) Kind() string { return "resume_imports" }

// ResumeImports queues another run of each of these imports.
func (a *API) ResumeImports(ctx context.Context, _ ResumeImports) error {
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
		quiet, err := takeQuiet(ctx, tx)
		if err != nil {
			return struct{}{}, err
		}
		if err := deleteOldReviews(ctx, tx); err != nil {
			return struct{}{}, err
		}
		for _, i := range quiet {
			if err := a.Jobs.Enqueue(ctx, tx, RunImport{i.Env, i.ID}, tx.Now); err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})

	return err
}
