package proposals

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/fault"
)

// approve claims the proposal, runs its operation as the approver, and records the result.
// Each step is a transaction of its own, and the operation has the same idempotency key at
// each attempt. If the server stops in between, SettleProposal finds out what happened.
func (a *API) approve(ctx context.Context, in *struct {
	ByProposal
	Body *ProposalApprove
}) (Proposal, error) {
	find := func(ctx context.Context, tx *db.Tx) (Proposal, error) { return a.get(ctx, tx, &in.ByProposal) }
	var asked ProposalApprove
	if in.Body != nil {
		asked = *in.Body
	}
	p, op, err := a.claim(ctx, in.ProposalID, asked)
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
	if err := a.record(lasting, p, answer); err != nil {
		return p, err
	}
	return rest.Write(ctx, a.DB, find)
}

// claim reserves a proposal for the caller, together with what the caller saw and edited. A
// proposal that the caller has approved, or whose operation turns out to have succeeded, is
// returned as it is.
func (a *API) claim(ctx context.Context, id string, asked ProposalApprove) (Proposal, *rest.Operation, error) {
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
		full, err := a.judge(ctx, tx, op, p, asked)
		if err != nil {
			return full, err
		}
		if err := proposals.Save(ctx, tx, &full.ProposalState); err != nil {
			return Proposal{}, err
		}
		return full, a.Jobs.Enqueue(ctx, tx, SettleProposal{tx.Env, p.ID}, tx.Now.Add(lease))
	})
	return p, op, err
}

// judge returns the proposal as the approver decided about it: with what it does now, and
// the approver's edits. It fails if that isn't what the approver saw.
func (a *API) judge(ctx context.Context, tx *db.Tx, op *rest.Operation, p ProposalState, asked ProposalApprove) (Proposal, error) {
	full, err := open(ctx, tx, a.Box, p)
	if err != nil {
		return full, err
	}
	now, err := describe(ctx, tx, op, full)
	if fault.KindOf(err) == fault.KindNotFound || fault.KindOf(err) == fault.KindUnprocessable {
		return full, errChanged().WithCause(err) // something was deleted
	}
	if err != nil {
		return full, err
	}
	if err := asked.check(now, full.Preview.Pins, auth.From(ctx)); err != nil {
		return full, err
	}

	now.Changed = now.Diff(full.Preview)
	full.Preview = now
	if len(asked.Edits) > 0 {
		full.Edits = asked.Edits
		if err := op.CheckRequest(a.router, full.Arguments.Path, full.Arguments.Query, full.body()).Err(); err != nil {
			return full, err
		}
	}
	return full, full.close(a.Box)
}

// run calls the operation as the approver.
func (a *API) run(ctx context.Context, op *rest.Operation, p Proposal) (rest.Answer, error) {
	header := http.Header{"Idempotency-Key": {p.idempotencyKey()}}
	var body []byte
	if p.Arguments.Body != nil {
		var err error
		if body, err = json.Marshal(p.body()); err != nil { // sorts the fields: a retry must have the same bytes
			return rest.Answer{}, err
		}
	}
	return a.router.Call(ctx, auth.From(ctx), rest.Inner{
		Method: op.Method, Target: op.URL(p.Arguments.Path, p.Arguments.Query), Header: header, Body: body, First: recheck(op, p),
	})
}

// record saves what became of the operation, and returns its error. If something changed at
// the last moment, the proposal waits for another decision.
func (a *API) record(ctx context.Context, claimed Proposal, answer rest.Answer) error {
	f := answer.Fault()
	changed := f != nil && slices.ContainsFunc(f.Details, func(d fault.Detail) bool { return d.Field == "pins" && d.Code == "changed" })
	_, err := db.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (ProposalState, error) {
		p, err := proposals.FindForUpdate(ctx, tx, claimed.ID)
		if err != nil || p.Status != Running || *p.ClaimedBy != *claimed.ClaimedBy {
			return p, err // settled in the meantime
		}
		before := p
		switch {
		case f == nil:
			p.decide(Approved, auth.From(ctx).UserID, resultOf(answer, nil, claimed.Edits), tx.Now)
			return p, save(ctx, tx, before, &p, "proposal.approved")
		case isPermanent(answer.Status) && !changed:
			p.decide(Failed, auth.From(ctx).UserID, resultOf(answer, f, claimed.Edits), tx.Now)
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
		full, err := open(ctx, tx, a.Box, *p)
		if err != nil {
			return err
		}
		before := *p
		p.decide(Approved, *p.ClaimedBy, resultOf(answer, nil, full.Edits), tx.Now)
		return save(ctx, tx, before, p, "proposal.approved")
	}
	p.release()
	return proposals.Save(ctx, tx, p)
}

func resultOf(answer rest.Answer, f *fault.Error, edits map[string]string) *ProposalResult {
	r := &ProposalResult{Status: answer.Status, Edited: slices.AppendSeq([]string{}, maps.Keys(edits))}
	slices.Sort(r.Edited)
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

// describe returns what a proposal would do now: what the feature says, and a row for each
// other field of the body. The rules are asked as the caller who proposed it.
func describe(ctx context.Context, tx *db.Tx, op *rest.Operation, p Proposal) (effect.ProposalEffect, error) {
	n := names{find: func(id string) (named, error) { return find(ctx, tx, id) }, found: map[string]named{}}
	args := rest.Arguments{Path: p.Arguments.Path, Query: p.Arguments.Query}
	if p.Arguments.Body != nil {
		args.Body = *p.Arguments.Body
	}
	if err := n.findAll(args.Body); err != nil {
		return effect.ProposalEffect{}, err
	}

	proposer := auth.Principal{Env: tx.Env, Actor: p.ProposedBy, UserID: p.proposer.UserID, Scopes: p.proposer.Scopes}
	e, err := op.DescribeEffect(auth.With(ctx, proposer), tx, args)
	if err != nil {
		return e, err
	}
	for i, r := range e.Rows {
		if name := n.name(r.To); name != "" {
			e.Rows[i].To = name
		}
	}
	n.pin(&e)

	d, err := dealership.Find(ctx, tx)
	if err != nil {
		return e, err
	}
	zone, err := time.LoadLocation(d.Timezone)
	if err != nil {
		return e, err
	}
	id := ""
	if p.ObjectID != nil {
		id = *p.ObjectID
	}
	if err := e.Fields(effect.Words{Zone: zone, Name: n.name}, id, args.Body); err != nil {
		return e, err
	}
	e.Summary, e.Method, e.Path = op.Summary, op.Method, op.URL(args.Path, args.Query)
	return e, n.err
}

// recheck returns an error if what was approved is no longer what would happen. It runs in
// the transaction of the operation, and first locks what people edit, in an order that is
// the same for everyone: nothing can change between the check and the operation.
func recheck(op *rest.Operation, p Proposal) func(ctx context.Context, tx *db.Tx) error {
	return func(ctx context.Context, tx *db.Tx) error {
		ids := []string{}
		for _, pin := range p.Preview.Pins {
			ids = append(ids, pin.ObjectID)
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			if err := lock(ctx, tx, id); err != nil {
				return err
			}
		}

		now, err := describe(ctx, tx, op, p)
		if err != nil {
			return err
		}
		if !effect.SamePins(p.Preview.Pins, now.Pins) {
			return errChanged()
		}
		return nil
	}
}
