package description

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"slipway/api"
	"slipway/internal/cli"
	"slipway/internal/platform/apidocs"
	"slipway/internal/platform/guides"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/version"
)

// references are the parts of the API reference.
func (d *Documents) references() []apidocs.Reference {
	var versions []string
	stable := map[string]func() *apidocs.API{}
	for _, v := range slices.Backward(version.Published) {
		versions = append(versions, v.Date)
		stable[v.Date] = sync.OnceValue(func() *apidocs.API { return d.referenceOf(At(d.Stable(), v.Date), "") })
	}
	only := func(doc func() *huma.OpenAPI, prefix string) func(string) *apidocs.API {
		load := sync.OnceValue(func() *apidocs.API { return d.referenceOf(doc(), prefix) })
		return func(string) *apidocs.API { return load() }
	}
	return []apidocs.Reference{
		{Path: "/docs/reference", Title: "API reference", Document: "/openapi.json", Versions: versions,
			Load: func(date string) *apidocs.API { return stable[cmp.Or(date, version.Latest())]() }},
		{Path: "/docs/reference/preview", Title: "Preview", Document: "/openapi-preview.json", Load: only(d.Preview, previewPrefix)},
		{Path: "/docs/reference/public", Title: "Public endpoints", Document: "/openapi-public.json", Load: only(d.Public, publicPrefix)},
	}
}

// How samples and behaviors name the operations of the other documents.
const (
	previewPrefix = "preview."
	publicPrefix  = "public."
)

// referenceOf returns what the pages about a document show.
func (d *Documents) referenceOf(doc *huma.OpenAPI, prefix string) *apidocs.API {
	b := &builder{doc: doc, prefix: prefix, codes: guides.Codes(), sends: map[string][]*apidocs.Operation{}}
	if err := json.Unmarshal(api.Samples, &b.samples); err != nil {
		panic("description: samples: " + err.Error()) // the file is part of the program
	}

	out := &apidocs.API{Intro: paragraphs(doc.Info.Description)}
	operations := inOrder(doc)
	for _, t := range doc.Tags {
		f := apidocs.Family{Name: t.Name, Text: t.Description}
		for _, o := range operations {
			if o.Tags[0] == t.Name {
				f.Operations = append(f.Operations, b.operation(o))
			}
		}
		if len(f.Operations) > 0 {
			out.Families = append(out.Families, f)
		}
	}
	stable, _, _ := d.router.Surfaces()
	for _, w := range stable.Webhooks {
		if doc.Webhooks[w.Name] != nil {
			out.Events = append(out.Events, apidocs.Event{Type: w.Name, Text: w.Summary, Since: w.Since, Sends: b.sends[w.Name]})
		}
	}
	slices.SortFunc(out.Events, func(x, y apidocs.Event) int { return cmp.Compare(x.Type, y.Type) })
	return out
}

// builder builds the operations of a document.
type builder struct {
	doc     *huma.OpenAPI
	prefix  string
	samples map[string]struct{ Go, TypeScript string }
	codes   map[string]guides.Code
	sends   map[string][]*apidocs.Operation // by event
}

func (b *builder) operation(o *huma.Operation) *apidocs.Operation {
	seen := behaviors()[b.prefix+o.OperationID]
	out := &apidocs.Operation{
		ID: o.OperationID, Method: o.Method, Path: o.Path, Summary: o.Summary, Family: o.Tags[0],
		Text: paragraphs(afterFirst(o.Description)), Writes: o.Method != http.MethodGet, Who: access(o), Params: b.params(o),
	}
	for _, a := range out.Who {
		out.Scopes = append(out.Scopes, a.Scopes)
	}
	out.Body, out.Result = b.body(o), b.result(o)
	out.Traits = b.traits(o, out)
	for _, e := range seen.Events {
		out.Changes = append(out.Changes, change(e))
		b.sends[e.Type] = append(b.sends[e.Type], out)
	}
	for _, r := range seen.Refusals {
		out.Refusals = append(out.Refusals, b.refusal(o, r))
	}
	out.Try = try(o, out)
	out.Samples = b.samplesOf(o, out)
	return out
}

// access returns the sets of scopes that an operation accepts.
func access(o *huma.Operation) (all []apidocs.Access) {
	for _, need := range o.Security {
		scopes, ok := need["oauth2"]
		if !ok {
			continue
		}
		a := apidocs.Access{Scopes: scopes}
		for _, known := range auth.Scopes {
			if slices.Contains(scopes, string(known.Scope)) {
				a.Docs = append(a.Docs, known.Doc)
			}
		}
		all = append(all, a)
	}
	return all
}

