package app_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"slipway/internal/app"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/version"
	"slipway/internal/vocab/wire"
)

// Each event type is in the OpenAPI document, and its sample matches the schema.
func TestEventsAreDocumented(t *testing.T) {
	text, err := app.OpenAPIJSON(app.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)
	seen := map[string]bool{}
	for _, k := range app.Kinds() {
		if !name.MatchString(k.Type) || seen[k.Type] || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("got %+v, want a unique name that matches %s and a sentence with a period", k, name)
		}
		seen[k.Type] = true
		schema, err := c.Compile("openapi.json#/webhooks/" + k.Type + "/post/requestBody/content/application~1json/schema")
		if err != nil {
			t.Errorf("%s: %v", k.Type, err)
			continue
		}
		now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		data, err := wire.Marshal(map[string]any{"object": events.Sample(k, now), "previous": map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		e := events.Event{
			ID: "evt_01jcqz8t5n8m2x4v6b7c9d0e1f", Type: k.Type, CreatedAt: now, Sequence: 1, APIVersion: version.Latest(),
			Data: events.EventData{Value: data},
		}
		for what, e := range map[string]events.Event{"": k.In(e, auth.Test, version.Latest()), "with another type": {Type: "no.such", Data: e.Data}} {
			body, err := wire.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != (what == "") {
				t.Errorf("%s %s: got error %v, want it valid only with its own type:\n%s", k.Type, what, err, body)
			}
		}
	}

	var described struct{ Webhooks map[string]any }
	if err := json.Unmarshal(text, &described); err != nil || len(described.Webhooks) != len(seen) {
		t.Errorf("got %d documented events and error %v, want %d", len(described.Webhooks), err, len(seen))
	}
}
