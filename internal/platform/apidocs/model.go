package apidocs

import (
	"html/template"
	"slices"
)

// Reference is a part of the API with pages of its own.
type Reference struct {
	Path     string // of its first page. The page of an operation has the ID of the operation after it
	Title    string
	Document string   // path of the OpenAPI document
	Versions []string // the newest first, or none

	Load func(version string) *API // version is one of Versions, or ""
}

// OperationURL returns the URL of an operation.
func (r Reference) OperationURL(operationID string) string { return r.Path + "/" + operationID }

// API is what a reference shows.
type API struct {
	Intro    []template.HTML // paragraphs
	Families []Family
	Events   []Event
}

// Family is a group of operations.
type Family struct {
	Name, Text string
	Operations []*Operation
}

// Operation is an operation with all that its page shows.
type Operation struct {
	ID, Method, Path, Summary, Family string

	Text     []template.HTML // paragraphs
	Traits   []Trait
	Writes   bool
	Changes  []Change
	Refusals []Refusal
	Params   []Field
	Body     *Content
	Result   *Content
	Who      []Access
	Scopes   [][]string // sets, of which a caller needs one
	Samples  []Sample
	Try      Try
}

// Guarded reports whether the operation checks a version.
func (o *Operation) Guarded() bool {
	return slices.ContainsFunc(o.Params, func(f Field) bool { return f.Name == "If-Match" })
}

// Trait is something to know before a call.
type Trait struct{ Tone, Icon, Text string }

// Change is what becomes of an object.
type Change struct {
	Object, Event string
	Always        bool
	Flips         []Flip
	Sets          []string // fields
}

// Flip is a status before and after. It can have several before, or none for a new object.
type Flip struct {
	From []string
	To   string
}

// Refusal is why an operation can fail.
type Refusal struct {
	Status   int
	Code     string
	When, Do template.HTML
	Messages []string // examples
}

// Access is a way to be allowed.
type Access struct {
	Scopes []string
	Docs   []string
}

// Content is a body.
type Content struct {
	Type, Name, Text string // a media type, the name of the schema, and what it is
	Status           int    // of a response
	Page             bool   // the fields are those of the objects in a list
	Fields           []Field
	Example          string
}

// Field is a field of a body, or a parameter.
type Field struct {
	ID       string // of the element, unique on the page
	Name     string
	In       string // path, query or header, for a parameter
	Type     string
	Required bool
	Notes    []string
	Doc      template.HTML
	Enum     []string
	Example  string
	Fields   []Field
}

// Sample is code that calls the operation.
type Sample struct {
	Lang   string // curl, go, ts or cli
	Label  string
	Source string
}

// Try is how the page sends the request.
type Try struct {
	Path     string // of the API that accepts the session of a browser
	Params   []Field
	BodyType string // "" if there is no body
	Body     string // JSON, as an example
	Retries  bool   // it accepts an idempotency key
	Why      string // why it can't be tried here, or ""
}

// Event is a message that webhooks receive.
type Event struct {
	Type, Text, Since string
	Sends             []*Operation
}

// Entry is something that the search finds: an operation, a field, an error or a section of a guide.
type Entry struct {
	Kind  string `json:"k"`
	Label string `json:"l"` // the method, the status or the type
	Title string `json:"t"`
	Where string `json:"w"` // the family or the guide
	Text  string `json:"x"`
	URL   string `json:"u"`
}
