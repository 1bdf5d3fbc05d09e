package db

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// Table is a table whose rows are values of T, found by environment and id.
// Every statement names the environment of the transaction first. Insert and
// Save fill in the columns that tables share: env, id, version, created_at and
// updated_at, where T has them.
type Table[T any] struct {
	Name   string
	Prefix string // of the ids, such as "hull"
	Noun   string // what error messages call a row
	Parent string // the column of the row that FindIn and ListIn look under, such as "deal_id"
	Unique string // the condition of the rows that CheckUnique compares, or "" for all
	Kept   bool   // lists keep the rows in memory. Every write has to raise the version

	// Loaded fills in the fields that are not columns, after a row is read.
	Loaded func(tx *Tx, row *T)
}

// Find returns a row. A row that does not exist, or belongs to another
// environment, is a 404.
func (t Table[T]) Find(ctx context.Context, tx *Tx, id string) (T, error) {
	return t.one(ctx, tx, id, "env = ? AND id = ?", tx.Env, id)
}

// FindIn returns a row that belongs to a parent.
func (t Table[T]) FindIn(ctx context.Context, tx *Tx, parentID, id string) (T, error) {
	return t.one(ctx, tx, id, "env = ? AND "+t.Parent+" = ? AND id = ?", tx.Env, parentID, id)
}

// FindForUpdate returns a row and locks it until the transaction ends. On
// SQLite a write transaction is alone anyway.
func (t Table[T]) FindForUpdate(ctx context.Context, tx *Tx, id string) (T, error) {
	if err := LockRow(ctx, tx, `SELECT id FROM `+t.Name+` WHERE env = ? AND id = ?`, tx.Env, id); err != nil {
		var none T
		return none, err
	}

	return t.Find(ctx, tx, id)
}

func (t Table[T]) one(ctx context.Context, tx *Tx, id, where string, args ...any) (T, error) {
	tx.RequireEnv()
	row, err := One[T](ctx, tx, "SELECT {cols} FROM "+t.Name+" WHERE "+where, args...)
	if IsNoRows(err) {
		return row, fault.NotFound(t.Noun, id)
	}

	if err == nil && t.Loaded != nil {
		t.Loaded(tx, &row)
	}
	return row, err
}

// List returns one page of the rows that match, newest first. A nil filter
// matches every row of the environment.
func (t Table[T]) List(ctx context.Context, tx *Tx, q page.Query, filter *Where) (page.Page[T], error) {
	tx.RequireEnv()
	if err := q.Check(t.Prefix); err != nil {
		return page.Page[T]{}, err
	}

	p, err := List[T](ctx, tx, t.Source(), q, InEnv(tx, filter))
	if t.Loaded != nil {
		for i := range p.Data {
			t.Loaded(tx, &p.Data[i])
		}
	}
	return p, err
}

// Source is the source of a list of all rows.
func (t Table[T]) Source() Source {
	src := From(t.Name)
	if t.Kept {
		src.Kept = t.Name
	}
	return src
}

// ListIn returns one page of the rows that belong to a parent, newest first.
func (t Table[T]) ListIn(ctx context.Context, tx *Tx, parentID string, q page.Query) (page.Page[T], error) {
	var w Where
	w.And(t.Parent+" = ?", parentID)
	return t.List(ctx, tx, q, &w)
}

// CheckUnique returns an error that names another row with the same value in a column. A
// unique index is the actual guard.
func (t Table[T]) CheckUnique(ctx context.Context, tx *Tx, id, column, value string) error {
	return t.AskUnique(ctx, tx, id, column, value)()
}

// AskUnique is CheckUnique with the answer later. See Ask.
func (t Table[T]) AskUnique(ctx context.Context, tx *Tx, id, column, value string) func() error {
	query := "SELECT id FROM " + t.Name + " WHERE env = ? AND " + column + " = ? AND id <> ?"
	if t.Unique != "" {
		query += " AND " + t.Unique
	}
	asked := Ask[string](ctx, tx, query, tx.Env, value, id)
	return func() error {
		other, err := asked.All()
		if err != nil || len(other) == 0 {
			return err
		}
		return fault.Conflict("%s %s is already used by %s %s.", column, value, t.Noun, other[0]).
			Detail(column, "duplicate", "is already used by %s", other[0])
	}
}

