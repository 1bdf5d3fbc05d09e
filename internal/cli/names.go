package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// lookup finds a resource by a name that people know.
type lookup struct {
	params  []string // whose IDs it finds
	prefix  string   // of the IDs
	noun    string
	accepts string // what to enter instead of an ID
	path    string
	query   string   // parameter that searches, "" to list all
	fields  []string // of which one must be equal
	title   []string // what to show
	expand  string   // references that the title shows
	emails  string   // path that is searched for an email address instead
}

var lookups = []lookup{
	{params: []string{"hull_id", "previous_hull_id"}, prefix: "hull_", noun: "hull", accepts: "an ID, a stock number or a HIN",
		path: "/v1/hulls", query: "q", fields: []string{"stock_number", "hin"}, title: []string{"stock_number", "year", "make", "model"}},
	{params: []string{"contact_id", "buyer_id", "co_buyer_id", "duplicate_id"}, prefix: "con_", noun: "contact", accepts: "an ID or an email address",
		path: "/v1/contacts", query: "email", fields: []string{"email"}, title: []string{"email", "first_name", "last_name", "company_name"}},
	{params: []string{"lead_id"}, prefix: "lead_", noun: "lead", accepts: "an ID",
		path: "/v2-preview/leads", query: "q", title: []string{"contact", "status", "source"}, expand: "contact"},
	{params: []string{"deal_id"}, prefix: "deal_", noun: "deal", accepts: "an ID or a number",
		path: "/v1/deals", query: "number", fields: []string{"number"}, title: []string{"number", "status"}},
	{params: []string{"location_id"}, prefix: "loc_", noun: "location", accepts: "an ID, a name or a code",
		path: "/v1/locations", fields: []string{"name", "code"}, title: []string{"name"}},
	{params: []string{"user_id", "owner_id"}, prefix: "usr_", noun: "user", accepts: "an ID, a name or an email address",
		path: "/v2-preview/directory", fields: []string{"name"}, title: []string{"name"}, emails: "/v1/users"},
	{params: []string{"channel_id"}, prefix: "chn_", noun: "channel", accepts: "an ID or a name",
		path: "/v1/channels", fields: []string{"name"}, title: []string{"name"}},
	{params: []string{"role_id", "default_role_id"}, prefix: "role_", noun: "role", accepts: "an ID or a name",
		path: "/v1/roles", fields: []string{"name"}, title: []string{"name"}},
	{params: []string{"key_id"}, prefix: "key_", noun: "API key", accepts: "an ID or a name",
		path: "/v1/api_keys", fields: []string{"name"}, title: []string{"name", "prefix"}},
}

func lookupOf(param string) *lookup {
	for i := range lookups {
		if slices.Contains(lookups[i].params, param) {
			return &lookups[i]
		}
	}
	return nil
}

// found is a resource that matches.
type found struct {
	id    string
	value string // the field that matched, or the first one that is set
	title string
	match bool // a field is equal to the name
}

// resolve returns the ID for the value of a parameter.
func (c *operationCall) resolve(ctx context.Context, p Param, text string) (string, error) {
	if p.Null && text == "null" {
		return text, nil
	}
	return c.client.FindID(ctx, p.Name, text)
}

// FindID returns the ID for a name of what a parameter, such as key_id, refers to. The match
// must be unique.
func (c *Client) FindID(ctx context.Context, param, text string) (string, error) {
	l := lookupOf(param)
	if l == nil || text == "" || strings.HasPrefix(text, l.prefix) {
		return text, nil
	}
	all, err := l.search(ctx, c, text)
	if err != nil {
		return "", fmt.Errorf("can't look up the %s %q: %w", l.noun, text, err)
	}
	matches := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return !f.match })
	switch {
	case len(matches) == 1:
		return matches[0].id, nil
	case len(matches) > 1:
		return "", fmt.Errorf("several resources match the %s %q. Use an ID:\n%s", l.noun, text, list(matches))
	case len(all) > 0:
		return "", fmt.Errorf("no %s matches %q exactly. These are similar:\n%s", l.noun, text, list(all))
	}
	return "", fmt.Errorf("no %s matches %q. Enter %s", l.noun, text, l.accepts)
}

func list(all []found) string {
	var lines []string
	for _, f := range all[:min(len(all), 10)] {
		lines = append(lines, "  "+f.id+"  "+f.title)
	}
	return strings.Join(lines, "\n")
}

// list returns the request for the newest resources.
func (l *lookup) list(limit int) Request {
	r := Request{Verb: "GET", Path: l.path, Query: url.Values{"limit": {strconv.Itoa(limit)}}}
	if l.expand != "" {
		r.Query.Set("expand", l.expand)
	}
	return r
}

// note is the part of the help that says what to enter instead of an ID.
func (l *lookup) note() string {
	if l == nil || l.fields == nil {
		return ""
	}
	return " Accepts " + l.accepts + "."
}

// search returns the resources that match, and those that are similar.
func (l *lookup) search(ctx context.Context, client *Client, text string) (all []found, err error) {
	r := l.list(100)
	fields := l.fields
	switch {
	case l.emails != "" && strings.Contains(text, "@"):
		r.Path, fields = l.emails, []string{"email"}
		r.Query.Set("email", text)
	case l.query != "":
		r.Query.Set(l.query, text)
	}
	err = eachPage(ctx, client, r, func(page []json.RawMessage) (bool, error) {
		for _, item := range page {
			var row map[string]any
			if err := json.Unmarshal(item, &row); err != nil {
				return false, err
			}
			f := found{id: plainText(row["id"]), title: l.describe(row)}
			for _, name := range fields {
				value := show(row[name])
				f.match = f.match || value != "" && strings.EqualFold(value, text)
				if f.value == "" {
					f.value = value
				}
			}
			if f.match || r.Query.Has("q") || strings.Contains(strings.ToLower(f.title), strings.ToLower(text)) {
				all = append(all, f)
			}
		}
		return !r.Query.Has("q"), nil // the first page of a search is enough
	})
	if e, ok := errors.AsType[*Error](err); ok && e.Status == 400 { // such as a number that is a word
		return nil, nil
	}
	return all, err
}

// describe returns the title of a resource.
func (l *lookup) describe(row map[string]any) string {
	var parts []string
	for _, name := range l.title {
		if text := show(row[name]); text != "" {
			parts = append(parts, text)
		}
	}
	return printable(strings.Join(parts, " "))
}

func show(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprint(int64(v))
	case map[string]any:
		return titleOf(v)
	}
	return ""
}
