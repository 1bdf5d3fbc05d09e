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

// Hooks are what dealership calls in features that depend on it.
type Hooks struct {
	// UpdateHulls and UpdateAppointments are called after a time zone has changed, in the
	// same transaction. Both features store the time zones of locations.
	UpdateHulls, UpdateAppointments func(ctx context.Context, tx *db.Tx) error
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// Mount registers the endpoints and the pages.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Dealership")
	rest.Get(r, "/dealership", "getDealership", administer, "Retrieve the dealership and its settings", a.get,
		rest.Describe("Returns the dealership and the settings of this environment. Live and test have separate settings."))
	rest.Patch(r, "/dealership", "updateDealership", administer, "Change the dealership's settings", a.update,
		rest.Describe("JSON merge patch. Omitted fields keep their values, null clears a field. Settings apply to this environment only."))
	preview := r.Preview("2026-11-16")
	rest.Raw(preview, "PUT", 200, "/dealership/logo", "replaceLogo", administer, "Upload the dealership's logo", a.replaceLogo,
		rest.Describe("Send a PNG or JPEG image of up to 5 MiB as the body or as the form field `file`. It is stored as a PNG with at most 1200 pixels on the longer side. Documents that are issued from now on show it. Live and test have separate logos."),
		rest.Uploads(maxLogoBytes, []string{"image/png", "image/jpeg"}))
	rest.Get(preview, "/dealership/logo", "getLogo", administer, "Download the dealership's logo", a.getLogo,
		rest.Describe("Returns the logo as a PNG."), rest.Produces(logoType))
	rest.Delete(preview, "/dealership/logo", "deleteLogo", administer, "Remove the dealership's logo", a.deleteLogo,
		rest.Describe("Documents that were issued before keep it."))

	rest.Get(r, "/locations", "listLocations", readLocations, "List locations", a.listLocations,
		rest.Describe("Returns the places where the dealership stores and sells boats. Newest first."))
	rest.PostCreated(r, "/locations", "createLocation", administer, "Add a location", a.createLocation,
		rest.Describe("Adds a place where the dealership stores and sells boats. Every hull belongs to one location."))
	rest.Get(r, "/locations/{location_id}", "getLocation", readLocations, "Retrieve a location", a.getLocation,
		rest.Describe("Returns the location with its address and taxes."))
	rest.Patch(r, "/locations/{location_id}", "updateLocation", administer, "Change a location", a.updateLocation,
		rest.Describe("JSON merge patch. Omitted fields keep their values, null clears a field. New taxes apply to new deals only."))
	rest.Delete(r, "/locations/{location_id}", "deleteLocation", administer, "Delete an empty location", a.deleteLocation,
		rest.Describe("A location with hulls can't be deleted. Move the hulls to another location first."))

	rest.GetAudited(r, "/audit", "listAudit", administer, "List authentication events and other audited actions", a.listAudit,
		rest.Describe("Entries are stored for 13 months. They are linked in a hash chain, so tampering can be detected. Reading the log is also audited."))
	r.HandleForm(sendersPath+"*", a.pages())
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
