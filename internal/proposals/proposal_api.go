package proposals

import (
	"context"
	"errors"
	"net/http"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/family"
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
	p := r.Family(family.Proposals).Preview("2026-11-17")
	scope := " Requires the scope of the operation."
	rest.Get(p, rest.Route{
		Path: "/proposals", ID: "listProposals", Needs: anyWrite,
		Summary: "List proposals, newest first",
		Text:    "Returns the proposals whose operations you can run yourself.",
		Assist:  assist.Read,
	}, a.list)
	rest.Raw(p, http.MethodPost, http.StatusCreated, rest.Route{
		Path: "/proposals", ID: "createProposal", Needs: anyWrite,
		Summary: "Propose an operation",
		Text: "Stores an operation that changes something until a person approves it in the console, at `url`. The parameters, the body and the objects are checked now, and `preview` says in words what would happen. A proposal expires after 7 days. " +
			"Consent, credentials, users, payments, signatures, exports and permanent deletions can't be proposed." + scope,
		Assist: assist.Never(assist.Decides),
	}, a.create)
	rest.Get(p, rest.Route{
		Path: "/proposals/{proposal_id}", ID: "getProposal", Needs: anyWrite,
		Summary: "Retrieve a proposal",
		Text:    "While it is pending, `preview` says what would happen now." + scope,
		Assist:  assist.Read,
	}, a.get)
	rest.Raw(p, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/proposals/{proposal_id}/approve", ID: "approveProposal", Needs: anyWrite,
		Summary: "Approve a proposal and run its operation",
		Text: "Only people can approve, in the console. Programs receive 403. The operation runs once, as the user who approved it. " +
			"Send the `pins` of the preview that you saw. If one of these objects has changed, nothing is done: the response is 409 with the code changed, " +
			"and the proposal has a new preview. Send `edits` to change a text before it is sent." + scope,
		Assist:    assist.Never(assist.Decides),
		NoIfMatch: true, Urgent: true,
	}, a.approve)
	rest.PostOK(p, rest.Route{
		Path: "/proposals/{proposal_id}/decline", ID: "declineProposal", Needs: anyWrite,
		Summary:   "Decline or withdraw a proposal",
		Text:      "For people in the console, and for the program that proposed it." + scope,
		Assist:    assist.Never(assist.Decides),
		NoIfMatch: true,
	}, a.decline)
}

// ByProposal is the path parameter of a proposal.
type ByProposal struct {
	ProposalID string `path:"proposal_id" example:"prp_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the proposal."`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *ProposalFilter) (page.Page[Proposal], error) {
	var operations []string
	for _, op := range a.router.Proposable() {
		if op.Permit(auth.From(ctx)) == nil {
			operations = append(operations, op.ID)
		}
	}
	rows, err := proposals.List(ctx, tx, in.Query, in.where(tx, operations))
	if err != nil {
		return page.Page[Proposal]{}, err
	}

	out := page.Page[Proposal]{Data: []Proposal{}, HasMore: rows.HasMore, NextCursor: rows.NextCursor, PrevCursor: rows.PrevCursor}
	for _, row := range rows.Data {
		switch err := access.CheckObjects(ctx, tx, row.About); {
		case fault.KindOf(err) == fault.KindForbidden:
			continue
		case err != nil:
			return out, err
		}
		p, err := open(ctx, tx, a.Box, row)
		if err != nil {
			return out, err
		}
		p.Preview = visible(p.Preview, auth.From(ctx))
		out.Data = append(out.Data, p)
	}
	return out, nil
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByProposal) (Proposal, error) {
	p, err := proposals.Find(ctx, tx, in.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	if err := access.CheckObjects(ctx, tx, p.About); err != nil {
		return Proposal{}, err
	}
	op, err := a.permit(ctx, p)
	if err != nil {
		return Proposal{}, err
	}
	full, err := open(ctx, tx, a.Box, p)
	if err != nil {
		return full, err
	}
	if p.Status == Pending {
		if err := full.refresh(ctx, tx, op); err != nil {
			return full, err
		}
	}
	full.Preview = visible(full.Preview, auth.From(ctx))
	return full, nil
}

// refresh replaces the preview by what would happen now, and adds what changed since it was
// proposed.
func (p *Proposal) refresh(ctx context.Context, tx *db.Tx, op *rest.Operation) error {
	now, err := describe(ctx, tx, op, *p)
	var f *fault.Error
	if errors.As(err, &f) && f.Kind.Status < http.StatusInternalServerError {
		p.Preview.Warn(effect.Danger, "changed", "This can't be done anymore. "+f.Message)
		return nil
	}
	if err != nil {
		return err
	}
	now.Changed = now.Diff(p.Preview)
	p.Preview = now
	return nil
}

// permit returns the operation of a proposal, if the caller has its scope.
func (a *API) permit(ctx context.Context, p ProposalState) (*rest.Operation, error) {
	op := a.router.FindOperation(p.OperationID)
	if check(op) != nil { // an earlier version of Slipway allowed it
		return op, fault.NotFound("proposal", p.ID)
	}
	return op, op.Permit(auth.From(ctx))
}

func (a *API) create(ctx context.Context, in *struct{ Body ProposalCreate }) (Proposal, error) {
	caller := auth.From(ctx)
	op := a.router.FindOperation(in.Body.OperationID)
	if err := check(op); err != nil {
		return Proposal{}, err
	}
	if err := op.Permit(caller); err != nil {
		return Proposal{}, err
	}
	if err := op.CheckRequest(a.router, in.Body.Path, in.Body.Query, in.Body.Body).Err(); err != nil {
		return Proposal{}, err
	}
	return rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Proposal, error) {
		p := in.Body.proposal(op, caller)
		p.ExpiresAt = tx.Now.Add(openFor)
		var err error
		if p.Preview, err = describe(ctx, tx, op, p); err != nil {
			return p, notFoundIn(op, err)
		}
		if err := insert(ctx, tx, a.Box, &p); err != nil {
			return p, err
		}
		if err := a.Jobs.Enqueue(ctx, tx, SettleProposal{tx.Env, p.ID}, p.ExpiresAt); err != nil {
			return p, err
		}
		stored, err := open(ctx, tx, a.Box, p.ProposalState)
		stored.Preview = visible(p.Preview, caller)
		return stored, err
	})
}

