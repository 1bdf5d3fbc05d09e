package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// The paths of the two parts of the API start with these.
const (
	StablePath  = "/v1"
	PreviewPath = "/v2-preview"
)

// promoteAfter is how long an operation stays in the preview at least.
const promoteAfter = 90 * 24 * time.Hour

// Preview returns a router that adds endpoints to the preview. They entered it on
// this day.
func (r *Router) Preview(entered string) *Router {
	r = r.on(r.preview)
	r.entered = entered
	return r
}

// markPreview adds to an operation when it entered the preview and when it can
// become stable.
func markPreview(op *huma.Operation, entered string) {
	day, err := time.Parse(time.DateOnly, entered)
	if err != nil {
		panic("rest: " + op.OperationID + " entered the preview on " + entered)
	}
	promotes := day.Add(promoteAfter)

	op.Description = fmt.Sprintf("In preview since %s. Can become stable on %s.",
		day.Format("January 2, 2006"), promotes.Format("January 2, 2006"))
	op.Extensions = map[string]any{"x-preview-entered": entered, "x-preview-promotes": promotes.Format(time.DateOnly)}
	op.Metadata["preview"] = fmt.Sprintf("entered=%s, promotes=%s", entered, promotes.Format(time.DateOnly))
	op.Responses[strconv.Itoa(op.DefaultStatus)].Headers["Service-Preview"] = header(
		"When the operation entered the preview, and when it can become stable.", huma.TypeString, op.Metadata["preview"])
}

// Deprecated says that an operation of the preview is going to be removed. The
// responses have the headers Deprecation (RFC 9745) and Sunset (RFC 8594).
func Deprecated(since, sunset string) Option {
	from, err := time.Parse(time.DateOnly, since)
	until, err2 := time.Parse(time.DateOnly, sunset)
	if err != nil || err2 != nil || !until.After(from) {
		panic("rest: deprecated since " + since + " with the sunset " + sunset)
	}
	return func(op *huma.Operation) {
		if op.Metadata["preview"] == nil {
			panic("rest: " + op.OperationID + " is stable and can't be deprecated")
		}
		op.Deprecated = true
		op.Description += fmt.Sprintf("\n\nDeprecated. It stops working on %s.", until.Format("January 2, 2006"))
		op.Metadata["deprecation"] = "@" + strconv.FormatInt(from.Unix(), 10)
		op.Metadata["sunset"] = until.Format(http.TimeFormat)
		headers := op.Responses[strconv.Itoa(op.DefaultStatus)].Headers
		headers["Deprecation"] = header("Since when the operation is deprecated, in seconds since 1970.", huma.TypeString, op.Metadata["deprecation"])
		headers["Sunset"] = header("When the operation stops working.", huma.TypeString, op.Metadata["sunset"])
	}
}

// previewHeaders sets the headers of an operation of the preview.
func previewHeaders(h http.Header, op *huma.Operation) {
	for name, key := range map[string]string{"Service-Preview": "preview", "Deprecation": "deprecation", "Sunset": "sunset"} {
		if value, ok := op.Metadata[key].(string); ok {
			h.Set(name, value)
		}
	}
}
