package audit_test

import (
	"testing"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/testkit/assert"
)

type keel struct {
	Draft float64 `json:"draft"`
}

type hull struct {
	_ struct{} `privacy:"plain"`

	Env       int64             `json:"-"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Title     *string           `json:"title"`
	Tags      []string          `json:"tags"`
	Keel      *keel             `json:"keel,omitempty"`
	Notes     map[string]string `json:"notes"`
	Secret    string            `json:"secret" privacy:"secret"`
	Hash      []byte            `json:"-"`
	Score     int64             `json:"score" audit:"-"`
	Untagged  string
	Version   int64     `json:"version"`
	UpdatedAt time.Time `json:"updated_at"`
}

func TestDiff(t *testing.T) {
	base := hull{Env: 1, ID: "hull_1", Name: "Aurora", Tags: []string{"red"}, Secret: "s", Hash: []byte{1}, Version: 1}
	with := func(change func(*hull)) hull {
		h := base
		change(&h)
		return h
	}
	for name, c := range map[string]struct {
		before, after any
		want          map[string][2]any
	}{
		"nothing": {base, base, map[string][2]any{}},
		"a field": {base, with(func(h *hull) { h.Name = "Borealis" }), map[string][2]any{"name": {"Aurora", "Borealis"}}},
		"two fields": {base, with(func(h *hull) { h.Name, h.ID = "", "hull_2" }),
			map[string][2]any{"name": {"Aurora", ""}, "id": {"hull_1", "hull_2"}}},
		"a pointer to equal text": {with(func(h *hull) { h.Title = new("x") }), with(func(h *hull) { h.Title = new("x") }),
			map[string][2]any{}},
		"a pointer set": {base, with(func(h *hull) { h.Title = new("x") }), map[string][2]any{"title": {(*string)(nil), new("x")}}},
		"an item of a list": {base, with(func(h *hull) { h.Tags = []string{"red", "fast"} }),
			map[string][2]any{"tags": {[]string{"red"}, []string{"red", "fast"}}}},
		"a pair of a map": {base, with(func(h *hull) { h.Notes = map[string]string{"a": "1"} }),
			map[string][2]any{"notes": {map[string]string(nil), map[string]string{"a": "1"}}}},
		"a name with an option": {base, with(func(h *hull) { h.Keel = &keel{2} }), map[string][2]any{"keel": {(*keel)(nil), &keel{2}}}},
		"only bookkeeping":      {base, with(func(h *hull) { h.Version, h.UpdatedAt = 2, time.Unix(1, 0) }), map[string][2]any{}},
		"only secret fields": {base, with(func(h *hull) { h.Secret, h.Hash, h.Untagged, h.Env, h.Score = "t", []byte{2}, "u", 2, 3 }),
			map[string][2]any{}},
		"pointers to the same": {&base, &base, map[string][2]any{}},
		"a new one has no old value": {nil, base,
			map[string][2]any{"id": {nil, "hull_1"}, "name": {nil, "Aurora"}, "tags": {nil, []string{"red"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, audit.Diff(c.before, c.after), c.want)
		})
	}
}

type deal struct {
	ID    string  `json:"id"`
	Note  string  `json:"note"`
	Lines []line  `json:"lines"`
	Terms *terms  `json:"terms"`
	Hold  *string `json:"hold"`
}

type line struct {
	Cents int64  `json:"cents"`
	Text  string `json:"text"`
}

type terms struct {
	Months  int64  `json:"months"`
	Text    string `json:"text"`
	Secret  string `json:"-"`
	Version int64  `json:"version"`
}

// Personal text is in events, which can be erased, and not in the audit log,
// also if it is in a list or an object.
func TestDiffWithoutPersonalText(t *testing.T) {
	before := deal{ID: "deal_1", Note: "Ann", Lines: []line{{100, "For Ann"}}}
	after := deal{ID: "deal_1", Note: "Bob", Lines: []line{{100, "For Ann"}, {200, "For Bob"}}, Terms: &terms{12, "Ann cosigns", "x", 3},
		Hold: new("For Ann")}
	assert.Equal(t, audit.Diff(before, after), map[string][2]any{
		"lines": {[]any{map[string]any{"cents": int64(100)}}, []any{map[string]any{"cents": int64(100)}, map[string]any{"cents": int64(200)}}},
		"terms": {nil, map[string]any{"months": int64(12)}},
	})
	assert.Equal(t, audit.Diff(nil, before), map[string][2]any{
		"id": {nil, "deal_1"}, "lines": {nil, []any{map[string]any{"cents": int64(100)}}},
	})
	changes := audit.Changes(before, after)
	assert.Equal(t, changes["note"], [2]any{"Ann", "Bob"})
	assert.Equal(t, changes["lines"], [2]any{before.Lines, after.Lines})
}
