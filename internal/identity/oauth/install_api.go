package oauth

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

func (a *API) listInstalls(ctx context.Context, tx *db.Tx, in *struct{ page.Query }) (page.Page[Install], error) {
	p, err := installs.List(ctx, tx, in.Query, nil)
	if err != nil {
		return p, err
	}
	return p, loadApps(ctx, tx, p.Data)
}

func (a *API) revokeInstall(ctx context.Context, tx *db.Tx, in *struct {
	InstallID string `path:"install_id" doc:"ID of the install." example:"inst_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	MFAToken  string `header:"MFA-Token" maxLength:"100" doc:"Required for an install with the admin scope. Must be from an administrator. Not required if the app uninstalls itself."`
}) (none rest.None, err error) {
	_, err = rest.Change(ctx, tx, findInstallForUpdate, in.InstallID, func(before Install, _ *Install) error {
		if before.isAdmin() && auth.From(ctx).OriginalID != before.ID {
			if err := people.RequireProof(ctx, tx, in.MFAToken); err != nil {
				return err
			}
		}
		return uninstall(ctx, tx, before)
	})
	return none, err
}
