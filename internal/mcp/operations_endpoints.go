package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"slipway/internal/vocab/auth"
)

var operationTools = []tool{
	define(about{"find_operation", "Find an operation", reads, auth.AnyCredential, "Find API operations for what the other tools can't do."}, findOperation),
	define(about{"describe_operation", "Describe an operation", reads, auth.AnyCredential, "Parameters and body of an operation."}, describeOperation),
	define(about{"call_operation", "Call an operation", calls, auth.AnyCredential,
		"Call an operation. Reads return the result. Writes become a proposal that a person approves in the console."}, callOperation),
}

// catalog are the operations of the API, from its description.
type catalog struct {
	mu  sync.Mutex
	ops map[string]*operation // nil until it is read
}

type operation struct {
	*described
	method, path string
	doc          *document
}

func (o *operation) writes() bool { return o.method != http.MethodGet }

// offered reports whether assistants can use the operation. Its route decides.
func (o *operation) offered() bool {
	if o.writes() {
		return o.Assistants == "propose"
	}
	return o.Assistants == "read"
}

// operations returns all operations by ID, including excluded ones. If /v1 and the preview
// share an ID, it means the operation of /v1.
func (c *Caller) operations(ctx context.Context) (map[string]*operation, error) {
	c.catalog.mu.Lock()
	defer c.catalog.mu.Unlock()
	if c.catalog.ops != nil {
		return c.catalog.ops, nil
	}
	all := map[string]*operation{}
	for _, path := range []string{"/openapi.json", "/openapi-preview.json"} {
		doc := &document{}
		if err := c.get(ctx, path, nil, doc); err != nil {
			return nil, err
		}
		for path, item := range doc.Paths {
			for method, o := range item {
				if o != nil && o.OperationID != "" && all[o.OperationID] == nil {
					all[o.OperationID] = &operation{o, strings.ToUpper(method), path, doc}
				}
			}
		}
	}
	c.catalog.ops = all
	return all, nil
}

// reserved returns the name of a field in a body that only people can set, or "".
func (o *operation) reserved(body map[string]any) string {
	if o.RequestBody == nil {
		return ""
	}
	s := o.doc.resolve(o.RequestBody.Content["application/json"].Schema)
	for name := range body {
		if p := s.property(name); p != nil && p.Assistants == never {
			return name
		}
	}
	return ""
}

// operation returns an operation that the caller can use.
func (c *Caller) operation(ctx context.Context, id string) (*operation, error) {
	all, err := c.operations(ctx)
	if err != nil {
		return nil, err
	}
	o := all[id]
	switch {
	case o == nil || !o.offered() || !o.isJSON():
		return nil, fmt.Errorf("there is no operation %q for assistants; search with find_operation", plain(id))
	case !c.can(o.rule()):
		return nil, fmt.Errorf("%s requires the scope %s, which this connection doesn't have", id, o.rule())
	case o.writes() && !c.write:
		return nil, fmt.Errorf("%s writes, and this connection can only read", id)
	}
	return o, nil
}

// show reads a path and returns the response of an operation as tools show it.
func (c *Caller) show(ctx context.Context, id, path string, query url.Values) (any, error) {
	all, err := c.operations(ctx)
	if err != nil {
		return nil, err
	}
	var out any
	if err := c.get(ctx, path, query, &out); err != nil {
		return nil, err
	}
	o := all[id]
	return shown(out, o.result(), o.doc), nil
}

type findOperationIn struct {
	Q string `json:"q" doc:"Words, such as: list appointments."`
}

type foundOperation struct {
	ID      string `json:"operation_id"`
	Summary string `json:"summary"`
	Kind    string `json:"kind"`
}

