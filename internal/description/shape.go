package description

import (
	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
)

// convertToPreview changes a document of operations that are written in the language of /v1
// to the language of the preview.
func convertToPreview(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas
	rest.ConvertSchemas(schemas)
	for op := range operationsOf(doc) {
		op.Summary, op.Description = rest.PreviewText(op.Summary), rest.PreviewText(op.Description)
		if op.RequestBody != nil {
			for _, content := range op.RequestBody.Content {
				rest.ConvertSchema(schemas, content.Schema)
			}
		}
		for _, response := range op.Responses {
			for _, content := range response.Content {
				rest.ConvertSchema(schemas, content.Schema)
			}
		}
		for _, p := range op.Parameters {
			p.Description = rest.PreviewText(p.Description)
		}
	}
}
