package hulls

import (
	"context"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// BatchSize is the maximum number of hulls for InsertAll and FindByStockNumber.
const BatchSize = 200

// NewHull returns the hull of a request that is not inserted yet, or all errors of
// the request. zone is the time zone of its location.
func NewHull(c HullCreate, tx *db.Tx, zone string) (Hull, error) { return c.hull(tx.Now, zone) }

// FindByStockNumber returns the active hulls with these stock numbers, by stock number.
func FindByStockNumber(ctx context.Context, tx *db.Tx, numbers []string) (map[string]Hull, error) {
	found := map[string]Hull{}
	if len(numbers) == 0 {
		return found, nil
	}
	list, args := inList(tx.Env, numbers)
	all, err := db.All[Hull](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND stock_number IN `+list+
		` AND status NOT IN ('archived', 'delivered')`, args...)
	for _, h := range all {
		Derive(tx, &h)
		found[*h.StockNumber] = h
	}
	return found, err
}

// perLookup is how many numbers of closed hulls one lookup has at most. With 32, SQLite reads all closed
// hulls instead: without statistics it assumes that there are few.
const perLookup = 16

// Closed is a hull that is delivered or archived.
type Closed struct {
	ID          string  `db:"id"`
	HIN         *string `db:"hin"`
	StockNumber *string `db:"stock_number"`
	Status      Status  `db:"status"`
}

// ClosedHulls are closed hulls by their numbers. If several have the same number,
// it is the newest of them.
type ClosedHulls struct{ ByHIN, ByStockNumber map[string]Closed }

// FindClosed returns the delivered and archived hulls with these numbers. A HIN
// that an active hull also has is left out.
func FindClosed(ctx context.Context, tx *db.Tx, hins, stockNumbers []string) (found ClosedHulls, err error) {
	find := func(column string, numbers []string) (all []Closed, err error) {
		for _, chunk := range db.Chunks(numbers, perLookup) {
			marks, args := db.In(chunk)
			some, err := db.All[Closed](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND `+column+` IN `+marks+
				` AND status IN ('archived', 'delivered') ORDER BY `+column+`, id`, append([]any{tx.Env}, args...)...)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return all, nil
	}

	found = ClosedHulls{map[string]Closed{}, map[string]Closed{}}
	byStockNumber, err := find("stock_number", stockNumbers)
	if err != nil {
		return found, err
	}
	for _, c := range byStockNumber {
		found.ByStockNumber[*c.StockNumber] = c
	}

	byHIN, err := find("hin", hins)
	if err != nil || len(byHIN) == 0 {
		return found, err
	}
	for _, c := range byHIN {
		found.ByHIN[*c.HIN] = c
	}
	var again []Hull
	for _, c := range found.ByHIN {
		again = append(again, Hull{HIN: c.HIN})
	}
	active, err := usedHINs(ctx, tx, again)
	for number := range active {
		delete(found.ByHIN, number)
	}
	return found, err
}

// InsertAll adds the hulls whose references are valid, and sets their IDs. The
// errors of the others are in rejected, by index. Locations are not checked.
func InsertAll(ctx context.Context, tx *db.Tx, all []Addition) (rejected map[int]error, err error) {
	added := make([]Hull, len(all))
	for i, a := range all {
		added[i] = a.Hull
	}
	used, err := usedHINs(ctx, tx, added)
	if err != nil {
		return nil, err
	}

	rejected = map[int]error{}
	var valid []*Addition
	for i := range all {
		h := &all[i]
		var bad fault.Fields
		if h.HIN != nil {
			if other, ok := used[*h.HIN]; ok {
				bad.Add("hin", "duplicate", "is already used by %s", other)
			} else {
				used[*h.HIN] = "another row"
			}
		}
		if h.PreviousHullID != nil {
			_, err := Find(ctx, tx, *h.PreviousHullID)
			if err := bad.AddNotFound("previous_hull_id", err); err != nil {
				return nil, err
			}
		}
		if err := bad.Err(); err != nil {
			rejected[i] = err
			continue
		}
		valid = append(valid, h)
	}

	if len(valid) == 0 {
		return rejected, nil
	}
	return rejected, insertRows(ctx, tx, valid...)
}

// usedHINs returns the active hulls that use the HINs of new hulls, by HIN.
func usedHINs(ctx context.Context, tx *db.Tx, added []Hull) (map[string]string, error) {
	type user struct {
		HIN string `db:"hin"`
		ID  string `db:"id"`
	}
	used := map[string]string{}
	var numbers []string
	for _, h := range added {
		if h.HIN != nil {
			numbers = append(numbers, *h.HIN)
		}
	}
	if len(numbers) == 0 {
		return used, nil
	}

	list, args := inList(tx.Env, numbers)
	others, err := db.All[user](ctx, tx, `SELECT {cols} FROM hulls WHERE env = ? AND hin IN `+list+
		` AND status NOT IN ('archived', 'delivered')`, args...)
	for _, o := range others {
		used[o.HIN] = o.ID
	}
	return used, err
}

// inList returns the list of an IN condition, and its arguments after env. It
// always has the length of a batch, so that the statement is always the same.
func inList(env auth.Env, values []string) (list string, args []any) {
	args = []any{env}
	for n := range BatchSize {
		args = append(args, values[min(n, len(values)-1)])
	}
	return "(" + strings.TrimSuffix(strings.Repeat("?, ", BatchSize), ", ") + ")", args
}
