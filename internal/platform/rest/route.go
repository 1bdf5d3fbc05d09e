package rest

import (
	"net/http"
	"reflect"
	"strings"

	"slipway/internal/platform/admission"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

// Route declares an operation. What is true of an operation is written here and nowhere
// else. A field that isn't set means no.
type Route struct {
	Path    string // without the start, such as /v1
	ID      string
	Needs   auth.Rule // the scopes of a caller
	Duty    auth.Duty // whether it is only for managers
	Summary string
	Text    string // what callers need to know in addition

	Assist assist.Rule // what assistants can do with it
	Effect Effect      // what it would do, for an operation that can be proposed; see Describe

	AllLocations bool // not for callers who are limited to some locations, except about one object or themselves

	OrSelf    string // also for a session on its own user, whose ID is this path parameter
	OrSession bool   // also for a session; the handler limits it to what belongs to its user
	NoIfMatch bool   // changes nothing that has a version
	Urgent    bool   // doesn't wait for other requests: for what ends access or messages
	First     bool   // has its own places and turns: for what a customer sends or pays
	Heavy     bool   // needs much more work than others
	OnlyReads bool   // changes nothing, although it is not a GET
	Streams   bool   // sends events as they happen; the handler returns a Content with Follow

	// Background is where to look for work that goes on after the response, with fields of the
	// response or of the path: /v1/things/{id}. "" if the response is the result.
	Background string

	Found      string   // when it returns 200 because the resource exists already; see Found
	Accepts    Files    // the files that it accepts; the handler gets one from Body
	Produces   []string // the media types of its content
	Deprecated Deprecation
	ForConsole bool // only serves the console, so it stays in the preview
}

// Files are what an operation accepts as a raw body, or as the part "file" of a form.
type Files struct {
	Most    int64             // bytes
	Types   []string          // media types
	Fields  []string          // other fields of the form
	Refuses map[string]string // media types that are not accepted, with what to do instead
}

// Deprecation says that an operation of the preview is going to be removed. Its responses
// have the headers Deprecation (RFC 9745) and Sunset (RFC 8594).
type Deprecation struct{ Since, Sunset string } // days

// Operation is a mounted route.
type Operation struct {
	Route   // with the complete path
	Method  string
	Status  int // of success
	Family  *family.Family
	Entered string // when it entered the preview, or ""
	Public  bool   // has no credential and no idempotency keys
	Audited bool   // leaves an entry in the audit log, although it is a GET

	In, Out reflect.Type

	request func() *request
	preview map[string]string // headers of each response
	work    admission.Class
	call    anyHandler
	csv     anyHandler // for requests that prefer CSV; see GetOrCSV
}

// OffersCSV reports whether the operation answers CSV to requests that prefer it.
func (o *Operation) OffersCSV() bool { return o.csv != nil }

// Listing reports whether the operation returns a page of a list.
func (o *Operation) Listing() bool {
	return o.Method == http.MethodGet && o.Out.Implements(reflect.TypeFor[page.Any]())
}

// IfMatch reports whether the operation checks If-Match: whether it can change something
// that has a version.
func (o *Operation) IfMatch() bool {
	named := strings.Contains(o.Path, "{") || o.Method != http.MethodPost // PATCH /v1/dealership has no id
	return InAPI(o.Path) && o.Method != http.MethodGet && named && !o.NoIfMatch
}

// Keyed reports whether the operation accepts an idempotency key.
func (o *Operation) Keyed() bool { return keyed(o.Method) }

// Get mounts a GET.
func Get[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodGet, Status: http.StatusOK}, reads(r, h))
}

// GetOrCSV mounts a GET that answers JSON, or CSV if the Accept header of the request prefers it.
func GetOrCSV[I, O any](r *Router, is Route, h Handler[I, O], csv RawHandler[I, *Content]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodGet, Status: http.StatusOK, csv: erase(csv)}, reads(r, h))
}

// GetAudited mounts a GET that leaves an entry in the audit log, and so runs in
// a transaction that writes.
func GetAudited[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodGet, Status: http.StatusOK, Audited: true}, writes(r, h))
}

// PostCreated mounts a POST that creates a resource and returns 201.
func PostCreated[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodPost, Status: http.StatusCreated}, writes(r, h))
}

// PostOK mounts a POST that acts on a resource and returns 200.
func PostOK[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodPost, Status: http.StatusOK}, writes(r, h))
}

// PostAccepted mounts a POST whose work is done after the response: 202.
func PostAccepted[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodPost, Status: http.StatusAccepted}, writes(r, h))
}

// Patch mounts a PATCH, which changes a part of a resource.
func Patch[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodPatch, Status: http.StatusOK}, writes(r, h))
}

// Put mounts a PUT, which replaces a resource.
func Put[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodPut, Status: http.StatusOK}, writes(r, h))
}

// DeleteOK mounts a DELETE that returns what remains.
func DeleteOK[I, O any](r *Router, is Route, h Handler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: http.MethodDelete, Status: http.StatusOK}, writes(r, h))
}

// Delete mounts a DELETE that returns 204 without a body.
func Delete[I any](r *Router, is Route, h Handler[I, None]) {
	mount[I, None](r, Operation{Route: is, Method: http.MethodDelete, Status: http.StatusNoContent}, writes(r, h))
}

// Public mounts an endpoint outside /v1 that anyone can call. The handler authenticates
// the caller.
func Public[I, O any](r *Router, method string, status int, is Route, h RawHandler[I, O]) {
	is.Needs = auth.AnyCredential
	mount[I, O](r.on(r.public), Operation{Route: is, Method: method, Status: status, Public: true}, erase(h))
}

// Raw mounts an endpoint that opens its own transactions, such as an upload.
func Raw[I, O any](r *Router, method string, status int, is Route, h RawHandler[I, O]) {
	mount[I, O](r, Operation{Route: is, Method: method, Status: status}, erase(h))
}
