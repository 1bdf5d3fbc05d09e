package app

import (
	"bytes"
	"encoding/json"
	"reflect"
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
	text := documentText(t)
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
		object, previous := events.Sample(k, now)
		data, err := wire.Marshal(map[string]any{"object": object, "previous": previous})
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

// Samples match their type: the object is in the state that the event leads to, and
// previous has what changed.
func TestSamples(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	samples := map[string]map[string]map[string]any{}
	for _, k := range app.Kinds() {
		object, previous := events.Sample(k, now)
		text, err := json.Marshal(map[string]any{"object": object, "previous": previous})
		if err != nil {
			t.Fatal(err)
		}
		var s map[string]map[string]any
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		samples[k.Type] = s

		isNew := regexp.MustCompile(`(created|deleted|opened|issued|submitted|provisioned|recorded|installed|uninstalled|made|queued|received|captured|`+
			`consent_revoked|trade_in_added|trade_in_removed|agreement.removed|test)$`).MatchString(k.Type) && k.Type != "hull.syndication_queued" && k.Type != "deal.reopened"
		if isNew != (len(s["previous"]) == 0) {
			t.Errorf("%s: got previous %v, want it empty only for an object that is new or was deleted", k.Type, s["previous"])
		}
		for name, was := range s["previous"] {
			if is, ok := s["object"][name]; !ok || reflect.DeepEqual(is, was) {
				t.Errorf("%s: got %s = %v before and %v after the event, want a field of the object that changed", k.Type, name, was, is)
			}
		}
	}

	for event, want := range map[string][3]string{
		"deal.accepted":             {"status", "open", "accepted"},
		"deal.cancelled":            {"status", "open", "cancelled"},
		"deal.offer_rejected":       {"status", "pending", "rejected"},
		"document.signed":           {"status", "partially_signed", "signed"},
		"hull.sold":                 {"status", "sale_pending", "sold"},
		"hull.status_changed":       {"status", "available", "on_hold"},
		"hull.syndicated":           {"state", "queued", "published"},
		"import.completed":          {"state", "running", "completed"},
		"lead.lost":                 {"status", "new", "lost"},
		"lead.message_sent":         {"status", "queued", "sent"},
		"user.activated":            {"status", "invited", "active"},
		"appointment.canceled":      {"status", "scheduled", "canceled"},
		"document.partially_signed": {"status", "issued", "partially_signed"},
	} {
		s := samples[event]
		if got := [3]any{want[0], s["previous"][want[0]], s["object"][want[0]]}; got != [3]any{want[0], want[1], want[2]} {
			t.Errorf("%s: got %v, want %v", event, got, want)
		}
	}
	// Amounts add up.
	deal, loan := samples["deal.accepted"]["object"], samples["finance_structure.created"]["object"]
	amount := func(of any, name string) float64 { n, _ := of.(map[string]any)[name].(float64); return n }
	totals := deal["totals"]
	if total := amount(totals, "total_cents"); total == 0 || total != amount(totals, "price_cents")+amount(totals, "tax_cents") ||
		total != amount(totals, "balance_due_cents") || amount(totals, "price_cents") != 100*amount(deal, "offer_usd") {
		t.Errorf("deal.accepted: got totals %v, want the price and the tax", totals)
	}
	if financed := amount(loan, "amount_financed_cents"); financed != amount(totals, "total_cents")-amount(loan, "cash_down_cents") ||
		amount(loan, "total_of_payments_cents") != financed+amount(loan, "finance_charge_cents") {
		t.Errorf("finance_structure.created: got %v, want payments for the deal without the down payment", loan)
	}
	if _, ok := samples["hull.price_changed"]["previous"]["price_usd"]; !ok {
		t.Errorf("hull.price_changed: got previous %v, want price_usd", samples["hull.price_changed"]["previous"])
	}
}