// traits returns what to know before a call.
func (b *builder) traits(o *huma.Operation, out *apidocs.Operation) (all []apidocs.Trait) {
	add := func(tone, icon, text string) { all = append(all, apidocs.Trait{Tone: tone, Icon: icon, Text: text}) }
	for i, a := range out.Who {
		text := strings.Join(a.Scopes, " and ")
		if text == "" {
			text = "Any credential"
		}
		if i > 0 {
			text = "or " + text
		}
		add("blue", "key", text)
	}
	if len(out.Who) == 0 && b.prefix == publicPrefix {
		add("blue", "key", "No API key")
	}
	if !out.Writes {
		add("green", "undo", "Read only")
	}
	if o.Extensions["x-idempotent"] != nil {
		add("green", "undo", "Safe to retry for 24 h")
	}
	if limit := find(out.Params, "limit"); o.Extensions["x-pagination"] != nil && limit != nil && len(limit.Notes) > 1 {
		add("", "", strings.TrimPrefix(limit.Notes[0], "defaults to ")+" per page, "+limit.Notes[len(limit.Notes)-1])
	}
	switch o.Extensions["x-assistants"] {
	case "propose":
		add("", "approve", "Can be proposed for approval")
	case "read":
		add("", "approve", "Assistants can read it")
	}
	if entered, _ := o.Extensions["x-preview-entered"].(string); entered != "" {
		add("amber", "", "Preview since "+entered)
	}
	if o.Deprecated {
		add("red", "", "Deprecated")
	}
	return all
}

func find(all []apidocs.Field, name string) *apidocs.Field {
	if i := slices.IndexFunc(all, func(f apidocs.Field) bool { return f.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// change returns what an event says about its object. Statuses with the same result are one flip.
func change(e EventSeen) apidocs.Change {
	noun, _, _ := strings.Cut(e.Type, ".")
	c := apidocs.Change{Object: strings.ReplaceAll(noun, "_", " "), Event: e.Type, Always: e.Always, Sets: e.Sets}
	for _, f := range e.Flips {
		i := slices.IndexFunc(c.Flips, func(known apidocs.Flip) bool { return known.To == f[1] })
		if i < 0 {
			c.Flips = append(c.Flips, apidocs.Flip{To: f[1]})
			i = len(c.Flips) - 1
		}
		if f[0] != "" {
			c.Flips[i].From = append(c.Flips[i].From, f[0])
		}
	}
	return c
}

// refusal explains a code: with the sentences of the operation that name it, or else with
// those of the guide to errors.
func (b *builder) refusal(o *huma.Operation, r RefusalSeen) apidocs.Refusal {
	out := apidocs.Refusal{Status: r.Status, Code: r.Code, When: b.codes[r.Code].When, Do: b.codes[r.Code].Do, Messages: r.Messages}
	for sentence := range strings.SplitSeq(strings.ReplaceAll(o.Description, ".\n", ". "), ". ") {
		if containsWord(sentence, r.Code) {
			out.When = code(strings.TrimRight(sentence, ". \n") + ".")
			break
		}
	}
	return out
}

// containsWord reports whether a text has a code that is not an ordinary word.
func containsWord(text, word string) bool {
	return strings.Contains(word, "_") && slices.Contains(strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z')
	}), word)
}

// try returns how the page sends the request.
func try(o *huma.Operation, out *apidocs.Operation) apidocs.Try {
	t := apidocs.Try{Path: o.Path, Retries: o.Extensions["x-idempotent"] != nil}
	for _, p := range out.Params {
		if p.In != "header" {
			t.Params = append(t.Params, p)
		}
	}
	if out.Body != nil {
		t.BodyType, t.Body = out.Body.Type, out.Body.Example
	}
	switch {
	case out.Who == nil:
		t.Why = "This endpoint isn't for API keys, so it can't be tried here."
	case out.Result != nil && out.Result.Type == "text/event-stream":
		t.Why = "The response doesn't end, so it can't be tried here."
	}
	return t
}

// samplesOf returns code that calls an operation.
func (b *builder) samplesOf(o *huma.Operation, out *apidocs.Operation) (all []apidocs.Sample) {
	name := b.prefix + o.OperationID
	for _, s := range []apidocs.Sample{
		{Lang: "curl", Label: "curl", Source: curl(out, b.prefix != publicPrefix)},
		{Lang: "go", Label: "Go", Source: b.samples[name].Go},
		{Lang: "ts", Label: "TypeScript", Source: b.samples[name].TypeScript},
		{Lang: "cli", Label: "Command line", Source: inLines(cli.Example(name))},
	} {
		if s.Source != "" {
			all = append(all, s)
		}
	}
	return all
}

// searchEntries returns what the search of the reference finds.
func (d *Documents) searchEntries() (all []apidocs.Entry) {
	references, fields := d.references(), map[string]bool{}
	var found []apidocs.Entry
	for i, ref := range references {
		for _, f := range ref.Load("").Families {
			for _, o := range f.Operations {
				where := f.Name
				if i > 0 {
					where += " · " + ref.Title
				}
				url := ref.OperationURL(o.ID)
				all = append(all, apidocs.Entry{Kind: "Operations", Label: o.Method, Title: o.Summary, Where: where, Text: o.ID, URL: url})
				for _, c := range []*apidocs.Content{o.Result, o.Body} {
					if c == nil || c.Name == "" {
						continue
					}
					for _, field := range c.Fields {
						if key := c.Name + "." + field.Name; !fields[field.Name] && !fields[key] {
							fields[key], fields[field.Name] = true, true
							found = append(found, apidocs.Entry{Kind: "Fields", Label: strings.TrimSuffix(field.Type, " or null"), Title: field.Name, Where: c.Name, Text: short(field.Doc), URL: url + "#" + field.ID})
						}
					}
				}
			}
		}
	}
	all = append(all, found...)
	for _, name := range slices.Sorted(maps.Keys(guides.Codes())) {
		all = append(all, apidocs.Entry{Kind: "Errors", Title: name, Text: short(guides.Codes()[name].When), URL: "/docs/errors#" + name})
	}
	for _, g := range guides.List {
		all = append(all, apidocs.Entry{Kind: "Guides", Title: g.Label, Where: g.Group, Text: g.Summary, URL: g.URL()})
	}
	return all
}

// short returns the first words of HTML as text.
func short(text template.HTML) string {
	const most = 90
	plain := html.UnescapeString(tag().ReplaceAllString(string(text), ""))
	if plain = strings.Join(strings.Fields(plain), " "); len(plain) > most {
		plain = plain[:strings.LastIndexByte(plain[:most], ' ')] + "…"
	}
	return plain
}

var tag = lazy.Regexp(`<[^>]*>`)

// afterFirst starts a new paragraph after the first sentence, which says the most.
func afterFirst(text string) string {
	first, rest, ok := strings.Cut(text, ". ")
	if !ok || strings.Contains(first, "\n\n") {
		return text
	}
	return first + ".\n\n" + rest
}

// paragraphs returns a description as HTML: code in backticks, and words between two stars in bold.
func paragraphs(text string) (all []template.HTML) {
	for part := range strings.SplitSeq(text, "\n\n") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		text := string(code(part))
		for n := 0; strings.Contains(text, "**"); n++ {
			text = strings.Replace(text, "**", []string{"<b>", "</b>"}[n%2], 1)
		}
		all = append(all, template.HTML(text)) //nolint:gosec // code escapes the text
	}
	return all
}

