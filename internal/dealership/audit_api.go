package dealership

import (
	"context"
	"encoding/json"
	"time"

	"slipway/internal/platform/audit"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// AuditEntry is an entry of the audit log, as clients see it.
type AuditEntry struct {
	_ struct{} `doc:"One entry of the audit log. Entries never change." columns:"at action outcome actor target ip / request_id"`

	ID        string            `json:"id" doc:"Identifies the entry. Starts with aud_." example:"aud_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	At        time.Time         `json:"at" doc:"When it happened."`
	Actor     auth.Actor        `json:"actor" doc:"User, key, app or job that acted."`
	Action    string            `json:"action" doc:"What happened: the type of the object and a verb." example:"api_key.rotated"`
	Target    AuditTarget       `json:"target" doc:"Object that was acted on."`
	RequestID *string           `json:"request_id" doc:"Request that caused it. Same as the Request-Id header of the response. Null for background work."`
	IP        *string           `json:"ip" doc:"IP address of the client. Null for background work."`
	UserAgent *string           `json:"user_agent" doc:"User-Agent header of the client. Null if there was none."`
	Changes   map[string][2]any `json:"changes" doc:"Old and new value of each field. Never contains secrets or personal data of contacts. A cost that you can't see in the resource is [cost]."`
	Outcome   audit.Outcome     `json:"outcome" doc:"Whether the action succeeded. failure is used for rejected credentials and sign-ins."`
}

// AuditTarget is the resource that the action changed.
type AuditTarget struct {
	_ struct{} `doc:"Object that an audited action was about."`

	Type string `json:"type" doc:"Type of the object." example:"api_key"`
	ID   string `json:"id" doc:"ID of the object." example:"key_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

// listAudit also writes, because reading the log is audited.
func (a *API) listAudit(ctx context.Context, tx *db.Tx, in *audit.Filter) (page.Page[AuditEntry], error) {
	rows, err := audit.List(ctx, tx, *in)
	if err != nil {
		return page.Page[AuditEntry]{}, err
	}

	p := page.Page[AuditEntry]{Data: []AuditEntry{}, HasMore: rows.HasMore, NextCursor: rows.NextCursor, PrevCursor: rows.PrevCursor}
	for _, e := range rows.Data {
		entry, err := a.auditEntry(ctx, e)
		if err != nil {
			return p, err
		}
		p.Data = append(p.Data, entry)
	}

	return p, audit.Record(ctx, tx, "audit.read", auth.From(ctx).DealershipID, nil)
}

// auditEntry returns an entry without the costs that the caller can't see in the resource.
func (a *API) auditEntry(ctx context.Context, e audit.Entry) (AuditEntry, error) {
	v := AuditEntry{
		ID: e.ID, At: e.At, Actor: auth.Actor{Type: e.ActorType, ID: e.ActorID, Label: e.ActorLabel}, Action: e.Action,
		Target: AuditTarget{Type: e.TargetType, ID: e.TargetID}, RequestID: e.RequestID, IP: e.IP, UserAgent: e.UserAgent, Outcome: e.Outcome,
	}
	if err := json.Unmarshal([]byte(e.Changes), &v.Changes); err != nil {
		return v, err
	}
	scopes := auth.From(ctx).Scopes
	for field, values := range v.Changes {
		v.Changes[field] = [2]any{a.Costs.MaskField(field, values[0], scopes), a.Costs.MaskField(field, values[1], scopes)}
	}
	return v, nil
}
