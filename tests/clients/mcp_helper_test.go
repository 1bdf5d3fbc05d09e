package clients

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slipway/internal/mcp"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

// bearer adds a credential to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// assistant is the SDK's client, connected to a server.
type assistant struct {
	*sdk.ClientSession
	t *testing.T
}

// overHTTP connects with a credential.
func overHTTP(t *testing.T, s *testkit.Server, credential, version string) assistant {
	t.Helper()
	return connect(t, httpTransport(s, credential), version, nil)
}

func httpTransport(s *testkit.Server, credential string) sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: s.URL + mcp.Path, HTTPClient: &http.Client{Transport: bearer(credential)}, DisableStandaloneSSE: true,
	}
}

// overStdio connects like the command does, with the same tools, over a pipe.
func overStdio(t *testing.T, s *testkit.Server, key string, write bool, version string) assistant {
	t.Helper()
	return connect(t, stdioTransport(t, s, key, write), version, nil)
}

func stdioTransport(t *testing.T, s *testkit.Server, key string, write bool) sdk.Transport {
	t.Helper()
	c, err := mcp.Remote(t.Context(), s.URL, key, write)
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { _ = mcp.NewServer(c, "test", nil).Run(ctx, there) }() // ends with the test
	return here
}

func connect(t *testing.T, transport sdk.Transport, version string, options *sdk.ClientOptions) assistant {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return assistant{session, t}
}

// tools returns the names of the tools that are listed.
func (a assistant) tools() (names []string) {
	a.t.Helper()
	found, err := a.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, t := range found.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

// call calls a tool and decodes its result.
func (a assistant) call(name string, args map[string]any) map[string]any {
	a.t.Helper()
	res := a.try(name, args)
	if res.IsError {
		a.t.Fatalf("%s(%v) failed: %s", name, args, textOf(res))
	}
	out := map[string]any{}
	if err := json.Unmarshal([]byte(textOf(res)), &out); err != nil {
		a.t.Fatalf("%s returned %q: %v", name, textOf(res), err)
	}
	structured, err := json.Marshal(res.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	if n := len(structured) + len(textOf(res)); n > 20<<10 {
		a.t.Errorf("%s returned %d bytes, want at most 20 KB", name, n)
	}
	return out
}

func (a assistant) try(name string, args map[string]any) *sdk.CallToolResult {
	a.t.Helper()
	res, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s(%v): %v", name, args, err)
	}
	return res
}

func textOf(res *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func scopes(names string) (all []auth.Scope) {
	for name := range strings.FieldsSeq(names) {
		all = append(all, auth.Scope(name))
	}
	return all
}

// rows returns the rows of a result.
func rows(out map[string]any) (all []map[string]any) {
	list, _ := out["rows"].([]any)
	for _, r := range list {
		all = append(all, r.(map[string]any))
	}
	return all
}
