package cli

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// titleOf returns what people call an object.
func titleOf(v map[string]any) string {
	join := func(names ...string) string {
		var parts []string
		for _, name := range names {
			if text := plainText(v[name]); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, " ")
	}
	if v["make"] != nil && v["model"] != nil {
		return join("year", "make", "model")
	}
	if person := join("first_name", "last_name"); person != "" {
		return person
	}
	for _, name := range []string{"label", "name", "company_name", "title", "email", "id"} {
		if text, ok := v[name].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

// nameLists are lists that are short enough to read for the names of a table, by the prefix
// of their IDs.
var nameLists = map[string]string{"loc_": "/v1/locations", "usr_": "/v2-preview/directory", "chn_": "/v1/channels"}

// loadNames reads the names of what columns refer to: one request for each list. Without
// them, tables show IDs.
func (p *printer) loadNames(ctx context.Context, rows []map[string]any, cols []column) {
	for _, row := range rows {
		p.keepNames(row)
	}
	for prefix, path := range nameLists {
		refers := func(row map[string]any) bool {
			return slices.ContainsFunc(cols, func(c column) bool { return c.fields[0] != "id" && p.refersTo(valueAt(row, c.fields[0]), prefix) })
		}
		if p.client == nil || !slices.ContainsFunc(rows, refers) {
			continue
		}
		var page struct{ Data []struct{ ID, Name string } }
		if p.client.Call(ctx, http.MethodGet, path+"?limit=100", nil, &page) == nil {
			for _, item := range page.Data {
				p.names[item.ID] = item.Name
			}
		}
	}
}

// refersTo reports whether a value is an ID with a prefix and without a name, or a list of
// them.
func (p *printer) refersTo(v any, prefix string) bool {
	switch v := v.(type) {
	case string:
		return strings.HasPrefix(v, prefix) && p.names[v] == ""
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return p.refersTo(item, prefix) })
	}
	return false
}

// keepNames keeps the names of expanded objects: of contact for contact_id.
func (p *printer) keepNames(row map[string]any) {
	for name, v := range row {
		id, isID := row[name+"_id"].(string)
		if object, ok := v.(map[string]any); ok && isID {
			p.names[id] = titleOf(object)
		}
	}
}

// expandable are the types whose references the preview returns as objects, and the names of
// the references.
var expandable = map[string]struct{ path, names string }{
	"Lead": {"/v2-preview/leads", "contact,hull,owner"},
	"Deal": {"/v2-preview/deals", "buyer,hull,owner"},
}

// expandNames reads the names of what a resource refers to. If the key can't read them, there
// are only IDs.
func (p *printer) expandNames(ctx context.Context, row map[string]any) {
	e, ok := expandable[p.result]
	if !ok || p.client == nil {
		return
	}
	for names := strings.Split(e.names, ","); len(names) > 0; {
		res, err := p.client.Send(ctx, Request{Verb: "GET", Path: e.path + "/" + plainText(row["id"]) + "?expand=" + strings.Join(names, ",")})
		if err == nil {
			if expanded, err := decodeRow(res.Text); err == nil {
				p.keepNames(expanded)
			}
			return
		}
		denied := deniedName(err, names)
		if denied < 0 {
			return
		}
		names = slices.Delete(names, denied, denied+1)
	}
}

// withNames returns the request for a table of a list that the preview can expand, and the
// names of the references.
func (c *operationCall) withNames(r Request) (Request, []string) {
	e, ok := expandable[c.out.result]
	if !ok || !c.out.isTable() || c.has("expand") || !strings.HasSuffix(r.Path, e.path[strings.LastIndex(e.path, "/"):]) {
		return r, nil
	}
	r.Path, r.Header, r.Query = e.path, http.Header{}, maps.Clone(r.Query)
	return r, strings.Split(e.names, ",")
}

// deniedName returns the index of the reference that a key can't read, or -1.
func deniedName(err error, names []string) int {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Status != http.StatusForbidden {
		return -1
	}
	return slices.IndexFunc(names, func(name string) bool {
		return slices.ContainsFunc(e.Details, func(d struct{ Field, Message string }) bool {
			return d.Field == "expand" && strings.HasSuffix(d.Message, " for "+name)
		})
	})
}