// inLines breaks a long command before its flags.
func inLines(command string) string {
	if len(command) < 60 {
		return command
	}
	parts := strings.Split(command, "'")
	for i := 0; i < len(parts); i += 2 { // the others are quoted
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], " --", " \\\n  --"), " -d", " \\\n  -d")
	}
	return strings.Join(parts, "'")
}

// curl returns a command that sends the request.
func curl(o *apidocs.Operation, withKey bool) string {
	path, query := o.Path, ""
	for _, p := range o.Params {
		value := cmp.Or(p.Example, "…")
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case p.In == "query" && p.Required:
			query += cmp.Or(map[bool]string{true: "?"}[query == ""], "&") + p.Name + "=" + value
		}
	}
	lines := []string{"curl", `"$SLIPWAY` + path + query + `"`}
	if o.Method != http.MethodGet && (o.Method != http.MethodPost || o.Body == nil) { // curl doesn't know
		lines[0] += " -X " + o.Method
	} else if len(o.Path) < 24 {
		lines = []string{strings.Join(lines, " ")}
	}
	if withKey {
		lines = append(lines, `-H "Authorization: Bearer $KEY"`)
	}
	if o.Try.Retries {
		lines = append(lines, `-H "Idempotency-Key: $(uuidgen)"`)
	}
	switch {
	case o.Body == nil:
	case o.Body.Type == "application/json":
		lines = append(lines, `-H "Content-Type: application/json"`, "-d '"+strings.ReplaceAll(o.Body.Example, "'", `'\''`)+"'")
	case o.Body.Type == "application/x-www-form-urlencoded":
		for _, f := range o.Body.Fields {
			if f.Required {
				lines = append(lines, fmt.Sprintf(`--data-urlencode "%s=%s"`, f.Name, cmp.Or(f.Example, "…")))
			}
		}
	default:
		lines = append(lines, `-H "Content-Type: `+o.Body.Type+`"`, "--data-binary @file")
	}
	return strings.Join(lines, " \\\n  ")
}
