package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// The rate of the calls, and the goal for what they leave behind.
const (
	toolRate      = 10 // per second
	maxToolGrowth = 5 << 20
)

// toolCalls are the calls of the tools. All of them read.
var toolCalls = []struct {
	name string
	args map[string]any
}{
	{"find_boats", map[string]any{"q": "grady", "limit": 50}},
	{"find_people", map[string]any{"q": "bell"}},
	{"list_leads", map[string]any{}},
	{"list_deals", map[string]any{}},
	{"quote_payment", map[string]any{"price_usd": 124900, "apr_percent": "7.49", "terms": []int{120, 180, 240}}},
	{"what_happened", map[string]any{"limit": 20}},
	{"report", map[string]any{"report": "inventory"}},
	{"find_operation", map[string]any{"q": "list appointments"}},
	{"describe_operation", map[string]any{"operation_id": "updateHull"}},
	{"call_operation", map[string]any{"operation_id": "listHulls", "query": map[string]any{"limit": "20"}}},
}

// assisted is a server before and after calls of assistants.
type assisted struct {
	calls         int
	before, after memory
	took          []time.Duration
}

// assistants measures the memory that calls of assistants leave behind. The first calls are
// a warm-up: they read the description of the API, and the heap reaches its usual size.
func assistants(ctx context.Context, o options, r *report) (err error) {
	s, err := openReal(ctx, o, "mcp", false)
	if s != nil && s.process != nil {
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if err != nil {
		return err
	}
	for i := range toolCalls {
		if err := s.tryTool(ctx, i); err != nil {
			return err
		}
	}

	length := 20 * o.length()
	var result assisted
	for _, part := range []struct {
		name string
		into *memory
	}{{"warm-up", &result.before}, {"measured", &result.after}} {
		progress("mcp: %s of calls (%s), then %s without requests", length, part.name, rest)
		out := offer(ctx, toolRate, length, s.anyTool)
		if err := ctx.Err(); err != nil {
			return err
		}
		if out.failures > 0 || len(out.rejected) > 0 {
			return fmt.Errorf("%d calls failed and %d were rejected: %s", out.failures, len(out.rejected), out.failure)
		}
		openClient.CloseIdleConnections() // each has buffers
		if err := pause(ctx, rest); err != nil {
			return err
		}
		*part.into, result.calls, result.took = s.memory(), len(out.accepted), out.accepted
	}
	r.assisted = append(r.assisted, result)
	return nil
}

func (s *realServer) anyTool(ctx context.Context) (*http.Request, error) {
	return s.callTool(ctx, rand.IntN(len(toolCalls)))
}

// callTool returns a call with a key of the test environment, because /mcp accepts no others.
func (s *realServer) callTool(ctx context.Context, i int) (*http.Request, error) {
	req, err := newJSON(ctx, http.MethodPost, s.base+"/mcp", "Bearer "+s.testKey, map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": toolCalls[i].name, "arguments": toolCalls[i].args},
	})
	if err == nil {
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	return req, err
}

// tryTool fails if the tool fails. The status of the response doesn't show that.
func (s *realServer) tryTool(ctx context.Context, i int) error {
	req, err := s.callTool(ctx, i)
	if err != nil {
		return err
	}
	text, err := send(req, http.StatusOK)
	if err == nil && (!strings.Contains(string(text), `"structuredContent"`) || strings.Contains(string(text), `"isError":true`)) {
		err = fmt.Errorf("%s: %.300s", toolCalls[i].name, text)
	}
	return err
}

func (a assisted) growth() int64 { return a.after.private - a.before.private }

func (a assisted) meets() bool { return a.growth() < maxToolGrowth }

func (r *report) assistedTable() table {
	t := table{
		title: "Assistants",
		note: fmt.Sprintf("A server on SQLite before and after calls of MCP tools, %d per second, of ten tools that read. Memory is in "+
			"megabytes, without the pages of files, %.0f s after the last call. The first measurement is after as many calls, because they fill the "+
			"caches. Latency is in milliseconds. Goal: it grows by less than %d MB.", toolRate, rest.Seconds(), maxToolGrowth>>20),
		columns: []string{"calls", "p50", "p99", "before MB", "after MB", "growth MB", "goal"},
	}
	for _, a := range r.assisted {
		t.rows = append(t.rows, []string{
			fmt.Sprint(a.calls), ms(quantile(a.took, 0.5)), ms(quantile(a.took, 0.99)), megabytes(a.before.private), megabytes(a.after.private),
			fmt.Sprintf("%.1f", float64(a.growth())/(1<<20)), mark(a.meets()),
		})
	}
	return t
}
