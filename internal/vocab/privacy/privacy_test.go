package privacy_test

import (
	"reflect"
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/privacy"
)

type status string

type boat struct {
	_ struct{} `privacy:"plain"`

	Make  string `json:"make"`
	Owner string `json:"owner" privacy:"personal"`
}

type line struct {
	Text  string `json:"text" privacy:"personal,sale"`
	Cost  *int64 `json:"cost" privacy:"cost,deals:write"`
	Taxed bool   `json:"taxed"`
}

type deal struct {
	ID     string             `json:"id"`
	BoatID *string            `json:"boat_id"`
	Status status             `json:"status"`
	On     string             `json:"on" format:"date"`
	Note   *string            `json:"note"`
	Title  string             `json:"title"`
	By     *string            `json:"by"`
	Pairs  map[string]string  `json:"pairs"`
	Tags   []string           `json:"tags"`
	Name   patch.Null[string] `json:"name"`
	Boat   *boat              `json:"boat"`
	Lines  []line             `json:"lines"`
	Buyers []line             `json:"buyers" privacy:"personal,sale"`
	Profit *int64             `json:"profit" privacy:"cost,deals:write+hulls:write"`
	Key    string             `json:"key" privacy:"secret"`
	Search string             `json:"-" db:"search"`
	Hold   *line              `json:"-" db:"hold"`
	Unseen string
}

func TestOf(t *testing.T) {
	got := map[string]privacy.Class{}
	for _, f := range privacy.Of(reflect.TypeFor[deal]()) {
		if f.Name != "" {
			got[f.Name] = f.Class
		}
	}
	assert.Equal(t, got, map[string]privacy.Class{
		"id": privacy.Plain, "boat_id": privacy.Plain, "status": privacy.Plain, "on": privacy.Plain, "boat": privacy.Plain, "lines": privacy.Plain,
		"note": privacy.Personal, "title": privacy.Personal, "by": privacy.Personal, "pairs": privacy.Personal, "tags": privacy.Personal,
		"name": privacy.Personal, "buyers": privacy.Personal, "profit": privacy.Cost, "key": privacy.Secret,
	})
	made, _ := privacy.Find(reflect.TypeFor[boat](), "make")
	owner, _ := privacy.Find(reflect.TypeFor[boat](), "owner")
	assert.Equal(t, []privacy.Class{made.Class, owner.Class}, []privacy.Class{privacy.Plain, privacy.Personal})
}

func sample() deal {
	return deal{
		ID: "deal_1", BoatID: new("hull_1"), Status: "open", On: "2026-01-02", Note: new("Ann"), Title: "For Ann",
		By: new("usr_01jcqz8t5n8m2x4v6b7c9d0e1f"), Pairs: map[string]string{"a": "Ann"}, Tags: []string{"Ann"}, Boat: &boat{Make: "Grady-White", Owner: "Ann"},
		Lines: []line{{"Cushions for Ann", new(int64(5)), true}}, Buyers: []line{{"Ann", nil, false}}, Profit: new(int64(9)), Search: "x",
		Hold: &line{Text: "Ann", Cost: new(int64(3))},
	}
}

func TestErase(t *testing.T) {
	before, d := sample(), sample()
	d.Boat, d.Lines, d.Hold = before.Boat, before.Lines, before.Hold
	privacy.Erase(&d, false)
	assert.Equal(t, d, deal{
		ID: "deal_1", BoatID: new("hull_1"), Status: "open", On: "2026-01-02", Title: "erased", By: new("usr_01jcqz8t5n8m2x4v6b7c9d0e1f"),
		Pairs: map[string]string{}, Tags: []string{}, Boat: &boat{Make: "Grady-White", Owner: "erased"}, Lines: []line{{"erased", new(int64(5)), true}},
		Buyers: []line{}, Profit: new(int64(9)), Search: "x", Hold: &line{Text: "erased", Cost: new(int64(3))},
	})
	assert.Equal(t, before, sample(), "copies that shared values")

	sale := sample()
	privacy.Erase(&sale, true)
	assert.Equal(t, sale.Lines, sample().Lines)
	assert.Equal(t, sale.Buyers, sample().Buyers)
	assert.Equal(t, sale.Note, nil)
}

func TestHide(t *testing.T) {
	for _, c := range []struct {
		scopes       []auth.Scope
		line, profit bool
	}{
		{nil, false, false},
		{[]auth.Scope{auth.Admin, auth.HullsWrite}, false, false},
		{[]auth.Scope{auth.DealsWrite}, true, false},
		{[]auth.Scope{auth.DealsWrite, auth.HullsWrite}, true, true},
	} {
		d := privacy.Hide(sample(), c.scopes)
		assert.Equal(t, d.Lines[0].Cost != nil, c.line, c.scopes)
		assert.Equal(t, d.Profit != nil, c.profit, c.scopes)
		assert.Equal(t, d.Lines[0].Text, "Cushions for Ann")
	}
	hidden := privacy.WithoutCosts(sample()).(deal)
	assert.Equal(t, hidden.Profit, nil)
	assert.Equal(t, hidden.Lines[0].Cost, nil)
	assert.Equal(t, privacy.WithoutCosts(nil), nil)
}

func TestCosts(t *testing.T) {
	costs := privacy.CostsOf(reflect.TypeFor[deal]())
	read := func() any {
		return map[string]any{"profit": 9.0, "lines": []any{map[string]any{"cost": 5.0, "taxed": true}}}
	}
	assert.Equal(t, costs.Mask(read(), nil), any(map[string]any{"profit": "[cost]", "lines": []any{map[string]any{"cost": "[cost]", "taxed": true}}}))
	assert.Equal(t, costs.Mask(read(), []auth.Scope{auth.DealsWrite}),
		any(map[string]any{"profit": "[cost]", "lines": []any{map[string]any{"cost": 5.0, "taxed": true}}}))
	assert.Equal(t, costs.Mask(read(), []auth.Scope{auth.DealsWrite, auth.HullsWrite}), read())
}
