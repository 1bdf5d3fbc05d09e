package dealership

import (
	"cmp"
	"context"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var dealerships = db.Table[Dealership]{Name: "dealerships", Prefix: "dlr", Noun: "dealership"}

// derive sets the fields that follow from the server's settings, and the defaults of
// settings that older dealerships have not stored.
func (d *Dealership) derive(tx *db.Tx) {
	d.Settings.Inbound.TwilioURL = HookURL(tx, d.Env, Twilio)
	d.Settings.Inbound.EmailURL = HookURL(tx, d.Env, Email)
	if d.Settings.Inbound.Marketplaces == nil {
		d.Settings.Inbound.Marketplaces = []string{}
	}
	if d.Settings.LostReasons == nil {
		d.Settings.LostReasons = defaultLostReasons
	}
	if d.Settings.DefaultFees == nil {
		d.Settings.DefaultFees = []FeeRule{}
	}
	if d.Settings.Products == nil {
		d.Settings.Products = []CatalogProduct{}
	}
	d.Settings.CampaignMessagesPerWeek = cmp.Or(d.Settings.CampaignMessagesPerWeek, defaultCampaignMessages)
	d.Settings.Inbound.NewSendersPerHour = cmp.Or(d.Settings.Inbound.NewSendersPerHour, defaultNewSenders)
}

// Create adds a dealership with both of its environments.
func Create(ctx context.Context, tx *db.Tx, name string, plan Plan) ([]Dealership, error) {
	last, err := db.One[int64](ctx, tx, `SELECT COALESCE(MAX(env), 0) FROM dealerships`)
	if err != nil {
		return nil, err
	}

	var created []Dealership
	id := tx.NewID("dlr")
	for i, mode := range []auth.Mode{auth.Live, auth.Test} {
		d := Dealership{
			Env: auth.Env(last) + auth.Env(i) + 1, ID: id, Mode: mode,
			Name: name, Plan: plan, Timezone: "America/New_York", Settings: defaultSettings,
		}
		tx := tx.In(d.Env)
		d.derive(tx)
		if err := dealerships.Insert(ctx, tx, &d); err != nil {
			return nil, err
		}
		if err := audit.StartChain(ctx, tx); err != nil {
			return nil, err
		}
		if err := events.Emit(ctx, tx, "dealership.created", d.ID, events.Change{After: d}); err != nil {
			return nil, err
		}
		created = append(created, d)
	}
	return created, nil
}

// FindEnvironment returns one environment of a dealership by the id of the dealership.
func FindEnvironment(ctx context.Context, tx *db.Tx, id string, mode auth.Mode) (Dealership, error) {
	d, err := db.One[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE id = ? AND mode = ?`, id, mode)
	if db.IsNoRows(err) {
		return d, fault.NotFound("dealership", id)
	}
	d.derive(tx)
	return d, err
}

// Environments returns the environments of a dealership. An empty id returns
// the environments of all dealerships.
func Environments(ctx context.Context, tx *db.Tx, id string) ([]Dealership, error) {
	all, err := db.All[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE id = ? OR ? = '' ORDER BY env`, id, id)
	if err == nil && len(all) == 0 && id != "" {
		return nil, fault.NotFound("dealership", id)
	}
	for i := range all {
		all[i].derive(tx)
	}
	return all, err
}

// Find returns the dealership of the transaction's environment.
func Find(ctx context.Context, tx *db.Tx) (Dealership, error) {
	d, err := db.One[Dealership](ctx, tx, `SELECT {cols} FROM dealerships WHERE env = ?`, tx.Env)
	d.derive(tx)
	return d, err
}

// Lock locks an environment until the transaction ends. Transactions that lock
// the same environment wait for each other.
func Lock(ctx context.Context, tx *db.Tx) error {
	return db.LockRow(ctx, tx, `SELECT env FROM dealerships WHERE env = ?`, tx.Env)
}
