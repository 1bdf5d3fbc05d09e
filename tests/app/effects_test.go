package app

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/rest"
	"slipway/internal/proposals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/effect"
)

// rawID matches an ID, also with a space instead of the underscore.
var rawID = regexp.MustCompile(`\b[a-z]{2,5}[_ ][0-9a-z]{26}\b`)

// Each operation that can be proposed says what it would do in words, without IDs, and is
// pinned to what it changes. Approving what was shown runs it.
func TestEffects(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		b := s.Browser()
		b.SignIn(b.Open("/console/test/approvals"), s.Person("manager").Email, testkit.Password, "")
		b.Header = http.Header{"Slipway-Mode": {"test"}, "Sec-Fetch-Site": {"same-origin"}}
		for _, op := range app.Routes().Proposable() {
			t.Run(op.ID, func(t *testing.T) { checkEffect(t, s.In(t), b, op) })
		}
	})
}

func checkEffect(t *testing.T, s *testkit.Server, b *testkit.Browser, op *rest.Operation) {
	r, ok := recipes[op.ID]
	if !ok {
		r, ok = recipes["preview."+op.ID]
	}
	assert.Equal(t, ok, true, "a recipe")
	in := map[string]any{"operation_id": op.ID, "reason": "To test it."}
	var params map[string]string
	if r.params != nil {
		params = r.params(s.Test)
		in["path"] = params
	}
	if r.body != nil {
		in["body"] = asMap(t, r.body(s.Test))
	}
	var p proposals.Proposal
	s.Test.Post("/v2-preview/proposals", in, 201, &p)

	e := p.Preview
	assert.Equal(t, e.Title != "" && e.Title != op.Summary, true, "a title of its own:", e.Title)
	words := []string{e.Title, e.Text}
	for _, w := range e.Warnings {
		words = append(words, w.Text)
	}
	for _, row := range e.Rows {
		words = append(words, row.Label, row.To)
		if row.From != nil {
			words = append(words, *row.From)
		}
	}
	assert.Equal(t, len(e.Rows) > 0, true, "rows")
	for _, w := range words {
		assert.Equal(t, rawID.MatchString(w), false, "an ID in words:", w)
	}
	for name, id := range params {
		pinned := slices.ContainsFunc(e.Pins, func(pin effect.ProposalPin) bool { return pin.ObjectID == id })
		withParent := strings.HasPrefix(id, "trd_") || strings.HasPrefix(id, "fin_") // have no version: they change with the deal, or never
		assert.Equal(t, pinned || withParent, true, "a pin of", name)
	}

	text, err := json.Marshal(map[string]any{"pins": e.Pins})
	assert.Equal(t, err, nil)
	v := b.Send("POST", "/console/api/v2-preview/proposals/"+p.ID+"/approve", string(text))
	assert.Equal(t, v.StatusCode, 200, v.Text)
}

// asMap returns the body of a recipe as an object.
func asMap(t *testing.T, body any) (object map[string]any) {
	text, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		assert.Equal(t, err, nil)
		text = string(encoded)
	}
	assert.Equal(t, json.Unmarshal([]byte(text), &object), nil)
	return object
}
