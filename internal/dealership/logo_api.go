package dealership

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/images"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
)

const (
	maxLogoBytes = 5 << 20
	logoType     = "image/png"
)

func (a *API) replaceLogo(ctx context.Context, _ *struct{}) (Dealership, error) {
	u := rest.Body(ctx)
	content, err := io.ReadAll(u)
	if err != nil {
		return Dealership{}, err
	}
	if _, err := u.Fields(); err != nil {
		return Dealership{}, err
	}
	logo, err := images.Logo(bytes.NewReader(content))
	if err != nil {
		return Dealership{}, err
	}

	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Dealership, error) {
		sum := sha256.Sum256(logo)
		return saveLogo(ctx, tx, logo, new(hex.EncodeToString(sum[:])))
	})
}

func (a *API) deleteLogo(ctx context.Context, tx *db.Tx, _ *struct{}) (none rest.None, err error) {
	_, err = saveLogo(ctx, tx, nil, nil)
	return none, err
}

// saveLogo replaces the logo. nil removes it.
func saveLogo(ctx context.Context, tx *db.Tx, logo []byte, hash *string) (Dealership, error) {
	d, err := Find(ctx, tx)
	if err != nil {
		return d, err
	}
	if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
		return d, err
	}
	if hash == nil && d.LogoSHA256 == nil {
		return d, fault.NotFound("logo of dealership", d.ID)
	}

	if err := storeLogo(ctx, tx, d, logo); err != nil {
		return d, err
	}
	before := d
	d.LogoSHA256 = hash
	if err := dealerships.Save(ctx, tx, &d); err != nil {
		return d, err
	}
	return d, events.Emit(ctx, tx, "dealership.updated", d.ID, events.Change{Before: before, After: d})
}

func (a *API) getLogo(ctx context.Context, tx *db.Tx, _ *struct{}) (*rest.Content, error) {
	d, err := Find(ctx, tx)
	if err != nil {
		return nil, err
	}
	logo, err := FindLogo(ctx, tx)
	if err != nil {
		return nil, err
	}
	if logo == nil {
		return nil, fault.NotFound("logo of dealership", d.ID)
	}
	return &rest.Content{Type: logoType, Name: "logo.png", ETag: *d.LogoSHA256, File: logoFile{bytes.NewReader(logo)}}, nil
}

// logoFile adds a Close method to a reader.
type logoFile struct{ *bytes.Reader }

func (logoFile) Close() error { return nil }
