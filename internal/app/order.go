package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// resources are the start of paths, in the order in which a reader needs them. Paths
// are without /v1 or /v2-preview. A path belongs to the longest start that it has.
var resources = []string{
	"/search",
	// Hulls
	"/hulls", "/hulls/{hull_id}/transition", "/hulls/{hull_id}/archive", "/hulls/{hull_id}/pricing", "/hulls/{hull_id}/price_changes",
	"/hulls/{hull_id}/specs", "/hulls/{hull_id}/photos", "/hulls/{hull_id}/history", "/channels", "/hulls/{hull_id}/syndication",
	"/hull_imports", "/hins",
	// Contacts
	"/contacts", "/contacts/{contact_id}/consents", "/contacts/{contact_id}/merge", "/contacts/{contact_id}/export",
	// Leads
	"/leads", "/leads/{lead_id}/assign", "/leads/{lead_id}/assignments", "/leads/{lead_id}/convert", "/leads/{lead_id}/close",
	"/leads/{lead_id}/messages", "/leads/{lead_id}/inbound_messages", "/inbound_messages", "/unknown_messages", "/leads/{lead_id}/consents",
	"/leads/{lead_id}/signals", "/leads/{lead_id}/reach",
	// Deals
	"/deals", "/deals/{deal_id}/offers", "/deals/{deal_id}/trade_ins", "/deals/{deal_id}/next", "/deals/{deal_id}/advance", "/deals/{deal_id}/cancel",
	"/deals/{deal_id}/history",
	// Finance
	"/finance_quotes", "/deals/{deal_id}/finance_structures", "/deals/{deal_id}/fundings", "/deals/{deal_id}/fundings/{funding_id}/stipulations",
	"/deals/{deal_id}/payments", "/deals/{deal_id}/documents",
	// Appointments, activities and the office
	"/appointments", "/users/{user_id}/calendar", "/activity", "/activities", "/proposals", "/payments", "/fundings", "/documents", "/reports",
	// Dealership
	"/dealership", "/locations", "/directory", "/users", "/roles", "/users/{user_id}/roles", "/audit",
	// Access
	"/me", "/api_keys", "/users/{user_id}/mfa_factors", "/sessions", "/apps", "/installs", "/sso_connections",
	// Webhooks
	"/webhooks", "/webhooks/{webhook_id}/deliveries", "/webhooks/{webhook_id}/dead_letters", "/events", "/request_logs",
	// without an API key
	"/.well-known", "/authorize", "/token", "/revoke", "/introspect", "/oauth/authorize", "/oauth/token", "/oauth/revoke",
	"/oauth/introspect", "/oauth/sessions", "/oauth/password", "/oauth", "/sso", "/media", "/calendars", "/feeds", "/hooks",
}

// methods are in the order of a resource: read, create, change, delete.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// inOrder returns the operations of a document in the order of its tags and of the
// resources. In each resource, the list comes first, then what has the path of an item,
// then actions on an item.
func inOrder(doc *huma.OpenAPI) []*huma.Operation {
	var all []*huma.Operation
	for _, item := range doc.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o != nil {
				all = append(all, o)
			}
		}
	}
	tag := func(o *huma.Operation) int {
		return slices.IndexFunc(doc.Tags, func(t *huma.Tag) bool { return t.Name == o.Tags[0] })
	}
	slices.SortFunc(all, func(a, b *huma.Operation) int {
		return cmp.Or(
			cmp.Compare(tag(a), tag(b)),
			cmp.Compare(resourceOf(a.Path), resourceOf(b.Path)),
			cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(slices.Index(methods, a.Method), slices.Index(methods, b.Method)),
		)
	})
	return all
}

// resourceOf returns the position of a path in resources. Unknown paths are last.
func resourceOf(path string) int {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/v1"), "/v2-preview")
	best := len(resources)
	for i, r := range resources {
		if path != r && !strings.HasPrefix(path, r+"/") {
			continue
		}
		if best == len(resources) || len(r) > len(resources[best]) {
			best = i
		}
	}
	return best
}

// orderPaths writes the paths of an encoded document in the order of its operations.
// encoding/json sorts them by name.
func orderPaths(doc *huma.OpenAPI, encoded []byte) ([]byte, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &parts); err != nil {
		return nil, err
	}
	var paths map[string]map[string]json.RawMessage
	if err := json.Unmarshal(parts["paths"], &paths); err != nil {
		return nil, err
	}

	var names []string
	for _, o := range inOrder(doc) {
		if !slices.Contains(names, o.Path) {
			names = append(names, o.Path)
		}
	}
	ordered := object(names, func(name string) []byte {
		members := slices.SortedFunc(maps.Keys(paths[name]), func(a, b string) int {
			return cmp.Or(cmp.Compare(methodIndex(a), methodIndex(b)), cmp.Compare(a, b))
		})
		return object(members, func(member string) []byte { return paths[name][member] })
	})
	return object(slices.Sorted(maps.Keys(parts)), func(name string) []byte {
		if name == "paths" {
			return ordered
		}
		return parts[name]
	}), nil
}

func methodIndex(member string) int { return slices.Index(methods, strings.ToUpper(member)) }

// object encodes a JSON object with its names in this order.
func object(names []string, value func(name string) []byte) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			panic(err) // a string
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value(name))
	}
	b.WriteByte('}')
	return b.Bytes()
}
