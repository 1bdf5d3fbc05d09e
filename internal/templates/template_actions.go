package templates

import (
	"context"
	"fmt"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/null"
)

// ValuesOf returns the values of a lead.
func ValuesOf(ctx context.Context, tx *db.Tx, l leads.Lead, c contacts.Contact) (v Values, err error) {
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return v, err
	}
	v = Values{FirstName: null.Text(c.FirstName), LastName: null.Text(c.LastName), Dealership: d.Name}
	if l.HullID != nil {
		h, err := hulls.Find(ctx, tx, *l.HullID)
		if err != nil {
			return v, err
		}
		v.Boat = fmt.Sprintf("%d %s %s", h.Year, h.Make, h.Model)
	}
	if l.OwnerID != nil {
		u, err := people.FindUser(ctx, tx, *l.OwnerID)
		if err != nil {
			return v, err
		}
		v.Seller = u.Name
	}
	return v, nil
}
