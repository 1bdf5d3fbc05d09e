package clients

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"slipway/internal/mcp"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Calls that run when the assistant closes the input are finished.
func TestStdioFinishesCalls(t *testing.T) {
	s := testkit.OnSQLite(t)
	s.Test.Hull(s.Test.Location(), nil)
	target, err := url.Parse(s.URL)
	assert.NoError(t, err)
	arrived, closed := make(chan struct{}, 4), make(chan struct{})
	proxy := httputil.NewSingleHostReverseProxy(target)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/me" {
			arrived <- struct{}{}
			<-closed
		}
		proxy.ServeHTTP(w, r)
	}))
	defer slow.Close()
	caller, err := mcp.Remote(t.Context(), slow.URL, s.Test.Key, false)
	assert.NoError(t, err)

	in, assistant := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- mcp.NewServer(caller, "test", nil).Run(t.Context(), mcp.Stdio(in, &out)) }()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find_boats","arguments":{}}}`,
	} {
		_, err := io.WriteString(assistant, line+"\n")
		assert.NoError(t, err)
	}
	<-arrived
	assert.NoError(t, assistant.Close())
	close(closed)
	<-ended
	assert.Contains(t, out.String(), `"id":2,"result"`)
	assert.Contains(t, out.String(), "Freedom 235")
}
