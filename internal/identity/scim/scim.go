// Package scim lets the identity provider of an SSO connection create, change and
// deactivate users, and assign roles by group: SCIM 2.0 (RFC 7643 and 7644).
package scim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The schemas.
const (
	userSchema       = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema      = "urn:ietf:params:scim:schemas:core:2.0:Group"
	enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

	schemaSchema       = "urn:ietf:params:scim:schemas:core:2.0:Schema"
	resourceTypeSchema = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
	configSchema       = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
	listSchema         = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	errorSchema        = "urn:ietf:params:scim:api:messages:2.0:Error"
)

// Prefix is the path of the endpoints.
const Prefix = "/scim/v2"

// protocolError is an error of the SCIM protocol (RFC 7644, section 3.12). Unlike the API,
// the protocol fixes its form.
type protocolError struct {
	status     int
	scimType   string // or ""
	detail     string
	retryAfter time.Duration
}

func (e *protocolError) Error() string { return strings.TrimSpace(e.scimType + " " + e.detail) }

func (e *protocolError) body() map[string]any {
	body := map[string]any{"schemas": []string{errorSchema}, "status": strconv.Itoa(e.status), "detail": e.detail}
	if e.scimType != "" {
		body["scimType"] = e.scimType
	}
	return body
}

// errInvalid is for a request that is not valid.
func errInvalid(scimType, format string, args ...any) error {
	return &protocolError{status: 400, scimType: scimType, detail: fmt.Sprintf(format, args...)}
}

func errDuplicate(format string, args ...any) error {
	return &protocolError{status: 409, scimType: "uniqueness", detail: fmt.Sprintf(format, args...)}
}

func errNotFound(id string) error {
	return &protocolError{status: 404, detail: "Resource " + strings.ToValidUTF8(id, "") + " not found."}
}

// query is what a request for resources asks for.
type query struct {
	filter  *filter
	start   int // first one, from 1
	count   int
	include []string // attributes in lower case; empty means all
	exclude []string
}

const (
	defaultCount = 100
	maxCount     = 200
)

// parseQuery reads the parameters of a request.
func parseQuery(get func(name string) string) (q query, err error) {
	q = query{start: 1, count: defaultCount, include: parseNames(get("attributes")), exclude: parseNames(get("excludedAttributes"))}
	for name, to := range map[string]*int{"startIndex": &q.start, "count": &q.count} {
		text := get(name)
		if text == "" {
			continue
		}
		if *to, err = strconv.Atoi(text); err != nil {
			return q, errInvalid("invalidValue", "%s must be a number.", name)
		}
	}
	q.start, q.count = max(q.start, 1), min(max(q.count, 0), maxCount)
	if text := get("filter"); text != "" {
		f, err := parseFilter(text)
		if err != nil {
			return q, err
		}
		q.filter = &f
	}
	return q, nil
}

func parseNames(text string) (names []string) {
	for name := range strings.SplitSeq(text, ",") {
		if _, name = splitSchema(strings.TrimSpace(name)); name != "" {
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}

// wants reports whether a response must contain an attribute.
func (q query) wants(attr string) bool {
	attr = strings.ToLower(attr)
	switch {
	case attr == "id" || attr == "schemas":
		return true
	case slices.Contains(q.exclude, attr):
		return false
	}
	return len(q.include) == 0 || slices.ContainsFunc(q.include, func(name string) bool {
		return name == attr || strings.HasPrefix(name, attr+".")
	})
}

// show returns the resource with the attributes that the request asks for.
func (q query) show(r resource) map[string]any {
	shown := map[string]any{}
	for name, v := range r {
		if q.wants(name) {
			shown[name] = v
		}
	}
	return shown
}

// page returns the part of a list that the request asks for.
func page[T any](q query, all []T) []T {
	from := min(q.start-1, len(all))
	return all[from:min(from+q.count, len(all))]
}

// resource is a resource as a response contains it.
type resource map[string]any

// listResponse is a page of resources.
func listResponse(q query, total int, shown []resource) map[string]any {
	all := make([]map[string]any, 0, len(shown))
	for _, r := range shown {
		all = append(all, q.show(r))
	}
	return map[string]any{
		"schemas": []string{listSchema}, "totalResults": total, "startIndex": q.start, "itemsPerPage": len(all), "Resources": all,
	}
}

// meta describes a resource. kind is its type, and path where it is.
type meta struct {
	kind, path        string
	created, modified time.Time
	version           string
}

func (m meta) describe(base string) map[string]any {
	return map[string]any{
		"resourceType": m.kind, "location": base + m.path, "version": m.version,
		"created": m.created.UTC().Format(time.RFC3339Nano), "lastModified": m.modified.UTC().Format(time.RFC3339Nano),
	}
}

// matchesVersion reports whether an If-Match or If-None-Match header contains a version.
// The versions of SCIM are weak.
func matchesVersion(header, version string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(version, "W/") {
			return true
		}
	}
	return false
}
