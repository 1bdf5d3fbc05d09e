package description

import (
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/apidocs"
	"slipway/internal/platform/guides"
	"slipway/internal/platform/rest"
)

// serveDocs serves the guides, the API reference and their lists for tools.
func (d *Documents) serveDocs(r *rest.Router) {
	site := guides.New(r.BaseURL, func() []guides.Operation { return d.operationsForSearch() })
	for _, path := range guides.Paths {
		r.Handle(path, site)
	}
	r.Handle("/docs/*", site) // shows that the page doesn't exist
	reference := apidocs.New(&apidocs.Site{
		References: d.references(), Search: d.searchEntries, API: "/console/api", SignIn: "/console/test", BaseURL: strings.TrimSuffix(r.BaseURL, "/"),
	})
	for _, path := range reference.Paths() {
		r.Handle(path, reference)
	}
	r.Handle("/llms.txt", document("text/plain; charset=utf-8", func() ([]byte, error) { return llms(r.BaseURL), nil }))
}

// operationsForSearch returns the operations of all documents.
func (d *Documents) operationsForSearch() (all []guides.Operation) {
	references := d.references()
	for i, doc := range []*huma.OpenAPI{d.Stable(), d.Preview(), d.Public()} {
		for _, o := range inOrder(doc) {
			all = append(all, guides.Operation{
				Method: o.Method, Path: o.Path, Summary: o.Summary,
				Text: o.OperationID + " " + o.Description, URL: references[i].OperationURL(o.OperationID),
			})
		}
	}
	return all
}

// llms returns the list of the documentation for language models, in the format of
// llmstxt.org.
func llms(baseURL string) []byte {
	base := strings.TrimSuffix(baseURL, "/")
	var b strings.Builder
	b.WriteString("# Slipway\n\n" +
		"> Slipway is a self-hosted REST API for boat dealerships: inventory, contacts and leads, messages and consent, deals, " +
		"financing, documents, events and webhooks.\n\n" +
		"Send an API key as `Authorization: Bearer sk_test_...`. Keys belong to the test or the live environment of a dealership. " +
		"Requests and responses are JSON. Send an `Idempotency-Key` (a UUID) with POST, PUT and PATCH to retry safely.\n")
	group := ""
	for _, g := range guides.List {
		if g.Group != group {
			group = g.Group
			b.WriteString("\n## " + group + "\n\n")
		}
		fmt.Fprintf(&b, "- [%s](%s%s): %s\n", g.Label, base, g.Source(), g.Summary)
	}
	b.WriteString("\n## OpenAPI\n\n")
	for _, d := range [][2]string{
		{"/openapi.json", "All operations of /v1, with examples."},
		{"/openapi-preview.json", "Operations of /v2-preview, which can still change."},
		{"/openapi-public.json", "Endpoints without an API key: OAuth, sessions, public links and hooks."},
	} {
		fmt.Fprintf(&b, "- [%s](%s%s): %s\n", strings.TrimPrefix(d[0], "/"), base, d[0], d[1])
	}
	fmt.Fprintf(&b, "\n## Optional\n\n- [Changelog](%s/changelog.json): What each version of the API added.\n", base)
	return []byte(b.String())
}
