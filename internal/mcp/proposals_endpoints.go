package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var proposalTools = []tool{
	define(about{"propose_message", "Propose a message", proposes, writeLeads,
		"Propose a text message or an email to a lead. It is not sent: a person approves it in the console first."}, proposeMessage),
	define(about{"propose_change", "Propose a change", proposes, writeAny,
		"Propose a price, a hold, a listing, an offer or archiving a boat. Nothing changes until a person approves it in the console."}, proposeChange),
}

// proposal is a request for a person to decide.
type proposal struct {
	OperationID string            `json:"operation_id"`
	Path        map[string]string `json:"path,omitempty"`
	Query       map[string]string `json:"query,omitempty"`
	Body        map[string]any    `json:"body,omitempty"`
	Reason      string            `json:"reason,omitempty"`
}

type proposed struct {
	ID        string  `json:"proposal_id"`
	Status    string  `json:"status"`
	Summary   string  `json:"summary"`
	Title     *text   `json:"title"` // what the person reads first
	Warnings  []*text `json:"warnings,omitempty"`
	ApproveAt string  `json:"approve_at"`
	ExpiresAt string  `json:"expires_at"`
}

func (p *proposed) proposal() *proposed { return p }

type stateKey struct{}

// withState adds what an earlier call has asked the client to send back.
func withState(ctx context.Context, state string) context.Context {
	return context.WithValue(ctx, stateKey{}, state)
}

// askToOpen returns a request to open the page where a person decides, if a tool has proposed
// something and the client can open pages. The client calls the tool again with the ID of the
// proposal as the state, whatever the person does.
func askToOpen(req *sdk.CallToolRequest, out any) *sdk.CallToolResult {
	o, ok := out.(interface{ proposal() *proposed })
	if !ok || o.proposal() == nil || req.Params.RequestState != "" {
		return nil
	}
	can := req.ClientCapabilities()
	if can == nil || can.Elicitation == nil || can.Elicitation.URL == nil {
		return nil
	}
	p := o.proposal()
	return &sdk.CallToolResult{RequestState: p.ID, InputRequests: sdk.InputRequestMap{"approval": &sdk.ElicitParams{
		Mode: "url", URL: p.ApproveAt, ElicitationID: p.ID, Message: "Approve or decline in the console: " + p.Summary,
	}}}
}

// propose stores a proposal, or finds the one of the earlier call. The API checks it.
func (c *Caller) propose(ctx context.Context, p proposal) (*proposed, error) {
	var out struct {
		ID, Status, URL string
		ExpiresAt       string `json:"expires_at"`
		Preview         struct {
			Summary, Title string
			Warnings       []struct{ Text string }
		}
	}
	const path = "/v2-preview/proposals"
	var err error
	if id, _ := ctx.Value(stateKey{}).(string); id != "" {
		err = c.get(ctx, path+"/"+url.PathEscape(id), nil, &out)
	} else {
		err = c.do(ctx, http.MethodPost, path, p, &out)
	}
	if err != nil {
		return nil, err
	}
	w := out.Preview
	answer := &proposed{
		ID: out.ID, Status: plain(out.Status), Summary: plain(w.Summary), Title: untrusted(w.Title), ApproveAt: out.URL, ExpiresAt: out.ExpiresAt,
	}
	for _, warning := range w.Warnings {
		answer.Warnings = append(answer.Warnings, untrusted(warning.Text))
	}
	return answer, nil
}

type proposeMessageIn struct {
	LeadID  string `json:"lead_id"`
	Channel string `json:"channel" enum:"sms,email"`
	Purpose string `json:"purpose,omitempty" enum:"transactional,marketing" doc:"Defaults to transactional."`
	Subject string `json:"subject,omitempty" doc:"For email."`
	Body    string `json:"body"`
	Reason  string `json:"reason" doc:"For the person who decides."`
}

func proposeMessage(ctx context.Context, c *Caller, in proposeMessageIn) (*proposed, error) {
	return c.propose(ctx, proposal{
		OperationID: "sendLeadMessage", Path: map[string]string{"lead_id": in.LeadID}, Reason: in.Reason,
		Body: withoutEmpty(map[string]any{
			"channel": in.Channel, "purpose": firstOf(in.Purpose, "transactional"), "subject": in.Subject, "body": in.Body,
		}),
	})
}

type proposeChangeIn struct {
	Change    string `json:"change" enum:"price,hold,list,unlist,offer,archive"`
	HullID    string `json:"hull_id,omitempty" doc:"For all but offer."`
	PriceUSD  int64  `json:"price_usd,omitempty"`
	PriceType string `json:"price_type,omitempty" enum:"asking,sale,call"`
	Until     string `json:"until,omitempty" doc:"For hold: when it expires."`
	LeadID    string `json:"lead_id,omitempty" doc:"For hold: the lead that it is for."`
	ChannelID string `json:"channel_id,omitempty" doc:"For list and unlist."`
	DealID    string `json:"deal_id,omitempty" doc:"For offer."`
	AmountUSD int64  `json:"amount_usd,omitempty" doc:"For offer, made by the dealer."`
	Reason    string `json:"reason"`
}

func proposeChange(ctx context.Context, c *Caller, in proposeChangeIn) (*proposed, error) {
	onHull := map[string]string{"hull_id": in.HullID}
	p := proposal{Reason: in.Reason, Path: onHull}
	switch in.Change {
	case "price":
		var err error
		p.OperationID = "adjustHullPricing"
		if p.Body, err = c.newPricing(ctx, in); err != nil {
			return nil, err
		}
	case "hold":
		p.OperationID = "transitionHull"
		p.Body = withoutEmpty(map[string]any{"to": "on_hold", "expires_at": in.Until, "lead_id": in.LeadID, "reason": in.Reason})
	case "list", "unlist":
		p.OperationID = map[string]string{"list": "publishHull", "unlist": "withdrawHull"}[in.Change]
		p.Path["channel_id"] = in.ChannelID
	case "offer":
		p.OperationID, p.Path = "makeOffer", map[string]string{"deal_id": in.DealID}
		p.Body = map[string]any{"amount_usd": in.AmountUSD, "made_by": "dealer"}
	case "archive":
		p.OperationID, p.Body = "archiveHull", map[string]any{"reason": in.Reason}
	default:
		return nil, errors.New("change is not valid")
	}
	return c.propose(ctx, p)
}

// newPricing returns the pricing of a boat with another price. The operation replaces all of
// it.
func (c *Caller) newPricing(ctx context.Context, in proposeChangeIn) (map[string]any, error) {
	var current map[string]any
	if err := c.get(ctx, "/v1/hulls/"+url.PathEscape(in.HullID)+"/pricing", nil, &current); err != nil {
		return nil, err
	}
	body := map[string]any{"price_usd": in.PriceUSD, "reason": in.Reason}
	for _, name := range []string{"price_type", "price_hidden", "msrp_usd", "floor_usd", "original_price_usd", "cost"} {
		if current[name] != nil {
			body[name] = current[name]
		}
	}
	if in.PriceType != "" {
		body["price_type"] = in.PriceType
	}
	return body, nil
}
