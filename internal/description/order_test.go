package description

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
)

// mixed declares operations of two families in turns.
type mixed struct{}

func (mixed) Mount(r *rest.Router) {
	h := func(context.Context, *struct{}) (rest.None, error) { return rest.None{}, nil }
	add := func(f *family.Family, method, path, id string) {
		rest.Raw(r.Family(f), method, 200, rest.Route{Path: path, ID: id, Needs: auth.AnyCredential, Summary: id}, h)
	}
	add(family.Leads, "GET", "/zebras", "listZebras")
	add(family.Hulls, "POST", "/boats", "createBoat")
	add(family.Hulls, "GET", "/anchors", "listAnchors")
	add(family.Leads, "GET", "/apes", "listApes")
	add(family.Hulls, "GET", "/boats", "listBoats")
}

// A reader finds the operations of a family together, in the order of their declaration.
func TestOrderOfOperations(t *testing.T) {
	doc := Of(rest.New(rest.Config{}, mixed{})).Stable()
	text, err := JSON(doc)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, match := range regexp.MustCompile(`"operationId": "(\w+)"`).FindAllSubmatch(text, -1) {
		ids = append(ids, string(match[1]))
	}
	assert.Equal(t, ids, []string{"listBoats", "createBoat", "listAnchors", "listZebras", "listApes"})

	plain, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var before, after any
	if json.Unmarshal(plain, &before) != nil || json.Unmarshal(text, &after) != nil {
		t.Fatal("not JSON")
	}
	assert.Equal(t, after, before)
}
