package description

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

const (
	componentPrefix = "#/components/"
	parameterPrefix = componentPrefix + "parameters/"
)

// shareParts moves the parameters and headers that operations have in common
// to the components of the description and refers to them there. Operations
// are described in full first: huma adds some of the parameters itself.
func shareParts(doc *huma.OpenAPI) {
	parameters, headers := parts{}, parts{}
	for op := range operationsOf(doc) {
		for _, p := range op.Parameters {
			parameters.count(p.Name, p)
		}
		for _, res := range op.Responses {
			headers.countAll(res)
		}
	}
	for _, res := range doc.Components.Responses {
		headers.countAll(res)
	}

	doc.Components.Parameters, doc.Components.Headers = parameters.shared(), headers.shared()
	for op := range operationsOf(doc) {
		for i, p := range op.Parameters {
			op.Parameters[i] = refer("parameters", doc.Components.Parameters, p.Name, p)
		}
		for _, res := range op.Responses {
			referHeaders(doc, res)
		}
	}
	for _, res := range doc.Components.Responses {
		referHeaders(doc, res)
	}
}

// parts counts the different descriptions under each name, as JSON.
type parts map[string]map[string]*part

type part struct {
	param *huma.Param
	uses  int
}

func (ps parts) count(name string, p *huma.Param) {
	key := asJSON(p)
	if ps[name] == nil {
		ps[name] = map[string]*part{}
	}
	if ps[name][key] == nil {
		ps[name][key] = &part{param: p}
	}
	ps[name][key].uses++
}

func (ps parts) countAll(res *huma.Response) {
	for name, h := range res.Headers {
		ps.count(name, h)
	}
}

// shared returns the most common description under each name, if more than one
// operation uses it.
func (ps parts) shared() map[string]*huma.Param {
	out := map[string]*huma.Param{}
	for name, variants := range ps {
		keys := slices.SortedFunc(maps.Keys(variants), func(a, b string) int {
			return cmp.Or(cmp.Compare(variants[b].uses, variants[a].uses), cmp.Compare(a, b))
		})
		if best := variants[keys[0]]; best.uses > 1 {
			out[name] = best.param
		}
	}
	return out
}

// refer returns a reference to the shared description, or p if it differs.
func refer(section string, shared map[string]*huma.Param, name string, p *huma.Param) *huma.Param {
	if s, ok := shared[name]; ok && asJSON(s) == asJSON(p) {
		return &huma.Param{Ref: componentPrefix + section + "/" + name}
	}
	return p
}

func referHeaders(doc *huma.OpenAPI, res *huma.Response) {
	for name, h := range res.Headers {
		res.Headers[name] = refer("headers", doc.Components.Headers, name, h)
	}
}

func asJSON(p *huma.Param) string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// operationsOf yields every operation of the description.
func operationsOf(doc *huma.OpenAPI) func(yield func(*huma.Operation) bool) {
	return func(yield func(*huma.Operation) bool) {
		for _, item := range doc.Paths {
			for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
				if op != nil && !yield(op) {
					return
				}
			}
		}
	}
}
