package db

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"slipway/internal/vocab/id"
	"slipway/internal/vocab/wire"
)

// One returns the first row of a query, or sql.ErrNoRows.
func One[T any](ctx context.Context, tx *Tx, query string, args ...any) (T, error) {
	all, err := All[T](ctx, tx, query, args...)
	if err == nil && len(all) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		var none T
		return none, err
	}
	return all[0], nil
}

// All returns the rows of a query. In the query, {cols} is replaced by the columns
// of T, {h.cols} by the same columns of table alias h, and ? by an argument. A T that
// is not a struct with db tags is the single column of the row.
func All[T any](ctx context.Context, tx *Tx, query string, args ...any) ([]T, error) {
	out := []T{}
	err := tx.scan(ctx, reflect.TypeFor[T](), query, args, func() reflect.Value {
		out = append(out, *new(T))
		return reflect.ValueOf(&out[len(out)-1]).Elem()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// scan reads the rows of a query into values of a type, which next returns.
func (tx *Tx) scan(ctx context.Context, t reflect.Type, query string, args []any, next func() reflect.Value) error {
	cols := columnsOf(t)
	text := tx.db.text(query, cols, t)
	return tx.query(ctx, text, args, func(found rows) error { return read(found, cols, next) })
}

// read reads rows into values, which next returns.
func read(found rows, cols []column, next func() reflect.Value) error {
	dest := make([]any, max(1, len(cols)))
	for found.Next() {
		row := next()
		if cols == nil {
			dest[0] = column{json: false}.dest(row)
		}
		for i, c := range cols {
			dest[i] = c.dest(row.FieldByIndex(c.index))
		}
		if err := found.Scan(dest...); err != nil {
			return err
		}
	}
	return found.Err()
}

// Exec runs a statement and counts the rows it changed.
func Exec(ctx context.Context, tx *Tx, query string, args ...any) (int64, error) {
	return tx.exec(ctx, query, args)
}

// maxArgs limits the arguments of one statement, as both databases do.
const maxArgs = 2000

// Insert adds rows of one type to a table.
func Insert[T any](ctx context.Context, tx *Tx, table string, rows ...T) error {
	return insert(ctx, tx, table, reflect.ValueOf(rows))
}

func insert(ctx context.Context, tx *Tx, table string, rows reflect.Value) error {
	cols := columnsOf(rows.Type().Elem())
	if tx.pipe != nil && rows.Len() >= minCopied {
		return copyRows(ctx, tx, table, cols, rows)
	}
	for rows.Len() > 0 {
		n := chunk(rows.Len(), maxArgs/max(1, len(cols)))
		if err := insertChunk(ctx, tx, table, cols, rows.Slice(0, n)); err != nil {
			return err
		}
		rows = rows.Slice(n, rows.Len())
	}
	return nil
}

func insertChunk(ctx context.Context, tx *Tx, table string, cols []column, rows reflect.Value) error {
	marks := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(cols)), ", ") + ")"
	args := make([]any, 0, len(cols)*rows.Len())
	for i := range rows.Len() {
		args = argsOf(cols, rows.Index(i), args)
	}
	query := "INSERT INTO " + table + " (" + names(cols, "") + ") VALUES " + strings.TrimSuffix(strings.Repeat(marks+", ", rows.Len()), ", ")
	return Send(ctx, tx, query, args...)
}

// Update sets every column of the rows that match where, and counts them.
func Update[T any](ctx context.Context, tx *Tx, table string, row *T, where string, args ...any) (int64, error) {
	return update(ctx, tx, table, reflect.ValueOf(row).Elem(), where, args...)
}

func update(ctx context.Context, tx *Tx, table string, v reflect.Value, where string, args ...any) (int64, error) {
	var sets []string
	var all []any
	for _, c := range columnsOf(v.Type()) {
		if c.name == "env" || c.name == "id" {
			continue // the key of a row does not change
		}
		sets, all = append(sets, c.name+" = ?"), append(all, c.arg(v.FieldByIndex(c.index)))
	}
	return Exec(ctx, tx, "UPDATE "+table+" SET "+strings.Join(sets, ", ")+" WHERE "+where, append(all, args...)...)
}

// Where is a list of conditions, combined with AND.
type Where struct {
	conds []string
	Args  []any
}

// And adds a condition.
func (w *Where) And(cond string, args ...any) {
	w.conds, w.Args = append(w.conds, cond), append(w.Args, args...)
}

// AndIf adds a condition if a filter is set.
func (w *Where) AndIf(set bool, cond string, args ...any) {
	if set {
		w.And(cond, args...)
	}
}

// AndOneOf adds the condition that a column has one of several values that are separated by commas,
// unless there are none.
func (w *Where) AndOneOf(column, values string) {
	if values != "" {
		cond, args := OneOf(column, values)
		w.And(cond, args...)
	}
}

// OneOf returns the condition that a column has one of several values that are separated by commas.
func OneOf(column, values string) (cond string, args []any) {
	if !strings.Contains(values, ",") {
		return column + " = ?", []any{values}
	}
	marks, args := In(strings.Split(values, ","))
	return column + " IN " + marks, args
}

// AndCreated adds the condition that a row was created after and before a time, each unless
// it is zero. IDs contain the time, so these are ranges of the primary key.
func (w *Where) AndCreated(column, prefix string, after, before time.Time) {
	w.AndIf(!after.IsZero(), column+" >= ?", id.Floor(prefix, after.Add(time.Millisecond)))
	w.AndIf(!before.IsZero(), column+" < ?", id.Floor(prefix, before))
}

// String returns the clause without the word WHERE.
func (w *Where) String() string { return strings.Join(w.conds, " AND ") }

// With returns a copy with one more condition.
func (w *Where) With(cond string, args ...any) *Where {
	c := &Where{append([]string{}, w.conds...), append([]any{}, w.Args...)}
	c.And(cond, args...)
	return c
}

// In returns the list of an IN condition, padded to a power of two so that lists
// of all lengths share a few statements.
func In[T any](values []T) (marks string, args []any) {
	n := 1
	for n < len(values) {
		n *= 2
	}
	for i := range n {
		args = append(args, values[min(i, len(values)-1)])
	}
	return "(" + strings.TrimSuffix(strings.Repeat("?, ", n), ", ") + ")", args
}

// ---- statements per driver ----------------------------------------------------

// maxCached limits the statement caches: filters combine in many ways.
const maxCached = 2000

func (tx *Tx) query(ctx context.Context, query string, args []any, read func(rows) error) (err error) {
	tx.bind(args)
	tx.wrote = tx.wrote || tx.writes() && !isRead(query)
	if tx.pipe != nil {
		return tx.pipe.ask(ctx, query, args, read)
	}

	ctx, span := tx.db.trace(ctx, query)
	defer func() { endSpan(span, err) }()
	found, err := tx.rows(ctx, query, args) //nolint:rowserrcheck // read does
	if err != nil {
		return err
	}
	defer found.Close()
	return read(found)
}

// rows runs a query on SQLite, or outside of a transaction.
func (tx *Tx) rows(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	switch {
	case tx.batch != nil:
		return run(ctx, tx.batch, query, args, (*sql.Stmt).QueryContext)
	case tx.db.SQLite():
		return tx.db.prepared(ctx, query, args)
	case tx.replica != nil:
		return tx.replica.QueryContext(ctx, query, args...)
	}
	return tx.pool.QueryContext(ctx, query, args...)
}

var changes = regexp.MustCompile(`\b(INSERT|UPDATE|DELETE)\b`)

// isRead reports whether a statement changes no rows. An UPDATE can return some too.
func isRead(query string) bool {
	query = strings.TrimSpace(query)
	return strings.HasPrefix(query, "SELECT") || strings.HasPrefix(query, "SET") || strings.HasPrefix(query, "WITH") && !changes.MatchString(query)
}

func (tx *Tx) exec(ctx context.Context, query string, args []any) (n int64, err error) {
	if !tx.writes() {
		return 0, fmt.Errorf("db: %q outside of Write", query)
	}
	tx.bind(args)
	tx.wrote = tx.wrote || !isRead(query)
	query = tx.db.text(query, nil, nil)
	if tx.pipe != nil {
		tag, err := tx.pipe.exec(ctx, query, args)
		return tag.RowsAffected(), err
	}
	ctx, span := tx.db.trace(ctx, query)
	defer func() { endSpan(span, err) }()
	res, err := run(ctx, tx.batch, query, args, (*sql.Stmt).ExecContext)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// prepared runs a query with a statement that SQLite compiles once per
// connection: compiling takes about as long as a short query. (pgx caches its
// own statements, and group those of SQLite's writer.)
func (d *DB) prepared(ctx context.Context, query string, args []any) (*sql.Rows, error) {
	stmt, ok := d.statements.Load(query)
	if !ok {
		if d.cached.Load() > maxCached {
			return d.read.QueryContext(ctx, query, args...)
		}
		fresh, err := d.read.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		d.cached.Add(1)
		if stmt, ok = d.statements.LoadOrStore(query, fresh); ok {
			_ = fresh.Close() //nolint:sqlclosecheck // use the statement of another request that was first
		}
	}
	return stmt.(*sql.Stmt).QueryContext(ctx, args...)
}

// bind converts times to the type of the columns: TIMESTAMPTZ on PostgreSQL,
// milliseconds on SQLite, where they compare as numbers.
func (tx *Tx) bind(args []any) {
	for i, a := range args {
		switch t := a.(type) {
		case *time.Time:
			if t == nil {
				args[i] = nil
				continue
			}
			a = *t
		}
		if t, ok := a.(time.Time); ok {
			if t = t.UTC().Truncate(time.Millisecond); tx.db.SQLite() {
				args[i] = t.UnixMilli()
			} else {
				args[i] = t
			}
		}
	}
}

// textKey is a query as written and the type of its rows.
type textKey struct {
	query string
	rows  reflect.Type
}

// text returns a query as it is sent: with the columns of its rows, and $1, $2…
// for ? on PostgreSQL. SQL in this project contains no literal question mark.
//
// SQLite recompiles a statement when a bare argument of = or LIMIT is bound
// again, to look for a better plan, which takes longer than the query. COLLATE
// BINARY, the default, prevents only that.
func (d *DB) text(query string, cols []column, rows reflect.Type) string {
	key := textKey{query, rows}
	if text, ok := d.texts.Load(key); ok {
		return text.(string)
	}
	query = expand(query, cols)
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			if d.SQLite() { // numbered arguments take quadratic time in a long list
				b.WriteString("? COLLATE BINARY")
			} else {
				b.WriteString("$" + strconv.Itoa(n))
			}
		}
		b.WriteString(part)
		n++
	}
	if d.cached.Load() <= maxCached {
		d.cached.Add(1)
		d.texts.Store(key, b.String())
	}
	return b.String()
}

