package description

import (
	"encoding/json"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// Example is a request and a response of an operation.
type Example struct {
	RequestType  string          `json:"request_type,omitempty"` // "" for JSON
	Request      json.RawMessage `json:"request,omitempty"`
	ResponseType string          `json:"response_type,omitempty"`
	Response     json.RawMessage `json:"response,omitempty"`
}

// parseExamples reads examples by operation ID.
func parseExamples(text []byte) map[string]Example {
	var all map[string]Example
	if err := json.Unmarshal(text, &all); err != nil {
		panic("description: examples: " + err.Error()) // the file is part of the program
	}
	return all
}

// addTo adds the example to the description of its operation.
func (e Example) addTo(op *huma.Operation) {
	if op.RequestBody != nil {
		setExample(op.RequestBody.Content, e.RequestType, e.Request)
	}
	if res := op.Responses[strconv.Itoa(op.DefaultStatus)]; res != nil {
		setExample(res.Content, e.ResponseType, e.Response)
	}
}

func setExample(content map[string]*huma.MediaType, mediaType string, example json.RawMessage) {
	if mediaType == "" {
		mediaType = "application/json"
	}
	if m := content[mediaType]; m != nil && example != nil {
		m.Example = example
	}
}
