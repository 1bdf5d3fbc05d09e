package donotcall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/page"
)

var lists = db.Table[DoNotCallList]{Name: "do_not_call_lists", Prefix: "dnc", Noun: "do-not-call list"}

func listAll(ctx context.Context, tx *db.Tx, q page.Query) (page.Page[DoNotCallList], error) {
	return lists.List(ctx, tx, q, nil)
}

func insert(ctx context.Context, tx *db.Tx, l *DoNotCallList) error { return lists.Insert(ctx, tx, l) }

// complete ends an upload. The list applies from now on.
func complete(ctx context.Context, tx *db.Tx, l DoNotCallList) (DoNotCallList, error) {
	var err error
	if l.Numbers, err = db.One[int64](ctx, tx, `SELECT COUNT(*) FROM do_not_call_numbers WHERE env = ? AND list_id = ?`, tx.Env, l.ID); err != nil {
		return l, err
	}
	l.Complete = true
	if err := lists.Save(ctx, tx, &l); err != nil {
		return l, err
	}
	return l, events.Emit(ctx, tx, "do_not_call_list.created", l.ID, events.Change{After: l})
}

// remove deletes a list. It blocks nothing from now on, and a job deletes its numbers.
func remove(ctx context.Context, tx *db.Tx, l DoNotCallList) error {
	if err := lists.Delete(ctx, tx, l.ID); err != nil {
		return err
	}
	return events.Emit(ctx, tx, "do_not_call_list.deleted", l.ID, events.Change{After: l})
}

// add stores numbers of a list. A number that the list already has is ignored.
func add(ctx context.Context, tx *db.Tx, listID string, numbers []int64) error {
	slices.Sort(numbers)
	for _, part := range db.Chunks(slices.Compact(numbers), 1000) {
		args := make([]any, 0, 3*len(part))
		for _, n := range part {
			args = append(args, tx.Env, n, listID)
		}
		rows := strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", len(part)), ", ")
		if _, err := db.Exec(ctx, tx, fmt.Sprintf(`INSERT INTO do_not_call_numbers (env, number, list_id) VALUES %s ON CONFLICT DO NOTHING`, rows),
			args...); err != nil {
			return err
		}
	}
	return nil
}

// purge deletes some numbers of a list that was deleted, and returns how many.
func purge(ctx context.Context, tx *db.Tx, listID string) (int64, error) {
	return db.Exec(ctx, tx, `DELETE FROM do_not_call_numbers WHERE env = ? AND list_id = ? AND number IN
		(SELECT number FROM do_not_call_numbers WHERE env = ? AND list_id = ? LIMIT 5000)`, tx.Env, listID, tx.Env, listID)
}

// Listed returns which of these numbers in E.164 are on a list.
func Listed(ctx context.Context, tx *db.Tx, numbers []string) (map[string]bool, error) {
	found, byNumber := map[string]bool{}, map[int64]string{}
	var wanted []int64
	for _, text := range numbers {
		if n, ok := numberOf(text); ok {
			byNumber[n] = text
			wanted = append(wanted, n)
		}
	}
	if len(wanted) == 0 {
		return found, nil
	}
	marks, args := db.In(wanted)
	all, err := db.All[int64](ctx, tx, `SELECT n.number FROM do_not_call_numbers n JOIN do_not_call_lists l ON l.env = n.env AND l.id = n.list_id
		WHERE n.env = ? AND n.number IN `+marks+` AND l.complete`, append([]any{tx.Env}, args...)...)
	for _, n := range all {
		found[byNumber[n]] = true
	}
	return found, err
}
