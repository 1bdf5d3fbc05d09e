package main

import (
	"encoding/json"
	"testing"

	"slipway/internal/description"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

func response(request, path string, status int) testkit.Seen {
	return testkit.Seen{Request: request, Method: "POST", Path: path, Status: status}
}

func refused(request, message, code string) testkit.Seen {
	s := response(request, "/archive", 409)
	s.Error = &rest.ErrorEnvelope{Body: rest.ErrorBody{Code: "conflict", Message: message, Details: []fault.Detail{{Code: code}}}}
	return s
}

func event(request, name, object string, previous map[string]any) testkit.Seen {
	return testkit.Seen{Request: request, Event: name, Object: json.RawMessage(object), Previous: previous}
}

func TestCollect(t *testing.T) {
	got := collect([]testkit.Seen{
		response("1", "/archive", 200), event("1", "hull.archived", `{"status": "archived", "version": 2}`, map[string]any{"status": "available", "archived_at": nil}),
		response("2", "/archive", 200), event("2", "hull.archived", `{"status": "archived", "version": 3}`, map[string]any{"status": "on_hold", "archived_at": nil, "hold": 1}),
		event("2", "hull.syndicated", `{"version": 4}`, nil),
		refused("3", "The hull is already archived.", "state"), refused("4", "The hull hull_01 is archived.", "state"),
		refused("5", "The resource has changed.", "stale"), // every operation can say that
		response("6", "/create", 201), event("6", "hull.created", `{"status": "on_order", "version": 1}`, nil),
		response("7", "/unknown", 200), event("8", "deal.opened", `{}`, nil), // of a job
	}, map[string]string{"POST /archive": "archiveHull", "POST /create": "createHull"})
	assert.Equal(t, got, map[string]description.Behavior{
		"archiveHull": {
			Events: []description.EventSeen{
				{Type: "hull.archived", Always: true, Flips: [][2]string{{"available", "archived"}, {"on_hold", "archived"}}, Sets: []string{"archived_at"}},
				{Type: "hull.syndicated"},
			},
			Refusals: []description.RefusalSeen{{Status: 409, Code: "state", Messages: []string{"The hull is already archived."}}},
		},
		"createHull": {Events: []description.EventSeen{{Type: "hull.created", Always: true, Flips: [][2]string{{"", "on_order"}}}}},
	})

	less := map[string]description.Behavior{"archiveHull": {Events: got["archiveHull"].Events[:1]}, "createHull": got["createHull"]}
	events, refusals := missing(less, got)
	assert.Equal(t, events, []string{"archiveHull emits hull.syndicated"})
	assert.Equal(t, refusals, []string{"archiveHull responds 409 state"})
	events, refusals = missing(got, less)
	assert.Len(t, append(events, refusals...), 0)
}
