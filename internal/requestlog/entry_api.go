package requestlog

import (
	"context"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

// API serves the request log.
type API struct{ DB *db.DB }

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	p := r.Family(family.RequestLogs).Preview("2026-11-16")
	rest.Get(p, rest.Route{
		Path: "/request_logs", ID: "listRequestLogs", Needs: auth.Require(auth.Admin),
		Summary: "List API requests, newest first",
		Text: "Requests that change something and requests that failed are kept for 30 days. A request appears within " +
			"2 seconds. Successful reads, and requests without a valid credential, are not in the list. Secrets are never stored. " +
			"Personal data is only stored in the test environment.",
		Assist: assist.Read,
	}, a.list)
	rest.Get(p, rest.Route{
		Path: "/request_logs/{request_id}", ID: "getRequestLog", Needs: auth.Require(auth.Admin),
		Summary: "Retrieve an API request",
		Assist:  assist.Read,
	}, a.get)
}

// RequestLogFilter is the query of the list.
type RequestLogFilter struct {
	page.Query
	Status        string    `query:"status" pattern:"^([1-5]xx|[1-5][0-9][0-9])$" patternDescription:"a status such as 422, or a class such as 4xx" doc:"Only this status, such as 422, or this class of statuses, such as 4xx." example:"4xx"`
	Method        Method    `query:"method" doc:"Only this method."`
	Operation     string    `query:"operation" maxLength:"100" doc:"Only this operation of the reference." example:"createHull"`
	ActorID       string    `query:"actor_id" maxLength:"64" doc:"Only requests of this key, user or app."`
	ObjectID      string    `query:"object_id" maxLength:"64" pattern:"^[a-z]+_[0-9a-z]{1,40}$" patternDescription:"an ID" doc:"Only requests whose path contains this ID."`
	IP            string    `query:"ip" maxLength:"64" doc:"Only requests from this address."`
	CreatedAfter  time.Time `query:"created_after" doc:"Only requests that arrived at or after this time."`
	CreatedBefore time.Time `query:"created_before" doc:"Only requests that arrived before this time."`
}

// ByRequest is the path parameter of a request.
type ByRequest struct {
	RequestID string `path:"request_id" example:"req_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"Request-Id of the response."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *RequestLogFilter) (page.Page[RequestLog], error) {
	return logs.List(ctx, tx, in.Query, in.where())
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByRequest) (RequestLog, error) {
	return logs.Find(ctx, tx, in.RequestID)
}

// Method is the HTTP method of a request.
type Method string

var allMethods = enum.Of[Method]("RequestMethod", "HTTP method of a request.", "GET", "POST", "PUT", "PATCH", "DELETE")

func (Method) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allMethods.Describe(s)
}