// ---- structs as rows ---------------------------------------------------------

// column is one field of a row struct.
type column struct {
	name  string
	index []int
	json  bool // stored as JSON text
}

var columnCache sync.Map // reflect.Type → []column

// columnsOf lists the columns of a struct: its fields with a db tag, those of
// embedded structs included. "name,json" stores the field as JSON text.
func columnsOf(t reflect.Type) []column {
	if c, ok := columnCache.Load(t); ok {
		return c.([]column)
	}
	var cols []column
	if t.Kind() == reflect.Struct && t != reflect.TypeFor[time.Time]() {
		for _, f := range reflect.VisibleFields(t) {
			if name, kind, _ := strings.Cut(f.Tag.Get("db"), ","); name != "" {
				cols = append(cols, column{name, f.Index, kind == "json"})
			}
		}
	}
	columnCache.Store(t, cols)
	return cols
}

// expand replaces {cols} or {alias.cols} by the columns.
func expand(query string, cols []column) string {
	before, rest, ok := strings.Cut(query, "{")
	if !ok {
		return query
	}
	mark, after, _ := strings.Cut(rest, "}")
	alias := strings.TrimSuffix(mark, "cols")
	return before + names(cols, alias) + after
}

func names(cols []column, alias string) string {
	var b strings.Builder
	for i, c := range cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(alias)
		b.WriteString(c.name)
	}
	return b.String()
}

