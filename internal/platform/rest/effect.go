package rest

import (
	"context"
	"encoding/json"
	"reflect"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/fault"
)

// Arguments are the parameters and the body of a request that is not sent yet.
type Arguments struct {
	Path, Query map[string]string
	Body        map[string]any // nil if there is none

	preview bool // in the shape of the preview
}

// Effect says what an operation would do with these arguments. The caller in ctx is the one
// who proposes it. It only reads.
type Effect func(ctx context.Context, tx *db.Tx, args Arguments) (effect.ProposalEffect, error)

// Describe returns the effect of an operation that can be proposed. Its input has the
// parameters of the path and the body that it needs, with the tags of the operation's input.
func Describe[I any](describe func(ctx context.Context, tx *db.Tx, in *I) (effect.ProposalEffect, error)) Effect {
	t := reflect.TypeFor[I]()
	return func(ctx context.Context, tx *db.Tx, args Arguments) (effect.ProposalEffect, error) {
		in := new(I)
		if err := requestOf(t, args.preview)().fill(reflect.ValueOf(in).Elem(), args); err != nil {
			return effect.ProposalEffect{}, err
		}
		return describe(ctx, tx, in)
	}
}

// DescribeEffect says what the operation would do with these arguments, as they would be sent.
func (o *Operation) DescribeEffect(ctx context.Context, tx *db.Tx, args Arguments) (effect.ProposalEffect, error) {
	args.preview = o.preview != nil
	return o.Effect(ctx, tx, args)
}

// fill sets the fields of a struct from arguments that were checked.
func (q *request) fill(value reflect.Value, args Arguments) error {
	for _, p := range q.params {
		text := map[string]string{"path": args.Path[p.name], "query": args.Query[p.name]}[p.in]
		if text == "" {
			continue
		}
		if _, err := setParam(value.FieldByIndex(p.field.Index), text); err != nil {
			var bad fault.Fields
			bad.Add(p.in+"."+p.name, "type", "%s", err)
			return bad.Err()
		}
	}
	if q.body == nil || args.Body == nil {
		return nil
	}
	text, err := json.Marshal(args.Body)
	if err != nil {
		return err
	}
	if err := q.decode(text, value.FieldByIndex(q.body.Index).Addr().Interface()); err != nil {
		return err
	}
	for _, d := range q.defaults {
		if f := value.FieldByIndex(d.index); f.IsZero() {
			f.SetString(d.value)
		}
	}
	return nil
}

// mustHaveEffect panics for an operation that can be proposed without saying what it does:
// nobody could judge it. It panics when the service starts.
func (o *Operation) mustHaveEffect() {
	switch {
	case o.Assist.CanPropose() && o.Effect == nil:
		panic("rest: " + o.ID + " can be proposed, so its route must have an Effect that people can judge")
	case !o.Assist.CanPropose() && o.Effect != nil:
		panic("rest: " + o.ID + " has an Effect but can't be proposed")
	}
}
