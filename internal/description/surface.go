// Package description describes the API: its OpenAPI documents, its reference, the guides
// and the changelog. It reads what the features declare in their routes and types.
package description

import (
	"cmp"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/version"
)

// Documents are the OpenAPI documents of a router. Each is written on first use, because a
// server usually starts without needing it.
type Documents struct {
	Stable, Preview, Public func() *huma.OpenAPI

	router *rest.Router
}

// Of returns the documents of a router.
func Of(r *rest.Router) *Documents {
	stable, preview, public := r.Surfaces()
	lazy := func(s *rest.Surface, blank func(rest.Config) *huma.OpenAPI) func() *huma.OpenAPI {
		return sync.OnceValue(func() *huma.OpenAPI {
			return finish(assemble(s, blank(r.Config)))
		})
	}
	return &Documents{lazy(stable, stableDescription), lazy(preview, previewDescription), lazy(public, publicDescription), r}
}

// assemble adds all operations of a surface to a document.
func assemble(s *rest.Surface, doc *huma.OpenAPI) *huma.OpenAPI {
	schemas := doc.Components.Schemas
	var all []*huma.Operation
	for _, op := range s.Operations {
		all = append(all, operation(op, schemas))
	}
	for _, e := range s.Endpoints {
		all = append(all, endpoint(e, schemas))
	}
	for i, op := range all {
		op.Metadata = map[string]any{place: i}
		doc.AddOperation(op)
	}
	for _, w := range s.Webhooks {
		if doc.Webhooks == nil {
			doc.Webhooks = map[string]*huma.PathItem{}
		}
		doc.Webhooks[w.Name] = webhook(w, schemas)
	}
	addSentences(doc)
	describeFields(doc)
	if s.Prefix == rest.PreviewPath {
		convertToPreview(doc)
	}
	relaxResponses(doc)
	if s.Prefix == rest.StablePath { // the others have only one version
		describeVersions(doc)
	}
	return doc
}

const overview = `Slipway runs a boat dealership: inventory, leads, deals, documents, and events that keep other systems up to date.

**Environments.** A dealership has a live and a test environment. A key belongs to one environment and cannot access the other.

**Lists** are newest first. Pass ` + "`starting_after`" + ` or ` + "`ending_before`" + ` to get the next or previous page. Every page takes the same time, however deep it is.

**Safe retries.** Send an ` + "`Idempotency-Key`" + ` (a UUID) with POST, PUT or PATCH. If you send the request again within 24 hours, you get the first response and nothing changes.

**Concurrent changes.** Resources have a version, in the body and as ` + "`ETag`" + `. Send it back as ` + "`If-Match`" + ` and a write that would overwrite another change returns 409.

**Errors** all have the same format, with every invalid field in ` + "`details`" + `. Include ` + "`request_id`" + ` when you contact support.`

const previewOverview = `New endpoints and shapes of the Slipway API that you can use today and that can still change.

To use them, call paths under ` + "`/v2-preview`" + `. Credentials, scopes, rate limits, lists, errors and idempotency are the same as in ` + "`/v1`" + `.

**Promotion.** Each operation says when it entered the preview, and when it can become stable, under ` + "`/v2`" + ` beside ` + "`/v1`" + `: 90 days later. Responses repeat it in the header ` + "`Service-Preview`" + `. An operation that is going to be removed has the headers ` + "`Deprecation`" + ` and ` + "`Sunset`" + `.

**Money** is an object with an amount in cents and a currency. **References** are IDs. Add ` + "`expand`" + ` to get the objects they refer to in the same response.`

const publicOverview = `What apps, browsers and other services call without an API key: the authorization server, public links and hooks.

The paths under ` + "`/oauth`" + ` move with the setting ` + "`SLIPWAY_AUTH_URL`" + `.`

// stableDescription is the document of /v1.
func stableDescription(cfg rest.Config) *huma.OpenAPI {
	return describeWith(cfg, &huma.Info{Title: "Slipway API", Version: version.Latest(), Description: overview}, family.Stable())
}

func previewDescription(cfg rest.Config) *huma.OpenAPI {
	doc := describeWith(cfg, &huma.Info{Title: "Slipway API preview", Version: "2.0.0-preview", Description: previewOverview}, family.Preview())
	delete(doc.Components.SecuritySchemes, "webhookSignature") // webhooks are stable
	return doc
}

func publicDescription(cfg rest.Config) *huma.OpenAPI {
	doc := describeWith(cfg, &huma.Info{Title: "Slipway public endpoints", Version: "1.0.0", Description: publicOverview}, family.Public())
	doc.Components.SecuritySchemes, doc.Security = nil, nil
	return doc
}

// describeWith returns a document that endpoints are added to.
func describeWith(cfg rest.Config, info *huma.Info, headings []family.Heading) *huma.OpenAPI {
	var tags []*huma.Tag
	for _, h := range headings {
		tags = append(tags, &huma.Tag{Name: h.Name, Description: h.Text})
	}
	info.Contact = &huma.Contact{Name: "The operator of your server"}
	info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	return &huma.OpenAPI{
		OpenAPI:  "3.1.0",
		Info:     info,
		Servers:  []*huma.Server{server(cfg.BaseURL)},
		Tags:     tags,
		Security: []map[string][]string{{"bearer": {}}, {"oauth2": {}}},
		Components: &huma.Components{
			Schemas:         rest.NewSchemas(),
			Responses:       errorResponses(),
			SecuritySchemes: securitySchemes(cmp.Or(cfg.AuthURL, cmp.Or(cfg.BaseURL, exampleURL)+"/oauth")),
		},
	}
}
