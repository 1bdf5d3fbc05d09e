package rest

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"slipway/internal/vocab/fault"
)

// anID matches IDs. Those of objects without a location are left to CheckLocations.
const anID = `[a-z]{2,4}_[0-9a-z]{26}`

var (
	isID   = regexp.MustCompile(`^` + anID + `$`)
	quoted = regexp.MustCompile(`"(` + anID + `)"`) // a value of a body
)

// limitToLocations limits the request of a caller to the caller's locations: a list to those, and all
// else to objects that belong to one of them.
func (r *Router) limitToLocations(ctx context.Context, req *http.Request, x *exchange, in any) error {
	own := x.caller.Locations
	if own == nil || r.CheckLocations == nil {
		return nil
	}
	if x.endpoint.AllLocations && x.query.Get("object_id") == "" && (x.caller.UserID == "" || x.query.Get("user_id") != x.caller.UserID) {
		return fault.Forbidden("This operation is about all locations. Your roles are limited to your own locations.").
			Detail("Authorization", "other_location", "is limited to some locations")
	}
	if req.Method == http.MethodGet && x.query.Get("location_id") == "" {
		x.endpoint.request().fillLocations(in, own)
	}
	return r.CheckLocations(ctx, x.referencesIn(req))
}

// fillLocations sets the location of a list.
func (q *request) fillLocations(in any, own []string) {
	for _, p := range q.params {
		if p.in == "query" && p.name == "location_id" {
			reflect.ValueOf(in).Elem().FieldByIndex(p.field.Index).SetString(strings.Join(own, ","))
		}
	}
}

// referencesIn returns the IDs in a request. The cursor of a list is only a position.
func (x *exchange) referencesIn(req *http.Request) (ids []string) {
	texts := strings.Split(req.URL.Path, "/")
	for name, values := range x.query {
		if name != "starting_after" && name != "ending_before" {
			texts = append(texts, strings.Split(values[0], ",")...)
		}
	}
	for _, text := range texts {
		if isID.MatchString(text) {
			ids = append(ids, text)
		}
	}
	for _, found := range quoted.FindAllSubmatch(x.body, -1) {
		ids = append(ids, string(found[1]))
	}
	return ids
}
