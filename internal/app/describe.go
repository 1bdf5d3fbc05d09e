package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/access"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/reference"
	"slipway/internal/rest"
)

// OpenAPI describes the API. It needs no database.
func OpenAPI() *huma.OpenAPI {
	return rest.New(rest.Config{Log: slog.New(slog.DiscardHandler)}, &hulls.API{}, &dealership.API{}, &access.API{}).OpenAPI()
}

// OpenAPIJSON is the description as it is committed and served.
func OpenAPIJSON(doc *huma.OpenAPI) ([]byte, error) {
	compact, err := json.Marshal(doc)
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

// describe serves the description and the reference page.
func describe(r *rest.Router) error {
	asJSON, err := OpenAPIJSON(r.OpenAPI())
	if err != nil {
		return fmt.Errorf("describe the API: %w", err)
	}
	asYAML, err := r.OpenAPI().YAML()
	if err != nil {
		return fmt.Errorf("describe the API: %w", err)
	}
	r.Handle("/openapi.json", static("application/json", asJSON))
	r.Handle("/openapi.yaml", static("application/yaml", asYAML))
	docs := reference.Handler("/openapi.json")
	r.Handle("/docs", docs)
	r.Handle("/docs/*", docs)
	r.Handle("/", http.RedirectHandler("/docs", http.StatusFound))
	return nil
}

func static(kind string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(body) // a caller who hung up is not our error
	})
}
