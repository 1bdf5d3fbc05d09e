package app

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// bodyWith returns the JSON of a valid hull, with a piece of text replaced.
func bodyWith(t *testing.T, location, old, new string) string {
	t.Helper()
	changes := map[string]any{"title": "TITLE", "metadata": map[string]any{"note": "NOTE"}}
	text, err := json.Marshal(testkit.HullBody(location, changes))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("got %s, want it to contain %q", text, old)
	}
	return strings.Replace(string(text), old, new, 1)
}

// count returns the number of hulls that a client can list.
func count(t *testing.T, c *testkit.Client) int {
	t.Helper()
	n := 0
	for _, archived := range []string{"false", "true"} {
		n += len(walk(t, c, "/v1/hulls", url.Values{"archived": {archived}, "limit": {"100"}}, "starting_after"))
	}
	return n
}

func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

// Ambiguous and malformed bodies are rejected, and no hull is created.
func TestStrictBodies(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		for name, c := range map[string]struct {
			old, new string // a piece of a valid body, and its replacement
			status   int
			field    string
			code     string
		}{
			"a duplicate name":                {`"title":"TITLE"`, `"title":"a","title":"a"`, 400, "body", "malformed"},
			"a duplicate name, escaped":       {`"title":"TITLE"`, `"title":"a","\u0074itle":"a"`, 400, "body", "malformed"},
			"a duplicate name, deep":          {`"note":"NOTE"`, `"note":"a","note":"b"`, 400, "body", "malformed"},
			"a name in another case":          {`"title":"TITLE"`, `"Title":"a"`, 422, "Title", "unknown_field"},
			"a required name in another case": {`"make":`, `"Make":`, 400, "Make", "unknown_field"},
			"both cases":                      {`"title":"TITLE"`, `"title":"a","TITLE":"a"`, 422, "TITLE", "unknown_field"},
			"an unknown name":                 {`"title":"TITLE"`, `"color":"red"`, 422, "color", "unknown_field"},
			"a name of a response":            {`"title":"TITLE"`, `"id":"hull_1"`, 422, "id", "unknown_field"},
			"the column of the environment":   {`"title":"TITLE"`, `"env":1`, 422, "env", "unknown_field"},
			"a name of the schema language":   {`"title":"TITLE"`, `"$schema":"x"`, 422, "$schema", "unknown_field"},
			"bad UTF-8":                       {"TITLE", "\xff", 400, "body", "malformed"},
			"half a surrogate pair":           {"TITLE", `\ud83d`, 400, "body", "malformed"},
			"a NUL, escaped":                  {"TITLE", `a\u0000b`, 400, "body", "malformed"},
			"a NUL, raw":                      {"TITLE", "a\x00b", 400, "body", "malformed"},
			"a NUL in a name":                 {`"note"`, `"\u0000"`, 400, "body", "malformed"},
			"a raw line feed":                 {"TITLE", "a\nb", 400, "body", "malformed"},
			"33 levels":                       {`"NOTE"`, nested(31), 400, "body", "malformed"},
			"32 levels of a wrong type":       {`"NOTE"`, nested(30), 400, "metadata.note", "type"},
			"a number out of range":           {`"price_usd":124900`, `"price_usd":1e400`, 400, "body", "malformed"},
			"2^63":                            {`"price_usd":124900`, `"price_usd":9223372036854775808`, 422, "price_usd", "maximum"},
			"-2^63-1":                         {`"price_usd":124900`, `"price_usd":-9223372036854775809`, 422, "price_usd", "minimum"},
			"an exponent for a whole number":  {`"price_usd":124900`, `"price_usd":1e3`, 400, "price_usd", "type"},
			"a fraction for a whole number":   {`"price_usd":124900`, `"price_usd":1.5`, 400, "price_usd", "type"},
			"a whole fraction":                {`"price_usd":124900`, `"price_usd":124900.0`, 400, "price_usd", "type"},
			"a number in quotes":              {`"price_usd":124900`, `"price_usd":"124900"`, 400, "price_usd", "type"},
			"NaN":                             {`"price_usd":124900`, `"price_usd":NaN`, 400, "body", "malformed"},
			"a boolean for a number":          {`"price_usd":124900`, `"price_usd":true`, 400, "price_usd", "type"},
			"a list for text":                 {`"TITLE"`, `["a"]`, 400, "title", "type"},
			"an object for text":              {`"TITLE"`, `{}`, 400, "title", "type"},
			"null for a required field":       {`"make":"Grady-White"`, `"make":null`, 400, "make", "type"},
			"null for a number":               {`"price_usd":124900`, `"price_usd":null`, 400, "price_usd", "type"},
			"a number in a map of strings":    {`"NOTE"`, `7`, 400, "metadata.note", "type"},
			"trailing data":                   {`{`, `{} {`, 400, "body", "malformed"},
			"inside a list":                   {`{`, `[{`, 400, "body", "malformed"},
			"a byte order mark":               {`{`, "\ufeff{", 400, "body", "malformed"},
			"a comment":                       {`{`, "/* x */ {", 400, "body", "malformed"},
		} {
			t.Run(name, func(t *testing.T) {
				f := failed(t, send(t, s.Test, "POST", "/v1/hulls", bodyWith(t, loc, c.old, c.new)), c.status)
				f.WantDetail(t, c.field, c.code)
			})
		}
		for name, c := range map[string]struct {
			body, kind string
			status     int
		}{
			"no body":                     {"", "application/json", 400},
			"white space":                 {" \r\n\t", "application/json", 400},
			"null":                        {"null", "application/json", 400},
			"a list":                      {"[]", "application/json", 400},
			"a string":                    {`"hull"`, "application/json", 400},
			"a number":                    {`7`, "application/json", 400},
			"trailing data after a value": {"{}{}", "application/json", 400},
			"trailing characters":         {"{}x", "application/json", 400},
			"a form":                      {"make=a", "application/x-www-form-urlencoded", 415},
			"plain text":                  {"{}", "text/plain", 415},
			"not a media type":            {"{}", "json", 415},
			"JSON merge patch":            {"{}", "application/merge-patch+json", 415},
			"two media types":             {"{}", "application/json, text/plain", 415},
			"a malformed media type":      {"{}", "application/json; charset", 415},
			"a multipart body":            {"{}", "multipart/form-data; boundary=x", 415},
			"one byte more than a MiB":    {strings.Repeat(" ", 1<<20-1) + "{}", "application/json", 413},
			"more than a MiB, of XML":     {strings.Repeat(" ", 1<<20) + "{}", "application/xml", 415},
			"a lot more than a MiB":       {strings.Repeat(" ", 3<<20) + "{}", "application/json", 413},
			"a MiB of open lists":         {strings.Repeat("[", 1<<20), "application/json", 400},
			"UTF-16":                      {"\xff\xfe{\x00}\x00", "application/json", 400},
			"another charset":             {"\xe9", "application/json; charset=latin1", 400},
			"XML in upper case":           {"{}", "APPLICATION/XML", 415},
		} {
			t.Run(name, func(t *testing.T) {
				failed(t, send(t, s.Test.With("Content-Type", c.kind), "POST", "/v1/hulls", c.body), c.status)
			})
		}
		assert.Equal(t, count(t, s.Test), 0, "hulls")
	})
}

