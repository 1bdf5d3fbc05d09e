package proposals

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// approve claims the proposal, runs its operation as the approver, and records the result.
// Each step is a transaction of its own, and the operation has the same idempotency key at
// each attempt. If the server stops in between, SettleProposal finds out what happened.
func (a *API) approve(ctx context.Context, in *ByProposal) (Proposal, error) {
	find := func(ctx context.Context, tx *db.Tx) (Proposal, error) { return a.get(ctx, tx, in) }
	p, op, err := a.claim(ctx, in.ProposalID)
	if err != nil {
		return p, err
	}
	if p.Status == Approved { // by an earlier attempt
		return rest.Write(ctx, a.DB, find)
	}

	lasting := context.WithoutCancel(ctx) // closing the browser doesn't interrupt it
	answer, err := a.run(lasting, op, p)
	if err != nil {
		return p, err
	}
	if err := a.record(lasting, p.ProposalState, answer); err != nil {
		return p, err
	}
	return rest.Write(ctx, a.DB, find)
}

// claim reserves a proposal for the caller. A proposal that the caller has approved, or
// whose operation turns out to have succeeded, is returned as it is.
func (a *API) claim(ctx context.Context, id string) (Proposal, *rest.Operation, error) {
	var op *rest.Operation
	p, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Proposal, error) {
		p, err := proposals.FindForUpdate(ctx, tx, id)
		if err != nil {
			return Proposal{}, err
		}
		caller := auth.From(ctx)
		if !access.FromConsole(ctx) {
			return Proposal{}, errNotAPerson("approve")
		}
		if op, err = a.permit(ctx, p); err != nil {
			return Proposal{}, err
		}
		if p.Status == Approved && p.DecidedBy != nil && *p.DecidedBy == caller.UserID {
			return Proposal{ProposalState: p}, nil
		}

		if p.isStale(tx.Now) {
			if err := a.settle(ctx, tx, &p); err != nil || p.Status == Approved {
				return Proposal{ProposalState: p}, err
			}
		}
		if err := p.claim(caller.OriginalID, tx.Now); err != nil {
			return Proposal{}, err
		}
		if err := proposals.Save(ctx, tx, &p); err != nil {
			return Proposal{}, err
		}
		if err := a.Jobs.Enqueue(ctx, tx, SettleProposal{tx.Env, p.ID}, tx.Now.Add(lease)); err != nil {
			return Proposal{}, err
		}
		return open(ctx, tx, a.Box, p)
	})
	return p, op, err
}

// run calls the operation as the approver.
func (a *API) run(ctx context.Context, op *rest.Operation, p Proposal) (rest.Answer, error) {
	header := http.Header{}
	if op.Method != http.MethodDelete {
		header.Set("Idempotency-Key", p.idempotencyKey())
	}
	if op.IfMatch() && p.ETag != "" {
		header.Set("If-Match", p.ETag)
	}
	var body []byte
	if p.Arguments.Body != nil {
		var err error
		if body, err = json.Marshal(*p.Arguments.Body); err != nil { // sorts the fields: a retry must have the same bytes
			return rest.Answer{}, err
		}
	}
	return a.router.Call(ctx, auth.From(ctx), rest.Inner{Method: op.Method, Target: op.URL(p.Arguments.Path, p.Arguments.Query), Header: header, Body: body})
}

// record saves what became of the operation, and returns its error.
func (a *API) record(ctx context.Context, claimed ProposalState, answer rest.Answer) error {
	f := answer.Fault()
	changed := f != nil && f.Kind.Status == http.StatusConflict &&
		slices.ContainsFunc(f.Details, func(d fault.Detail) bool { return d.Field == "If-Match" && d.Code == "stale" })
	if changed {
		f = fault.Conflict(errChanged).Detail("object_id", "changed", "changed after this was proposed")
	}
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (ProposalState, error) {
		p, err := proposals.FindForUpdate(ctx, tx, claimed.ID)
		if err != nil || p.Status != Running || *p.ClaimedBy != *claimed.ClaimedBy {
			return p, err // settled in the meantime
		}
		before := p
		switch {
		case f == nil:
			p.decide(Approved, auth.From(ctx).UserID, resultOf(answer, nil), tx.Now)
			return p, save(ctx, tx, before, &p, "proposal.approved")
		case isPermanent(answer.Status):
			p.decide(Failed, auth.From(ctx).UserID, resultOf(answer, f), tx.Now)
			return p, save(ctx, tx, before, &p, "proposal.failed")
		}
		return p, a.settle(ctx, tx, &p)
	})
	switch {
	case err != nil:
		return err
	case f == nil:
		return nil
	case changed || !isPermanent(answer.Status):
		return f
	}
	failed := fault.Conflict("The operation failed: %s", f.Message)
	failed.Details = f.Details
	return failed
}

// settle ends a claim whose operation has no known response. If the operation succeeded,
// its response was stored together with its effect. Otherwise nothing was done.
func (a *API) settle(ctx context.Context, tx *db.Tx, p *ProposalState) error {
	answer, found, err := a.router.StoredAnswer(ctx, tx, *p.ClaimedBy, p.idempotencyKey())
	if err != nil {
		return err
	}
	if found {
		before := *p
		p.decide(Approved, *p.ClaimedBy, resultOf(answer, nil), tx.Now)
		return save(ctx, tx, before, p, "proposal.approved")
	}
	p.release()
	return proposals.Save(ctx, tx, p)
}

func resultOf(answer rest.Answer, f *fault.Error) *ProposalResult {
	r := &ProposalResult{Status: answer.Status}
	if f != nil {
		r.Code, r.Message = &f.Kind.Code, &f.Message
		return r
	}
	var object struct{ ID string }
	if json.Unmarshal(answer.Body, &object) == nil && object.ID != "" {
		r.ObjectID = &object.ID
	}
	return r
}
