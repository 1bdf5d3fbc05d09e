package description

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
)

// commonHeaders are on every response.
var commonHeaders = map[string]*huma.Header{
	"Request-Id":          header("Identifies this request in the logs.", huma.TypeString, "req_01jcqz8t5n8m2x4v6b7c9d0e1f"),
	"Service-Version":     header("The version of the API that was used.", huma.TypeString, "2026-11-15"),
	"RateLimit-Limit":     header("Requests allowed per window.", huma.TypeInteger, 200),
	"RateLimit-Remaining": header("Requests left in the current window.", huma.TypeInteger, 199),
	"RateLimit-Reset":     header("Seconds until the limit resets.", huma.TypeInteger, 1),
	"RateLimit-Policy":    header("The limit and its window in seconds.", huma.TypeString, "200;w=2"),
}

func header(doc, kind string, example any) *huma.Header {
	return &huma.Header{Description: doc, Schema: &huma.Schema{Type: kind}, Example: example}
}

// operation describes an operation.
func operation(is *rest.Operation, schemas huma.Registry) *huma.Operation {
	op := &huma.Operation{
		OperationID: is.ID, Method: is.Method, Path: is.Path, Summary: is.Summary, Description: textOf(is), Tags: tags(is.Family),
		DefaultStatus: is.Status,
		Responses:     map[string]*huma.Response{strconv.Itoa(is.Status): success(is, schemas)},
		Security:      securityOf(is.Needs),
		Parameters:    sharedParameters(is),
		Extensions:    map[string]any{},
	}
	if is.Public {
		op.Security = []map[string][]string{} // not the default of the description
	}
	for _, e := range errorDocs {
		if possible(e.kind, is) {
			op.Responses[strconv.Itoa(e.kind.Status)] = &huma.Response{Ref: "#/components/responses/" + e.name}
		}
	}
	if is.Found != "" {
		found := *op.Responses[strconv.Itoa(is.Status)]
		found.Description = is.Found
		op.Responses["200"] = &found
	}
	if len(is.Produces) > 0 || is.Listing() || is.OffersCSV() {
		op.Responses["304"] = &huma.Response{Description: "Not modified: the content still matches If-None-Match."}
	}
	if is.Accepts.Types != nil {
		op.RequestBody = files(is.Accepts)
	}
	if rule := is.Assist.String(); rule != "" {
		op.Extensions["x-assistants"] = rule
	}
	markPreview(op, is)
	is.Describe(op, schemas)
	return op
}

// textOf returns what callers need to know, and whether the operation is only for managers.
func textOf(is *rest.Operation) string { return strings.TrimSpace(is.Text + " " + is.Duty.Doc()) }

// tags are the headings of an operation.
func tags(f *family.Family) []string {
	if f == nil { // in a test
		return []string{""}
	}
	return []string{f.Name}
}

// success describes the response of an operation that didn't fail.
func success(is *rest.Operation, schemas huma.Registry) *huma.Response {
	res := &huma.Response{Description: http.StatusText(is.Status), Headers: maps.Clone(commonHeaders)}
	schemas.Schema(reflect.TypeFor[rest.ErrorEnvelope](), true, "")
	switch {
	case is.Streams:
		res.Content = map[string]*huma.MediaType{rest.EventStream: {Schema: contentSchema(rest.EventStream)}}
	case len(is.Produces) > 0:
		res.Content = map[string]*huma.MediaType{}
		for _, t := range is.Produces {
			res.Content[t] = &huma.MediaType{Schema: contentSchema(t)}
		}
		res.Headers["ETag"] = header("Identifies this content. Send it back as If-None-Match.", huma.TypeString, `"5d41402abc4b2a76"`)
	case is.Out != reflect.TypeFor[rest.None]() && is.Out != reflect.TypeFor[*rest.Content]():
		res.Content = map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(is.Out, true, is.ID+"Response")}}
	}
	if is.OffersCSV() {
		res.Content[rest.CSV] = &huma.MediaType{Schema: contentSchema(rest.CSV)}
	}
	if is.Listing() || is.OffersCSV() {
		res.Headers["ETag"] = header("Identifies this content. Send it back as If-None-Match.", huma.TypeString, `"5d41402abc4b2a76"`)
	}
	if is.Out.Implements(reflect.TypeFor[rest.Versioned]()) {
		res.Headers["ETag"] = header("The version of the resource. Send it back as If-Match.", huma.TypeString, `"1"`)
	}
	return res
}

