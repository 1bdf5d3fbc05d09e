package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"slipway/internal/app"
	"slipway/internal/platform/backup"
)

type backupCmd struct {
	File      string `arg:"" optional:"" type:"path" help:"Archive to write, such as slipway-2026-11-16.tar.zst. It must not exist. Defaults to one with the time in its name, in the data folder."`
	Verify    bool   `help:"Only check an existing archive."`
	WithKey   bool   `help:"Include the master key. Anyone with the archive can then decrypt all secrets."`
	WithBlobs bool   `help:"Include the files of the bucket. Without a bucket, files are always included."`
}

// Run writes and checks an archive.
func (c backupCmd) Run(s *session) error {
	if c.Verify && c.File == "" {
		return errors.New("--verify needs an archive")
	}
	if c.Verify {
		return c.verify(s)
	}
	if c.File == "" {
		c.File = filepath.Join(s.settings.Data, "slipway-"+time.Now().UTC().Format("20060102-150405")+".tar.zst")
	}
	warnAboutLeftovers(s.out, filepath.Dir(c.File))
	show, done := progress(os.Stderr)
	m, err := app.Backup(s, s.settings, c.File, app.BackupOptions{WithKey: c.WithKey, WithBlobs: c.WithBlobs, Progress: show})
	done()
	if err != nil {
		return err
	}
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}

	text := fmt.Sprintf("Wrote and checked %s: %s, %.1f MB.\n", c.File, contents(m), float64(info.Size())/1e6)
	if n := len(m.Deleted); n > 0 {
		text += fmt.Sprintf("%d files were deleted during the backup and are not included.\n", n)
	}
	if _, err = io.WriteString(s.out, text+c.advice(m, s.settings.BlobsURL)); err != nil {
		return err
	}
	return m.Complete()
}

// advice explains what must be kept in addition to the archive.
func (c backupCmd) advice(m backup.Manifest, bucket string) string {
	var b strings.Builder
	if m.Database == backup.PostgreSQL {
		b.WriteString(`
THE DATABASE IS NOT INCLUDED, because it is in PostgreSQL. Back it up before the files, so that
each row has its file:

  pg_dump --format=custom --file=slipway.dump "$SLIPWAY_DATABASE_URL"

To restore any point in time, use pgBackRest. See docs/backups.md.
`)
	}
	if !m.WithBlobs && bucket != "" {
		b.WriteString(`
The files in your bucket are not included. Turn on versioning or replication for the bucket, or
use --with-blobs.
`)
	}
	if m.WithKey {
		b.WriteString(`
THE MASTER KEY IS INCLUDED. Anyone with this archive can decrypt all secrets in it.
Encrypt the archive, or store it where only you have access.
`)
	} else {
		b.WriteString(`
THE MASTER KEY IS NOT INCLUDED. Without it, secrets in this archive are lost.
Keep a copy of SLIPWAY_MASTER_KEY or master.key in a different place than this archive.
`)
	}
	return b.String()
}

