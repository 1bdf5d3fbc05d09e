package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// runOperation runs the command of an operation.
func runOperation(ctx context.Context, s *Session, c command, args []string) error {
	p, err := parseFlags(args, c.specs(), c.line())
	if err != nil {
		return err
	}
	if p.has("help") {
		return printHelp(s.Out, c)
	}
	out, err := newPrinter(s, p, c.line())
	if err != nil {
		return err
	}
	client, err := s.connect(p)
	if err != nil {
		return err
	}
	out.client = client

	call := operationCall{s: s, command: c, parsed: p, client: client, out: out}
	if call.usesPreview() {
		if err := call.checkPreview(); err != nil {
			return err
		}
		call.Operation = c.next
	}
	out.result = strings.TrimPrefix(call.Result, "Preview")
	r, err := call.request(ctx)
	if err != nil {
		return err
	}
	if call.writes() {
		if err := s.confirm(client, call.Verb+" "+r.Path, p.isOn("yes"), c.line()); err != nil {
			return err
		}
	}
	return call.run(ctx, r)
}

// operationCall is one run of a command.
type operationCall struct {
	command
	parsed
	s      *Session
	client *Client
	out    *printer
	ids    map[string]string // values of the path

	newest string          // delivery before a replay
	dead   map[string]bool // dead letters before they are drained
}

// usesPreview reports whether the command line has a flag that only the preview has.
func (c *operationCall) usesPreview() bool {
	_, preview := c.command.flags()
	return c.next != nil && (c.isOn("preview") || slices.ContainsFunc(preview, func(p Param) bool { return c.has(p.flag()) }))
}

// checkPreview returns an error for a flag that the preview doesn't have. To ignore it would
// change something else than the user asked for.
func (c *operationCall) checkPreview() error {
	for _, p := range c.Params {
		known := slices.ContainsFunc(c.next.Params, func(n Param) bool { return n.Name == p.Name && n.isFlag() })
		if p.isFlag() && c.has(p.flag()) && !known {
			return &UsageError{fmt.Sprintf("the preview has no flag --%s. Send what it has instead with --data, or leave out --preview and the flags that are only in the preview", p.flag()), c.line()}
		}
	}
	return nil
}

// request builds the request of the command line.
func (c *operationCall) request(ctx context.Context) (r Request, err error) {
	r = Request{Verb: c.Verb, Path: c.Path, Query: url.Values{}, Header: http.Header{}}
	if !c.Preview {
		r.Header.Set("Service-Version", apiVersion)
	}
	if err := c.arguments(ctx, &r); err != nil {
		return r, err
	}
	for _, p := range c.Params {
		if p.In == inQuery && c.has(p.flag()) {
			text, err := c.resolve(ctx, p, strings.Join(c.parsed.flags[p.flag()], ","))
			if err != nil {
				return r, err
			}
			if c.Preview && (p.Name == "price_min" || p.Name == "price_max") {
				text += "00" // in cents
			}
			r.Query.Set(p.Name, text)
		}
	}
	for _, name := range []string{"limit", "starting-after", "ending-before"} {
		if c.List && c.has(name) {
			r.Query.Set(strings.ReplaceAll(name, "-", "_"), c.last(name))
		}
	}
	if c.has("idempotency-key") {
		r.Header.Set("Idempotency-Key", c.last("idempotency-key"))
	}
	if proof := c.s.Getenv(mfaToken); proof != "" && c.Proof {
		r.Header.Set("MFA-Token", proof)
	}
	if c.has("if-version") {
		r.Header.Set("If-Match", strconv.Quote(strings.Trim(c.last("if-version"), `"`)))
	}
	if c.Body {
		r.JSON, err = c.body(ctx)
	}
	return r, err
}

