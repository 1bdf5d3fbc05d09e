package description

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/version"
)

// reference matches an object that only refers to another one.
var reference = regexp.MustCompile(`\{\n *("\$ref": "[^"]*")\n *\}`)

// JSON returns the OpenAPI document as it is committed, for people who review it. A reference
// takes one line.
func JSON(doc *huma.OpenAPI) ([]byte, error) {
	compact, err := compactJSON(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return reference.ReplaceAll(b.Bytes(), []byte("{$1}")), nil
}

// servedJSON returns the document as it is served: without indentation, which would be 43 % of it.
func servedJSON(doc *huma.OpenAPI) ([]byte, error) {
	compact, err := compactJSON(doc)
	return append(compact, '\n'), err
}

// compactJSON encodes the document with its paths in the order of a reader.
func compactJSON(doc *huma.OpenAPI) ([]byte, error) {
	encoded, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return orderPaths(doc, encoded)
}

// openAPIYAML returns the document in the same order as YAML.
func openAPIYAML(doc *huma.OpenAPI) ([]byte, error) {
	compact, err := compactJSON(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = yaml.Convert(&b, bytes.NewReader(compact))
	return b.Bytes(), err
}

// Mount serves the OpenAPI documents, the changelog and the documentation.
func (d *Documents) Mount(r *rest.Router) {
	r.Handle("/openapi.json", d.versions("application/json", servedJSON))
	r.Handle("/openapi.yaml", d.versions("application/yaml", openAPIYAML))
	r.Handle("/openapi-preview.json", document("application/json", func() ([]byte, error) { return servedJSON(d.Preview()) }))
	r.Handle("/openapi-public.json", document("application/json", func() ([]byte, error) { return servedJSON(d.Public()) }))
	d.serveChangelog(r)
	d.serveDocs(r)
}

// Text returns the descriptions of /v1 and of the preview as they are served.
func (d *Documents) Text() (stable, preview []byte, err error) {
	if stable, err = servedJSON(d.Stable()); err != nil {
		return nil, nil, err
	}
	preview, err = servedJSON(d.Preview())
	return stable, preview, err
}

// versions serves the description of /v1 in the version that the query asks for.
func (d *Documents) versions(kind string, render func(*huma.OpenAPI) ([]byte, error)) http.Handler {
	documents, older := map[string]http.Handler{}, map[string]http.Handler{}
	for _, v := range version.Published {
		documents[v.Date] = document(kind, func() ([]byte, error) { return render(At(d.Stable(), v.Date)) })
		older[v.Date] = document("application/json", func() ([]byte, error) { return Downgraded(At(d.Stable(), v.Date)) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		date := version.Latest()
		if asked := req.URL.Query().Get("version"); asked != "" {
			v, err := version.Resolve(asked)
			if err != nil {
				rest.Fail(w, req, fault.BadRequest("version must be a date such as %s.", version.Latest()).Detail("version", "pattern", "must have the form YYYY-MM-DD"))
				return
			}
			date = v
		}
		w.Header().Set("Service-Version", date)
		switch asked := req.URL.Query().Get("openapi"); {
		case asked == "" || asked == d.Stable().OpenAPI:
			documents[date].ServeHTTP(w, req)
		case asked == olderOpenAPI && kind == "application/json":
			older[date].ServeHTTP(w, req)
		default:
			rest.Fail(w, req, fault.BadRequest("openapi must be %s or, for JSON, %s.", d.Stable().OpenAPI, olderOpenAPI).
				Detail("openapi", "enum", "must be %s or %s", d.Stable().OpenAPI, olderOpenAPI))
		}
	})
}

// document serves a document. It is rendered on first use, because that takes
// longer than the rest of startup, and most commands and tests don't need it.
func document(kind string, render func() ([]byte, error)) http.Handler {
	rendered := sync.OnceValues(render)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body, err := rendered()
		if err != nil {
			panic(fmt.Errorf("describe the API: %w", err)) // a bug; the client gets a 500
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(body) // the client might have disconnected
	})
}
