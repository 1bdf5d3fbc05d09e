package description

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

type stage string

var stages = enum.Of[stage]("ShipyardStage", "How far it is.", "on_order", "sold")

func (stage) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema { return stages.Describe(s) }

type Hull struct {
	Status stage  `json:"status" doc:"Where it is."`
	Next   *stage `json:"next"`
	Color  string `json:"color" enum:"red,blue"`
	Price  int64  `json:"price"`
}

type shipyard struct{}

func (shipyard) Mount(r *rest.Router) {
	rest.PostOK(r, rest.Route{
		Path: "/hulls", ID: "buildHull", Needs: auth.AnyCredential,
		Summary: "Build",
	}, func(context.Context, *db.Tx, *struct {
		Status stage `query:"status"`
		Body   Hull
	},
	) (Hull, error) {
		return Hull{}, nil
	})
}

// Equal enums become references to one schema.
func TestNameEnums(t *testing.T) {
	doc := Of(rest.New(rest.Config{}, shipyard{})).Stable()
	schemas := doc.Components.Schemas.Map()
	op := doc.Paths["/v1/hulls"].Post
	for what, c := range map[string]struct {
		schema *huma.Schema
		want   string
	}{
		"enum":           {schemas["ShipyardStage"], `{"description":"How far it is.","enum":["on_order","sold"],"type":"string"}`},
		"property":       {schemas["Hull"].Properties["status"], `{"$ref":"#/components/schemas/ShipyardStage","description":"Where it is."}`},
		"can be null":    {schemas["Hull"].Properties["next"], `{"anyOf":[{"$ref":"#/components/schemas/ShipyardStage"},{"type":"null"}]}`},
		"without a name": {schemas["Hull"].Properties["color"], `{"enum":["red","blue"],"type":"string"}`},
		"parameter":      {op.Parameters[len(op.Parameters)-1].Schema, `{"$ref":"#/components/schemas/ShipyardStage"}`},
	} {
		assert.Equal(t, text(t, c.schema), c.want, what)
	}
}

// The versions of values move to the enum. An enum with other versions is another
// enum.
func TestNameEnumsKeepsVersions(t *testing.T) {
	since := func(date string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Enum: []any{"on_order", "sold"},
			Extensions: map[string]any{"x-since": "2026-11-20", "x-since-values": map[string]string{"sold": date}}}
	}
	stable, _, _ := rest.New(rest.Config{}, shipyard{}).Surfaces()
	doc := assemble(stable, stableDescription(rest.Config{}))
	schemas := doc.Components.Schemas.Map()
	schemas["Hull"].Properties["status"] = since("2026-12-01")
	schemas["Hull"].Properties["same"] = since("2026-12-01")
	schemas["Hull"].Properties["younger"] = since("2027-01-01")
	doc = finish(doc)

	schemas = doc.Components.Schemas.Map()
	for property, want := range map[string]string{
		"status":  `{"$ref":"#/components/schemas/ShipyardStage","x-since":"2026-11-20"}`,
		"same":    `{"$ref":"#/components/schemas/ShipyardStage","x-since":"2026-11-20"}`,
		"younger": `{"enum":["on_order","sold"],"type":"string","x-since":"2026-11-20","x-since-values":{"sold":"2027-01-01"}}`,
	} {
		assert.Equal(t, text(t, schemas["Hull"].Properties[property]), want, property)
	}
	if got := text(t, schemas["ShipyardStage"]); !strings.Contains(got, `"x-since-values":{"sold":"2026-12-01"}`) {
		t.Errorf("ShipyardStage: got %s, want the versions of its values", got)
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
