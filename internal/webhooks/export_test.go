package webhooks

import "context"

// Purge does at once what is done every hour.
func (a *API) Purge(ctx context.Context) error { return a.purge(ctx, purgeFeed{}) }
