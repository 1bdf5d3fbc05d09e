package description

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// methods are in the order of a resource: read, create, change, delete.
var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// inOrder returns the operations of a document in the order of its tags, and then in the
// order that the features declare them.
func inOrder(doc *huma.OpenAPI) []*huma.Operation {
	all := slices.Collect(operationsOf(doc))
	tag := func(o *huma.Operation) int {
		return slices.IndexFunc(doc.Tags, func(t *huma.Tag) bool { return t.Name == o.Tags[0] })
	}
	slices.SortFunc(all, func(a, b *huma.Operation) int {
		return cmp.Or(cmp.Compare(tag(a), tag(b)), cmp.Compare(placeOf(a), placeOf(b)))
	})
	return all
}

const place = "place" // in the metadata of an operation

func placeOf(o *huma.Operation) int {
	n, _ := o.Metadata[place].(int)
	return n
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
