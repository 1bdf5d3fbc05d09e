package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slipway/internal/vocab/auth"
)

// tool is a tool with the scopes that it requires.
type tool struct {
	name string
	need auth.Rule
	kind kind
	add  func(s *sdk.Server, c *Caller)
}

// tools lists all tools in the order of the documentation.
var tools = slices.Concat(boatTools, peopleTools, dealTools, officeTools, proposalTools, operationTools)

// ToolNames returns the names of all tools.
func ToolNames() (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}

// offered reports whether a caller can use a tool.
func (t tool) offered(c *Caller) bool {
	return c.can(t.need) && (c.write || t.kind == reads || t.kind == calls)
}

var schemas = sdk.NewSchemaCache()

// NewServer returns a server with the tools that the caller can use.
func NewServer(c *Caller, build string, log *slog.Logger) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "slipway", Title: "Slipway", Version: build}, &sdk.ServerOptions{
		Instructions: instructions, Logger: log, SchemaCache: schemas,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	for _, t := range tools {
		if t.offered(c) {
			t.add(s, c)
		}
	}
	return s
}

// define describes a tool. Its arguments and its result are structs.
// about is what a client sees of a tool, and who can use it.
type about struct {
	name, title string
	kind        kind
	need        auth.Rule
	description string
}

func define[In, Out any](about about, do func(ctx context.Context, c *Caller, in In) (Out, error)) tool {
	describe := sync.OnceValues(func() (in, out *jsonschema.Schema) {
		return inputSchema(reflect.TypeFor[In]()), outputSchema(reflect.TypeFor[Out]())
	})
	return tool{about.name, about.need, about.kind, func(s *sdk.Server, c *Caller) {
		in, out := describe()
		t := &sdk.Tool{
			Name: about.name, Description: about.description, InputSchema: in, OutputSchema: out,
			Annotations: &sdk.ToolAnnotations{
				Title: about.title, ReadOnlyHint: about.kind == reads || about.kind == calls && !c.write, DestructiveHint: new(false), OpenWorldHint: new(false),
			},
		}
		sdk.AddTool(s, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (_ *sdk.CallToolResult, result any, err error) {
			defer func() {
				if p := recover(); p != nil { // the SDK doesn't run tools in the goroutine of the request
					slog.ErrorContext(ctx, "panic", "tool", about.name, "panic", fmt.Sprint(p))
					err = errors.New("something went wrong on our side")
				}
			}()
			out, err := do(withState(ctx, req.Params.RequestState), c, in)
			if err != nil {
				return nil, nil, err
			}
			if ask := askToOpen(req, out); ask != nil {
				return ask, nil, nil
			}
			result, err = fit(out)
			return nil, result, err
		})
	}}
}

// fit encodes a result, without the last rows if it would be too large.
func fit(out any) (json.RawMessage, error) {
	for {
		encoded, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		quoted, err := json.Marshal(string(encoded))
		if err != nil {
			return nil, err
		}
		if len(encoded)+len(quoted)+500 <= maxBytes {
			return encoded, nil
		}
		if s, ok := out.(interface{ shrink() bool }); !ok || !s.shrink() {
			return nil, errors.New("the result is too large; narrow the request")
		}
	}
}
