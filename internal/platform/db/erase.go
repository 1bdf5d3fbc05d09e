package db

import (
	"context"
	"reflect"

	"slipway/internal/vocab/privacy"
)

// Rows are the rows of a table that match a condition, in the environment of the
// transaction.
type Rows struct {
	Table, Where string
	Args         []any
}

// Erase removes the personal data from rows, as their type declares it. The rows of a sale
// keep what the law requires.
func Erase[T any](ctx context.Context, tx *Tx, rows Rows, isSale bool) error {
	args := append([]any{tx.Env}, rows.Args...)
	all, err := All[T](ctx, tx, `SELECT {cols} FROM `+rows.Table+` WHERE env = ? AND `+rows.Where, args...)
	if err != nil {
		return err
	}
	for i := range all {
		privacy.Erase(&all[i], isSale)
		row, key := reflect.ValueOf(&all[i]).Elem(), ""
		for _, c := range columnsOf(row.Type()) {
			switch v := row.FieldByIndex(c.index); c.name {
			case "id":
				key = v.String()
			case "version":
				v.SetInt(v.Int() + 1)
			case "updated_at":
				v.Set(reflect.ValueOf(tx.Now))
			}
		}
		if _, err := update(ctx, tx, rows.Table, row, `env = ? AND `+rows.Where+` AND id = ?`, append(args[:len(args):len(args)], key)...); err != nil {
			return err
		}
	}
	return nil
}
