package rest

import (
	"net/http"
	"strconv"
	"time"
)

// The paths of the two parts of the API start with these.
const (
	StablePath  = "/v1"
	PreviewPath = "/v2-preview"
)

// TwinSuffix ends the ID of an operation of the preview that /v1 has too. IDs are unique in
// the whole API, because a promoted operation keeps its ID beside /v1.
const TwinSuffix = "V2"

// promoteAfter is how long an operation stays in the preview at least.
const promoteAfter = 90 * 24 * time.Hour

// Preview returns a router that adds endpoints to the preview. They entered it on
// this day.
func (r *Router) Preview(entered string) *Router {
	r = r.on(r.preview)
	r.entered = entered
	return r
}

// Since is when an operation entered the preview.
func (o *Operation) Since() time.Time { return mustParseDay(o.Entered) }

// Promotes is when an operation of the preview can become stable.
func (o *Operation) Promotes() time.Time { return o.Since().Add(promoteAfter) }

// Until is when a deprecated operation stops working.
func (d Deprecation) Until() time.Time { return mustParseDay(d.Sunset) }

func (d Deprecation) headers() (deprecation, sunset string) {
	since := mustParseDay(d.Since)
	if !d.Until().After(since) {
		panic("rest: deprecated since " + d.Since + " with the sunset " + d.Sunset)
	}
	return "@" + strconv.FormatInt(since.Unix(), 10), d.Until().Format(http.TimeFormat)
}

// mustParseDay returns a day that a route names.
func mustParseDay(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic("rest: " + err.Error())
	}
	return t
}

// mustHaveOwnID panics if another operation of the API has the ID. It panics when the service
// starts.
func (r *Router) mustHaveOwnID(op *Operation) {
	if other := r.FindOperation(op.ID); other != nil {
		panic("rest: " + op.Method + " " + op.Path + " and " + other.Method + " " + other.Path + " both have the ID " + op.ID)
	}
}

// PreviewHeaders returns the headers of an operation of the preview.
func (o *Operation) PreviewHeaders() map[string]string {
	if o.Entered == "" || o.Public {
		if o.Deprecated.Since != "" {
			panic("rest: " + o.ID + " is stable and can't be deprecated")
		}
		return nil
	}
	headers := map[string]string{"Service-Preview": "entered=" + o.Entered}
	if !o.ForConsole {
		headers["Service-Preview"] += ", promotes=" + o.Promotes().Format(time.DateOnly)
	}
	if o.Deprecated.Since != "" {
		headers["Deprecation"], headers["Sunset"] = o.Deprecated.headers()
	}
	return headers
}
