package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/yaml"

	"slipway/internal/identity"
	"slipway/internal/platform/rest"
	"slipway/internal/webhooks"
)

// OpenAPI returns the OpenAPI document of /v1. It doesn't need a database.
func OpenAPI() *huma.OpenAPI { return described().OpenAPI() }

// PreviewOpenAPI returns the OpenAPI document of the preview.
func PreviewOpenAPI() *huma.OpenAPI { return described().PreviewOpenAPI() }

// PublicOpenAPI returns the OpenAPI document of the endpoints without an API key.
func PublicOpenAPI() *huma.OpenAPI { return described().PublicOpenAPI() }

// described mounts the features without a database.
func described() *rest.Router {
	f := &features{identity: &identity.API{}, webhooks: webhooks.API{Kinds: Kinds()}}
	return rest.New(rest.Config{Log: slog.New(slog.DiscardHandler), Reference: reference}, f.all()...)
}

// OpenAPIJSON returns the OpenAPI document as it is committed and served.
func OpenAPIJSON(doc *huma.OpenAPI) ([]byte, error) {
	compact, err := compactJSON(doc)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
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

// describe serves the OpenAPI documents, the changelog and the documentation.
func describe(r *rest.Router) {
	r.Handle("/openapi.json", document("application/json", func() ([]byte, error) { return OpenAPIJSON(r.OpenAPI()) }))
	r.Handle("/openapi.yaml", document("application/yaml", func() ([]byte, error) { return openAPIYAML(r.OpenAPI()) }))
	r.Handle("/openapi-preview.json", document("application/json", func() ([]byte, error) { return OpenAPIJSON(r.PreviewOpenAPI()) }))
	r.Handle("/openapi-public.json", document("application/json", func() ([]byte, error) { return OpenAPIJSON(r.PublicOpenAPI()) }))
	serveChangelog(r)
	serveDocs(r)
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
