package proposals

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/seal"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// proposals shows a pending proposal as expired as soon as it is. The job that records it
// runs a little later.
var proposals = db.Table[ProposalState]{Name: "proposals", Prefix: "prp", Noun: "proposal", Loaded: func(tx *db.Tx, p *ProposalState) {
	if p.isOverdue(tx.Now) {
		p.Status = Expired
	}
}}

// ProposalFilter is the query of the list of proposals.
type ProposalFilter struct {
	page.Query
	Status   Status `query:"status" doc:"Only proposals with this status."`
	ObjectID string `query:"object_id" maxLength:"64" doc:"Only proposals to change this object."`
}

// where returns the filter for the operations that a caller can run.
func (f ProposalFilter) where(tx *db.Tx, operations []string) *db.Where {
	w := &db.Where{}
	switch f.Status {
	case "":
	case Pending:
		w.And("status = 'pending' AND expires_at > ?", tx.Now)
	case Expired:
		w.And("(status = 'expired' OR status = 'pending' AND expires_at <= ?)", tx.Now)
	default:
		w.And("status = ?", f.Status)
	}
	w.AndIf(f.ObjectID != "", "object_id = ?", f.ObjectID)
	slices.Sort(operations)
	marks, args := db.In(operations)
	w.And("operation_id IN "+marks, args...)
	return w
}

// sealedContent is the stored form of the content.
type sealedContent struct {
	ProposalContent
	Proposer proposer `json:"proposer"`
}

func place(p ProposalState) string { return fmt.Sprintf("proposals/%d/%s", p.Env, p.ID) }

// open returns a proposal with its content.
func open(ctx context.Context, tx *db.Tx, box *seal.Box, p ProposalState) (Proposal, error) {
	text, err := box.Open(p.Sealed, place(p))
	if err != nil {
		return Proposal{}, err
	}
	var c sealedContent
	if err := json.Unmarshal(text, &c); err != nil { // earlier versions stored other fields
		return Proposal{}, err
	}
	if c.Edits == nil {
		c.Edits = map[string]string{}
	}
	c.proposer = c.Proposer
	url := fmt.Sprintf("%s/console/%s/approvals/%s", site.Of(tx).URL, auth.From(ctx).Mode, p.ID)
	return Proposal{ProposalState: p, ProposalContent: c.ProposalContent, URL: url}, nil
}

// close seals the content of a proposal, and notes which objects it mentions.
func (p *Proposal) close(box *seal.Box) error {
	for _, pin := range p.Preview.Pins {
		if !slices.Contains(p.About, pin.ObjectID) {
			p.About = append(p.About, pin.ObjectID)
		}
	}
	stored := p.ProposalContent
	stored.Preview.OtherOffers = nil // their buyers could not be erased
	text, err := wire.Marshal(sealedContent{stored, p.proposer})
	p.Sealed = box.Seal(text, place(p.ProposalState))
	return err
}

func insert(ctx context.Context, tx *db.Tx, box *seal.Box, p *Proposal) error {
	proposals.Stamp(tx, &p.ProposalState)
	if err := p.close(box); err != nil {
		return err
	}
	if err := db.Insert(ctx, tx, proposals.Name, p.ProposalState); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "proposal.created", p.ID, events.Change{After: p.ProposalState})
}

func save(ctx context.Context, tx *db.Tx, before ProposalState, p *ProposalState, event string) error {
	if err := proposals.Save(ctx, tx, p); err != nil {
		return err
	}
	if p.Status == Failed {
		return events.EmitFailure(ctx, tx, event, p.ID, events.Change{Before: before, After: *p})
	}
	return events.Emit(ctx, tx, event, p.ID, events.Change{Before: before, After: *p})
}

// expire records that a proposal has expired.
func expire(ctx context.Context, tx *db.Tx, p *ProposalState) error {
	before := *p
	before.Status = Pending
	p.decide(Expired, "", nil, tx.Now)
	return save(ctx, tx, before, p, "proposal.expired")
}

// DeleteExpired deletes old proposals.
func DeleteExpired(ctx context.Context, tx *db.Tx) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM proposals WHERE expires_at < ?`, tx.Now.Add(openFor-keepFor))
}
