package description

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/api"
	"slipway/internal/cli"
)

// codeSample is a sample of x-codeSamples, an extension that tools share.
type codeSample struct {
	Lang   string `json:"lang"`
	Label  string `json:"label"`
	Source string `json:"source"`
}

// forReference returns a document as the reference page shows it: with samples, and without
// the responses that operations share, which are the errors. The page with the errors
// describes them. The reference page needs a fifth less time without them: an operation
// has up to nine. prefix starts the names of the samples.
func forReference(doc *huma.OpenAPI, prefix string) ([]byte, error) {
	var samples map[string]struct{ Go, TypeScript string }
	if err := json.Unmarshal(api.Samples, &samples); err != nil {
		return nil, err
	}

	shown := *doc
	shown.Paths = map[string]*huma.PathItem{}
	for path, item := range doc.Paths {
		copied := *item
		shown.Paths[path] = &copied
		for _, o := range []**huma.Operation{&copied.Get, &copied.Post, &copied.Put, &copied.Patch, &copied.Delete} {
			if *o == nil {
				continue
			}
			operation := **o
			operation.Responses = maps.Clone(operation.Responses)
			maps.DeleteFunc(operation.Responses, func(_ string, res *huma.Response) bool { return res.Ref != "" })

			name := prefix + operation.OperationID
			operation.Extensions = maps.Clone(operation.Extensions)
			if operation.Extensions == nil {
				operation.Extensions = map[string]any{}
			}
			operation.Extensions["x-codeSamples"] = []codeSample{
				{"Command line", "Command line", inLines(cli.Example(name))}, {"go", "Go", samples[name].Go}, {"TypeScript", "TypeScript", samples[name].TypeScript},
			}
			*o = &operation
		}
	}
	return compactJSON(&shown)
}

// inLines breaks a long command before its flags.
func inLines(command string) string {
	if len(command) < 80 {
		return command
	}
	parts := strings.Split(command, "'")
	for i := 0; i < len(parts); i += 2 { // the others are quoted
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], " --", " \\\n  --"), " -d", " \\\n  -d")
	}
	return strings.Join(parts, "'")
}
