package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
)

// ErrNotInstalled means that the data folder or the database contains no installation.
var ErrNotInstalled = errors.New("Slipway is not installed here") //nolint:staticcheck // a name

// howToInstall is what to do if an installation is missing.
const howToInstall = "To create an installation, run: slipway bootstrap --name NAME --owner EMAIL (or: slipway serve --init)"

// OpenExisting opens an installation that must exist. It creates nothing. If PostgreSQL
// is unavailable, Migrate checks it later.
func OpenExisting(ctx context.Context, s Settings, log *slog.Logger) (*App, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := s.checkInstalled(ctx); err != nil {
		return nil, err
	}
	a, err := Open(ctx, s, log)
	if err != nil {
		return nil, err
	}
	a.existing = true
	return a, nil
}

// checkInstalled returns ErrNotInstalled if this is not the place of an installation.
func (s Settings) checkInstalled(ctx context.Context) error {
	if s.DatabaseURL == "" {
		file := filepath.Join(s.Data, "slipway.db")
		if info, err := os.Stat(file); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
			return fmt.Errorf("%w: %s doesn't exist. If it is in another folder, set SLIPWAY_DATA. %s", ErrNotInstalled, file, howToInstall)
		}
		return nil
	}

	key := filepath.Join(s.Data, "master.key")
	if _, err := os.Stat(key); errors.Is(err, os.ErrNotExist) && s.MasterKey == "" {
		return fmt.Errorf("%w: there is no master key. Set SLIPWAY_MASTER_KEY, or SLIPWAY_DATA to the folder with master.key. %s",
			ErrNotInstalled, howToInstall)
	}
	d, err := s.openDB(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // nothing was written
	if err := checkSchema(ctx, d); errors.Is(err, ErrNotInstalled) {
		return err
	}
	return nil
}

// checkSchema returns ErrNotInstalled if a PostgreSQL database was never migrated.
func checkSchema(ctx context.Context, d *db.DB) error {
	tables, err := db.Read(ctx, d, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.One[int64](ctx, tx, `SELECT COUNT(*) FROM information_schema.tables
			WHERE table_schema = current_schema() AND table_name = 'goose_db_version'`)
	})
	if err == nil && tables == 0 {
		err = fmt.Errorf("%w: the database of SLIPWAY_DATABASE_URL has no tables of Slipway. %s", ErrNotInstalled, howToInstall)
	}
	return err
}

// warnIfEmpty logs that there is no dealership.
func (a *App) warnIfEmpty(ctx context.Context) {
	all, err := db.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) ([]dealership.Dealership, error) {
		return dealership.Environments(ctx, tx, "")
	})
	if err == nil && len(all) == 0 {
		a.log.Warn("no dealership exists yet; to create one, run: slipway bootstrap --name NAME --owner EMAIL")
	}
}

// addressMismatch returns the problem if the base URL can't lead to the address that the
// server listens on. If the base URL is not on this machine, a proxy might be in between.
func addressMismatch(baseURL, listen string) string {
	base, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil || !isLoopback(base.Hostname()) {
		return ""
	}

	wanted := cmp.Or(base.Port(), map[string]string{"http": "80", "https": "443"}[base.Scheme])
	switch {
	case wanted != port:
		return fmt.Sprintf("the base URL is %s, but the server listens on port %s", baseURL, port)
	case !isLoopback(host):
		return fmt.Sprintf("the base URL is %s, but the server also accepts clients from other machines (%s)", baseURL, listen)
	}
	return ""
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
