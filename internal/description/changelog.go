package description

import (
	"cmp"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/pages"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/version"
)

// Changelog is what each version of the API added, and what is in the preview.
type Changelog struct {
	Versions []ChangelogVersion `json:"versions"` // the newest first
	Preview  []PreviewOperation `json:"preview"`
}

// ChangelogVersion is a version of the API.
type ChangelogVersion struct {
	Date   string   `json:"date"`
	Adds   []string `json:"adds"`   // sentences, with names in backticks
	Fields []string `json:"fields"` // such as Deal.taxes
	Events []string `json:"events"`
}

// PreviewOperation is an operation of the preview.
type PreviewOperation struct {
	Operation  string `json:"operation"`
	Method     string `json:"method"`
	Path       string `json:"path"`
	Summary    string `json:"summary"`
	Entered    string `json:"entered"`
	Promotes   string `json:"promotes"`
	Deprecated bool   `json:"deprecated"`
}

// changelogOf lists what the descriptions say about versions and the preview.
func changelogOf(d *Documents) (c Changelog) {
	c.Preview = []PreviewOperation{}
	for _, v := range slices.Backward(version.Published) {
		c.Versions = append(c.Versions, ChangelogVersion{v.Date, v.Adds, fieldsSince(d.Stable(), v.Date), d.eventsSince(v.Date)})
	}
	for _, item := range d.Preview().Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o != nil {
				entered, _ := o.Extensions["x-preview-entered"].(string)
				promotes, _ := o.Extensions["x-preview-promotes"].(string)
				c.Preview = append(c.Preview, PreviewOperation{o.OperationID, o.Method, o.Path, o.Summary, entered, promotes, o.Deprecated})
			}
		}
	}
	slices.SortFunc(c.Preview, func(a, b PreviewOperation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return c
}

// fieldsSince returns the properties that a version added. The first version added
// all others, which are not listed.
func fieldsSince(doc *huma.OpenAPI, date string) []string {
	fields := []string{}
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas.Map())) {
		properties := doc.Components.Schemas.Map()[name].Properties
		for _, property := range slices.Sorted(maps.Keys(properties)) {
			if properties[property].Extensions[version.Extension] == date {
				fields = append(fields, name+"."+property)
			}
		}
	}
	return fields
}

// eventsSince returns the event types that a version added.
func (d *Documents) eventsSince(date string) []string {
	types := []string{}
	stable, _, _ := d.router.Surfaces()
	for _, w := range stable.Webhooks {
		if w.Since == date {
			types = append(types, w.Name)
		}
	}
	slices.Sort(types)
	return types
}

var changelogPage = pages.NewPage(`
<h1>API changelog</h1>
<p>New versions only add things. Send a date in the header <code>Service-Version</code> to use the API as it was on that day.</p>
{{range .Versions}}
<h2 id="{{.Date}}">{{.Date}}</h2>
<ul class="changes">{{range .Adds}}<li>{{code .}}</li>{{end}}</ul>
{{if .Fields}}<details><summary>{{len .Fields}} fields{{if .Events}} and {{len .Events}} events{{end}}</summary>
<ul class="changes">{{range .Fields}}<li><code>{{.}}</code></li>{{end}}{{range .Events}}<li><code>{{.}}</code></li>{{end}}</ul></details>{{end}}
{{end}}
<h2 id="preview">Preview</h2>
<p>These operations can still change. Each can become stable 90 days after it entered the preview.</p>
<ul class="changes">{{range .Preview}}
<li><code>{{.Method}} {{.Path}}</code>{{if .Deprecated}} <span class="tag amber">Deprecated</span>{{end}}<br>{{.Summary}}. Stable on {{.Promotes}} or later.</li>{{end}}
</ul>
<p class="links"><a href="/changelog.json">This page as JSON</a></p>`, template.FuncMap{"code": code})

// code returns a sentence with the names in backticks as code.
func code(sentence string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(sentence, "`") {
		text := template.HTMLEscapeString(part)
		if i%2 == 1 {
			text = "<code>" + text + "</code>"
		}
		b.WriteString(text)
	}
	return template.HTML(b.String()) //nolint:gosec // the parts are escaped
}

// serveChangelog serves the changelog as a page and as JSON.
func (d *Documents) serveChangelog(r *rest.Router) {
	changes := sync.OnceValue(func() Changelog { return changelogOf(d) })
	r.Handle("/changelog.json", document("application/json", func() ([]byte, error) {
		text, err := json.MarshalIndent(changes(), "", "  ")
		return append(text, '\n'), err
	}))
	r.Handle("/changelog", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		changelogPage.Render(w, http.StatusOK, "API changelog", changes(), pages.Wide)
	}))
}
