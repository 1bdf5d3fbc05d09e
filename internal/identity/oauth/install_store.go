package oauth

import (
	"context"
	"sync"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

var installs = db.Table[Install]{Name: "installs", Prefix: "inst", Noun: "install"}

// loadApps fills in the apps and the environment of installs. It joins a table of
// the dealership package, because a publisher is another dealership.
func loadApps(ctx context.Context, tx *db.Tx, list []Install) error {
	if len(list) == 0 {
		return nil
	}
	var ids []string
	for _, i := range list {
		ids = append(ids, i.AppID)
	}
	marks, args := db.In(ids)
	found, err := db.All[struct {
		ID          string  `db:"id"`
		MetadataURL *string `db:"metadata_url"`
		InstalledApp
	}](ctx, tx, `SELECT {cols} FROM (SELECT a.id, a.metadata_url, a.name, a.homepage_url, d.name AS publisher
		FROM apps a JOIN dealerships d ON d.env = a.env WHERE a.id IN `+marks+`) AS found`, args...)
	if err != nil {
		return err
	}
	own, err := dealership.Find(ctx, tx)

	byID := map[string]InstalledApp{}
	for _, f := range found {
		if f.MetadataURL != nil {
			f.Publisher = publisherOf(*f.MetadataURL)
		}
		byID[f.ID] = f.InstalledApp
	}
	for i := range list {
		list[i].App, list[i].Environment = byID[list[i].AppID], own.Mode
	}
	return err
}

func findInstallForUpdate(ctx context.Context, tx *db.Tx, id string) (Install, error) {
	i, err := installs.FindForUpdate(ctx, tx, id)
	if err != nil {
		return i, err
	}
	one := []Install{i}
	err = loadApps(ctx, tx, one)
	return one[0], err
}

// findInstallOf returns the install of an app in the environment, or nil.
func findInstallOf(ctx context.Context, tx *db.Tx, appID string) (*Install, error) {
	if err := db.LockRow(ctx, tx, `SELECT id FROM installs WHERE env = ? AND app_id = ?`, tx.Env, appID); err != nil {
		return nil, err
	}
	return peekInstallOf(ctx, tx, appID)
}

// peekInstallOf is findInstallOf without a lock, for pages that change nothing.
func peekInstallOf(ctx context.Context, tx *db.Tx, appID string) (*Install, error) {
	found, err := db.All[Install](ctx, tx, `SELECT {cols} FROM installs WHERE env = ? AND app_id = ?`, tx.Env, appID)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	err = loadApps(ctx, tx, found)
	return &found[0], err
}

// allow installs an app with these scopes, or adds the scopes to its install.
func allow(ctx context.Context, tx *db.Tx, app App, u people.User, scopes []auth.Scope) (Install, error) {
	existing, err := findInstallOf(ctx, tx, app.ID)
	if err != nil {
		return Install{}, err
	}
	if existing == nil {
		i := Install{AppEnv: app.Env, AppID: app.ID, Scopes: scopes, UserID: u.ID, UserName: u.Name}
		if err := installs.Insert(ctx, tx, &i); err != nil {
			return i, err
		}
		one := []Install{i}
		if err := loadApps(ctx, tx, one); err != nil {
			return i, err
		}
		return one[0], events.Emit(ctx, tx, "app.installed", i.ID, events.Change{After: one[0]})
	}

	before, i := *existing, *existing
	i.Scopes, i.UserID, i.UserName = union(i.Scopes, scopes), u.ID, u.Name
	if err := installs.Save(ctx, tx, &i); err != nil {
		return i, err
	}
	return i, events.Emit(ctx, tx, "app.reauthorized", i.ID, events.Change{Before: before, After: i})
}

// uninstall deletes an install, and what the app created to access the dealership: its
// webhooks, push URLs, calendars and API keys, and what it created with these keys. Its codes
// and tokens are deleted with it, so they stop working on all nodes.
func uninstall(ctx context.Context, tx *db.Tx, i Install) error {
	keys, err := access.KeyIDs(ctx, tx, i.AppID)
	if err != nil {
		return err
	}
	app, hooks := people.AppAuthor(i.AppID, keys), db.Attached[Hooks](tx)
	if err := hooks.DeleteWebhooks(ctx, tx, i.ID, app); err != nil {
		return err
	}
	if err := hooks.PushURLs.End(ctx, tx, app); err != nil {
		return err
	}
	if err := hooks.Calendars.End(ctx, tx, app); err != nil {
		return err
	}
	if err := access.RevokeKeysOfApp(ctx, tx, i.AppID); err != nil {
		return err
	}
	if err := installs.Delete(ctx, tx, i.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "app.uninstalled", i.ID, events.Change{After: i})
}

// Uses records the last use of installs in memory, so that requests don't write.
type Uses struct {
	mu   sync.Mutex
	last map[useKey]time.Time
}

type useKey struct {
	env auth.Env
	id  string
}

// NewUses returns a Uses without installs.
func NewUses() *Uses { return &Uses{last: map[useKey]time.Time{}} }

func (u *Uses) mark(env auth.Env, installID string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last[useKey{env, installID}] = now
}

// Flush saves the uses since the last time.
func (u *Uses) Flush(ctx context.Context, d *db.DB) error {
	u.mu.Lock()
	last := u.last
	u.last = map[useKey]time.Time{}
	u.mu.Unlock()
	if len(last) == 0 {
		return nil
	}

	_, err := db.Write(ctx, d, func(ctx context.Context, tx *db.Tx) (int, error) {
		for k, at := range last {
			if _, err := db.Exec(ctx, tx, `UPDATE installs SET last_used_at = ? WHERE env = ? AND id = ?`, at, k.env, k.id); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})
	if err != nil { // keep them for the next time
		u.mu.Lock()
		defer u.mu.Unlock()
		for k, at := range last {
			if u.last[k].Before(at) {
				u.last[k] = at
			}
		}
	}
	return err
}
