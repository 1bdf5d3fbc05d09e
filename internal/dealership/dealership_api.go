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
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/privacy"
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
	Costs    privacy.Costs // in the audit log
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
	r = r.Family(family.Dealership)
	rest.Get(r, rest.Route{
		Path: "/dealership", ID: "getDealership", Needs: administer,
		Summary: "Retrieve the dealership and its settings",
		Text:    "Returns the dealership and the settings of this environment. Live and test have separate settings.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(r, rest.Route{
		Path: "/dealership", ID: "updateDealership", Needs: administer,
		Summary: "Change the dealership's settings",
		Text:    "JSON merge patch. Omitted fields keep their values, null clears a field. Settings apply to this environment only.",
		Assist:  assist.Never(assist.Settings),
	}, a.update)
	preview := r.Preview("2026-11-16")
	rest.Raw(preview, "PUT", 200, rest.Route{
		Path: "/dealership/logo", ID: "replaceLogo", Needs: administer,
		Summary: "Upload the dealership's logo",
		Text:    "Send a PNG or JPEG image of up to 5 MiB as the body or as the form field `file`. It is stored as a PNG with at most 1200 pixels on the longer side. Documents that are issued from now on show it. Live and test have separate logos.",
		Assist:  assist.Never(assist.Files),
		Accepts: rest.Files{Most: maxLogoBytes, Types: []string{"image/png", "image/jpeg"}},
	}, a.replaceLogo)
	rest.Get(preview, rest.Route{
		Path: "/dealership/logo", ID: "getLogo", Needs: administer,
		Summary:  "Download the dealership's logo",
		Text:     "Returns the logo as a PNG.",
		Assist:   assist.Never(assist.Files),
		Produces: []string{logoType},
	}, a.getLogo)
	rest.Delete(preview, rest.Route{
		Path: "/dealership/logo", ID: "deleteLogo", Needs: administer,
		Summary: "Remove the dealership's logo",
		Text:    "Documents that were issued before keep it.",
		Assist:  assist.Never(assist.Settings),
	}, a.deleteLogo)

	rest.Get(r, rest.Route{
		Path: "/locations", ID: "listLocations", Needs: readLocations,
		Summary: "List locations",
		Text:    "Returns the places where the dealership stores and sells boats. Newest first.",
		Assist:  assist.Read,
	}, a.listLocations)
	rest.PostCreated(r, rest.Route{
		Path: "/locations", ID: "createLocation", Needs: administer,
		Summary: "Add a location",
		Text:    "Adds a place where the dealership stores and sells boats. Every hull belongs to one location.",
		Assist:  assist.Never(assist.Settings),
	}, a.createLocation)
	rest.Get(r, rest.Route{
		Path: "/locations/{location_id}", ID: "getLocation", Needs: readLocations,
		Summary: "Retrieve a location",
		Text:    "Returns the location with its address and taxes.",
		Assist:  assist.Read,
	}, a.getLocation)
	rest.Patch(r, rest.Route{
		Path: "/locations/{location_id}", ID: "updateLocation", Needs: administer,
		Summary: "Change a location",
		Text:    "JSON merge patch. Omitted fields keep their values, null clears a field. New taxes apply to new deals only.",
		Assist:  assist.Never(assist.Settings),
	}, a.updateLocation)
	rest.Delete(r, rest.Route{
		Path: "/locations/{location_id}", ID: "deleteLocation", Needs: administer,
		Summary: "Delete an empty location",
		Text:    "A location with hulls can't be deleted. Move the hulls to another location first.",
		Assist:  assist.Never(assist.Settings),
	}, a.deleteLocation)

	rest.GetAudited(r, rest.Route{
		Path: "/audit", ID: "listAudit", Needs: administer,
		Summary: "List authentication events and other audited actions",
		Text:    "Entries are stored for 13 months. They are linked in a hash chain, so tampering can be detected. Reading the log is also audited.",
		Assist:  assist.Read,
	}, a.listAudit)
	a.mountChain(r)
	r.HandleForm(sendersPath+"*", a.pages())
}

func (a *API) get(ctx context.Context, tx *db.Tx, _ *struct{}) (Dealership, error) {
	d, err := Find(ctx, tx)
	return privacy.Hide(d, auth.From(ctx).Scopes), err
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
	err = events.Emit(ctx, tx, "dealership.updated", d.ID, events.Change{Before: before, After: d})
	return privacy.Hide(d, auth.From(ctx).Scopes), err
}
