package proposals

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"slipway/internal/messages"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// describe reads what an operation would change, and returns the proposal with its
// preview. It reads with the API, as the caller.
func (a *API) describe(ctx context.Context, caller auth.Principal, op *rest.Operation, in ProposalCreate) (Proposal, error) {
	names := pathNames(op.Path)
	p := Proposal{ProposalState: ProposalState{OperationID: op.ID, About: aboutOf(in.Path, names, in.Body)}}
	p.Reason = in.Reason
	p.Arguments = ProposalArguments{Path: orEmpty(in.Path), Query: orEmpty(in.Query)}
	if in.Body != nil {
		p.Arguments.Body = &in.Body
	}
	p.Preview = ProposalEffect{
		Summary: op.Summary, Method: op.Method, Path: op.URL(in.Path, in.Query), Before: map[string]any{}, Checks: []messages.ReachCheck{},
	}
	if len(names) > 0 {
		p.ObjectID = new(in.Path[names[0]])
	}

	s := snapshot{a.router, caller}
	if id := op.Assist.Before(); id != "" {
		current, etag, err := s.read(ctx, id, in.Path)
		if fault.KindOf(err) == fault.KindNotFound {
			var bad fault.Fields
			bad.Add("path."+names[len(names)-1], "not_found", "does not exist")
			return p, bad.Err()
		}
		if err != nil {
			return p, err
		}
		p.ETag, p.Preview.Before = etag, beforeOf(current, in.Body)
	}
	if len(p.About) > 0 {
		title, err := s.title(ctx, p.About[0])
		if err != nil {
			return p, err
		}
		if title != "" {
			p.Preview.Title = &title
		}
	}
	if op.ID == "sendLeadMessage" {
		return p, s.checkMessage(ctx, in, &p.Preview)
	}
	return p, nil
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// snapshot reads objects for previews.
type snapshot struct {
	router *rest.Router
	caller auth.Principal
}

// read returns an object with its version. An object that the caller can't read has a
// version, because a proposal must fail if it changes, but no fields.
func (s snapshot) read(ctx context.Context, operationID string, path map[string]string) (object map[string]any, etag string, err error) {
	op := s.router.FindOperation(operationID)
	if op == nil {
		return nil, "", fmt.Errorf("operation %s doesn't exist", operationID)
	}
	reader := s.caller
	reader.Scopes = append([]auth.Scope{auth.HullsRead, auth.LeadsRead, auth.DealsRead}, reader.Scopes...)
	answer, err := s.router.Call(ctx, reader, rest.Inner{Method: http.MethodGet, Target: op.URL(path, nil)})
	if err != nil {
		return nil, "", err
	}
	if f := answer.Fault(); f != nil {
		return nil, "", f
	}
	for name, values := range answer.Header {
		if strings.EqualFold(name, "ETag") { // Go would look for Etag
			etag = values[0]
		}
	}
	if op.Permit(s.caller) != nil {
		return nil, etag, nil //nolint:nilerr // see above
	}
	return object, etag, json.Unmarshal(answer.Body, &object)
}

// title returns what people call an object, or "" if the caller can't read it.
func (s snapshot) title(ctx context.Context, id string) (string, error) {
	noun, _, _ := strings.Cut(id, "_")
	reads := map[string][2]string{
		"hull": {"getHull", "hull_id"}, "lead": {"getLead", "lead_id"}, "con": {"getContact", "contact_id"}, "deal": {"getDeal", "deal_id"},
	}[noun]
	if reads[0] == "" {
		return "", nil
	}
	o, _, err := s.read(ctx, reads[0], map[string]string{reads[1]: id})
	if fault.KindOf(err) == fault.KindNotFound {
		var bad fault.Fields
		bad.Add("body", "not_found", "refers to %s, which does not exist", id)
		return "", bad.Err()
	}
	if err != nil || o == nil {
		return "", err
	}

	switch noun {
	case "hull":
		return fmt.Sprintf("%v %v %v", o["year"], o["make"], o["model"]), nil
	case "lead":
		contact, _ := o["contact_id"].(string)
		return s.title(ctx, contact)
	case "deal":
		return fmt.Sprintf("Deal %v", o["number"]), nil
	}
	first, _ := o["first_name"].(string)
	last, _ := o["last_name"].(string)
	company, _ := o["company_name"].(string)
	return cmp.Or(strings.TrimSpace(first+" "+last), company), nil
}

// checkMessage adds the result of the send check.
func (s snapshot) checkMessage(ctx context.Context, in ProposalCreate, p *ProposalEffect) error {
	o, _, err := s.read(ctx, "getLeadReach", in.Path)
	if err != nil || o == nil {
		return err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	var reach messages.LeadReach
	if err := json.Unmarshal(text, &reach); err != nil {
		return err
	}
	for _, c := range reach.Checks {
		if string(c.Channel) == in.Body["channel"] && string(c.Purpose) == in.Body["purpose"] {
			p.Checks = append(p.Checks, c)
		}
	}
	return nil
}
