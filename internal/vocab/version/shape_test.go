package version

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
)

type tax struct {
	Name string `json:"name"`
	Cap  *int64 `json:"cap" since:"2027-01-01"`
}

type base struct {
	ID      string `json:"id"`
	Warning string `json:"warning" since:"2026-12-01"`
}

type deal struct {
	base
	Kind     string            `json:"kind" since:"2027-01-01 rebate=discount"`
	Taxes    []tax             `json:"taxes" since:"2026-12-01"`
	Main     *tax              `json:"main"`
	ByState  map[string]tax    `json:"by_state"`
	Metadata map[string]string `json:"metadata"`
	At       time.Time         `json:"at"`
	Hidden   string            `json:"-" since:"2026-12-01"`
}

type list struct {
	Data []deal `json:"data"`
}

const sample = `{"data":[{"id":"a \\\" }] \\\\","warning":"w","kind":"rebate","taxes":[{"name":"x","cap":1}],"main":{"name":"y","cap":null},` +
	`"by_state":{"warning":{"name":"z","cap":2}},"metadata":{"warning":"mine","taxes":"{[,"},"at":"2026-01-01T00:00:00Z"},` +
	`{"id":"b","kind":"fee","main":null,"by_state":{},"taxes":[]}]}`

func TestOlder(t *testing.T) {
	history(t, "2026-11-15", "2026-12-01", "2027-01-01")
	shape := Of(reflect.TypeFor[list]())
	for v, want := range map[string]string{
		"2027-01-01": sample,
		"2026-12-01": `{"data":[{"id":"a \\\" }] \\\\","warning":"w","kind":"discount","taxes":[{"name":"x"}],"main":{"name":"y"},` +
			`"by_state":{"warning":{"name":"z"}},"metadata":{"warning":"mine","taxes":"{[,"},"at":"2026-01-01T00:00:00Z"},` +
			`{"id":"b","kind":"fee","main":null,"by_state":{},"taxes":[]}]}`,
		"2026-11-15": `{"data":[{"id":"a \\\" }] \\\\","kind":"discount","main":{"name":"y"},` +
			`"by_state":{"warning":{"name":"z"}},"metadata":{"warning":"mine","taxes":"{[,"},"at":"2026-01-01T00:00:00Z"},` +
			`{"id":"b","kind":"fee","main":null,"by_state":{}}]}`,
	} {
		if got := string(shape.Older(v, []byte(sample))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", v, got, want)
		}
		spaced := strings.NewReplacer(`,"`, ` , "`, `":`, `" : `).Replace(sample)
		var a, b any
		if json.Unmarshal(shape.Older(v, []byte(spaced)), &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
			t.Fatalf("%s: with blanks, got invalid JSON %s", v, shape.Older(v, []byte(spaced)))
		}
	}
	if got := Of(reflect.TypeFor[map[string]string]()); got != nil {
		t.Errorf("got a shape %+v for a type without history, want nil", got)
	}
}

// cart has members that can be null since the second version.
type cart struct {
	Rate  *string `json:"rate" since:"2026-12-01 null=?"`
	Fee   *bool   `json:"fee" since:"2026-12-01 null=false"`
	Count int     `json:"count"`
}

func (cart) OlderValue(member string, object []byte) string {
	return fmt.Sprintf("%q", member+string(object[len(object)-2]))
}

func TestOlderNull(t *testing.T) {
	history(t, "2026-11-15", "2026-12-01")
	for text, want := range map[string]string{
		`{"rate":null,"fee":null,"count":7}`:         `{"rate":"rate7","fee":false,"count":7}`,
		`{"rate":"null","fee":true,"count":7}`:       `{"rate":"null","fee":true,"count":7}`,
		`[{"rate":null,"count":1},{"fee":null}]`:     `[{"rate":"rate1","count":1},{"fee":false}]`,
		`{"fee" : null , "rate" : null , "count":3}`: `{"fee" : false , "rate" : "rate3" , "count":3}`,
	} {
		typ := reflect.TypeFor[cart]()
		if text[0] == '[' {
			typ = reflect.TypeFor[[]cart]()
		}
		assert.Equal(t, string(Of(typ).Older("2026-11-15", []byte(text))), want)
		assert.Equal(t, string(Of(typ).Older("2026-12-01", []byte(text))), text)
	}
	if err := Of(reflect.TypeFor[cart]()).CheckBody("2026-11-15", []byte(`{"fee":null}`)); err == nil {
		t.Error("an older version accepts null, want an error")
	}
}

// sections is a map whose members have any types.
type sections map[string]any

func (sections) Since() map[string]string { return map[string]string{"notes": "2026-12-01"} }

func TestOlderSections(t *testing.T) {
	history(t, "2026-11-15", "2026-12-01")
	out := sections{"notes": []string{"a"}, "tax": []tax{{Name: "x", Cap: new(int64(1))}}, "none": nil}
	text, err := json.Marshal(out)
	assert.NoError(t, err)
	assert.Equal(t, string(OfValue(out).Older("2026-11-15", text)), `{"none":null,"tax":[{"name":"x"}]}`)
}

