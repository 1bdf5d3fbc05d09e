package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// everywhere are the operations that a user who is limited to some locations can use although their
// recipes have no object at one of these, with the reasons.
var everywhere = map[string]string{
	"decodeHin":                         "has no object",
	"listChannels":                      "channels belong to the dealership",
	"preview.getChannelWebsite":         "channels belong to the dealership",
	"listLocations":                     "names of locations are not secret",
	"createContact":                     "contacts belong to the dealership",
	"getContact":                        "contacts belong to the dealership",
	"listContacts":                      "contacts belong to the dealership",
	"updateContact":                     "contacts belong to the dealership",
	"listContactConsents":               "contacts belong to the dealership",
	"createLead":                        "the lead belongs to the location of the user",
	"preview.search":                    "searches own locations",
	"preview.quoteFinance":              "a quote without a deal",
	"preview.receiveMessage":            "the sender has no location yet",
	"preview.listQuarantinedMessages":   "the senders have no location yet",
	"preview.releaseQuarantinedMessage": "the sender has no location yet",
	"preview.deleteQuarantinedMessage":  "the sender has no location yet",
	"preview.listUnknownMessages":       "lists those of own leads",
	"preview.getMessaging":              "whether the dealership can send messages",
	"preview.getDealDesk":               "fees, products and lenders belong to the dealership",
	"preview.listProposals":             "lists those about own objects",
	"preview.listFollowUpPlans":         "plans belong to the dealership",
	"preview.getFollowUpPlan":           "plans belong to the dealership",
	"preview.listViews":                 "views have no objects",
	"preview.createView":                "views have no objects",
	"preview.updateView":                "views have no objects",
	"preview.deleteView":                "views have no objects",
}

// limitedUser returns a user with a role for managers that is limited to own locations.
func limitedUser(s *testkit.Server, scopes []string, locations ...string) (c *testkit.Client, id string) {
	var role struct{ ID string }
	s.Test.Post("/v1/roles", map[string]any{"name": "store manager", "scopes": scopes, "own_locations": true, "manager": true}, 201, &role)
	id = s.Test.User(map[string]any{"role_ids": []string{role.ID}, "location_ids": locations})
	s.Activate(id)
	return s.As(s.Token(testkit.Rows[string](s, `SELECT email FROM users WHERE id = ?`, id)[0])), id
}

var allButDealership = []string{"hulls:read", "hulls:write", "leads:read", "leads:write", "deals:read", "deals:write"}

// A user who is limited to the west can't see or change anything that belongs to the east: each operation
// is refused, or its response has no ID of an object there.
func TestOwnLocations(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		west := s.Test.Location()
		limited, _ := limitedUser(s, allButDealership, west)
		for _, o := range operations() {
			need := scopesOf(o)
			if strings.Contains(need, "admin") || strings.Contains(need, "webhooks") || !strings.Contains(need, ":") {
				continue
			}
			t.Run(o.OperationID, func(t *testing.T) { checkLocations(t, s.In(t), o, s.In(t).As(limited.Key), west) })
		}
	})
}

func checkLocations(t *testing.T, s *testkit.Server, o *huma.Operation, limited *testkit.Client, west string) {
	r, path := recipes[o.OperationID], o.Path
	if r.params != nil {
		for name, value := range r.params(s.Test) {
			path = strings.ReplaceAll(path, "{"+name+"}", value)
		}
	}
	var body any
	if r.body != nil {
		body = r.body(s.Test)
	}
	s.Exec(`UPDATE leads SET location_id = ? WHERE location_id IS NULL`, s.Test.Location())

	res, err := limited.Send(o.Method, path, body)
	assert.NoError(t, err)
	_, everyone := everywhere[o.OperationID]
	if twin, ok := strings.CutSuffix(o.OperationID, "V2"); ok && !everyone {
		_, everyone = everywhere[strings.TrimPrefix(twin, "preview.")]
	}
	switch {
	case res.StatusCode == 403:
		res.WantDetail(t, "Authorization", "other_location")
		if everyone {
			t.Errorf("is refused, but everywhere lists it")
		}
		return
	case res.StatusCode >= 400:
		t.Fatalf("got %s, want success or 403", res.Bytes)
	case !everyone && !(hasParam(o, "location_id") && o.Method == "GET"):
		t.Errorf("a user who is limited to other locations can use it: %s", res.Bytes)
	}
	for _, table := range []string{
		"hulls WHERE location_id <> ?", "leads WHERE location_id <> ?", "deals WHERE hull_id IN (SELECT id FROM hulls WHERE location_id <> ?)",
	} {
		for _, id := range testkit.Rows[string](s, `SELECT id FROM `+table, west) {
			assert.Excludes(t, res.Bytes, id)
		}
	}
}

// hasParam reports whether an operation has a parameter.
func hasParam(o *huma.Operation, name string) bool {
	return slices.ContainsFunc(o.Parameters, func(p *huma.Param) bool { return p.Name == name || strings.HasSuffix(p.Ref, "/"+name) })
}