// verify checks an archive. It extracts the database to the folder for temporary files.
func (c backupCmd) verify(s *session) (err error) {
	work, err := os.MkdirTemp("", "slipway-verify-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	m, err := backup.Verify(s, c.File, work)
	if err != nil {
		return err
	}
	if err := m.Complete(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "%s is complete: %s. Written on %s by slipway %s, schema %d.\n",
		c.File, contents(m), m.CreatedAt.Format(time.RFC3339), m.Build, m.Schema)
	return err
}

type restoreCmd struct {
	File  string `arg:"" optional:"" type:"existingfile" help:"Archive that slipway backup wrote. Defaults to the newest one of SLIPWAY_BACKUP_URL."`
	At    string `help:"Restore the database as it was at this time, such as 2026-11-16T14:30:00Z, from its continuous copies. now is the newest one. Files are from the newest archive."`
	Check bool   `help:"Only restore to a temporary folder, verify the audit log and the number of rows, and delete it."`
}

// Run restores an archive.
func (c restoreCmd) Run(s *session) (err error) {
	if c.At != "" {
		return c.restoreAt(s)
	}
	if c.File == "" {
		folder, err := os.MkdirTemp("", "slipway-restore-*")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		if c.File, err = app.FetchBackup(s, s.settings, folder, time.Now()); err != nil {
			return err
		}
	}
	if c.Check {
		return c.check(s)
	}
	show, done := progress(os.Stderr)
	m, needsKey, err := app.Restore(s, s.settings, c.File, show)
	done()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Restored %s from %s to %s.\n", contents(m), m.CreatedAt.Format(time.RFC3339), s.settings.Data)
	if m.Database == backup.PostgreSQL {
		text += "Restore the database with pg_restore before you start the server.\n"
	}
	if !m.WithBlobs {
		text += "The archive has no files. They must be in the bucket of SLIPWAY_BLOBS_URL.\n"
	}
	if err := m.Complete(); err != nil {
		text += "\nWARNING: " + err.Error() + "\n"
	}
	if needsKey {
		text += "\nTHE MASTER KEY IS MISSING. Set SLIPWAY_MASTER_KEY, or copy master.key to the data folder, before you start the server.\n"
	}
	text += "To check the installation, run slipway doctor. Then start slipway serve.\n"
	_, err = io.WriteString(s.out, text)
	return err
}

// restoreAt restores a point in time.
func (c restoreCmd) restoreAt(s *session) error {
	at := time.Now()
	if c.At != "now" {
		var err error
		if at, err = time.Parse(time.RFC3339, c.At); err != nil {
			return errors.New("--at must be a time such as 2026-11-16T14:30:00Z, or now")
		}
	}
	if c.File != "" || c.Check {
		return errors.New("--at can't be used with an archive or with --check")
	}
	show, done := progress(os.Stderr)
	r, err := app.RestoreAt(s, s.settings, at, show)
	done()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Restored the database with all changes until %s to %s.\n", r.Until.Format(time.RFC3339Nano), s.settings.Data)
	if r.Files != "" {
		text += fmt.Sprintf("Photos and documents are from %s.\n", r.Files)
	}
	if r.NeedsKey {
		text += "\nTHE MASTER KEY IS MISSING. Set SLIPWAY_MASTER_KEY, or copy master.key to the data folder, before you start the server.\n"
	}
	text += "To check the installation, run slipway doctor. Then start slipway serve.\n"
	if _, err = io.WriteString(s.out, text); err != nil || len(r.Missing) == 0 {
		return err
	}
	return &backup.MissingError{Where: "the archive, because they are newer", Keys: r.Missing}
}

// check restores to the folder for temporary files, and says what was verified.
func (c restoreCmd) check(s *session) error {
	show, done := progress(os.Stderr)
	d, err := app.CheckRestore(s, s.settings, c.File, os.TempDir(), show)
	done()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s can be restored: %s, from %s.\n", c.File, contents(d.Manifest), d.Manifest.CreatedAt.Format(time.RFC3339))
	switch {
	case d.Manifest.Database == backup.PostgreSQL:
		text += "The database is not in the archive. Check your backup of PostgreSQL in the same way.\n"
	case d.Audited:
		text += fmt.Sprintf("The number of rows matches, and %d audit logs with %d entries are valid.\n", d.Logs, d.Entries)
	default:
		text += "The number of rows matches. The audit log was not verified, because the master key is missing.\n"
	}
	_, err = io.WriteString(s.out, text)
	return err
}

// contents describes an archive.
func contents(m backup.Manifest) string {
	var parts []string
	if m.Database == backup.SQLite {
		parts = append(parts, "the database")
	}
	if m.WithBlobs {
		parts = append(parts, fmt.Sprintf("%d files", m.Blobs()))
	}
	if m.WithKey {
		parts = append(parts, "the master key")
	}
	return strings.Join(parts, ", ")
}

// warnAboutLeftovers names what a killed backup left in a folder. It can't be mistaken for a
// backup, but takes up space.
func warnAboutLeftovers(out io.Writer, folder string) {
	left, _ := filepath.Glob(filepath.Join(folder, backup.WorkPattern)) // the pattern is valid
	for _, name := range left {
		_, _ = fmt.Fprintf(out, "%s is from a backup that is running or was interrupted. If none is running, delete it.\n", name)
	}
}

// progress shows steps on one line of a terminal. Done removes the line.
func progress(terminal *os.File) (show backup.Progress, done func()) {
	info, err := terminal.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(string, int, int) {}, func() {}
	}
	const clearLine = "\r\x1b[K"
	shown := ""
	show = func(step string, done, total int) {
		text := step
		if total > 0 {
			text = fmt.Sprintf("%s %d%%", step, 100*done/total)
		}
		if text != shown {
			shown = text
			_, _ = fmt.Fprint(terminal, clearLine+text) // the terminal might be closed
		}
	}
	return show, func() { _, _ = fmt.Fprint(terminal, clearLine) }
}
