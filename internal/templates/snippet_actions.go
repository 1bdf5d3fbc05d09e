package templates

import (
	"context"
	"strings"

	"slipway/internal/channels"
	"slipway/internal/contacts"
	"slipway/internal/hulls"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
)

// snippetsFor fills in the snippets for a lead.
func snippetsFor(ctx context.Context, tx *db.Tx, leadID string) (out LeadSnippets, err error) {
	out.Data = []LeadSnippet{}
	l, err := leads.Find(ctx, tx, leadID)
	if err != nil {
		return out, err
	}
	c, err := contacts.Find(ctx, tx, l.ContactID)
	if err != nil {
		return out, err
	}
	all, err := allSnippets(ctx, tx)
	if err != nil || len(all) == 0 {
		return out, err
	}
	v, err := ValuesOf(ctx, tx, l, c)
	if err != nil {
		return out, err
	}
	if l.HullID != nil {
		if err := v.addBoat(ctx, tx, *l.HullID); err != nil {
			return out, err
		}
	}
	for _, s := range all {
		text, missing := v.Fill(s.Body)
		out.Data = append(out.Data, LeadSnippet{ID: s.ID, Name: s.Name, Text: text, Missing: missing})
	}
	return out, nil
}

// addBoat adds the price, the picture and the page of a boat. A price that the public doesn't see is left out.
func (v *Values) addBoat(ctx context.Context, tx *db.Tx, hullID string) error {
	h, err := hulls.Find(ctx, tx, hullID)
	if err != nil {
		return err
	}
	if !h.PriceHidden {
		v.Price = effect.USD(h.PriceUSD)
	}
	if h.PrimaryPhotoURL != nil {
		v.Photo = strings.TrimSuffix(*h.PrimaryPhotoURL, "full.jpg") + "card.jpg"
	}
	v.Link, err = channels.PageOf(ctx, tx, h)
	return err
}
