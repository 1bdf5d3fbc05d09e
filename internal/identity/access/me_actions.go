package access

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
)

// FindMe returns the calling credential.
func FindMe(ctx context.Context, tx *db.Tx) (Me, error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return Me{}, err
	}

	p := auth.From(ctx)
	me := Me{
		Credential: p.Actor, Environment: p.Mode, Dealership: MeDealership{ID: d.ID, Name: d.Name}, Scopes: p.Scopes, Version: p.Version,
		RateLimit: MeRateLimit{RequestsPerSecond: p.Rate, Burst: p.Rate * ratelimit.BurstSeconds},
	}
	switch {
	case p.UserID != "":
		me.UserID = &p.UserID
	case p.AppID != "":
		me.UserID, me.AppID, me.InstallID = &p.InstalledBy, &p.AppID, &p.OriginalID
	}
	return me, nil
}
