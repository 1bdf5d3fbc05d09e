package webhooks

import "context"

// Purge runs the hourly purge now.
func (a *API) Purge(ctx context.Context) error { return a.purge(ctx, purgeFeed{}) }
