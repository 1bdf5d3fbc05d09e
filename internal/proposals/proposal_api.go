package proposals

import (
	"context"
	"net/http"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// anyWrite is checked by the router. The handlers check the scope of the operation.
var anyWrite = auth.Either(auth.HullsWrite, auth.LeadsWrite, auth.DealsWrite)

// API serves the proposals.
type API struct {
	DB   *db.DB
	Jobs *jobs.Queue
	Box  *seal.Box

	router *rest.Router // runs the operations
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	a.router = r
	p := r.Family("Proposals").Preview("2026-11-17")
	scope := " Requires the scope of the operation."
	rest.Get(p, "/proposals", "listProposals", anyWrite, "List proposals, newest first", a.list,
		rest.Describe("Returns the proposals whose operations you can run yourself."))
	rest.Raw(p, http.MethodPost, http.StatusCreated, "/proposals", "createProposal", anyWrite, "Propose an operation", a.create,
		rest.Describe("Stores an operation that changes something until a person approves it in the console, at `url`. The parameters, the body and the object are checked now. A proposal expires after 7 days. "+
			"Consent, credentials, users, payments, signatures, exports and permanent deletions can't be proposed."+scope))
	rest.Get(p, "/proposals/{proposal_id}", "getProposal", anyWrite, "Retrieve a proposal", a.get, rest.Describe(scope[1:]))
	rest.Raw(p, http.MethodPost, http.StatusOK, "/proposals/{proposal_id}/approve", "approveProposal", anyWrite, "Approve a proposal and run its operation",
		a.approve, rest.NoIfMatch, rest.Urgent, // without a turn: the operation takes one
		rest.Describe("Only people can approve, in the console. Programs receive 403. The operation runs once, as the user who approved it. If the object changed after it was proposed, nothing is done and the proposal fails."+scope))
	rest.PostOK(p, "/proposals/{proposal_id}/decline", "declineProposal", anyWrite, "Decline or withdraw a proposal", a.decline, rest.NoIfMatch,
		rest.Describe("For people in the console, and for the program that proposed it."+scope))
}

// ByProposal is the path parameter of a proposal.
type ByProposal struct {
	ProposalID string `path:"proposal_id" example:"prp_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the proposal."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *ProposalFilter) (page.Page[Proposal], error) {
	var operations []string
	for id := range Allowed {
		if op, ok := a.router.FindOperation(id); ok && op.Permit(auth.From(ctx)) == nil {
			operations = append(operations, id)
		}
	}
	rows, err := proposals.List(ctx, tx, in.Query, in.where(tx, operations))
	if err != nil {
		return page.Page[Proposal]{}, err
	}

	out := page.Page[Proposal]{Data: []Proposal{}, HasMore: rows.HasMore, NextCursor: rows.NextCursor, PrevCursor: rows.PrevCursor}
	for _, row := range rows.Data {
		p, err := open(ctx, tx, a.Box, row)
		if err != nil {
			return out, err
		}
		out.Data = append(out.Data, p)
	}
	return out, nil
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByProposal) (Proposal, error) {
	p, err := proposals.Find(ctx, tx, in.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	if _, err := a.permit(ctx, p); err != nil {
		return Proposal{}, err
	}
	return open(ctx, tx, a.Box, p)
}

// permit returns the operation of a proposal, if the caller has its scope.
func (a *API) permit(ctx context.Context, p ProposalState) (rest.Operation, error) {
	op, ok := a.router.FindOperation(p.OperationID)
	if check(p.OperationID, ok) != nil { // an earlier version of Slipway allowed it
		return op, fault.NotFound("proposal", p.ID)
	}
	return op, op.Permit(auth.From(ctx))
}

func (a *API) create(ctx context.Context, in *struct{ Body ProposalCreate }) (Proposal, error) {
	caller := auth.From(ctx)
	op, ok := a.router.FindOperation(in.Body.OperationID)
	if err := check(in.Body.OperationID, ok); err != nil {
		return Proposal{}, err
	}
	if err := op.Permit(caller); err != nil {
		return Proposal{}, err
	}
	if err := op.CheckRequest(a.router, in.Body.Path, in.Body.Query, in.Body.Body).Err(); err != nil {
		return Proposal{}, err
	}
	p, err := a.describe(ctx, caller, op, in.Body)
	if err != nil {
		return p, err
	}

	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Proposal, error) {
		p.ID, p.Status, p.ProposedBy, p.ExpiresAt = "", Pending, caller.Actor, tx.Now.Add(openFor)
		if caller.AppID != "" {
			p.ForUserID = &caller.InstalledBy
		}
		if err := insert(ctx, tx, a.Box, &p); err != nil {
			return p, err
		}
		if err := a.Jobs.Enqueue(ctx, tx, SettleProposal{tx.Env, p.ID}, p.ExpiresAt); err != nil {
			return p, err
		}
		return open(ctx, tx, a.Box, p.ProposalState)
	})
}

func (a *API) decline(ctx context.Context, tx *db.Tx, in *struct {
	ByProposal
	Body *ProposalDecline
}) (Proposal, error) {
	p, err := proposals.FindForUpdate(ctx, tx, in.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	if _, err := a.permit(ctx, p); err != nil {
		return Proposal{}, err
	}
	caller := auth.From(ctx)
	if !access.FromConsole(ctx) && p.ProposedBy.ID != caller.Actor.ID {
		return Proposal{}, errNotAPerson("decline")
	}
	if err := p.checkOpen(); err != nil {
		return Proposal{}, err
	}

	before := p
	p.decide(Declined, caller.Actor.ID, nil, tx.Now)
	if in.Body != nil {
		p.DeclineReason = in.Body.Reason
	}
	if err := save(ctx, tx, before, &p, "proposal.declined"); err != nil {
		return Proposal{}, err
	}
	return open(ctx, tx, a.Box, p)
}

// errNotAPerson is the response to programs, whatever their scopes are.
func errNotAPerson(verb string) error {
	return fault.Forbidden("Only people can %s this proposal. Open it in the console.", verb).
		Detail("Authorization", "console_only", "must be a session of the console")
}
