package deals

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/fault"
)

// FindListing returns the listing agreement of a hull, or nil if there is none.
func FindListing(ctx context.Context, tx *db.Tx, hullID string) (*ListingAgreement, error) {
	l, err := db.One[ListingAgreement](ctx, tx, `SELECT {cols} FROM listing_agreements WHERE env = ? AND hull_id = ?`, tx.Env, hullID)
	if db.IsNoRows(err) {
		return nil, nil
	}
	l.ID = l.HullID
	return &l, err
}

// GetListing returns the listing agreement of a hull.
func GetListing(ctx context.Context, tx *db.Tx, hullID string) (ListingAgreement, error) {
	if _, err := hulls.Find(ctx, tx, hullID); err != nil {
		return ListingAgreement{}, err
	}
	l, err := FindListing(ctx, tx, hullID)
	if err == nil && l == nil {
		err = fault.NotFound("listing agreement of hull", hullID)
	}
	if err != nil {
		return ListingAgreement{}, err
	}
	return *l, nil
}

// FindListings returns the listing agreements of hulls, by hull ID.
func FindListings(ctx context.Context, tx *db.Tx, hullIDs []string) (map[string]ListingAgreement, error) {
	marks, args := db.In(hullIDs)
	listed, err := db.All[ListingAgreement](ctx, tx, `SELECT {cols} FROM listing_agreements WHERE env = ? AND hull_id IN `+marks,
		append([]any{tx.Env}, args...)...)
	byHull := map[string]ListingAgreement{}
	for _, l := range listed {
		l.ID = l.HullID
		byHull[l.HullID] = l
	}
	return byHull, err
}

// saveListing adds or replaces the row of an agreement.
func saveListing(ctx context.Context, tx *db.Tx, l ListingAgreement) error {
	_, err := db.Exec(ctx, tx, `INSERT INTO listing_agreements (env, hull_id, owner_contact_id, kind, commission_percent, commission_cents,
		net_price_cents, co_broker, co_broker_split_percent, escrow_holder, ends_on, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (env, hull_id) DO UPDATE SET owner_contact_id = excluded.owner_contact_id, kind = excluded.kind,
		commission_percent = excluded.commission_percent, commission_cents = excluded.commission_cents,
		net_price_cents = excluded.net_price_cents, co_broker = excluded.co_broker,
		co_broker_split_percent = excluded.co_broker_split_percent, escrow_holder = excluded.escrow_holder, ends_on = excluded.ends_on,
		version = excluded.version, updated_at = excluded.updated_at`,
		l.Env, l.HullID, l.OwnerContactID, l.Kind, l.CommissionPercent, l.CommissionCents, l.NetPriceCents, l.CoBroker,
		l.CoBrokerSplitPercent, l.EscrowHolder, l.EndsOn, l.Version, l.CreatedAt, l.UpdatedAt)
	return err
}

func deleteListing(ctx context.Context, tx *db.Tx, hullID string) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM listing_agreements WHERE env = ? AND hull_id = ?`, tx.Env, hullID)
	return err
}

// costsOf returns the known costs of the boats of deals in cents, by deal ID. If the boat is sold
// for its owner, it costs what the owner and the co-broker get.
func costsOf(ctx context.Context, tx *db.Tx, all []Deal) (map[string]int64, error) {
	var ids []string
	for _, d := range all {
		ids = append(ids, d.HullID)
	}
	bought, err := hulls.Costs(ctx, tx, ids...)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	agreements, err := FindListings(ctx, tx, ids)
	if err != nil {
		return nil, err
	}

	costs := map[string]int64{}
	for _, d := range all {
		if l, ok := agreements[d.HullID]; ok {
			costs[d.ID] = l.costCents(d.PriceUSD * 100)
		} else if cost, ok := bought[d.HullID]; ok {
			costs[d.ID] = cost
		}
	}
	return costs, nil
}

// ListingsOf returns the listing agreements of an owner.
func ListingsOf(ctx context.Context, tx *db.Tx, contactID string) ([]ListingAgreement, error) {
	return db.All[ListingAgreement](ctx, tx, `SELECT {cols} FROM listing_agreements WHERE env = ? AND owner_contact_id = ? ORDER BY hull_id`,
		tx.Env, contactID)
}

// moveListings moves the listing agreements of one owner to another.
func moveListings(ctx context.Context, tx *db.Tx, from, to string) error {
	all, err := ListingsOf(ctx, tx, from)
	for _, l := range all {
		before := l
		l.OwnerContactID, l.Version, l.UpdatedAt = to, l.Version+1, tx.Now
		if _, err := db.Exec(ctx, tx, `UPDATE listing_agreements SET owner_contact_id = ?, version = ?, updated_at = ? WHERE env = ? AND hull_id = ?`,
			to, l.Version, tx.Now, tx.Env, l.HullID); err != nil {
			return err
		}
		if err := events.Emit(ctx, tx, "listing_agreement.saved", l.HullID, events.Change{Before: before, After: l}); err != nil {
			return err
		}
	}
	return err
}

// checkListings fails if a contact owns a boat that is still for sale.
func checkListings(ctx context.Context, tx *db.Tx, contactID string) error {
	all, err := ListingsOf(ctx, tx, contactID)
	for _, l := range all {
		h, err := hulls.Find(ctx, tx, l.HullID)
		if err != nil {
			return err
		}
		if h.Status != hulls.Delivered && h.Status != hulls.Archived {
			return fault.Conflict("The contact owns hull %s, which you sell for them. Remove its listing agreement first.", h.ID).
				Detail("hull_id", "state", "is %s, which is %s", h.ID, h.Status)
		}
	}
	return err
}