// Insert adds a row as version 1. It assigns the id unless the row has one.
func (t Table[T]) Insert(ctx context.Context, tx *Tx, row *T) error {
	t.Stamp(tx, row)
	return Insert(ctx, tx, t.Name, *row)
}

// Stamp fills in the shared columns of a new row without inserting it.
func (t Table[T]) Stamp(tx *Tx, row *T) { stamp(tx, t.Prefix, reflect.ValueOf(row).Elem()) }

func stamp(tx *Tx, prefix string, row reflect.Value) {
	tx.RequireEnv()
	c := sharedColumns(row)
	c.claim(tx)
	if c.id != nil && c.id.String() == "" {
		c.id.SetString(tx.NewID(prefix))
	}
	c.set(c.version, int64(1))
	c.set(c.createdAt, tx.Now)
	c.set(c.updatedAt, tx.Now)
}

// Save writes a changed row as the next version. If another transaction
// changed the row since it was read, this one runs again.
func (t Table[T]) Save(ctx context.Context, tx *Tx, row *T) error {
	return save(ctx, tx, t.Name, t.Parent, reflect.ValueOf(row).Elem())
}

func save(ctx context.Context, tx *Tx, table, parent string, row reflect.Value) error {
	tx.RequireEnv()
	c := sharedColumns(row)
	c.claim(tx)
	was := c.version.Int()
	c.version.SetInt(was + 1)
	c.set(c.updatedAt, tx.Now)

	where, args := "env = ? AND id = ? AND version = ?", []any{tx.Env, c.id.String(), was}
	if parent != "" {
		where, args = "env = ? AND "+parent+" = ? AND id = ? AND version = ?", []any{tx.Env, c.value(parent), c.id.String(), was}
	}
	return Changed(update(ctx, tx, table, row, where, args...))
}

// Delete removes a row.
func (t Table[T]) Delete(ctx context.Context, tx *Tx, id string) error {
	tx.RequireEnv()
	_, err := Exec(ctx, tx, "DELETE FROM "+t.Name+" WHERE env = ? AND id = ?", tx.Env, id)
	return err
}

// InEnv puts the environment of the transaction in front of a filter.
func InEnv(tx *Tx, filter *Where) *Where {
	w := &Where{}
	w.And("env = ?", tx.Env)
	if filter != nil && len(filter.conds) > 0 {
		w.conds, w.Args = append(w.conds, filter.conds...), append(w.Args, filter.Args...)
	}
	return w
}

// shared is the fields of one row that Table fills in. A field that the row
// does not have is nil.
type shared struct {
	row                                    reflect.Value
	env, id, version, createdAt, updatedAt *reflect.Value
}

func sharedColumns(row reflect.Value) shared {
	s := shared{row: row}
	for _, c := range columnsOf(s.row.Type()) {
		field := s.row.FieldByIndex(c.index)
		switch c.name {
		case "env":
			s.env = &field
		case "id":
			s.id = &field
		case "version":
			s.version = &field
		case "created_at":
			s.createdAt = &field
		case "updated_at":
			s.updatedAt = &field
		}
	}
	return s
}

// claim makes the row one of the transaction's environment. A row of another
// environment is a bug that must never reach the database.
func (s shared) claim(tx *Tx) {
	if s.env == nil {
		return
	}
	if had := auth.Env(s.env.Int()); had != 0 && had != tx.Env {
		panic(fmt.Sprintf("db: a %s of environment %d in a transaction of environment %d", s.row.Type(), had, tx.Env))
	}
	s.env.SetInt(int64(tx.Env))
}

// set sets a field, if the row has it. It does not change a time that can be null.
func (s shared) set(field *reflect.Value, value any) {
	if field != nil && (field.Type() == reflect.TypeFor[time.Time]() || field.Kind() == reflect.Int64) {
		field.Set(reflect.ValueOf(value))
	}
}

func (s shared) value(column string) any {
	for _, c := range columnsOf(s.row.Type()) {
		if c.name == column {
			return s.row.FieldByIndex(c.index).Interface()
		}
	}
	panic("db: " + s.row.Type().String() + " has no column " + column)
}