// arguments fills in the path. The last argument of an upload is the file.
func (c *operationCall) arguments(ctx context.Context, r *Request) error {
	wanted := c.command.arguments()
	names := []string{}
	for _, p := range wanted {
		names = append(names, p.flag())
	}
	if len(c.Files) > 0 {
		names = append(names, "file")
	}
	switch {
	case len(c.args) < len(names):
		return &UsageError{fmt.Sprintf("expected \"<%s>\"", strings.Join(names[len(c.args):], "> <")), c.line()}
	case len(c.args) > len(names):
		return &UsageError{"unexpected argument " + c.args[len(names)], c.line()}
	}

	c.ids = map[string]string{}
	for i, p := range wanted {
		id, err := c.resolve(ctx, p, c.args[i])
		if err != nil {
			return err
		}
		if p.In == inQuery {
			r.Query.Set(p.Name, id)
			continue
		}
		if strings.Trim(id, ".") == "" { // it would address another resource
			return &UsageError{fmt.Sprintf("%s is %q", p.flag(), id), c.line()}
		}
		c.ids[p.Name] = id
		r.Path = strings.ReplaceAll(r.Path, "{"+p.Name+"}", url.PathEscape(id))
	}
	return nil
}

// body merges the JSON and the flags. Without both, there is no body.
func (c *operationCall) body(ctx context.Context) ([]byte, error) {
	var fields map[string]any
	if c.has("data") {
		text, err := readData(c.s.In, c.last("data"))
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&fields); err != nil || fields == nil {
			return nil, &UsageError{fmt.Sprintf("--data is not a JSON object: %v", err), c.line()}
		}
	}
	set := func(name string, value any) {
		if fields == nil {
			fields = map[string]any{}
		}
		fields[name] = value
	}
	if c.asksForCode() && !c.has("data") {
		code, err := c.s.Ask("Two-factor code: ")
		if err != nil {
			return nil, err
		}
		if code != "" { // without one, a security key gets its challenge
			set("code", code)
		}
	}
	for _, p := range c.Params {
		proof := c.s.Getenv(mfaToken)
		switch {
		case p.In != inBody:
		case p.Name == "mfa_token" && proof != "" && fields["mfa_token"] == nil:
			set(p.Name, proof)
		case c.has(p.flag()):
			value, err := c.value(ctx, p)
			if err != nil {
				return nil, err
			}
			set(p.Name, value)
		}
	}
	if fields == nil {
		return nil, nil
	}
	return json.Marshal(fields)
}

// value returns the JSON value of a flag. The server validates it. null clears a field.
func (c *operationCall) value(ctx context.Context, p Param) (any, error) {
	text := c.last(p.flag())
	if p.Null && text == "null" {
		return nil, nil
	}
	switch p.Type {
	case "boolean":
		return text != "false", nil
	case "number":
		if json.Valid([]byte(text)) {
			return json.Number(text), nil
		}
		return text, nil
	case "list":
		list := []string{}
		for _, part := range c.parsed.flags[p.flag()] {
			for item := range strings.SplitSeq(part, ",") {
				if item = strings.TrimSpace(item); item != "" {
					list = append(list, item)
				}
			}
		}
		return list, nil
	}
	return c.resolve(ctx, p, text)
}

// readData reads a body: JSON, @FILE, or - for stdin.
func readData(in io.Reader, data string) ([]byte, error) {
	if data == "-" {
		return io.ReadAll(in)
	}
	if file, ok := strings.CutPrefix(data, "@"); ok {
		return os.ReadFile(file)
	}
	return []byte(data), nil
}