// proposal returns what a caller proposes, without its preview.
func (in ProposalCreate) proposal(op *rest.Operation, caller auth.Principal) Proposal {
	names := pathNames(op.Path)
	p := Proposal{ProposalState: ProposalState{
		OperationID: op.ID, Status: Pending, ProposedBy: caller.Actor, About: aboutOf(in.Path, names, in.Body),
	}}
	p.Reason, p.proposer = in.Reason, proposer{caller.UserID, caller.Scopes}
	p.Arguments = ProposalArguments{Path: orEmpty(in.Path), Query: orEmpty(in.Query)}
	if in.Body != nil {
		p.Arguments.Body = &in.Body
	}
	if len(names) > 0 {
		p.ObjectID = new(in.Path[names[0]])
	}
	if caller.AppID != "" {
		p.ForUserID = &caller.InstalledBy
	}
	return p
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// notFoundIn returns the error for an object that a proposal refers to. The names of the
// fields start with path or body.
func notFoundIn(op *rest.Operation, err error) error {
	if fault.KindOf(err) != fault.KindNotFound {
		return err
	}
	var bad fault.Fields
	if names := pathNames(op.Path); len(names) > 0 {
		bad.Add("path."+names[len(names)-1], "not_found", "does not exist")
	} else {
		bad.Add("body", "not_found", "refers to something that does not exist")
	}
	return bad.Err()
}

func (a *API) decline(ctx context.Context, tx *db.Tx, in *struct {
	ByProposal
	Body *ProposalDecline
}) (Proposal, error) {
	p, err := proposals.FindForUpdate(ctx, tx, in.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	if err := access.CheckObjects(ctx, tx, p.About); err != nil {
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
	full, err := open(ctx, tx, a.Box, p)
	full.Preview = visible(full.Preview, caller)
	return full, err
}

// errNotAPerson is the response to programs, whatever their scopes are.
func errNotAPerson(verb string) error {
	return fault.Forbidden("Only people can %s this proposal. Open it in the console.", verb).
		Detail("Authorization", "console_only", "must be a session of the console")
}

// check returns an error unless an operation can be proposed. It is nil if it doesn't exist.
func check(op *rest.Operation) error {
	var bad fault.Fields
	switch {
	case op == nil:
		bad.Add("operation_id", "not_found", "is not an operation of the API")
	case !op.Assist.CanPropose():
		bad.Add("operation_id", "not_proposable", "can't be proposed. It %s", op.Assist.Why())
	}
	return bad.Err()
}