// Valid bodies at the limits are accepted.
func TestValidBodies(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		padded := bodyWith(t, loc, "TITLE", "exactly one MiB")
		padded += strings.Repeat(" ", 1<<20-len(padded))
		for name, c := range map[string]struct{ body, kind string }{
			"a MiB":                      {padded, "application/json"},
			"a charset":                  {bodyWith(t, loc, "TITLE", "a"), "application/json; charset=utf-8"},
			"upper case":                 {bodyWith(t, loc, "TITLE", "a"), "Application/JSON"},
			"a pair of surrogates":       {bodyWith(t, loc, "TITLE", `\ud83d\ude00`), "application/json"},
			"text like SQL":              {bodyWith(t, loc, "TITLE", `'; DROP TABLE hulls; -- ? $1`), "application/json"},
			"null for an optional field": {bodyWith(t, loc, `"TITLE"`, `null`), "application/json"},
			"an exponent for a decimal":  {bodyWith(t, loc, `"length_ft":23.58`, `"length_ft":2.3e1`), "application/json"},
			"the highest price":          {bodyWith(t, loc, `124900`, `1000000000`), "application/json"},
			"white space around it":      {"\r\n\t " + bodyWith(t, loc, "TITLE", "a") + "\n", "application/json"},
			"the same name elsewhere":    {bodyWith(t, loc, `"note"`, `"title"`), "application/json"},
		} {
			t.Run(name, func(t *testing.T) {
				assert.Equal(t, send(t, s.Test.With("Content-Type", c.kind), "POST", "/v1/hulls", c.body).StatusCode, 201)
			})
		}
		assert.Equal(t, count(t, s.Test), 10, "hulls")
	})
}

