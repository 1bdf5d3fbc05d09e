package leads

import (
	"context"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/patch"
)

// InboxFilter is the query of the list of leads that people work with.
type InboxFilter struct {
	LeadFilter
	StatusCategory StatusCategory    `query:"status_category" doc:"Only leads of this category. open includes new, contacted, qualified and working."`
	Q              string            `query:"q" maxLength:"200" doc:"Words, or the start of words, in the names, company, email or phone of the contact. All words must match." example:"ann bell"`
	Awaiting       Turn              `query:"awaiting" doc:"Only leads for which it is this side's turn to answer."`
	OrUnowned      patch.Param[bool] `query:"or_unowned" doc:"With owner_id, true also lists leads without an owner."`
	Sort           Sort              `query:"sort" default:"newest" doc:"newest lists the leads that were created last first, last_activity those with the latest last_activity_at, and awaiting_since those first that have waited longest."`
}

// Sort is the order of a list of leads.
type Sort string

// Values that the code uses.
const (
	byLastActivity Sort = "last_activity"
	LongestWait    Sort = "awaiting_since"
)

var allSorts = enum.Of("LeadSort", "Order of the list of leads.", "newest", byLastActivity, LongestWait)

func (Sort) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSorts.Describe(s)
}

// check rejects filters that contradict each other. An empty list would hide the
// mistake.
func (f InboxFilter) check() error {
	if f.Status != "" && f.StatusCategory != "" && f.Status.category() != f.StatusCategory {
		return fault.BadRequest("status_category contradicts status.").Detail("status_category", "exclusive", "contradicts status")
	}
	return nil
}

func (f InboxFilter) where(now time.Time) *db.Where {
	owner := f.OwnerID
	if f.OrUnowned.V {
		f.OwnerID = ""
	}
	w := f.LeadFilter.where()
	w.AndIf(f.OrUnowned.V && owner != "", "(owner_id = ? OR owner_id IS NULL)", owner)
	whereTurn(w, f.Awaiting, now)
	switch f.StatusCategory {
	case CategoryOpen:
		w.And("status NOT IN (?, ?)", Converted, Lost)
	case CategoryConverted, CategoryLost:
		w.And("status = ?", f.StatusCategory)
	}
	return w
}

// byActivity is the order of an inbox.
var byActivity = db.Order[Lead]{
	Name: "last_activity", Column: "last_activity_at", Desc: true, Prefix: leads.Prefix,
	Value:    func(l Lead) int64 { return l.LastActivityAt.UnixMilli() },
	Argument: func(ms int64) any { return time.UnixMilli(ms) },
}

// ListInbox returns the leads that match the filter.
func ListInbox(ctx context.Context, tx *db.Tx, f InboxFilter) (p page.Page[Lead], err error) {
	if err := f.check(); err != nil {
		return p, err
	}
	if f.OwnerID, err = people.OrMe(ctx, "owner_id", f.OwnerID); err != nil {
		return p, err
	}
	w := f.where(tx.Now)
	if f.Q != "" && !contacts.WhereMatches(w, tx.Env, "contact_id", f.Q) {
		return page.New([]Lead{}, f.Query, false, nil), nil
	}

	order := byActivity
	switch f.Sort {
	case byLastActivity:
	case LongestWait:
		order = byTurn
	default:
		return leads.List(ctx, tx, f.Query, w)
	}
	p, err = order.List(ctx, tx, leads.Source(), f.Query, db.InEnv(tx, w))
	for i := range p.Data {
		p.Data[i].derive(tx.Now)
	}
	return p, err
}
