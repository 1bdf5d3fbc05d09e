package proposals

import (
	"context"
	"maps"
	"slices"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/effect"
	"slipway/internal/vocab/fault"
)

// named is an object with what people call it.
type named struct {
	part, name string
	version    int64
}

// names finds what people call objects.
type names struct {
	find  func(id string) (named, error)
	found map[string]named
	err   error
}

// findAll finds the objects that a body refers to.
func (n *names) findAll(body map[string]any) error {
	var bad fault.Fields
	for _, field := range slices.Sorted(maps.Keys(body)) {
		id, _ := body[field].(string)
		o, err := n.find(id)
		if err := bad.AddNotFound("body."+field, err); err != nil {
			return err
		}
		if o.name != "" {
			n.found[id] = o
		}
	}
	return bad.Err()
}

// name returns what people call an object, or "" if the text is not the ID of one.
func (n *names) name(id string) string {
	if o, ok := n.found[id]; ok {
		return o.name
	}
	o, err := n.find(id)
	switch {
	case fault.KindOf(err) == fault.KindNotFound:
		return "something that was deleted"
	case err != nil:
		n.err = err
	case o.name != "":
		n.found[id] = o
	}
	return o.name
}

// pin adds the objects that the feature doesn't know about.
func (n *names) pin(e *effect.ProposalEffect) {
	for _, id := range slices.Sorted(maps.Keys(n.found)) {
		if !slices.ContainsFunc(e.Pins, func(p effect.ProposalPin) bool { return p.ObjectID == id }) {
			e.Pin(n.found[id].part, id, n.found[id].version)
		}
	}
}

// find returns the object with an ID. It is empty for a text that is not the ID of an object
// with a name.
func find(ctx context.Context, tx *db.Tx, id string) (named, error) {
	switch effect.Prefix(id) {
	case "hull":
		h, err := hulls.Find(ctx, tx, id)
		return named{"Boat", h.Name(), h.Version}, err
	case "con":
		c, err := contacts.Find(ctx, tx, id)
		return named{"Contact", c.Called(), c.Version}, err
	case "lead":
		l, err := leads.Find(ctx, tx, id)
		if err != nil {
			return named{}, err
		}
		c, err := contacts.Find(ctx, tx, l.ContactID)
		return named{"Lead", "the lead of " + c.Called(), l.Version}, err
	case "deal":
		d, err := deals.Find(ctx, tx, id)
		return named{"Deal", d.Called(), d.Version}, err
	case "usr":
		u, err := people.FindUser(ctx, tx, id)
		return named{"Person", u.Name, u.Version}, err
	case "loc":
		l, err := dealership.FindLocation(ctx, tx, id)
		return named{"Location", l.Name, l.Version}, err
	}
	return named{}, nil
}

// lock locks an object until the transaction ends. Others change together with one of these.
func lock(ctx context.Context, tx *db.Tx, id string) (err error) {
	switch effect.Prefix(id) {
	case "hull":
		_, err = hulls.FindForUpdate(ctx, tx, id)
	case "con":
		_, err = contacts.FindForUpdate(ctx, tx, id)
	case "lead":
		_, err = leads.FindForUpdate(ctx, tx, id)
	case "deal":
		_, err = deals.FindForUpdate(ctx, tx, id)
	}
	return err
}
