package db

import (
	"container/list"
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"slipway/internal/vocab/auth"
)

// DefaultKept is how many bytes of rows are kept, unless the settings change it.
const DefaultKept = 16 << 20

// kept are rows of lists that were read lately, and their JSON. Most of the time of a list would
// go to reading many columns and to encoding the same rows again.
//
// A row is found by its environment, its ID and its version, so a write makes the old one
// unreachable, on every node. Rows are the same for all callers. What a feature hides or adds
// for one of them changes a copy, and JSON is only used for an equal value.
type kept struct {
	mu     sync.Mutex
	most   int64
	size   int64
	rows   map[rowID]*list.Element // of *keptRow
	recent list.List               // the latest first
	check  bool                    // see CheckRows
}

type rowID struct {
	of  reflect.Type
	env auth.Env
	id  string
}

// rowState is what a list reads of each row to find it in memory. The time tells apart rows with
// the same version, one of which was lost with a primary.
type rowState struct {
	ID        string    `db:"id"`
	Version   int64     `db:"version"`
	UpdatedAt time.Time `db:"updated_at"`
}

type keptRow struct {
	rowID
	state rowState
	row   reflect.Value // as it was read, or the zero Value. It never changes
	forms map[string]form
	size  int64
}

// form is a value and its JSON.
type form struct {
	of any // a pointer to a value that never changes
	JSON
}

// JSON is an encoded row.
type JSON struct {
	Text []byte
	Sum  [sha256.Size]byte // the hash of the text
}

// rowOverhead is about what a row needs in memory besides its JSON.
const rowOverhead = 2048

func newKept(most int64) *kept { return &kept{most: most, rows: map[rowID]*list.Element{}} }

// KeepRows sets how many bytes of rows are kept. 0 keeps none.
func (d *DB) KeepRows(most int64) {
	d.kept = newKept(most)
}

// CheckRows compares each list with what the database has, and panics if a write changed a row
// without its version. It is for tests.
func (d *DB) CheckRows() { d.kept.check = true }

// ForgetRows forgets all rows. It is for tests, which change rows with SQL of their own.
func (d *DB) ForgetRows() {
	d.kept.mu.Lock()
	defer d.kept.mu.Unlock()
	for d.kept.recent.Len() > 0 {
		d.kept.forget(d.kept.recent.Back())
	}
}

// get returns a row that is kept. The caller has the lock.
func (k *kept) get(id rowID, state rowState) *keptRow {
	at := k.rows[id]
	if at == nil {
		return nil
	}
	r := at.Value.(*keptRow) //nolint:forcetypeassert // the list has no others
	if r.state.Version != state.Version || !r.state.UpdatedAt.Equal(state.UpdatedAt) {
		return nil
	}
	k.recent.MoveToFront(at)
	return r
}

// keep returns the place of a row. The caller has the lock.
func (k *kept) keep(id rowID, state rowState) *keptRow {
	if r := k.get(id, state); r != nil {
		return r
	}
	k.forget(k.rows[id])
	r := &keptRow{rowID: id, state: state, size: rowOverhead}
	k.rows[id] = k.recent.PushFront(r)
	k.size += r.size
	return r
}

// shrink forgets the rows that were not used for the longest time. The caller has the lock.
func (k *kept) shrink() {
	for k.size > k.most {
		k.forget(k.recent.Back())
	}
}

func (k *kept) forget(at *list.Element) {
	if at == nil {
		return
	}
	r := k.recent.Remove(at).(*keptRow) //nolint:forcetypeassert // the list has no others
	delete(k.rows, r.rowID)
	k.size -= r.size
}

// find returns the rows that are kept, and the IDs of the others.
func (k *kept) find(of reflect.Type, env auth.Env, states []rowState) (rows []reflect.Value, missing []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	rows = make([]reflect.Value, len(states))
	for i, s := range states {
		if r := k.get(rowID{of, env, s.ID}, s); r != nil && r.row.IsValid() {
			rows[i] = r.row
		} else {
			missing = append(missing, s.ID)
		}
	}
	return rows, missing
}

// add keeps rows: a slice of structs, which the caller can change later.
func (k *kept) add(env auth.Env, rows reflect.Value) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range rows.Len() {
		copied := reflect.New(rows.Type().Elem()).Elem()
		copied.Set(rows.Index(i))
		_, state, _ := stateOf(copied)
		k.keep(rowID{copied.Type(), env, state.ID}, state).row = copied
	}
	k.shrink()
}

