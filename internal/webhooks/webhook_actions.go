package webhooks

import (
	"context"

	"slipway/internal/platform/db"
)

// DeleteOfInstall deletes the webhooks of an app that is uninstalled. Otherwise it
// would still receive events.
func (a *API) DeleteOfInstall(ctx context.Context, tx *db.Tx, installID string) error {
	all, err := listOfInstall(ctx, tx, installID)
	if err != nil {
		return err
	}
	for _, w := range all {
		if err := a.deleteWebhook(ctx, tx, w); err != nil {
			return err
		}
	}
	return nil
}
