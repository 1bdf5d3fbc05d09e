// Package backups makes backups on a schedule, checks that they can be restored, and shows
// the results.
package backups

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"slipway/internal/vocab/enum"
)

// Plan is when backups are made and how long they are kept.
type Plan struct {
	Schedule   Schedule
	Keep       time.Duration
	CheckEvery time.Duration // how often one is restored as a test, 0 for never
}

// Schedule is a time of the day or an interval.
type Schedule struct {
	text  string
	every time.Duration // 0 for a time of the day
	hour  int
	min   int
}

// ParseSchedule parses 03:00, a time of each day, or 6h, an interval.
func ParseSchedule(text string) (Schedule, error) {
	if at, err := time.Parse("15:04", text); err == nil {
		return Schedule{text: text, hour: at.Hour(), min: at.Minute()}, nil
	}
	every, err := time.ParseDuration(text)
	if err != nil || every < 10*time.Minute || every > 31*24*time.Hour {
		return Schedule{}, fmt.Errorf("%q is not a time such as 03:00, or an interval from 10m to 744h", text)
	}
	return Schedule{text: text, every: every}, nil
}

func (s Schedule) String() string { return s.text }

// next returns the first time after a backup at which the next one is due.
func (s Schedule) next(after time.Time) time.Time {
	if s.every > 0 {
		return after.Add(s.every)
	}
	y, m, d := after.Date()
	next := time.Date(y, m, d, s.hour, s.min, 0, 0, after.Location())
	if !next.After(after) {
		next = time.Date(y, m, d+1, s.hour, s.min, 0, 0, after.Location())
	}
	return next
}

const (
	// retryAfter is when a backup that failed is tried again.
	retryAfter = 15 * time.Minute
	// longest is how long a run can take. Then it has ended without a result.
	longest = 6 * time.Hour
	// lateAfter is how much later than its time a backup can be complete before someone is told.
	lateAfter = time.Hour
)

// BackupKind is what a run did.
type BackupKind string

// The kinds of runs.
const (
	Backup BackupKind = "backup"
	Check  BackupKind = "check"
)

var kinds = enum.Of("BackupKind", "What a run did.", Backup, Check)

// TransformSchema describes the enum.
func (BackupKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return kinds.Describe(s)
}

// BackupState is the result of a run.
type BackupState string

// The results of runs.
const (
	Running    BackupState = "running"
	Complete   BackupState = "complete"
	Incomplete BackupState = "incomplete"
	Failed     BackupState = "failed"
)

var states = enum.Of("BackupState", "Result of a run. incomplete means that files were missing.", Running, Complete, Incomplete, Failed)

// TransformSchema describes the enum.
func (BackupState) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return states.Describe(s)
}

// BackupProblem is why a run is not complete.
type BackupProblem string

// The problems of runs. The log of the server has the details, which can contain paths.
const (
	DiskFull     BackupProblem = "disk_full"
	FilesMissing BackupProblem = "files_missing"
	Interrupted  BackupProblem = "interrupted"
	Damaged      BackupProblem = "damaged"
	Unavailable  BackupProblem = "target_unavailable"
	OtherProblem BackupProblem = "other"
)

var problems = enum.Of("BackupProblem", "Why a run is not complete. The log of the server has the details.",
	DiskFull, FilesMissing, Interrupted, Damaged, Unavailable, OtherProblem)

// TransformSchema describes the enum.
func (BackupProblem) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return problems.Describe(s)
}

// BackupRun is a backup, or a check that one can be restored.
type BackupRun struct {
	_ struct{} `doc:"A backup, or a check that one can be restored." nullable:"true"`

	ID         string         `json:"id" db:"id" doc:"Identifies the run. Starts with bak_." example:"bak_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind       BackupKind     `json:"kind" db:"kind" doc:"What the run did."`
	State      BackupState    `json:"state" db:"state" doc:"Result of the run."`
	Problem    *BackupProblem `json:"problem" db:"problem" doc:"Why the run is not complete. Null if it is complete or still running."`
	Detail     string         `json:"-" db:"detail" privacy:"plain"` // for the operator
	Name       string         `json:"-" db:"name" privacy:"plain"`   // of the archive in the target
	Bytes      int64          `json:"bytes" db:"bytes" doc:"Size of the archive."`
	Files      int64          `json:"files" db:"files" doc:"Photos and documents in the archive."`
	Missing    int64          `json:"missing" db:"missing" doc:"Photos and documents that the server could not find."`
	Node       string         `json:"-" db:"node" privacy:"plain"` // that makes it
	StartedAt  time.Time      `json:"started_at" db:"started_at" doc:"When the run started."`
	FinishedAt *time.Time     `json:"finished_at" db:"finished_at" doc:"When the run ended. Null while it is running."`
}

// history is what is known about the runs of a kind.
type history struct {
	last     *BackupRun // the newest one
	complete *BackupRun // the newest one that is complete
}

// due reports whether a run of a kind must start now.
func (p Plan) due(kind BackupKind, runs history, backup *BackupRun, now time.Time) bool {
	if runs.last != nil && runs.last.State == Running && now.Sub(runs.last.StartedAt) < longest {
		return false
	}
	if runs.last != nil && runs.last.State != Complete && now.Sub(runs.last.StartedAt) < retryAfter {
		return false
	}
	if kind == Check {
		return p.CheckEvery > 0 && backup != nil && (runs.complete == nil || !now.Before(runs.complete.StartedAt.Add(p.CheckEvery)))
	}
	done := runs.complete
	if runs.last != nil && runs.last.State == Incomplete { // a missing file doesn't come back by trying again
		done = runs.last
	}
	return done == nil || !now.Before(p.Schedule.next(done.StartedAt.In(now.Location())))
}

// late reports whether the newest complete backup is older than the plan allows.
func (p Plan) late(runs history, since, now time.Time) bool {
	if runs.complete != nil {
		since = runs.complete.StartedAt
	}
	return now.After(p.Schedule.next(since.In(now.Location())).Add(lateAfter))
}

// archives is the folder of the archives in the target.
const archives = "archives"

// timeInName is the time in the name of an archive.
const timeInName = "20060102T150405Z"

func nameAt(at time.Time) string {
	return archives + "/slipway-" + at.UTC().Format(timeInName) + ".tar.zst"
}

// takenAt returns the time in the name of an archive.
func takenAt(name string) (time.Time, error) {
	text, ok := strings.CutPrefix(name, archives+"/slipway-")
	text, end := strings.CutSuffix(text, ".tar.zst")
	if !ok || !end {
		return time.Time{}, errors.New("not an archive")
	}
	return time.Parse(timeInName, text)
}

// newest returns the newest archive that was taken at or before a time, or "".
func newest(names []string, at time.Time) (found string) {
	for _, name := range names {
		if taken, err := takenAt(name); err == nil && !taken.After(at) {
			found = max(found, name)
		}
	}
	return found
}

// expired returns the archives that are older than the plan keeps them. The newest one
// always stays, so that the backups that don't succeed any more don't end with none.
func (p Plan) expired(names []string, now time.Time) (old []string) {
	last := newest(names, now)
	for _, name := range names {
		if taken, err := takenAt(name); err == nil && name != last && now.Sub(taken) > p.Keep {
			old = append(old, name)
		}
	}
	return old
}
