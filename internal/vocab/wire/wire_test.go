package wire_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/wire"
)

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct{ text, complaint string }{
		"an object":                     {`{"a": [1, "b", null, true, {"a": 2}]}`, ""},
		"a bare value":                  {` 7 `, ""},
		"the same name in two objects":  {`{"a": {"b": 1}, "c": {"b": 2}}`, ""},
		"a pair of surrogates":          {`"\ud83d\ude00"`, ""},
		"32 levels":                     {nested(32), ""},
		"a tiny number":                 {`1e-400`, ""},
		"the largest number":            {`1.7976931348623157e308`, ""},
		"more digits than a float has":  {`9007199254740993`, ""},
		"nothing":                       {``, "JSON is incomplete"},
		"only blanks":                   {" \t\r\n", "JSON is incomplete"},
		"a duplicate name":              {`{"a": 1, "a": 2}`, "JSON has a duplicate name at byte 9 (/a)"},
		"a duplicate name, deep":        {`[{"x": {"a": 1, "a": 2}}]`, "JSON has a duplicate name at byte 16 (/0/x/a)"},
		"a duplicate name, escaped":     {`{"a": 1, "\u0061": 2}`, "JSON has a duplicate name at byte 9 (/a)"},
		"two values":                    {`{} {}`, "JSON is followed by trailing data"},
		"a value and rubbish":           {`{}x`, "JSON is followed by trailing data"},
		"a value and a NUL":             {"{}\x00", "JSON is followed by trailing data"},
		"a value and a form feed":       {"{}\f", "JSON is followed by trailing data"},
		"bad UTF-8 in text":             {"\"\xff\"", "JSON is not valid UTF-8 at byte 1"},
		"bad UTF-8 in a name":           {"{\"\xff\": 1}", "JSON is not valid UTF-8 at byte 2"},
		"an overlong encoding":          {"\"\xc0\xaf\"", "JSON is not valid UTF-8 at byte 1"},
		"a surrogate in UTF-8":          {"\"\xed\xa0\x80\"", "JSON is not valid UTF-8 at byte 1"},
		"half a pair of surrogates":     {`{"a": "\ud800"}`, "JSON is malformed at byte 7 (/a)"},
		"the pair in the wrong order":   {`"\ude00\ud83d"`, "JSON is malformed at byte 1"},
		"a NUL in text":                 {`{"a": "x\u0000y"}`, "text at /a contains a NUL character"},
		"a NUL in a name":               {`{"\u0000": 1}`, "contains a NUL character"},
		"a raw NUL":                     {"\"\x00\"", "JSON is malformed at byte 1"},
		"a byte order mark":             {"\ufeff{}", "JSON is malformed at byte 0"},
		"33 levels":                     {nested(33), "JSON is nested deeper than 32 levels"},
		"33 levels of objects":          {strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "JSON is nested deeper than 32 levels"},
		"a hundred thousand open lists": {strings.Repeat("[", 100_000), "JSON is nested deeper than 32 levels"},
		"a number too large":            {`{"n": 1e400}`, "number at /n is out of range"},
		"a number below all":            {`-1e400`, "number at the top is out of range"},
		"NaN":                           {`NaN`, "JSON is malformed at byte 0"},
		"a leading zero":                {`01`, "trailing data"},
		"a plus sign":                   {`+1`, "JSON is malformed at byte 0"},
		"a comma too many":              {`[1,]`, "JSON is malformed at byte 2"},
		"single quotes":                 {`{'a': 1}`, "JSON is malformed at byte 1"},
		"a comment":                     {`{} // x`, "trailing data"},
		"1,000 members":                 {object(1000), ""},
		"1,001 members":                 {object(1001), "object at the top has more than 1000 members"},
		"1,001 members inside":          {`{"a": [` + object(1001) + `]}`, "object at /a/0 has more than 1000 members"},
		"10,000 elements":               {`{"a": [0` + strings.Repeat(",0", 9_999) + `]}`, ""},
		"10,001 elements":               {`{"a": [0` + strings.Repeat(",0", 10_000) + `]}`, "array at /a has more than 10000 elements"},
		"a line break in a name":        {`{"name": "Ann\nBcc: x"}`, "text at /name contains a line break"},
		"a line break in a last name":   {`{"contact": {"last_name": "Bell\r"}}`, "text at /contact/last_name contains a line break"},
		"a line break in a subject":     {`{"subject": "Hi\nthere"}`, "text at /subject contains a line break"},
		"a line break in other text":    {`{"notes": "a\nb", "metadata": {"name": "a\nb"}, "names": ["a\nb"]}`, ""},
		"cut off":                       {`{"a": [1, 2`, "JSON is incomplete"},
	} {
		t.Run(name, func(t *testing.T) {
			err := wire.Check([]byte(c.text))
			switch {
			case c.complaint == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.complaint != "" && (err == nil || !strings.Contains(err.Error(), c.complaint)):
				t.Errorf("got %v, want %q", err, c.complaint)
			}
		})
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	type boat struct {
		Name string `json:"name"`
		Feet int64  `json:"feet"`
	}
	for name, text := range map[string]string{
		"an unknown name":             `{"color": "red"}`,
		"a name in another case":      `{"Name": "Aurora"}`,
		"a fraction for a whole":      `{"feet": 1.5}`,
		"an exponent for a whole":     `{"feet": 1e3}`,
		"an integer over 2^63":        `{"feet": 9223372036854775808}`,
		"a number in quotes":          `{"feet": "12"}`,
		"a number for text":           `{"name": 12}`,
		"a list for an object":        `[]`,
		"another value after the one": `{} {}`,
	} {
		t.Run(name, func(t *testing.T) {
			var b boat
			if err := wire.Unmarshal([]byte(text), &b); err == nil {
				t.Errorf("%s became %+v, want an error", text, b)
			}
		})
	}
	var b boat
	assert.NoError(t, wire.Unmarshal([]byte(`{"name": "Aurora", "feet": 9223372036854775807}`), &b))
	assert.Equal(t, b.Feet, 1<<63-1)
}

