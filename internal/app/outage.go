package app

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/providers"
)

// breaker returns the breaker of a provider. It tells the other servers and the users when
// the provider stops answering.
func (a *App) breaker(provider string) *providers.Breaker {
	b := providers.NewBreaker(provider, a.now)
	b.Changed = func(ctx context.Context, provider string, since time.Time) {
		_, err := db.Write(context.WithoutCancel(ctx), a.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
			return struct{}{}, providers.Save(ctx, tx, provider, since)
		})
		switch {
		case err != nil:
			a.log.ErrorContext(ctx, "can't record whether a provider answers", "provider", provider, "err", err)
		case since.IsZero():
			a.log.InfoContext(ctx, "provider answers again", "provider", provider)
		default:
			a.log.WarnContext(ctx, "provider doesn't answer", "provider", provider, "since", since)
		}
	}
	return b
}