func findOperation(ctx context.Context, c *Caller, in findOperationIn) (*list[foundOperation], error) {
	all, err := c.operations(ctx)
	if err != nil {
		return nil, err
	}
	type match struct {
		foundOperation
		score int
	}
	var found []match
	for id := range all {
		o, err := c.operation(ctx, id)
		if err != nil {
			continue // the caller can't use it
		}
		k := reads
		if o.writes() {
			k = proposes
		}
		m := match{foundOperation{id, o.Summary, string(k)}, 0}
		words := strings.ToLower(id + " " + o.Summary + " " + o.path)
		for word := range strings.FieldsSeq(strings.ToLower(in.Q)) {
			word = strings.TrimSuffix(word, "s")
			if strings.Contains(words, word) {
				m.score++
			}
			if strings.Contains(strings.ToLower(id), word) {
				m.score++
			}
		}
		if m.score > 0 {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return strings.Compare(a.ID, b.ID)
	})
	var rows []foundOperation
	for _, m := range found {
		rows = append(rows, m.foundOperation)
	}
	return newList(rows, 15, false, "Add words of what you want to do."), nil
}

type describeOperationIn struct {
	ID string `json:"operation_id"`
}

type describedOperation struct {
	ID          string      `json:"operation_id"`
	Kind        kind        `json:"kind"`
	Summary     string      `json:"summary"`
	Description string      `json:"description,omitempty"`
	Parameters  []parameter `json:"parameters"`
	Body        any         `json:"body,omitempty"`

	brief func(depth int) any
	depth int
}

// shrink describes the body less deeply.
func (d *describedOperation) shrink() bool {
	if d.depth == 0 || d.brief == nil {
		return false
	}
	d.depth--
	d.Body = d.brief(d.depth)
	return true
}

type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Required    bool   `json:"required,omitempty"`
	Description string `json:"description,omitempty"`
	Enum        []any  `json:"enum,omitempty"`
}

func describeOperation(ctx context.Context, c *Caller, in describeOperationIn) (*describedOperation, error) {
	o, err := c.operation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	d := &describedOperation{ID: in.ID, Kind: reads, Summary: o.Summary, Description: cut(o.Description, 1000), Parameters: []parameter{}, depth: 3}
	if o.writes() {
		d.Kind = proposes
	}
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = o.doc.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
		}
		if p == nil || p.In != "path" && p.In != "query" {
			continue
		}
		one := parameter{Name: p.Name, In: p.In, Required: p.Required, Description: cut(p.Description, 200)}
		if s := o.doc.resolve(p.Schema); s != nil {
			one.Enum = s.Enum
		}
		d.Parameters = append(d.Parameters, one)
	}
	if o.RequestBody != nil {
		d.brief = func(depth int) any { return o.doc.brief(o.RequestBody.Content["application/json"].Schema, depth) }
		d.Body = d.brief(d.depth)
	}
	return d, nil
}

type callOperationIn struct {
	ID     string            `json:"operation_id"`
	Path   map[string]string `json:"path,omitempty" doc:"Path parameters."`
	Query  map[string]string `json:"query,omitempty" doc:"Query parameters."`
	Body   map[string]any    `json:"body,omitempty"`
	Reason string            `json:"reason,omitempty" doc:"For a write: why, for the person who decides."`
}

type called struct {
	anyView
	Proposal *proposed `json:"proposal,omitempty"`
}

func (c *called) proposal() *proposed { return c.Proposal }

func callOperation(ctx context.Context, c *Caller, in callOperationIn) (*called, error) {
	o, err := c.operation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if o.writes() {
		if name := o.reserved(in.Body); name != "" {
			return nil, fmt.Errorf("%s can't be set by assistants", name)
		}
		p, err := c.propose(ctx, proposal{in.ID, in.Path, in.Query, in.Body, in.Reason})
		return &called{Proposal: p}, err
	}

	path := o.path
	for name, value := range in.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	if strings.Contains(path, "{") || strings.Contains(path, "/../") {
		return nil, errors.New("path must have the path parameters of the operation; see describe_operation")
	}
	query := url.Values{}
	for name, value := range in.Query {
		query.Set(name, value)
	}
	if n, err := strconv.Atoi(query.Get("limit")); err == nil && n > maxRows {
		query.Set("limit", strconv.Itoa(maxRows))
	}
	result, err := c.show(ctx, in.ID, path, query)
	return &called{anyView: anyView{Result: result}}, err
}
