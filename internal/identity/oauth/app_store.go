package oauth

import (
	"context"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
	"slipway/internal/vocab/version"
)

var apps = db.Table[App]{Name: "apps", Prefix: "app", Noun: "app", Loaded: func(_ *db.Tx, a *App) { a.ClientID = a.ID }}

// registered selects the apps that a dealership has registered.
func registered() *db.Where {
	w := &db.Where{}
	w.And("metadata_url IS NULL")
	return w
}

// findRegistered returns an app that the dealership has registered.
func findRegistered(ctx context.Context, tx *db.Tx, id string) (App, error) {
	a, err := apps.Find(ctx, tx, id)
	if err == nil && a.MetadataURL != nil {
		err = fault.NotFound("app", id)
	}
	return a, err
}

// insertApp adds an app. A confidential app gets a client secret.
func insertApp(ctx context.Context, tx *db.Tx, mode auth.Mode, a App) (IssuedApp, error) {
	issued := IssuedApp{App: a}
	if a.Type == Confidential {
		secret, _ := token.New(token.ClientSecret, mode, tx.Env)
		issued.ClientSecret, issued.SecretHash = &secret, token.Hash(secret)
	}
	if err := apps.Insert(ctx, tx, &issued.App); err != nil {
		return issued, err
	}
	issued.ClientID = issued.ID
	return issued, events.Emit(ctx, tx, "app.created", issued.ID, events.Change{After: issued.App})
}

// findClient returns an app of any dealership by its client ID.
func findClient(ctx context.Context, tx *db.Tx, clientID string) (App, error) {
	return db.One[App](ctx, tx, `SELECT {cols} FROM apps WHERE id = ?`, clientID)
}

// findApp returns an app of any dealership by its client ID, with the mode and the
// name of its publisher.
func findApp(ctx context.Context, tx *db.Tx, clientID string) (PublishedApp, error) {
	return db.One[PublishedApp](ctx, tx, `SELECT {cols} FROM (
		SELECT a.*, d.mode AS publisher_mode, d.name AS publisher FROM apps a JOIN dealerships d ON d.env = a.env WHERE a.id = ?) AS found`, clientID)
}

// PublishedApp is an app with its publisher.
type PublishedApp struct {
	App
	Mode      auth.Mode `db:"publisher_mode"`
	Publisher string    `db:"publisher"`

	expired bool // its registration; it still works where it is installed
}

// findDescribed returns the row of an app with a metadata document in the environment, or nil.
func findDescribed(ctx context.Context, tx *db.Tx, url string) (*App, error) {
	found, err := db.All[App](ctx, tx, `SELECT {cols} FROM apps WHERE env = ? AND metadata_url = ?`, tx.Env, url)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// saveDescribed creates or updates the row of an app with a metadata document.
func saveDescribed(ctx context.Context, tx *db.Tx, a App) (App, error) {
	current, err := findDescribed(ctx, tx, *a.MetadataURL)
	if err != nil {
		return a, err
	}
	if current == nil {
		a.ServiceVersion = version.Latest()
		return a, apps.Insert(ctx, tx, &a)
	}
	if current.Name == a.Name && slices.Equal(current.RedirectURIs, a.RedirectURIs) {
		return *current, nil
	}
	current.Name, current.RedirectURIs, current.HomepageURL = a.Name, a.RedirectURIs, a.HomepageURL
	return *current, apps.Save(ctx, tx, current)
}

// deleteApp deletes an app and its installs in all dealerships.
func deleteApp(ctx context.Context, tx *db.Tx, a App) error {
	all, err := db.All[Install](ctx, tx, `SELECT {cols} FROM installs WHERE app_env = ? AND app_id = ? ORDER BY env`, a.Env, a.ID)
	if err != nil {
		return err
	}
	for _, i := range all {
		// Another dealership must not see who deleted the app.
		ctx, tx := ctx, tx.In(i.Env)
		if i.Env != a.Env {
			ctx = auth.InEnv(auth.WithRequest(ctx, auth.Request{}), i.Env)
		}
		one := []Install{i}
		if err := loadApps(ctx, tx, one); err != nil {
			return err
		}
		if err := uninstall(ctx, tx, one[0]); err != nil {
			return err
		}
	}

	if err := apps.Delete(ctx, tx, a.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "app.deleted", a.ID, events.Change{After: a})
}