// Random objects lose the same members as with a decoder and an encoder.
func TestOlderEqualsDecoding(t *testing.T) {
	history(t, "2026-11-15", "2026-12-01", "2027-01-01")
	seed := uint64(time.Now().UnixNano()) // to choose a seed, which is printed
	r := rand.New(rand.NewPCG(seed, 0))
	shape := Of(reflect.TypeFor[list]())
	for range 2000 {
		var l list
		for range r.IntN(3) {
			l.Data = append(l.Data, randomDeal(r))
		}
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(shape.Older("2026-11-15", text), &got); err != nil {
			t.Fatalf("seed %d: %v in %s", seed, err, shape.Older("2026-11-15", text))
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		strip(want)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n got %v\nwant %v", seed, got, want)
		}
	}
}

func randomDeal(r *rand.Rand) deal {
	word := func() string {
		return fmt.Sprintf("%c%c%d%c", "ab{[\"\\,:"[r.IntN(8)], "}]\"\\, é"[r.IntN(7)], r.IntN(9), "x\n\u2028"[r.IntN(2)])
	}
	d := deal{base{word(), word()}, []string{"fee", "rebate"}[r.IntN(2)], nil, nil, map[string]tax{}, map[string]string{word(): word()}, time.Time{}, ""}
	for range r.IntN(3) {
		d.Taxes = append(d.Taxes, tax{word(), new(r.Int64())})
		d.ByState[word()] = tax{word(), nil}
		d.Main = &tax{word(), new(r.Int64())}
	}
	return d
}

// strip does what Older does for the first version, on decoded JSON.
func strip(v any) {
	all, _ := v.(map[string]any)["data"].([]any)
	for _, item := range all {
		d, _ := item.(map[string]any)
		delete(d, "warning")
		delete(d, "taxes")
		if d["kind"] == "rebate" {
			d["kind"] = "discount"
		}
		if main, ok := d["main"].(map[string]any); ok {
			delete(main, "cap")
		}
		states, _ := d["by_state"].(map[string]any)
		for state := range maps.Values(states) {
			delete(state.(map[string]any), "cap") //nolint:forcetypeassert // this test made it
		}
	}
}

func TestCheckBody(t *testing.T) {
	history(t, "2026-11-15", "2026-12-01", "2027-01-01")
	shape := Of(reflect.TypeFor[deal]())
	for name, c := range map[string]struct{ version, body, fields string }{
		"nothing new":      {"2026-11-15", `{"id": "a", "kind": "fee", "metadata": {"taxes": "mine"}}`, ""},
		"the newest":       {"2027-01-01", `{"taxes": [], "kind": "rebate"}`, ""},
		"a member":         {"2026-11-15", `{"taxes": []}`, "taxes 2026-12-01"},
		"a null member":    {"2026-11-15", `{"taxes": null}`, "taxes 2026-12-01"},
		"a value":          {"2026-12-01", `{"kind": "rebate"}`, "kind 2027-01-01"},
		"inside":           {"2026-12-01", `{"taxes": [{"name": "a"}, {"cap": 1}], "by_state": {"FL": {"cap": 2}}}`, "by_state.FL.cap 2027-01-01, taxes[1].cap 2027-01-01"},
		"of another type":  {"2026-11-15", `[1, "a"]`, ""},
		"of another shape": {"2026-11-15", `{"main": [{"cap": 1}], "by_state": 7, "kind": {"rebate": 1}}`, ""},
		"no JSON":          {"2026-11-15", `{`, ""},
		"empty":            {"2026-11-15", ``, ""},
	} {
		err := shape.CheckBody(c.version, []byte(c.body))
		var got []string
		if f, ok := err.(*fault.Error); ok { //nolint:errorlint // it is returned as it is
			for _, d := range f.Details {
				got = append(got, d.Field+" "+d.Message[len(d.Message)-len("2026-12-01"):])
			}
		}
		if strings.Join(got, ", ") != c.fields || (err == nil) != (c.fields == "") {
			t.Errorf("%s: got %q and %v, want %q", name, got, err, c.fields)
		}
	}
}

func TestCheckParams(t *testing.T) {
	type page struct {
		Limit int64 `query:"limit"`
	}
	params := Params(reflect.TypeFor[*struct {
		page
		Reacquire bool `query:"reacquire" since:"2026-12-01"`
	}]())
	query := url.Values{"limit": {"1"}, "reacquire": {"true"}}
	assert.Equal(t, CheckParams("2026-12-01", params, query), nil)
	if err := CheckParams("2026-11-15", params, query); err == nil || !strings.Contains(err.Error(), "reacquire was added in version 2026-12-01") {
		t.Errorf("got %v, want an error with the version of the parameter", err)
	}
}

// FuzzOlder: no input makes it panic, and valid JSON stays valid.
func FuzzOlder(f *testing.F) {
	for _, seed := range []string{sample, `{}`, `[]`, `{"data":[{"taxes":`, `"`, `{"data"`, `\`, `{"data":[{]}`, `}`, `{"data":{"kind":"rebate`} {
		f.Add(seed)
	}
	shape := Of(reflect.TypeFor[list]())
	f.Fuzz(func(t *testing.T, text string) {
		out := shape.Older("2026-11-15", []byte(text))
		if json.Valid([]byte(text)) && !json.Valid(out) {
			t.Errorf("got invalid JSON %q from %q", out, text)
		}
	})
}
