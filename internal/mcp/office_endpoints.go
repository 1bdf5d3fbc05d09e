package mcp

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
)

var officeTools = []tool{
	define(about{"what_happened", "See what happened", reads, readAny, "What happened to a lead, contact, deal or boat, or to all of them. Newest first."}, whatHappened),
	define(about{"report", "Read a report", reads, readAny, "Inventory by age, the pipeline of deals, leads by source, or response times."}, readReport),
	define(about{"diagnose", "Find out what failed", reads, auth.Either(auth.Webhooks, auth.Admin),
		"Why an API request (req_), a webhook (whk_) or an event (evt_) failed."}, diagnose),
}

type whatHappenedIn struct {
	ObjectID string `json:"object_id,omitempty"`
	Since    string `json:"since,omitempty" doc:"Such as 2026-11-01T00:00:00Z."`
	Limit    int    `json:"limit,omitempty" minimum:"1" maximum:"50"`
}

type happening struct {
	At       string         `json:"at"`
	Type     string         `json:"type"`
	ObjectID string         `json:"object_id"`
	By       *text          `json:"by,omitempty"`
	Changes  map[string]any `json:"changes,omitempty" doc:"Old and new values."`
}

func whatHappened(ctx context.Context, c *Caller, in whatHappenedIn) (*list[happening], error) {
	limit := limitOf(in.Limit)
	since := time.Time{}
	if in.Since != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, in.Since); err != nil {
			return nil, errors.New("since must be a time such as 2026-11-01T00:00:00Z")
		}
	}
	var found page[struct {
		At       time.Time
		Type     string
		ObjectID string `json:"object_id"`
		Actor    struct{ Label string }
		Changes  map[string]any
	}]
	if err := c.get(ctx, "/v2-preview/timeline", params("object_id", in.ObjectID, "limit", strconv.Itoa(limit)), &found); err != nil {
		return nil, err
	}
	var rows []happening
	for _, e := range found.Data {
		if e.At.Before(since) {
			return newList(rows, limit, false, ""), nil
		}
		changes, _ := shown(e.Changes, nil, nil).(map[string]any)
		rows = append(rows, happening{e.At.Format(time.RFC3339), plain(e.Type), e.ObjectID, untrusted(e.Actor.Label), changes})
	}
	return newList(rows, limit, found.HasMore, "Add object_id, or a later time as since."), nil
}

type reportIn struct {
	Report     string `json:"report" enum:"inventory,pipeline,leads,responses"`
	From       string `json:"from,omitempty" doc:"First day, for leads and responses."`
	To         string `json:"to,omitempty" doc:"Last day, for leads and responses."`
	LocationID string `json:"location_id,omitempty"`
}

// anyView is a response of the API as it is, without what is too large.
type anyView struct {
	Result any  `json:"result"`
	More   bool `json:"more,omitempty"`
}

func (v *anyView) shrink() bool {
	v.More = true
	return shrinkJSON(map[string]any{"": v.Result})
}

// reports are the operations of the reports.
var reports = map[string]string{
	"inventory": "getInventoryReport", "pipeline": "getPipelineReport", "leads": "getLeadsReport", "responses": "getResponsesReport",
}

func readReport(ctx context.Context, c *Caller, in reportIn) (*anyView, error) {
	result, err := c.show(ctx, reports[in.Report], "/v2-preview/reports/"+in.Report,
		params("date_after", in.From, "date_before", in.To, "location_id", in.LocationID))
	return &anyView{Result: result}, err
}

type diagnoseIn struct {
	ID string `json:"id" doc:"req_..., whk_... or evt_..."`
}

func diagnose(ctx context.Context, c *Caller, in diagnoseIn) (*anyView, error) {
	id := url.PathEscape(in.ID)
	switch prefix, _, _ := strings.Cut(in.ID, "_"); prefix {
	case "req":
		result, err := c.show(ctx, "getRequestLog", "/v2-preview/request_logs/"+id, nil)
		return &anyView{Result: result}, err
	case "whk":
		webhook, err := c.show(ctx, "getWebhook", "/v1/webhooks/"+id, nil)
		if err != nil {
			return nil, err
		}
		recent, err := c.show(ctx, "listDeliveries", "/v1/webhooks/"+id+"/deliveries", params("limit", "10"))
		return &anyView{Result: map[string]any{"webhook": webhook, "deliveries": recent}}, err
	case "evt":
		return c.diagnoseEvent(ctx, in.ID)
	}
	return nil, errors.New("the ID must start with req_, whk_ or evt_")
}

// diagnoseEvent returns the deliveries of an event to all webhooks.
func (c *Caller) diagnoseEvent(ctx context.Context, id string) (*anyView, error) {
	var event struct {
		ID, Type  string
		CreatedAt string `json:"created_at"`
	}
	if err := c.get(ctx, "/v1/events/"+url.PathEscape(id), nil, &event); err != nil {
		return nil, err
	}
	var webhooks page[struct{ ID string }]
	if err := c.get(ctx, "/v1/webhooks", params("limit", "20"), &webhooks); err != nil {
		return nil, err
	}
	deliveries := []any{}
	for _, w := range webhooks.Data {
		found, err := c.show(ctx, "listDeliveries", "/v1/webhooks/"+w.ID+"/deliveries", params("event_id", event.ID))
		if err != nil {
			return nil, err
		}
		if m, ok := found.(map[string]any); ok {
			rows, _ := m["data"].([]any)
			deliveries = append(deliveries, rows...)
		}
	}
	return &anyView{Result: map[string]any{
		"event":    map[string]any{"id": event.ID, "type": plain(event.Type), "created_at": event.CreatedAt},
		"webhooks": len(webhooks.Data), "deliveries": deliveries,
	}}, nil
}
