package app

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// A reader finds the operations of a resource together, and the ones to start with first.
func TestOrderOfOperations(t *testing.T) {
	var ids []string
	for _, o := range inOrder(OpenAPI()) {
		ids = append(ids, o.OperationID)
	}
	if len(ids) != 143 {
		t.Errorf("got %d operations, want 143", len(ids))
	}
	for _, want := range [][]string{
		{"listHulls", "createHull", "getHull", "updateHull", "transitionHull", "archiveHull", "getHullPricing", "adjustHullPricing",
			"listHullPriceChanges", "getHullSpecs", "replaceHullSpecs", "listHullPhotos", "uploadHullPhoto"},
		{"listContacts", "createContact", "getContact", "updateContact", "eraseContact", "listContactConsents", "mergeContact", "exportContact"},
		{"listDeals", "createDeal", "getDeal", "updateDeal", "listOffers", "makeOffer", "getOffer", "acceptOffer", "rejectOffer"},
		{"listWebhooks", "createWebhook", "getWebhook", "updateWebhook", "deleteWebhook"},
	} {
		i := slices.Index(ids, want[0])
		if got := ids[i:min(i+len(want), len(ids))]; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Each path belongs to a resource, so that a new one is not at the end by accident.
func TestEveryPathHasAPlace(t *testing.T) {
	for _, doc := range []*huma.OpenAPI{OpenAPI(), PreviewOpenAPI(), PublicOpenAPI()} {
		for _, o := range inOrder(doc) {
			if resourceOf(o.Path) == len(resources) {
				t.Errorf("%s is not in the list of resources in order.go", o.Path)
			}
		}
		if unused := resourceOf("/v1/yachts"); unused != len(resources) {
			t.Errorf("an unknown path has place %d", unused)
		}
	}
}

// The paths of the encoded documents have the order of the operations, and nothing else changes.
func TestOrderPaths(t *testing.T) {
	for _, doc := range []*huma.OpenAPI{OpenAPI(), PreviewOpenAPI(), PublicOpenAPI()} {
		plain, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		ordered, err := orderPaths(doc, plain)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(plain, &a) != nil || json.Unmarshal(ordered, &b) != nil {
			t.Fatal("not JSON")
		}
		before, _ := json.Marshal(a)
		after, _ := json.Marshal(b)
		if string(before) != string(after) {
			t.Error("the order changed the content")
		}

		at := 0
		for _, o := range inOrder(doc) {
			i := strings.Index(string(ordered[at:]), `"operationId":"`+o.OperationID+`"`)
			if i < 0 {
				t.Fatalf("%s is not after the operation before it", o.OperationID)
			}
			at += i
		}
	}
}
