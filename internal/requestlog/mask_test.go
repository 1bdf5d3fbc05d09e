package requestlog

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func TestMaskBody(t *testing.T) {
	token := strings.Repeat("a", 60)
	for _, c := range []struct{ name, body, live, test string }{
		{
			"numbers, states and IDs stay",
			`{"price_usd":-1,"status":"sold","hull_id":"hull_1","taxable":true,"x":null}`,
			`{"hull_id":"hull_1","price_usd":-1,"status":"sold","taxable":true,"x":null}`,
			`{"hull_id":"hull_1","price_usd":-1,"status":"sold","taxable":true,"x":null}`,
		},
		{
			"personal text",
			`{"first_name":"Ann","email":"ann@example.com","address":{"line1":"1 Main St"},"tags":["vip Ann"]}`,
			`{"address":{"line1":"[personal]"},"email":"[personal]","first_name":"[personal]","tags":["[personal]"]}`,
			`{"address":{"line1":"1 Main St"},"email":"ann@example.com","first_name":"Ann","tags":["vip Ann"]}`,
		},
		{
			"secrets",
			`{"password":"hunter2","client_secret":"s","mfa_token":"t","code":123456,"New_Password":["p"],"code_list":"x"}`,
			`{"New_Password":["[secret]"],"client_secret":"[secret]","code":"[secret]","code_list":"[personal]","mfa_token":"[secret]","password":"[secret]"}`,
			`{"New_Password":["[secret]"],"client_secret":"[secret]","code":"[secret]","code_list":"x","mfa_token":"[secret]","password":"[secret]"}`,
		},
		{
			"fields that don't exist, and tokens in other fields",
			`{"naem":"Ann","ann@example.com":"x","hull_id":"` + token + `"}`,
			`{"[name]":"[personal]","hull_id":"...","naem":"[personal]"}`,
			`{"[name]":"x","hull_id":"...","naem":"Ann"}`,
		},
	} {
		for mode, want := range map[bool]string{false: c.live, true: c.test} {
			got := text(t, maskBody([]byte(c.body), mode))
			if got != want {
				t.Errorf("%s (test environment %t): got %s, expected %s", c.name, mode, got, want)
			}
		}
	}
	for _, body := range []string{``, `[1]`, `"text"`, `{`, `null`} {
		assert.Equal(t, maskBody([]byte(body), true), nil, body)
	}
}

func TestMaskQuery(t *testing.T) {
	for query, want := range map[string]string{
		"q=Ann+Miller&limit=10&status=sold":  "limit=10&q=...&status=sold",
		"email=a@example.com&price_min=100":  "email=...&price_min=100",
		"created_after=2026-01-02":           "created_after=2026-01-02",
		"token=abc&a@b=1":                    "[name]=1&token=...",
		"phone=%2B12395550100":               "phone=...",
		"hull_id=" + strings.Repeat("x", 50): "hull_id=...",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, maskQuery(values), want, query)
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

// Text of a live request is masked at each depth, and secrets in both environments.
func FuzzMaskBody(f *testing.F) {
	f.Add("first_name", "Ann")
	f.Add("password", "hunter2 is long")
	f.Add("nope\xff", "x")
	f.Fuzz(func(t *testing.T, field, value string) {
		if len(value) < 12 || isPlain(field) || strings.Contains(field, value) {
			return
		}
		body, err := json.Marshal(map[string]any{"a": []any{map[string]any{field: value}}, field: value})
		if err != nil {
			return
		}
		for _, test := range []bool{false, true} {
			got := text(t, maskBody(body, test))
			if (!test || isSecret(field)) && strings.Contains(got, value) {
				t.Errorf("%s kept the value of %q (test environment %t)", got, field, test)
			}
		}
	})
}

// The fields that are kept exist, so that a renamed field doesn't stay in the list.
func TestPlainFieldsExist(t *testing.T) {
	known := fields(t)
	for name := range plain {
		if !known[name] {
			t.Errorf("%s is in the list of plain fields, but no request has it", name)
		}
	}
}

// fields returns the names of all properties and parameters of the API.
func fields(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, file := range []string{"openapi.json", "openapi-preview.json"} {
		data, err := os.ReadFile("../../api/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var document any
		if err := json.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		collect(document, names)
	}
	return names
}

func collect(node any, names map[string]bool) {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			collect(item, names)
		}
	case map[string]any:
		if properties, ok := n["properties"].(map[string]any); ok {
			for name := range properties {
				names[name] = true
			}
		}
		if name, ok := n["name"].(string); ok && n["in"] != nil {
			names[name] = true
		}
		for _, inner := range n {
			collect(inner, names)
		}
	}
}