func TestMarshal(t *testing.T) {
	east := time.FixedZone("east", 2*60*60)
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"a time is UTC with milliseconds":  {time.Date(2026, 5, 1, 9, 30, 0, 123_999_999, east), `"2026-05-01T07:30:00.123Z"`},
		"a whole second keeps its zeros":   {time.Date(2026, 5, 1, 9, 30, 0, 0, time.UTC), `"2026-05-01T09:30:00.000Z"`},
		"no time is null":                  {(*time.Time)(nil), `null`},
		"no list is an empty one":          {[]string(nil), `[]`},
		"names of a map are sorted":        {map[string]int{"b": 2, "a": 1, "c": 3}, `{"a":1,"b":2,"c":3}`},
		"HTML is left alone":               {"<a & b>", `"<a & b>"`},
		"line separators are plain text":   {"\u2028", "\"\u2028\""},
		"a large whole keeps every digit":  {int64(9007199254740993), `9007199254740993`},
		"text that ends a script stays so": {"</script>", `"</script>"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := wire.Marshal(c.value)
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
	if got, err := wire.Marshal("\xff"); err == nil {
		t.Errorf("bad UTF-8 went out as %q, want an error", got)
	}
}

// FuzzCheck compares Check with encoding/json:
// whatever we let in is one value to it too, and the same one when written again.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{"make":"Grady-White","year":2024,"length_ft":23.58,"metadata":{"a":"1"},"hin":null}`,
		`[1,-0,0.1e-7,1e308,9223372036854775808,true,false,null,"\ud83d\ude00"]`,
		`{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", "{\"\xff\":1}", `"\u0000"`, `{} {}`, `1e400`, nested(33), "", "{", "\ufeff1", "{\"\xff\":{\"a\":1,\"a\":2}}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := wire.Check(data); err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Fatalf("the complaint %q cannot be sent", err)
			}
			return
		}
		var theirs, ours any
		if err := json.Unmarshal(data, &theirs); err != nil { // it too takes one value and no more
			t.Fatalf("encoding/json refuses what we take: %v", err)
		}
		if err := wire.Unmarshal(data, &ours); err != nil || !reflect.DeepEqual(theirs, ours) {
			t.Fatalf("encoding/json reads %#v, we %#v, %v", theirs, ours, err)
		}
		written, err := wire.Marshal(ours)
		if err != nil {
			t.Fatalf("what we took cannot be written: %v", err)
		}
		if err := wire.Check(written); err != nil {
			t.Fatalf("we refuse what we wrote, %s: %v", written, err)
		}
		var again any
		if err := wire.Unmarshal(written, &again); err != nil || !reflect.DeepEqual(ours, again) {
			t.Fatalf("%#v came back as %#v, %v", ours, again, err)
		}
	})
}

// object returns an object with n members.
func object(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":0`, i)
	}
	return "{" + b.String()[1:] + "}"
}
