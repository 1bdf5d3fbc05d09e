package messages

import (
	"context"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
)

func (a *API) reach(ctx context.Context, tx *db.Tx, in *leads.ByLead) (LeadReach, error) {
	l, err := leads.Find(ctx, tx, in.LeadID)
	if err != nil {
		return LeadReach{}, err
	}
	c, err := contacts.Find(ctx, tx, l.ContactID)
	if err != nil {
		return LeadReach{}, err
	}
	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return LeadReach{}, err
	}

	out := LeadReach{LeadID: l.ID, Checks: []ReachCheck{}}
	for _, r := range reaches {
		m := draft(l, r.channel, r.purpose)
		t, err := a.attempt(ctx, tx, d, c, &m)
		if err != nil {
			return out, err
		}
		record, err := deciding(ctx, tx, m)
		if err != nil {
			return out, err
		}
		out.Checks = append(out.Checks, check(t).reach(m, record))
	}
	return out, nil
}

// deciding returns the consent record that allows or blocks a message, or nil.
func deciding(ctx context.Context, tx *db.Tx, m LeadMessage) (*consent.Consent, error) {
	if m.ConsentID == nil {
		return nil, nil //nolint:nilnil // no record decides
	}
	c, err := consent.Find(ctx, tx, *m.ConsentID)
	return &c, err
}
