package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"slipway/internal/platform/backup"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
)

// Work registers the job.
func (a *API) Work(q *jobs.Queue) {
	jobs.On(q, a.runDue)
	jobs.OnTakeover(q, endRuns)
	a.node = q.Node()
	if a.Target != nil {
		jobs.Every(q, time.Minute, runDue{})
	}
}

// runDue is the job that makes a backup, or restores one as a test, if it is due.
type runDue struct{}

func (runDue) Kind() string           { return "back_up" }
func (runDue) Lane() string           { return jobs.Long }
func (runDue) Timeout() time.Duration { return longest }

func (a *API) runDue(ctx context.Context, _ runDue) error {
	if a.Target == nil { // it was configured when the job was added
		return nil
	}
	if err := a.runIfDue(ctx, Backup, a.backUp); err != nil {
		return err
	}
	return a.runIfDue(ctx, Check, a.check)
}

// RunDue does what the job does, in tests.
func (a *API) RunDue(ctx context.Context) error { return a.runDue(ctx, runDue{}) }

// runIfDue runs work if a run of the kind is due, and saves its result. The error is only
// one of the database: a backup that failed is tried again when it is due.
func (a *API) runIfDue(ctx context.Context, kind BackupKind, work func(context.Context, *BackupRun) error) error {
	run, err := a.startRun(ctx, kind)
	if err != nil || run == nil {
		return err
	}
	err = work(ctx, run)
	problem := BackupProblem("")
	if run.State, problem = resultOf(err); err != nil {
		run.Problem, run.Detail = &problem, err.Error()
		a.Log.Error("the "+string(kind)+" is not complete", "problem", string(problem), "archive", run.Name, "err", err)
	} else {
		a.Log.Info("the "+string(kind)+" is complete", "archive", run.Name, "bytes", run.Bytes, "files", run.Files)
	}
	return a.finishRun(context.WithoutCancel(ctx), *run)
}

// resultOf returns the result of a run that returned an error, or nil.
func resultOf(err error) (BackupState, BackupProblem) {
	if _, ok := errors.AsType[*backup.MissingError](err); ok {
		return Incomplete, FilesMissing
	}
	switch {
	case err == nil:
		return Complete, ""
	case errors.Is(err, syscall.ENOSPC):
		return Failed, DiskFull
	case errors.Is(err, errTarget):
		return Failed, Unavailable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Failed, Interrupted
	case errors.Is(err, errDamaged):
		return Failed, Damaged
	}
	return Failed, OtherProblem
}

var (
	errTarget  = errors.New("the target of the backups can't be used")
	errDamaged = errors.New("the archive can't be restored")
)

// backUp writes an archive to the target, and deletes those that have expired.
func (a *API) backUp(ctx context.Context, run *BackupRun) (err error) {
	if err := a.removeLeftovers(); err != nil {
		return err
	}
	work, err := os.MkdirTemp(a.Folder, backup.WorkPattern)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	path := filepath.Join(work, "scheduled")
	m, err := db.Attached[Hooks](a.DB).Create(ctx, path)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		run.Bytes = info.Size()
	}
	run.Files, run.Missing = int64(m.Blobs()), int64(len(m.Missing))
	if err := a.Target.Put(ctx, run.Name, file); err != nil {
		return fmt.Errorf("%w: %w", errTarget, err)
	}
	if err := a.deleteExpired(ctx, run.StartedAt); err != nil {
		return fmt.Errorf("%w: delete old backups: %w", errTarget, err)
	}
	return m.Complete()
}

func (a *API) deleteExpired(ctx context.Context, now time.Time) error {
	names, err := a.Target.List(ctx, archives)
	if err != nil {
		return err
	}
	for _, name := range a.Plan.expired(names, now) {
		if err := a.Target.Remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// check restores the newest archive as a test.
func (a *API) check(ctx context.Context, run *BackupRun) (err error) {
	work, err := os.MkdirTemp(a.Folder, backup.WorkPattern)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	path := filepath.Join(work, "archive")
	if run.Bytes, err = Fetch(ctx, a.Target, run.Name, path); err != nil {
		return fmt.Errorf("%w: %w", errTarget, err)
	}
	m, err := db.Attached[Hooks](a.DB).Restore(ctx, path, work)
	run.Files, run.Missing = int64(m.Blobs()), int64(len(m.Missing))
	if state, problem := resultOf(err); state == Failed && problem == OtherProblem {
		err = fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// FindNewest returns the name of the newest archive that was taken at or before a time.
func FindNewest(ctx context.Context, store blobs.Store, at time.Time) (string, error) {
	names, err := store.List(ctx, archives)
	if err != nil {
		return "", err
	}
	name := newest(names, at)
	if name == "" {
		return "", errors.New("the target of the backups contains no archive from before this time")
	}
	return name, nil
}

// Fetch copies a blob to a file, and returns its size.
func Fetch(ctx context.Context, store blobs.Store, name, path string) (int64, error) {
	from, err := store.Open(ctx, name)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(to, from)
	return n, errors.Join(err, to.Close())
}

// leftoverAfter is the age at which a folder can't belong to a run any more.
const leftoverAfter = 2 * longest

// removeLeftovers deletes the folders of runs whose server was killed.
func (a *API) removeLeftovers() error {
	folders, err := filepath.Glob(filepath.Join(a.Folder, backup.WorkPattern))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && time.Since(info.ModTime()) > leftoverAfter { //nolint:forbidigo // files have the real time
			err = os.RemoveAll(folder)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
