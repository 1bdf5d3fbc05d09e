package requestlog

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/patch"
)

// input is the input of an operation.
type input struct {
	Q      string       `query:"q"`
	Phone  string       `query:"phone"`
	Limit  int64        `query:"limit"`
	Status []auth.Scope `query:"scope"`
	HullID string       `query:"hull_id"`
	Cost   int64        `query:"cost_min" privacy:"cost,hulls:write"`
	Action string       `query:"action" privacy:"plain"`
	Body   struct {
		FirstName patch.Null[string] `json:"first_name"`
		Address   *struct {
			Line1 string `json:"line1"`
		} `json:"address"`
		Tags     []string          `json:"tags"`
		Pairs    map[string]string `json:"pairs"`
		Any      any               `json:"any"`
		PriceUSD int64             `json:"price_usd"`
		FloorUSD *int64            `json:"floor_usd" privacy:"cost,hulls:write"`
		Rate     *string           `json:"rate" privacy:"cost,hulls:write"`
		HullID   string            `json:"hull_id"`
		Scope    auth.Scope        `json:"scope"`
		On       string            `json:"on" format:"date"`
		Taxable  bool              `json:"taxable"`
		Make     string            `json:"make" privacy:"plain"`
		Password string            `json:"password" privacy:"secret"`
		Codes    []int64           `json:"codes" privacy:"secret"`
	}
}

func TestMaskBody(t *testing.T) {
	token := strings.Repeat("a", 60)
	const hull = "hull_01jcqz8t5n8m2x4v6b7c9d0e1f"
	for _, c := range []struct{ name, body, live, test string }{
		{
			"numbers, states, IDs, dates and plain text stay",
			`{"price_usd":-1,"scope":"hulls:read","hull_id":"` + hull + `","taxable":true,"on":"2026-01-02","make":"Grady-White","tags":null}`,
			`{"hull_id":"` + hull + `","make":"Grady-White","on":"2026-01-02","price_usd":-1,"scope":"hulls:read","tags":null,"taxable":true}`, "",
		},
		{
			"personal text",
			`{"first_name":"Ann","address":{"line1":"1 Main St"},"tags":["vip Ann"],"pairs":{"boat":"Ann"}}`,
			`{"address":{"line1":"[personal]"},"first_name":"[personal]","pairs":"[personal]","tags":["[personal]"]}`,
			`{"address":{"line1":"1 Main St"},"first_name":"Ann","pairs":{"boat":"Ann"},"tags":["vip Ann"]}`,
		},
		{
			"secrets and costs",
			`{"password":"hunter2","codes":[123456],"floor_usd":131313,"rate":"6.5","floor":{"amount":131313,"currency":"USD"}}`,
			`{"codes":"[secret]","floor":"[cost]","floor_usd":"[cost]","password":"[secret]","rate":"[cost]"}`, "",
		},
		{
			"an amount of the preview",
			`{"price":{"amount":100,"currency":"USD"}}`,
			`{"price":{"amount":100,"currency":"USD"}}`, "",
		},
		{
			"fields that don't exist, and any JSON",
			`{"naem":"Ann","pasword":"hunter2","cost_cents":131313,"ann@example.com":"x","any":{"floor_usd":131313},"hull":{"a":["Ann"]}}`,
			`{"[name]":"[unknown]","any":"[personal]","cost_cents":"[unknown]","hull":"[unknown]","naem":"[unknown]","pasword":"[unknown]"}`,
			`{"[name]":"[unknown]","any":"[unknown]","cost_cents":"[unknown]","hull":"[unknown]","naem":"[unknown]","pasword":"[unknown]"}`,
		},
		{
			"text where it doesn't belong, and tokens",
			`{"hull_id":"Ann Miller","scope":"Ann","on":"Ann","price_usd":"Ann","taxable":{"a":"Ann"},"make":"` + token + `"}`,
			`{"hull_id":"[value]","make":"...","on":"[value]","price_usd":"[value]","scope":"[value]","taxable":"[unknown]"}`,
			`{"hull_id":"Ann Miller","make":"...","on":"Ann","price_usd":"[value]","scope":"Ann","taxable":"[unknown]"}`,
		},
	} {
		for mode, want := range map[bool]string{false: c.live, true: c.test} {
			if want == "" {
				want = c.live
			}
			got := text(t, (&masker{test: mode}).body([]byte(c.body), reflect.TypeFor[input]()))
			if got != want {
				t.Errorf("%s (test environment %t): got %s, expected %s", c.name, mode, got, want)
			}
		}
	}
	for _, body := range []string{``, `[1]`, `"text"`, `{`, `null`} {
		assert.Equal(t, (&masker{test: true}).body([]byte(body), reflect.TypeFor[input]()), nil, body)
	}
	assert.Equal(t, text(t, (&masker{test: true}).body([]byte(`{"a":1}`), nil)), `{"a":"[unknown]"}`, "a path that doesn't exist")
}

func TestMaskQuery(t *testing.T) {
	for query, want := range map[string]string{
		"q=Ann+Miller&limit=10&scope=hulls:read,deals:read": "limit=10&q=...&scope=hulls:read,deals:read",
		"scope=hulls:read,Ann":                              "scope=...",
		"cost_min=100":                                      "cost_min=...",
		"token=abc&a@b=1":                                   "[name]=...&token=...",
		"phone=%2B12395550100":                              "phone=...",
		"hull_id=" + strings.Repeat("x", 50):                "hull_id=...",
		"action=hull.":                                      "action=hull.",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, (&masker{}).query(values, reflect.TypeFor[input]()), want, query)
	}
}

// text returns a masked body as JSON.
func text(t *testing.T, masked map[string]any) string {
	t.Helper()
	out, err := json.Marshal(masked)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Text of a live request is masked at each depth.
func FuzzMaskBody(f *testing.F) {
	f.Add("first_name", "Ann is my name")
	f.Add("hull_id", "hunter2 is long")
	f.Add("nope\xff", "x")
	f.Fuzz(func(t *testing.T, field, value string) {
		if len(value) < 12 || field == "make" || strings.Contains(field, value) || closed.MatchString(value) {
			return
		}
		body, err := json.Marshal(map[string]any{"address": []any{map[string]any{field: value}}, field: value, "pairs": map[string]any{value: field}})
		if err != nil {
			return
		}
		if got := text(t, (&masker{}).body(body, reflect.TypeFor[input]())); strings.Contains(got, value) {
			t.Errorf("%s kept the value of %q", got, field)
		}
	})
}

// An error can quote what the client sent.
func TestMaskError(t *testing.T) {
	m := &masker{}
	m.body([]byte(`{"first_name":"Ann Miller","hull_id":"x","naem":"hunter2!","price_usd":5}`), reflect.TypeFor[input]())
	assert.Equal(t, m.message("ann miller is not a price. hunter2! is no name. The price must be 5."), "... is not a price. ... is no name. The price must be 5.")
}
