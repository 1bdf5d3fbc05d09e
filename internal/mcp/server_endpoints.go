package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// finishFor is how long running calls can take after the input has ended. It is longer than
// the timeout of a request to the API.
const finishFor = 40 * time.Second

// Stdio returns a transport over an input and an output, for one assistant. When the input
// ends, running calls are finished, and their results are written.
func Stdio(in io.Reader, out io.Writer) sdk.Transport {
	return stdio{&sdk.IOTransport{Reader: io.NopCloser(in), Writer: nopWriteCloser{out}}}
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }

type stdio struct{ sdk.Transport }

// Connect implements the interface of the SDK.
func (t stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &finishing{Connection: c, running: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}, err
}

// finishing is a connection whose input ends when all calls are answered. Otherwise the SDK
// would cancel the ones that run.
type finishing struct {
	sdk.Connection

	mu       sync.Mutex
	running  map[jsonrpc.ID]bool
	answered chan struct{}
	close    sync.Once
	closed   chan struct{}
}

// Read returns the next message.
func (f *finishing) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := f.Connection.Read(ctx)
	if err != nil {
		f.finish(ctx)
		return m, err
	}
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		f.mu.Lock()
		f.running[call.ID] = true
		f.mu.Unlock()
	}
	return m, nil
}

// finish waits until all calls are answered.
func (f *finishing) finish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, finishFor)
	defer cancel()
	for {
		f.mu.Lock()
		n := len(f.running)
		f.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-f.answered:
		case <-f.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write sends a message.
func (f *finishing) Write(ctx context.Context, m jsonrpc.Message) error {
	err := f.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		f.mu.Lock()
		delete(f.running, r.ID)
		f.mu.Unlock()
		select {
		case f.answered <- struct{}{}:
		default: // finish has not seen the last one yet
		}
	}
	return err
}

// Close ends the connection, and doesn't wait.
func (f *finishing) Close() error {
	f.close.Do(func() { close(f.closed) })
	return f.Connection.Close()
}
