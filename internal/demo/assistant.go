package demo

import (
	"context"
	"net/http"
	"time"

	"slipway/internal/identity/access"
)

// addProposals lets an assistant propose a price and an email, which people can approve in
// the console.
func (s *seeder) addProposals(ctx context.Context, e *environment) error {
	s.now = s.started.Add(-15 * time.Minute)
	var key access.IssuedKey
	if err := s.as(e.key).send(ctx, http.MethodPost, "/v1/api_keys", object{
		"name": "Sales assistant", "scopes": []string{"hulls:read", "hulls:write", "leads:read", "leads:write"},
	}, &key); err != nil {
		return err
	}
	var hulls struct {
		Data []struct {
			ID    string
			Price int64 `json:"price_usd"`
		}
	}
	if err := s.as(e.key).send(ctx, http.MethodGet, "/v1/hulls?status=available&price_min=90000&limit=1", nil, &hulls); err != nil {
		return err
	}
	var leads struct{ Data []struct{ ID string } }
	if err := s.as(e.key).send(ctx, http.MethodGet, "/v1/leads?status=new&limit=1", nil, &leads); err != nil {
		return err
	}
	if len(leads.Data) == 0 || len(hulls.Data) == 0 { // the small fleet of a test
		return nil
	}

	hull := hulls.Data[0]
	for _, p := range []object{
		{
			"operation_id": "adjustHullPricing", "path": object{"hull_id": hull.ID},
			"body":   object{"price_usd": hull.Price * 97 / 100 / 100 * 100, "reason": "Market price"},
			"reason": "It has been in stock longer than similar boats, and two dealers nearby ask less.",
		},
		{
			"operation_id": "sendLeadMessage", "path": object{"lead_id": leads.Data[0].ID},
			"body": object{
				"channel": "email", "purpose": "transactional", "subject": "Your question about our boat",
				"body": "Thanks for asking about the boat. It is still available. Would you like to see it on Saturday?",
			},
			"reason": "The lead asked whether the boat is available and has no answer yet.",
		},
	} {
		if err := s.as(key.Key).send(ctx, http.MethodPost, "/v2-preview/proposals", p, nil); err != nil {
			return err
		}
	}
	return nil
}