// contentSchema describes content of a type: an object for JSON, text, or bytes.
func contentSchema(mediaType string) *huma.Schema {
	switch {
	case strings.HasSuffix(mediaType, "json"):
		return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
	case strings.HasPrefix(mediaType, "text/") || strings.HasSuffix(mediaType, "xml"):
		return &huma.Schema{Type: huma.TypeString}
	}
	return &huma.Schema{Type: huma.TypeString, Format: "binary"}
}

// files describes a file as the body, or as a part of a form.
func files(f rest.Files) *huma.RequestBody {
	content := map[string]*huma.MediaType{}
	for _, t := range f.Types {
		content[t] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	form := &huma.Schema{Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{
		"file": {Type: huma.TypeString, Format: "binary", Description: "Content of the file."},
	}}
	for _, name := range f.Fields {
		form.Properties[name] = &huma.Schema{Type: huma.TypeString}
	}
	content["multipart/form-data"] = &huma.MediaType{Schema: form}
	return &huma.RequestBody{Required: true, Content: content}
}

// notPromoted is the extension of what stays in the preview, with what it is for.
const notPromoted = "x-not-promoted"

// markPreview says when an operation entered the preview, when it can become stable, and
// when it ends.
func markPreview(op *huma.Operation, is *rest.Operation) {
	const day = "January 2, 2006"
	headers := is.PreviewHeaders()
	if headers == nil {
		return
	}
	entered, promotes := is.Since(), is.Promotes()
	op.Extensions["x-preview-entered"] = is.Entered
	future := "It only serves the console and won't become stable."
	if is.ForConsole {
		op.Extensions[notPromoted] = "console"
	} else {
		future = "Can become stable on " + promotes.Format(day) + "."
		op.Extensions["x-preview-promotes"] = promotes.Format(time.DateOnly)
	}
	op.Description = strings.TrimSpace(fmt.Sprintf("%s\n\nIn preview since %s. %s", textOf(is), entered.Format(day), future))
	sent := op.Responses[strconv.Itoa(is.Status)].Headers
	sent["Service-Preview"] = header("When the operation entered the preview, and when it can become stable.", huma.TypeString, headers["Service-Preview"])
	if is.Deprecated.Since == "" {
		return
	}

	op.Deprecated = true
	op.Description += fmt.Sprintf("\n\nDeprecated. It stops working on %s.", is.Deprecated.Until().Format(day))
	sent["Deprecation"] = header("Since when the operation is deprecated, in seconds since 1970.", huma.TypeString, headers["Deprecation"])
	sent["Sunset"] = header("When the operation stops working.", huma.TypeString, headers["Sunset"])
}

// webhook describes a message that the service sends.
func webhook(w rest.Webhook, schemas huma.Registry) *huma.PathItem {
	return &huma.PathItem{Post: &huma.Operation{
		OperationID: "on_" + strings.ReplaceAll(w.Name, ".", "_"), Summary: w.Summary, Tags: tags(w.Family),
		Security: []map[string][]string{{"webhookSignature": {}}},
		RequestBody: &huma.RequestBody{Required: true,
			Content: map[string]*huma.MediaType{"application/json": {Schema: w.Message(schemas)}}},
		Responses: map[string]*huma.Response{"2XX": {Description: "Received. Any other status, or no response within 10 seconds, counts as a failure, and the message is sent again later."}},
	}}
}

// possible leaves out errors that an endpoint cannot return.
func possible(kind fault.Kind, op *rest.Operation) bool {
	switch kind {
	case fault.KindNotFound:
		return strings.Contains(op.Path, "{")
	case fault.KindConflict:
		return op.Method != http.MethodGet
	case fault.KindUnprocessable:
		return op.Keyed()
	}
	return true
}

// sharedParameters are the headers that guard reads for every endpoint.
func sharedParameters(op *rest.Operation) []*huma.Param {
	params := []*huma.Param{{
		Name: "Service-Version", In: "header", Example: "2026-11-15",
		Description: "Use the API as it was on this date. Defaults to the version that the credential was issued under.",
		Schema:      &huma.Schema{Type: huma.TypeString, Format: "date"},
	}}
	if op.Keyed() {
		params = append(params, &huma.Param{
			Name: "Idempotency-Key", In: "header", Example: "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10",
			Description: "A UUID. If you send the request again within 24 hours with the same key, you get the first response and nothing changes.",
			Schema:      &huma.Schema{Type: huma.TypeString, Format: "uuid"},
		})
	}
	if op.IfMatch() {
		params = append(params, &huma.Param{
			Name: "If-Match", In: "header", Example: `"3"`,
			Description: "Return 409 unless the resource is at this version.",
			Schema:      &huma.Schema{Type: huma.TypeString},
		})
	}
	return params
}
