package description

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/api"
	"slipway/internal/platform/rest"
)

// addSentences completes the description. The parameters must not be shared yet.
func addSentences(doc *huma.OpenAPI) {
	rest.AddSentences(doc.Components.Schemas)
	for name, s := range doc.Components.Schemas.Map() {
		if s.Properties["has_more"] != nil && strings.HasPrefix(name, "Page") {
			s.Description = "One page of a list, with the cursors of the pages next to it."
		}
	}
	examples := parseExamples(api.Examples)
	for op := range operationsOf(doc) {
		describeForm(op)
		id := op.OperationID
		if strings.HasPrefix(op.Path, rest.PreviewPath) { // where the same IDs have other schemas
			id = "preview." + id
		}
		examples[id].addTo(op)
	}
}

// describeForm copies the descriptions of parameters to the fields of a form that
// have the same names.
func describeForm(op *huma.Operation) {
	if op.RequestBody == nil || op.RequestBody.Content["multipart/form-data"] == nil {
		return
	}
	fields := op.RequestBody.Content["multipart/form-data"].Schema.Properties
	for _, p := range op.Parameters {
		if f := fields[p.Name]; f != nil && f.Description == "" {
			f.Description = p.Description
		}
	}
}
