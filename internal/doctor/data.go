package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"slipway/internal/app"
	"slipway/internal/platform/backup"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/providers"
	"slipway/internal/platform/site"
	"slipway/internal/platform/sms"
	"slipway/internal/vocab/id"
)

// checkFolder checks that the data folder exists, that only this user can open it, and that
// the user can write to it.
func (d *Doctor) checkFolder(context.Context) []Finding {
	folder := d.Settings.Data
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fail("Set SLIPWAY_DATA to your data folder, or create a new installation with slipway bootstrap.", "%s doesn't exist.", folder)
	}
	if err != nil || !info.IsDir() {
		return fail("Set SLIPWAY_DATA to a folder that this user can open.", "%s is not a folder, or can't be opened.", folder)
	}
	file, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return fail(fmt.Sprintf("Run as the user that owns the folder, or change its owner: chown -R slipway %s", folder), "Can't write: %v", err)
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return fail("Check the disk.", "Can't write: %v", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return warn("chmod 700 "+folder, "Other users can open %s (mode %04o).", folder, info.Mode().Perm())
	}
	if kind := networkDisk(folder); kind != "" && d.Settings.DatabaseURL == "" {
		return fail("Move the data folder to a local disk, or use PostgreSQL.",
			"%s is on a network disk (%s). SQLite loses data there, because file locks are not reliable.", folder, kind)
	}
	return pass("%s", folder)
}

// checkDisk reports that the disk of the data folder is almost full.
func (d *Doctor) checkDisk(context.Context) []Finding {
	free, size, err := d.Space(d.Settings.Data)
	if err != nil || size == 0 {
		return nil // another check reports the folder
	}
	const fix = "Delete other files, such as old backups, or use a larger disk."
	text := fmt.Sprintf("%s of %s free", formatBytes(free), formatBytes(size))
	switch {
	case free < size/50 || free < 100<<20:
		return fail(fix, "Only %s. Writes fail when the disk is full.", text)
	case free < size/10:
		return warn(fix, "Only %s.", text)
	}
	return pass("%s", text)
}

// checkDatabase opens the database. On SQLite it also checks the file.
func (d *Doctor) checkDatabase(ctx context.Context) []Finding {
	opened, err := d.Settings.OpenDatabase(ctx)
	if err != nil {
		return fail("Correct the settings, or create a new installation with slipway bootstrap.", "%v", err)
	}
	if err := opened.Ping(ctx); err != nil {
		fix := "Check that PostgreSQL runs, that this machine can reach it, and the user and password in SLIPWAY_DATABASE_URL."
		if opened.SQLite() {
			fix = "Restore a backup with slipway restore."
		}
		return fail(fix, "Can't open the database: %v", errors.Join(err, opened.Close()))
	}
	d.db = opened
	if !opened.SQLite() {
		return d.checkVersion(ctx)
	}
	if err := backup.CheckDatabase(ctx, opened); err != nil {
		return fail("Stop the server, keep a copy of the folder, and restore a backup with slipway restore.", "%v", err)
	}
	return pass("SQLite, no damage found")
}

// checkSchema compares the schema with the one of this program.
func (d *Doctor) checkSchema(ctx context.Context) []Finding {
	if d.db == nil {
		return nil
	}
	schema, err := backup.Schema(ctx, d.db)
	switch newest := db.Schema(); {
	case err != nil:
		return fail("Create a dealership with slipway bootstrap, or check the name of the database.", "%v", err)
	case schema > newest:
		return fail("Start the newer version, or restore a backup from before the update.", "schema %d is from a newer version. This one supports up to %d.", schema, newest)
	case schema < newest:
		return warn("Start the server or run slipway migrate. Back up first.", "schema %d is older than %d of this version.", schema, newest)
	}
	return pass("%d, current", schema)
}

// checkMasterKey checks that the key exists and decrypts the data keys.
func (d *Doctor) checkMasterKey(ctx context.Context) []Finding {
	key, err := d.Settings.ExistingKey()
	const restoreKey = "Set SLIPWAY_MASTER_KEY, or copy master.key to the data folder. Don't start the server with another key."
	if errors.Is(err, fs.ErrNotExist) {
		return fail(restoreKey, "There is no master key in the data folder.")
	}
	if err != nil {
		return fail(restoreKey, "%v", err)
	}
	if d.db == nil {
		return warn("Correct the database first.", "It is valid, but couldn't be compared with the database.")
	}
	err = app.CheckKey(ctx, d.db, key)
	if errors.Is(err, site.ErrMasterKey) {
		return fail("Set SLIPWAY_MASTER_KEY to the key of this database, or restore its master.key. docs/backups.md lists what you lose without it.",
			"It doesn't match the database.")
	}
	if err != nil {
		return fail("Correct the database first.", "%v", err)
	}
	if d.Settings.MasterKey == "" {
		return pass("matches the database. Keep a copy of master.key in a different place than the backups.")
	}
	return pass("matches the database")
}