// argsOf adds the fields of a row to a list of arguments.
func argsOf(cols []column, row reflect.Value, args []any) []any {
	for _, c := range cols {
		args = append(args, c.arg(row.FieldByIndex(c.index)))
	}
	return args
}

// arg returns the field as an argument.
func (c column) arg(v reflect.Value) any {
	if !c.json {
		return v.Interface()
	}
	if k := v.Kind(); (k == reflect.Pointer || k == reflect.Map || k == reflect.Slice) && v.IsNil() {
		return nil
	}
	text, err := wire.Marshal(v.Interface())
	if err != nil {
		panic("db: column " + c.name + ": " + err.Error()) // the type cannot be encoded: a bug
	}
	return string(text)
}

// dest returns the destination of a scan.
func (c column) dest(v reflect.Value) any {
	p := v.Addr().Interface()
	if c.json {
		return jsonDest{p}
	}
	switch t := p.(type) {
	case *time.Time:
		return timeDest{t}
	case **time.Time:
		return nullTimeDest{t}
	}
	return p
}

type jsonDest struct{ p any }

func (d jsonDest) Scan(src any) error {
	switch s := src.(type) {
	case nil:
		return nil
	case string:
		if d.empty(s) {
			return nil
		}
		return wire.Unmarshal([]byte(s), d.p)
	case []byte:
		return wire.Unmarshal(s, d.p)
	}
	return fmt.Errorf("db: %T is not JSON", src)
}

// empty sets an empty list or map, which most are, without a decoder. It reports whether
// the text is one.
func (d jsonDest) empty(text string) bool {
	v := reflect.ValueOf(d.p).Elem()
	switch {
	case text == "[]" && v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case text == "{}" && v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	default:
		return false
	}
	return true
}

type timeDest struct{ p *time.Time }

func (d timeDest) Scan(src any) error {
	switch s := src.(type) {
	case time.Time:
		*d.p = s.UTC()
	case int64:
		*d.p = time.UnixMilli(s).UTC()
	default:
		return fmt.Errorf("db: %T is not a time", src)
	}
	return nil
}

type nullTimeDest struct{ p **time.Time }

func (d nullTimeDest) Scan(src any) error {
	if src == nil {
		*d.p = nil
		return nil
	}
	*d.p = new(time.Time)
	return timeDest{*d.p}.Scan(src)
}