// run sends the request and prints the response.
func (c *operationCall) run(ctx context.Context, r Request) error {
	switch {
	case c.getsCSV():
		r.Header.Set("Accept", "text/csv")
		return download(ctx, c.s, c.client, r, c.last("save"))
	case c.Download:
		return download(ctx, c.s, c.client, r, c.last("save"))
	case len(c.Files) > 0:
		file, err := openUpload(c.s, c.args[len(c.args)-1], c.Files)
		if err != nil {
			return err
		}
		defer file.Close()
		r.File, r.Size = file, file.size
		r.Header.Set("Content-Type", file.mediaType)
	case c.List:
		return c.list(ctx, r)
	}

	wait := waits[background[c.ID]]
	if !c.isOn("wait") && (!c.s.Interactive || c.has("wait")) {
		wait = nil
	}
	if wait != nil {
		if err := c.prepareWait(ctx); err != nil {
			return err
		}
	}
	res, err := c.client.Send(ctx, r)
	if err != nil {
		return err
	}
	if wait == nil {
		return c.out.object(ctx, res.Text)
	}
	text, problem := wait(ctx, c, res.Text)
	if text == nil {
		return problem
	}
	if err := c.out.object(ctx, text); err != nil {
		return err
	}
	return problem
}

// getsCSV reports whether to get the CSV of the server, and not to make one of the JSON.
func (c *operationCall) getsCSV() bool {
	return c.CSV && (c.has("save") || c.out.format == "csv" && c.out.jq == "" || c.has("table") && !c.has("output"))
}

// list prints a page, or all of them.
func (c *operationCall) list(ctx context.Context, r Request) error {
	limit := 0
	if c.has("limit") {
		n, err := strconv.Atoi(c.last("limit"))
		if err != nil || n < 1 {
			return &UsageError{"--limit must be a number from 1", c.line()}
		}
		limit, c.out.limit = n, n
		r.Query.Set("limit", strconv.Itoa(min(n, maxPage)))
	} else if c.readsAll() {
		r.Query.Set("limit", strconv.Itoa(maxPage))
	}

	named, names := c.withNames(r)
	for len(names) > 0 {
		named.Query.Set("expand", strings.Join(names, ","))
		err := c.pages(ctx, named, limit)
		denied := deniedName(err, names)
		if denied < 0 {
			return err
		}
		names = slices.Delete(names, denied, denied+1)
	}
	return c.pages(ctx, r, limit)
}

// readsAll reports whether the command reads all pages. An export does, unless it has a limit:
// no one notices that a file is incomplete. Pages before a cursor are read one at a time.
func (c *operationCall) readsAll() bool {
	return c.isOn("all") || c.out.isExport() && !c.has("limit") && !c.has("ending-before")
}

// pages prints the pages of a list until the limit.
func (c *operationCall) pages(ctx context.Context, r Request, limit int) error {
	if !c.readsAll() && limit <= maxPage {
		res, err := c.client.Send(ctx, r)
		if err != nil {
			return err
		}
		return c.out.page(ctx, res.Text)
	}

	var items []json.RawMessage
	err := eachPage(ctx, c.client, r, func(page []json.RawMessage) (bool, error) {
		if limit == 0 && c.out.streams() {
			return true, c.out.items(ctx, page)
		}
		items = append(items, page...)
		return limit == 0 || len(items) <= limit, nil // one more shows that there are more
	})
	if err != nil || limit == 0 && c.out.streams() {
		return err
	}
	more := limit > 0 && len(items) > limit
	if more {
		items = items[:limit]
	}
	text, err := json.Marshal(map[string]any{"data": append([]json.RawMessage{}, items...), "has_more": more})
	if err != nil {
		return err
	}
	return c.out.page(ctx, text)
}

// maxPage is the largest page of the API.
const maxPage = 100

// eachPage requests the pages of a list until fn returns false.
func eachPage(ctx context.Context, client *Client, r Request, fn func(page []json.RawMessage) (bool, error)) error {
	query := maps.Clone(r.Query)
	for {
		r.Query = query
		res, err := client.Send(ctx, r)
		if err != nil {
			return err
		}
		var page struct {
			Data       []json.RawMessage
			HasMore    bool   `json:"has_more"`
			NextCursor string `json:"next_cursor"`
		}
		if err := json.Unmarshal(res.Text, &page); err != nil {
			return err
		}
		more, err := fn(page.Data)
		if err != nil || !more || !page.HasMore || page.NextCursor == "" {
			return err
		}
		query.Set("starting_after", page.NextCursor)
	}
}
