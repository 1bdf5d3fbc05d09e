package backups

import (
	"context"
	"log/slog"

	"slipway/internal/platform/backup"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/family"
)

// API makes backups and shows their results.
type API struct {
	DB     *db.DB
	Log    *slog.Logger
	Folder string // for temporary files

	Plan       Plan
	Target     blobs.Store // nil if no backups are made
	TargetKind BackupTarget

	node string // see jobs.Queue
}

// Hooks are what backups call in the service, which knows everything that belongs to it.
type Hooks struct {
	// Create writes an archive to a file.
	Create func(ctx context.Context, file string) (backup.Manifest, error)
	// Restore restores an archive to a folder, verifies it and deletes it.
	Restore func(ctx context.Context, file, work string) (backup.Manifest, error)
}

// New returns the feature.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoint.
func (a *API) Mount(r *rest.Router) {
	rest.Get(r.Family(family.Dealership).Preview("2026-11-18"), rest.Route{
		Path: "/backups", ID: "getBackups", Needs: auth.Require(auth.Admin),
		Summary: "Retrieve the state of the backups",
		Text: "Backups contain all dealerships of the installation. The operator of the server sets where they are stored, " +
			"how often they are made and how long they are kept.",
		Assist: assist.Read,
	}, a.get)
}

// BackupTarget is where backups are stored.
type BackupTarget string

// The kinds of targets.
const (
	Folder BackupTarget = "folder"
	Bucket BackupTarget = "bucket"
)

var targets = enum.Of("BackupTarget", "Where backups are stored.", Folder, Bucket)

// TransformSchema describes the enum.
func (BackupTarget) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return targets.Describe(s)
}

// BackupStatus is the state of the backups.
type BackupStatus struct {
	_ struct{} `doc:"The state of the backups of the installation."`

	Configured   bool          `json:"configured" doc:"Whether the server makes backups."`
	Healthy      bool          `json:"healthy" doc:"Whether the last backup is complete and not late, and the last check succeeded. True if the server makes no backups."`
	Target       *BackupTarget `json:"target" doc:"Where backups are stored. Null if the server makes none."`
	Schedule     *string       `json:"schedule" privacy:"plain" doc:"Time of each day, in the time zone of the server, or interval between two backups. Null if the server makes none." example:"03:00"`
	KeepDays     int           `json:"keep_days" doc:"Days that a backup is kept." example:"30"`
	LastBackup   *BackupRun    `json:"last_backup" doc:"The newest backup. Null if there is none."`
	LastComplete *BackupRun    `json:"last_complete" doc:"The newest backup that is complete. Null if there is none."`
	LastCheck    *BackupRun    `json:"last_check" doc:"The newest check that a backup can be restored. Null if there is none."`
}

func (a *API) get(ctx context.Context, tx *db.Tx, _ *struct{}) (BackupStatus, error) {
	return a.Status(ctx, tx)
}
