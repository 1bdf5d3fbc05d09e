package effect

import (
	"strings"
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	w := Words{Zone: time.UTC, Name: func(id string) string { return map[string]string{"usr_1": "Uma"}[id] }}
	for _, c := range []struct {
		field string
		value any
		want  string
	}{
		{"price_usd", 1234567.0, "$1,234,567"},
		{"acv_cents", 1250.0, "$12.50"},
		{"acv_cents", -1250.0, "−$12.50"},
		{"apr_percent", "7.49", "7.49 %"},
		{"to", "sale_pending", "sale pending"},
		{"user_id", "usr_1", "Uma"},
		{"due_at", "2026-11-18T15:04:00Z", "Wed, Nov 18, 2026, 3:04 PM"},
		{"starts_at", "2026-11-18T15:04", "Wed, Nov 18, 2026, 3:04 PM"},
		{"note", nil, "nothing"},
		{"tags", []any{}, "nothing"},
		{"stock_in", true, "yes"},
		{"cost", map[string]any{"invoice_cents": 100.0, "pack_cents": nil}, "Invoice $1"},
	} {
		if got := w.Value(c.field, c.value); got != c.want {
			t.Errorf("%s %v: got %q, want %q", c.field, c.value, got, c.want)
		}
	}
}

// A field that keeps its value has no row. One that a replacement leaves out is cleared.
func TestFields(t *testing.T) {
	e := ProposalEffect{Before: map[string]any{"beam_ft": 8.5, "fuel_gal": 100, "color": "white"}, Replaces: true, Said: []string{"reason"}}
	body := map[string]any{"beam_ft": 8.5, "color": "blue", "reason": "It was painted."}
	if err := e.Fields(Words{Zone: time.UTC, Name: func(string) string { return "" }}, "hull_1", body); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range e.Rows {
		rows = append(rows, r.Label+" "+*r.From+" "+r.To)
	}
	if got, want := strings.Join(rows, ", "), "Color white blue, Fuel gal 100 nothing"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSamePins(t *testing.T) {
	a := []ProposalPin{{ObjectID: "hull_1", Version: 1}, {ObjectID: "con_1", Version: 2}}
	for name, c := range map[string]struct {
		b    []ProposalPin
		want bool
	}{
		"in another order": {[]ProposalPin{a[1], a[0]}, true},
		"another version":  {[]ProposalPin{a[0], {ObjectID: "con_1", Version: 3}}, false},
		"one less":         {a[:1], false},
		"one more":         {append(a[:2:2], ProposalPin{ObjectID: "msg_1", Version: 1}), false},
		"none":             {nil, false},
	} {
		if got := SamePins(a, c.b); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