// listed is All for the rows of a list. Rows of a table with versions come from memory if they
// haven't changed since they were read. In a transaction that writes, they can be rolled back
// and are not kept.
func listed[T any](ctx context.Context, tx *Tx, src Source, query string, args []any) ([]T, error) {
	k := tx.db.kept
	if src.Kept == "" || tx.writes() || k == nil || k.most == 0 {
		return All[T](ctx, tx, query, args...)
	}
	states, err := All[rowState](ctx, tx, query, args...)
	if err != nil {
		return nil, err
	}

	of := reflect.TypeFor[T]()
	rows, missing := k.find(of, tx.Env, states)
	var read []T
	switch {
	case len(missing) == 0:
	case 2*len(missing) > len(states):
		if read, err = All[T](ctx, tx, query, args...); err == nil {
			k.add(tx.Env, reflect.ValueOf(read))
		}
		return read, err
	default:
		marks, ids := In(missing)
		query := "SELECT {cols} FROM " + src.Kept + " WHERE env = ? AND id IN " + marks
		if read, err = All[T](ctx, tx, query, append([]any{tx.Env}, ids...)...); err != nil {
			return nil, err
		}
		k.add(tx.Env, reflect.ValueOf(read))
	}

	if !complete(rows, states, reflect.ValueOf(read)) { // a row has changed in the meantime
		return All[T](ctx, tx, query, args...)
	}
	out := make([]T, len(rows))
	for i, r := range rows {
		out[i] = *r.Addr().Interface().(*T) //nolint:forcetypeassert // rows are found by their type
	}
	if k.check {
		return out, tx.compare(ctx, of, query, args, reflect.ValueOf(out))
	}
	return out, nil
}

// complete fills in the rows that were missing. It reports whether all are as the list found them.
func complete(rows []reflect.Value, states []rowState, read reflect.Value) bool {
	for i := range read.Len() {
		row := read.Index(i)
		_, state, _ := stateOf(row)
		at := slices.IndexFunc(states, func(s rowState) bool { return s.ID == state.ID })
		if at >= 0 && states[at].Version == state.Version && states[at].UpdatedAt.Equal(state.UpdatedAt) {
			rows[at] = row
		}
	}
	return !slices.ContainsFunc(rows, func(r reflect.Value) bool { return !r.IsValid() })
}

// compare panics if rows from memory are not what a query returns, unless they have just changed.
func (tx *Tx) compare(ctx context.Context, of reflect.Type, query string, args []any, got reflect.Value) error {
	want := reflect.MakeSlice(reflect.SliceOf(of), 0, got.Len())
	err := tx.scan(ctx, of, query, args, func() reflect.Value {
		want = reflect.Append(want, reflect.Zero(of))
		return want.Index(want.Len() - 1)
	})
	if err != nil {
		return err
	}
	for i := range min(got.Len(), want.Len()) {
		_, a, _ := stateOf(got.Index(i))
		_, b, _ := stateOf(want.Index(i))
		if a == b && !reflect.DeepEqual(got.Index(i).Interface(), want.Index(i).Interface()) {
			panic(fmt.Sprintf("db: a write changed a %s but not its version:\n%+v\n%+v", of, got.Index(i), want.Index(i)))
		}
	}
	return nil
}

// Encoded returns the JSON of a row, which is a pointer to a struct. Form names how it is encoded.
// If an equal row was encoded in this form lately, the JSON is from memory.
func (d *DB) Encoded(row any, formName string, encode func(row any) ([]byte, error)) (JSON, error) {
	v := reflect.ValueOf(row).Elem()
	env, state, versioned := stateOf(v)
	id := rowID{v.Type(), env, state.ID}
	k := d.kept
	keeps := versioned && k != nil && k.most > 0
	if keeps {
		if f := k.form(id, state, formName); f.of != nil && reflect.DeepEqual(f.of, row) {
			return f.JSON, nil
		}
	}

	text, err := encode(row)
	if err != nil {
		return JSON{}, err
	}
	json := JSON{text, sha256.Sum256(text)}
	if keeps {
		copied := reflect.New(v.Type())
		copied.Elem().Set(v)
		k.setForm(id, state, formName, form{copied.Interface(), json})
	}
	return json, nil
}

func (k *kept) form(id rowID, state rowState, name string) form {
	k.mu.Lock()
	defer k.mu.Unlock()
	if r := k.get(id, state); r != nil {
		return r.forms[name]
	}
	return form{}
}

func (k *kept) setForm(id rowID, state rowState, name string, f form) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.keep(id, state)
	if r.forms == nil {
		r.forms = map[string]form{}
	}
	more := int64(2*len(f.Text)) - int64(2*len(r.forms[name].Text)) // the value is about as large
	r.forms[name] = f
	r.size, k.size = r.size+more, k.size+more
	k.shrink()
}

var stateFields sync.Map // reflect.Type → [4][]int: the indexes of env, id, version and updated_at, or nil

// stateOf returns the environment and the state of a row. Versioned is false if it has no version.
func stateOf(row reflect.Value) (env auth.Env, s rowState, versioned bool) {
	found, ok := stateFields.Load(row.Type())
	if !ok {
		var at [4][]int
		for _, c := range columnsOf(row.Type()) {
			if i := slices.Index([]string{"env", "id", "version", "updated_at"}, c.name); i >= 0 {
				at[i] = c.index
			}
		}
		found, _ = stateFields.LoadOrStore(row.Type(), at)
	}
	at, _ := found.([4][]int)
	for _, index := range at {
		if index == nil {
			return 0, s, false
		}
	}
	s.ID, s.Version = row.FieldByIndex(at[1]).String(), row.FieldByIndex(at[2]).Int()
	s.UpdatedAt, versioned = row.FieldByIndex(at[3]).Interface().(time.Time)
	return auth.Env(row.FieldByIndex(at[0]).Int()), s, versioned
}
