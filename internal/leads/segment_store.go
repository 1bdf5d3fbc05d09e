package leads

import (
	"context"

	"slipway/internal/hulls"
	"slipway/internal/platform/db"
)

// SegmentBatch is how many leads ListSegment reads.
const SegmentBatch = 500

// ListSegment returns the leads of a segment among the next ones before an ID, newest first, and the
// last ID that it read. The ID is "" at the end.
func ListSegment(ctx context.Context, tx *db.Tx, f SegmentFilter, before string) (matching []Lead, last string, err error) {
	var w db.Where
	w.AndIf(before != "", "id < ?", before)
	marks, args := db.In(f.statuses())
	w.And("status IN "+marks, args...)
	if len(f.Sources) > 0 {
		marks, args := db.In(f.Sources)
		w.And("source IN "+marks, args...)
	}
	if len(f.LocationIDs) > 0 {
		marks, args := db.In(f.LocationIDs)
		w.And("location_id IN "+marks, args...)
	}
	if f.BudgetMinUSD != nil {
		w.And("COALESCE(budget_max_usd, budget_min_usd) >= ?", *f.BudgetMinUSD)
	}
	if f.BudgetMaxUSD != nil {
		w.And("COALESCE(budget_min_usd, budget_max_usd) <= ?", *f.BudgetMaxUSD)
	}
	latest, earliest := f.idleSince(tx.Now)
	w.AndIf(!latest.IsZero(), "last_activity_at <= ?", latest)
	w.AndIf(!earliest.IsZero(), "last_activity_at >= ?", earliest)

	conditions := w.String() // at least the one of the statuses
	all, err := db.All[Lead](ctx, tx, `SELECT {cols} FROM leads WHERE env = ? AND `+conditions+` ORDER BY id DESC LIMIT ?`,
		append(append([]any{tx.Env}, w.Args...), SegmentBatch)...)
	if err != nil || len(all) == 0 {
		return nil, "", err
	}
	boats, err := boatsOf(ctx, tx, f, all)
	if err != nil {
		return nil, "", err
	}
	for _, l := range all {
		if f.isAbout(l, boats) {
			matching = append(matching, l)
		}
	}
	if len(all) == SegmentBatch {
		last = all[len(all)-1].ID
	}
	return matching, last, nil
}

// boatsOf returns the boats of leads, if the segment has classes.
func boatsOf(ctx context.Context, tx *db.Tx, f SegmentFilter, all []Lead) (map[string]hulls.Hull, error) {
	if len(f.BoatClasses) == 0 {
		return nil, nil
	}
	var ids []string
	for _, l := range all {
		if l.HullID != nil {
			ids = append(ids, *l.HullID)
		}
	}
	return hulls.FindAll(ctx, tx, ids)
}
