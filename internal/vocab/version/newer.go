package version

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"slipway/internal/vocab/fault"
)

// CheckBody returns an error if a request has members or values that its version
// doesn't have.
func (s *Shape) CheckBody(version string, body []byte) error {
	if s == nil || version >= Latest() || len(body) == 0 {
		return nil
	}
	var decoded any
	var bad fault.Fields
	if json.Unmarshal(body, &decoded) == nil { // otherwise decoding it into its type explains the problem
		s.check(&bad, version, "", decoded)
	}
	return bad.Err()
}

func (s *Shape) check(bad *fault.Fields, version, path string, v any) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			s.checkMember(bad, version, join(path, name), name, v[name])
		}
	case []any:
		for i, item := range v {
			s.items.check(bad, version, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}

func (s *Shape) checkMember(bad *fault.Fields, version, path, name string, v any) {
	if s.items != nil {
		s.items.check(bad, version, path, v)
		return
	}
	m := s.members[name]
	if m.since > version {
		reject(bad, path, "was added", version, m.since)
		return
	}
	text, ok := v.(string)
	if v == nil {
		text, ok = null, true
	}
	if ok && m.values[text].since > version && m.values[text].isNull == (v == nil) {
		reject(bad, path, "has the value "+text+", which was added", version, m.values[text].since)
	}
	m.shape.check(bad, version, path, v)
}

// CheckParams does the same for the parameters of a request.
func CheckParams(version string, params map[string]string, query url.Values) error {
	var bad fault.Fields
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if query.Has(name) && params[name] > version {
			reject(&bad, name, "was added", version, params[name])
		}
	}
	return bad.Err()
}

func reject(bad *fault.Fields, path, what, version, since string) {
	bad.Add(path, "version", "%s in version %s of the API. The request uses %s. Send the header Service-Version: %s", what, since, version, since)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
