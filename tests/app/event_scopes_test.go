package app

import (
	"slices"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/testkit/assert"
)

// Every event type requires the scope of its noun. A new noun must be added
// here.
func TestEventsRequireTheScopeOfTheirNoun(t *testing.T) {
	want := map[string]string{
		"hull": "hulls:read", "listing_agreement": "hulls:write", "hull_photo": "hulls:read", "channel": "hulls:read", "import": "hulls:read",
		"contact": "leads:read", "contact_import": "leads:read", "lead": "leads:read", "appointment": "leads:read", "quarantine": "leads:read",
		"campaign": "leads:read", "follow_up_plan": "leads:read", "lead_plan": "leads:read", "lead_segment": "leads:read", "message_template": "leads:read", "do_not_call_list": "leads:read",
		"activity": "hulls:read and leads:read and deals:read", "proposal": "hulls:read and leads:read and deals:read",
		"deal": "deals:read", "funding": "deals:read", "document": "deals:read", "payment": "deals:read", "finance_structure": "deals:read",
		"user": "admin", "role": "admin", "api_key": "admin", "app": "admin", "sso_connection": "admin", "dealership": "admin",
		"location": "hulls:read or admin",
		"webhook":  "webhooks",
	}
	var nouns []string
	for _, k := range app.Kinds() {
		noun, _, _ := strings.Cut(k.Type, ".")
		nouns = append(nouns, noun)
		assert.Equal(t, k.Read.String(), want[noun], k.Type)
	}
	for noun := range want {
		assert.Equal(t, slices.Contains(nouns, noun), true, noun, "has an event type")
	}
}