// In a patch, null clears optional fields and is rejected for required ones.
func TestNullInPatches(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := "/v1/hulls/" + s.Test.Hull(s.Test.Location(), map[string]any{"title": "a", "metadata": map[string]any{"a": "1"}})
		before := s.Test.Get(hull, 200, nil).Bytes
		for _, field := range []string{"make", "model", "year", "length_ft", "location_id", "condition", "category", "ownership"} {
			f := failed(t, send(t, s.Test, "PATCH", hull, `{"`+field+`": null}`), 400)
			f.WantDetail(t, field, "type", "null for", field)
		}
		assert.Equal(t, string(s.Test.Get(hull, 200, nil).Bytes), string(before), "after the rejected patches")
		var got struct {
			Title    *string
			Metadata map[string]string
		}
		s.Test.Patch(hull, `{"title": null, "metadata": null}`, 200, &got)
		assert.Equal(t, got.Title, nil, "cleared")
		assert.Equal(t, len(got.Metadata), 0, "cleared")
	})
}

func TestStrictQueries(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		hull := "/v1/hulls/" + s.Test.Hull(loc, nil)
		for name, c := range map[string]struct {
			method, path string
			body         any
			field, code  string
		}{
			"an unknown parameter":           {"GET", "/v1/hulls?color=red", nil, "color", "unknown_parameter"},
			"an unknown one without a value": {"GET", "/v1/hulls?color", nil, "color", "unknown_parameter"},
			"in another case":                {"GET", "/v1/hulls?Limit=1", nil, "Limit", "unknown_parameter"},
			"operation without parameters":   {"GET", "/v1/me?limit=1", nil, "limit", "unknown_parameter"},
			"of another operation":           {"GET", "/v1/locations?status=sold", nil, "status", "unknown_parameter"},
			"of a create":                    {"POST", "/v1/hulls?limit=1", testkit.HullBody(loc, nil), "limit", "unknown_parameter"},
			"of a change":                    {"PATCH", hull + "?make=b", `{"title": "b"}`, "make", "unknown_parameter"},
			"of an action":                   {"POST", hull + "/archive?force=true", nil, "force", "unknown_parameter"},
			"of a delete":                    {"DELETE", "/v1/locations/" + loc + "?force=true", nil, "force", "unknown_parameter"},
			"a repeated parameter":           {"GET", "/v1/hulls?limit=1&limit=2", nil, "limit", "duplicate"},
			"repeated with the same value":   {"GET", "/v1/hulls?make=a&make=a", nil, "make", "duplicate"},
			"repeated with an escape":        {"GET", "/v1/hulls?make=a&%6dake=b", nil, "make", "duplicate"},
			"repeated and unknown":           {"GET", "/v1/hulls?color=a&color=b", nil, "color", "duplicate"},
			"text for a number":              {"GET", "/v1/hulls?limit=abc", nil, "limit", "type"},
			"a fraction":                     {"GET", "/v1/hulls?limit=1.5", nil, "limit", "type"},
			"an exponent":                    {"GET", "/v1/hulls?limit=1e1", nil, "limit", "type"},
			"a number over 2^63":             {"GET", "/v1/hulls?year_min=9223372036854775808", nil, "year_min", "type"},
			"too small":                      {"GET", "/v1/hulls?limit=0", nil, "limit", "minimum"},
			"negative":                       {"GET", "/v1/hulls?limit=-1", nil, "limit", "minimum"},
			"too large":                      {"GET", "/v1/hulls?limit=101", nil, "limit", "maximum"},
			"not in the enum":                {"GET", "/v1/hulls?status=lost", nil, "status", "enum"},
			"not a time":                     {"GET", "/v1/hulls?created_after=yesterday", nil, "created_after", "type"},
			"not a boolean":                  {"GET", "/v1/hulls?archived=perhaps", nil, "archived", "type"},
			"a semicolon":                    {"GET", "/v1/hulls?limit=1;make=a", nil, "limit", "type"},
		} {
			t.Run(name, func(t *testing.T) {
				f := failed(t, send(t, s.Test, c.method, c.path, c.body), 400)
				f.WantDetail(t, c.field, c.code)
			})
		}
		var got struct{ Version int64 }
		s.Test.Get(hull, 200, &got)
		assert.Equal(t, got.Version, 1, "nothing changed")
		assert.Equal(t, count(t, s.Test), 1, "nothing changed")
	})
}
