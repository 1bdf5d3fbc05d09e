package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"slipway/internal/app"
	"slipway/internal/description"
	"slipway/internal/testkit"
)

const examplesFile = "../../api/examples.json"

// The examples of the reference are what the API does.
func TestExamples(t *testing.T) {
	calls := tellStory(t, testkit.OnSQLite(t), nil)
	for _, o := range allOperations() {
		if !slices.ContainsFunc(calls, func(c call) bool { return c.operation == o.OperationID }) {
			t.Errorf("the story does not call %s", o.OperationID)
		}
	}
	got := record(t, append(calls, callPreview(t)...))
	if *update {
		if err := os.WriteFile(examplesFile, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(examplesFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("api/examples.json is outdated. Run `make openapi` and review the diff. %v\n%s", err, firstDifference(want, got))
	}
}

// callPreview calls each operation of the preview with the recipe of the isolation test, so
// that a new one has an example too.
func callPreview(t *testing.T) (calls []call) {
	t.Helper()
	s := testkit.OnSQLite(t)
	startStory(s)
	all := slices.DeleteFunc(operations(), func(o *huma.Operation) bool { return !strings.HasPrefix(o.OperationID, "preview.") })
	slices.SortFunc(all, func(a, b *huma.Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	for _, o := range all {
		r, ok := recipes[o.OperationID]
		if !ok {
			t.Errorf("%s has no recipe, so it has no example. Add one to recipes.", o.OperationID)
			continue
		}
		path := o.Path
		if r.params != nil {
			for name, value := range r.params(s.Test) {
				path = strings.ReplaceAll(path, "{"+name+"}", value)
			}
		}
		var body any
		if r.body != nil {
			body = r.body(s.Test)
		}
		want, err := strconv.Atoi(successOf(o))
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call{o.OperationID, body, s.Test.Do(o.Method, path, body, want, nil)})
	}
	return calls
}

// firstDifference returns the first lines that differ.
func firstDifference(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d\n-%s\n+%s", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// record returns the first call of each operation as an example, in the format of
// api/examples.json.
func record(t *testing.T, calls []call) []byte {
	t.Helper()
	r := &recorder{seen: map[string]string{}, counts: map[string]int{}}
	examples := map[string]description.Example{}
	for _, c := range calls {
		var e description.Example
		r.recipe = strings.HasPrefix(c.operation, "preview.")
		switch body := c.request.(type) {
		case nil:
		case string: // of a recipe
			_, e.Request = r.content(t, "application/json", []byte(body))
		case testkit.File:
			e.RequestType, e.Request = r.content(t, body.Type, body.Bytes)
		default:
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			_, e.Request = r.content(t, "application/json", text)
		}
		if len(c.response.Bytes) > 0 {
			e.ResponseType, e.Response = r.content(t, c.response.Header.Get("Content-Type"), c.response.Bytes)
		}
		if _, ok := examples[c.operation]; !ok {
			examples[c.operation] = e
		}
	}
	text, err := json.MarshalIndent(examples, "", "  ") // sorted by operation
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// recorder replaces what is different in each run, and secrets.
type recorder struct {
	seen   map[string]string // replacements
	counts map[string]int    // of the replacements of each kind
	recipe bool              // the call is a recipe, with samples of package testkit
}

// content returns a body as JSON. The media type is empty for JSON. Files that are
// not text are left out.
func (r *recorder) content(t *testing.T, mediaType string, body []byte) (string, json.RawMessage) {
	t.Helper()
	mediaType, _, _ = strings.Cut(mediaType, ";")
	switch mediaType {
	case "application/json", "application/ld+json":
		var out bytes.Buffer
		if err := r.copyValue(jsontext.NewDecoder(bytes.NewReader(body)), jsontext.NewEncoder(&out), ""); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return strings.TrimPrefix(mediaType, "application/json"), out.Bytes()
	case "text/csv":
		text, err := json.Marshal(r.replace("", string(body)))
		if err != nil {
			t.Fatal(err)
		}
		return mediaType, text
	}
	return "", nil
}

// maxItems is how many objects an array of an example has at most.
const maxItems = 2

// copyValue copies a JSON value, with replacements. Fields keep their order.
func (r *recorder) copyValue(from *jsontext.Decoder, to *jsontext.Encoder, field string) error {
	token, err := from.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		if err := to.WriteToken(token); err != nil {
			return err
		}
		for from.PeekKind() != '}' {
			name, err := from.ReadToken()
			if err != nil {
				return err
			}
			field := name.String()
			if err := to.WriteToken(name); err != nil {
				return err
			}
			if err := r.copyValue(from, to, field); err != nil {
				return err
			}
		}
		token, err = from.ReadToken()
	case '[':
		if err := to.WriteToken(token); err != nil {
			return err
		}
		for n := 0; from.PeekKind() != ']'; n++ {
			if n >= maxItems && from.PeekKind() == '{' {
				err = from.SkipValue()
			} else {
				err = r.copyValue(from, to, field)
			}
			if err != nil {
				return err
			}
		}
		token, err = from.ReadToken()
	case '"':
		token = jsontext.String(r.replace(field, token.String()))
	case '0':
		if value, ok := measured[field]; ok {
			token = jsontext.Int(value)
		}
	}
	if err != nil {
		return err
	}
	return to.WriteToken(token)
}

// measured are numbers that can differ in each run.
var measured = map[string]int64{"duration_ms": 12, "latency_ms": 83, "size_bytes": 48213}

// rules replace secrets, and what differs in each run.
var rules = []struct {
	find *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`\b(sk|st|cs|scim)_(test|live)_[a-z2-7]{49}\b`), "${1}_${2}_" + strings.Repeat("example", 7)},
	{regexp.MustCompile(`\b(sk)_(test|live)_[a-z2-7]{16}\b`), "${1}_${2}_exampleexampleex"},
	{regexp.MustCompile(`\bwhsec_[A-Za-z0-9+/=]{20,}`), "whsec_" + strings.Repeat("example", 6) + "="},
	{regexp.MustCompile(`\bmft_[a-z2-7]{26}\b`), "mft_exampleexampleexampleexamp"},
	{regexp.MustCompile(`\b[A-Z2-7]{32}\b`), "EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAM"}, // of an authenticator app
	{regexp.MustCompile(`(domain-verification=).+`), "${1}exampleexampleexample"},
	{regexp.MustCompile(`/hooks/(twilio|email)/[A-Za-z0-9_-]+`), "/hooks/${1}/exampleexampleexample"},
	{regexp.MustCompile(`/calendars/[a-z2-7]{52}`), "/calendars/" + strings.Repeat("example", 7) + "exa"},
	{regexp.MustCompile(`/feeds/[a-z2-7]{52}`), "/feeds/" + strings.Repeat("example", 7) + "exa"},
	{regexp.MustCompile(`/media/[0-9]+\.[^/]+/`), "/media/1797120000.exampleexampleexample_/"},
	{regexp.MustCompile(`/media/[0-9]+-([0-9a-z]+)\.[^/]+/`), "/media/2-$1.exampleexampleexample_/"},
	{regexp.MustCompile(`^127\.0\.0\.1$`), "203.0.113.7"},
	{regexp.MustCompile(`^Go-http-client/.*`), "BackOffice/2.1"},
	{regexp.MustCompile(`http://localhost\b`), "https://slipway.example.com"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+\b`), "https://example.com"},
}

var (
	sixDigits    = regexp.MustCompile(`^\d{6}$`)
	recoveryCode = regexp.MustCompile(`^[a-z2-7]{5}-[a-z2-7]{5}$`)
	ulid         = regexp.MustCompile(`\b([a-z]{2,5}_)?[0-9a-hjkmnp-tv-z]{26}\b`)
	sha256Hash   = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

// samples are values of package testkit with a number that depends on the tests before.
var samples = []struct {
	find   *regexp.Regexp
	format string
}{
	{regexp.MustCompile(`\bGRT\d{5}B324\b`), "GRT409%02dB324"},
	{regexp.MustCompile(`\bann\d+@example\.com\b`), "ann%d@example.com"},
	{regexp.MustCompile(`\buser\d+@example\.com\b`), "user%d@example.com"},
	{regexp.MustCompile(`^\+1410555\d{4}$`), "+141055502%02d"},
	{regexp.MustCompile(`^role \d+$`), "Role %d"},
	{regexp.MustCompile(`\bIMP-\d+\b`), "IMP-%d"},
}

// replace returns a text without what differs in each run. The same value is always
// replaced by the same one.
func (r *recorder) replace(field, text string) string {
	switch {
	case field == "code" && sixDigits.MatchString(text):
		return "123456"
	case field == "recovery_codes" && recoveryCode.MatchString(text):
		return r.number(text, "codes-%05d")
	}
	for _, rule := range rules {
		text = rule.find.ReplaceAllString(text, rule.text)
	}
	if r.recipe {
		for _, sample := range samples {
			text = sample.find.ReplaceAllStringFunc(text, func(value string) string { return r.number(value, sample.format) })
		}
	}
	text = sha256Hash.ReplaceAllStringFunc(text, func(hash string) string { return r.number(hash, "%064d") })
	return ulid.ReplaceAllStringFunc(text, func(id string) string {
		return r.number(id, ulid.FindStringSubmatch(id)[1]+"01jcqz8t5n8m2x4v6b7c9%05d")
	})
}

// number returns the same replacement for the same value.
func (r *recorder) number(value, format string) string {
	if r.seen[value] == "" {
		r.counts[format]++
		r.seen[value] = fmt.Sprintf(format, r.counts[format])
	}
	return r.seen[value]
}

// Each JSON body of the references has an example.
func TestEveryBodyHasAnExample(t *testing.T) {
	for _, doc := range []*huma.OpenAPI{app.Described().Stable(), app.Described().Preview()} {
		for _, o := range operationsOf(doc) {
			if "preview."+o.OperationID == forPeople {
				continue // it needs a person who is signed in, so no recipe calls it
			}
			if o.RequestBody != nil && o.RequestBody.Required {
				hasExample(t, o.Path+" "+o.OperationID+": the request", o.RequestBody.Content)
			}
			hasExample(t, o.Path+" "+o.OperationID+": the response", o.Responses[successOf(o)].Content)
		}
	}
}

func hasExample(t *testing.T, what string, content map[string]*huma.MediaType) {
	t.Helper()
	if m := content["application/json"]; m != nil && m.Example == nil {
		t.Errorf("%s has no example", what)
	}
}