// checkFiles writes, reads and deletes a file in the store.
func (d *Doctor) checkFiles(ctx context.Context) []Finding {
	if _, err := os.Stat(filepath.Join(d.Settings.Data, "blobs")); err != nil && d.Settings.BlobsURL == "" {
		if d.db == nil {
			return nil
		}
		return d.checkMissing(ctx, nil, "the data folder") // the server creates the folder when it starts
	}
	ctx, cancel := context.WithTimeout(ctx, filesTimeout)
	defer cancel()
	fix, where := "Check the owner and the permissions of the folder blobs in the data folder.", "folder"
	if d.Settings.BlobsURL != "" {
		fix, where = "Check the key, the secret, the host and the bucket in SLIPWAY_BLOBS_URL. The key must be able to read, write, list and delete.", "bucket"
	}
	files, err := d.Settings.Blobs(d.db)
	if err != nil {
		return fail(fix, "%v", err)
	}

	key, content := id.NewSource().New("doctor", d.Now()), []byte("Slipway checks that files can be written.")
	err = files.Put(ctx, key+"/file", bytes.NewReader(content))
	if err == nil {
		err = errors.Join(readBack(ctx, files.Store, key+"/file", content), files.Remove(ctx, key))
	}
	if err != nil {
		return fail(fix, "%v", err)
	}
	if d.db == nil {
		return pass("wrote, read and deleted a file in the %s", where)
	}
	if found := d.checkMissing(ctx, files.Store, "the "+where); found != nil {
		return found
	}
	return pass("wrote, read and deleted a file in the %s, and no file is missing", where)
}

// checkMissing names the files that the database refers to and the store doesn't have.
func (d *Doctor) checkMissing(ctx context.Context, store blobs.Store, where string) []Finding {
	missing, err := backup.FindMissing(ctx, d.db, store)
	if err != nil {
		return fail("Correct the database first.", "Can't compare the files with the database: %v", err)
	}
	if len(missing) == 0 {
		return nil
	}
	d.missing = &backup.MissingError{Where: where, Keys: missing}
	return fail("Copy these files from a backup.", "%v", d.missing)
}

// readBack compares a stored file with its content.
func readBack(ctx context.Context, store blobs.Store, key string, content []byte) error {
	file, err := store.Open(ctx, key)
	if err != nil {
		return err
	}
	defer file.Close()
	got, err := io.ReadAll(file)
	if err == nil && !bytes.Equal(got, content) {
		err = errors.New("a file that was read differs from what was written")
	}
	return err
}

// checkMail signs in at the mail server.
func (d *Doctor) checkMail(ctx context.Context) []Finding {
	sender, err := d.Settings.Mailer()
	if err != nil {
		return fail("Correct the setting.", "%v", err)
	}
	server, ok := sender.(*mail.SMTP)
	if !ok {
		return warn("Set SLIPWAY_SMTP_URL.", "Email is not sent. It is written to %s.", filepath.Join(d.Settings.Data, "outbox"))
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := server.Check(ctx); err != nil {
		return fail("Check the host, the port, the user and the password in SLIPWAY_SMTP_URL, and that your provider allows SMTP from this machine.",
			"Can't sign in at the mail server: %v", err)
	}
	return pass("signed in at the mail server. No email was sent.")
}

// checkTexts fetches the Twilio account.
func (d *Doctor) checkTexts(ctx context.Context) []Finding {
	sender, _, err := d.Settings.Texter()
	if err != nil {
		return fail("Correct the setting.", "%v", err)
	}
	account, ok := sender.(*sms.Twilio)
	if !ok {
		return warn("Set SLIPWAY_TWILIO_ACCOUNT_SID and SLIPWAY_TWILIO_AUTH_TOKEN.",
			"Text messages are not sent. They are written to %s.", filepath.Join(d.Settings.Data, "outbox"))
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := account.Check(ctx); err != nil {
		return fail("Check SLIPWAY_TWILIO_ACCOUNT_SID and SLIPWAY_TWILIO_AUTH_TOKEN, and the account in the console of Twilio.", "%v", err)
	}
	return pass("the Twilio account is active. No message was sent.")
}

// checkProviders reports the providers of email and text messages that the servers of this
// installation can't reach.
func (d *Doctor) checkProviders(ctx context.Context) []Finding {
	if d.db == nil {
		return nil
	}
	outages, err := db.Read(ctx, d.db, providers.Outages)
	if err != nil {
		return nil // another check reports the database
	}
	var found []Finding
	for _, o := range outages {
		found = append(found, fail("Check the status page of the provider. What waits is sent when it answers again.",
			"%s hasn't answered since %s.", o.Provider, o.Since.UTC().Format(time.RFC3339))...)
	}
	if len(found) == 0 {
		return pass("the providers of email and text messages answer.")
	}
	return found
}

// formatBytes returns a size for people, such as 4.2 GB.
func formatBytes(n uint64) string {
	units := []string{"bytes", "KB", "MB", "GB", "TB", "PB"}
	value, unit := float64(n), 0
	for ; value >= 1000 && unit < len(units)-1; unit++ {
		value /= 1000
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
