package main

import (
	"slices"
	"testing"

	"slipway/internal/platform/events"
)

func TestMissingTypes(t *testing.T) {
	kinds := []events.Kind{{Type: "hull.created"}, {Type: "hull.sold"}, {Type: "hull.created_again"}}
	if got, want := missingTypes(kinds, "hull.created_again\nhull.sold\nhull.sold\n"), []string{"hull.created"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := missingTypes(kinds, ""); len(got) != len(kinds) {
		t.Errorf("without any event: got %v, want all %d types", got, len(kinds))
	}
}
