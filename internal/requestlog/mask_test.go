package requestlog

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"
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
			got, ok := maskBody([]byte(c.body), mode)
			if !ok || string(got) != want {
				t.Errorf("%s (test environment %t): got %s, expected %s", c.name, mode, got, want)
			}
		}
	}
	for _, body := range []string{``, `[1]`, `"text"`, `{`} {
		if got, ok := maskBody([]byte(body), true); ok {
			t.Errorf("%s: got %s, expected nothing, because it is not an object", body, got)
		}
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
		if got := maskQuery(values); got != want {
			t.Errorf("%s: got %s, expected %s", query, got, want)
		}
	}
}

// No body leaves a secret or, in live, the personal text in what is stored.
func FuzzMaskBody(f *testing.F) {
	f.Add(`{"password":"SECRETVALUE","a":{"b":["SECRETVALUE"]}}`)
	f.Add(`{"first_name":"SECRETVALUE","SECRETVALUE x":1}`)
	f.Fuzz(func(t *testing.T, body string) {
		masked, ok := maskBody([]byte(body), false)
		if !ok {
			return
		}
		if !json.Valid(masked) {
			t.Errorf("%q became invalid JSON: %s", body, masked)
		}
		var object map[string]any
		if json.Unmarshal([]byte(body), &object) == nil {
			if text, isText := object["first_name"].(string); isText && text == "SECRETVALUE" && strings.Contains(string(masked), `"first_name":"SECRETVALUE"`) {
				t.Errorf("%q kept personal text: %s", body, masked)
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
