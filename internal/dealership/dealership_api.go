package dealership

import (
	"context"
	"log/slog"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/mail"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
)

var (
	readLocations = auth.Either(auth.HullsRead, auth.Admin)
	administer    = auth.Require(auth.Admin)
)

// API serves the dealership, its locations and the audit log.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Box      *seal.Box
	Mail     mail.Sender
	MailFrom string
	Log      *slog.Logger
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Dealership")
	rest.Get(r, "/dealership", "getDealership", administer, "Retrieve the dealership and its settings", a.get)
	rest.Patch(r, "/dealership", "updateDealership", administer, "Change the dealership's settings", a.update,
		rest.Example(`{"timezone": "America/Chicago", "settings": {"stalled_after_hours": 48, "quiet_hours": {"start": "20:00", "end": "09:00"}}}`))

	rest.Get(r, "/locations", "listLocations", readLocations, "List locations", a.listLocations)
	rest.PostCreated(r, "/locations", "createLocation", administer, "Add a location", a.createLocation,
		rest.Example(`{"name": "Harbor East", "code": "HE", "phone": "+14105550123", "timezone": "America/New_York", "address": {"line1": "12 Dock Street", "city": "Annapolis", "region": "MD", "postal_code": "21401", "country": "US"}}`))
	rest.Get(r, "/locations/{location_id}", "getLocation", readLocations, "Retrieve a location", a.getLocation)
	rest.Patch(r, "/locations/{location_id}", "updateLocation", administer, "Change a location", a.updateLocation)
	rest.Delete(r, "/locations/{location_id}", "deleteLocation", administer, "Delete an empty location", a.deleteLocation)

	rest.GetAudited(r, "/audit", "listAudit", administer, "List authentication events and other audited actions", a.listAudit,
		rest.Describe("Entries are stored for 13 months. They are linked in a hash chain, so tampering can be detected. Reading the log is also audited."))
}

func (a *API) get(ctx context.Context, tx *db.Tx, _ *struct{}) (Dealership, error) {
	return Find(ctx, tx)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct{ Body DealershipPatch }) (Dealership, error) {
	d, err := Find(ctx, tx)
	if err != nil {
		return d, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return d, err
	}

	before := d
	if err := in.Body.apply(&d); err != nil {
		return d, err
	}
	if err := saveInboundSecrets(ctx, tx, a.Box, &d, in.Body.Settings.V.Inbound.V); err != nil {
		return d, err
	}
	if err := dealerships.Save(ctx, tx, &d); err != nil {
		return d, err
	}
	if before.Timezone != d.Timezone {
		if err := zonesChanged(ctx, tx); err != nil {
			return d, err
		}
	}
	if sender := d.Settings.Sender; in.Body.Settings.V.Sender.V.Email.Set && sender.Email != nil && !sender.EmailVerified {
		if err := a.Jobs.Enqueue(ctx, tx, VerifySender{d.Env, *sender.Email}, tx.Now); err != nil {
			return d, err
		}
	}
	return d, events.Emit(ctx, tx, "dealership.updated", d.ID, before, d)
}
