package db

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

type keptBoat struct {
	Env       auth.Env  `db:"env"`
	ID        string    `db:"id"`
	Name      string    `db:"name"`
	Tags      []string  `db:"tags,json"`
	Version   int64     `db:"version"`
	UpdatedAt time.Time `db:"updated_at"`
}

// A row is only found in its environment, and as the version that was read. Another primary can
// have the same version of another time.
func TestKeptRowsAreExact(t *testing.T) {
	now := time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC)
	k := newKept(1 << 20)
	boat := keptBoat{Env: 2, ID: "b1", Name: "Gull", Version: 3, UpdatedAt: now}
	k.add(2, reflect.ValueOf([]keptBoat{boat}))
	type otherBoat keptBoat

	for name, c := range map[string]struct {
		of    reflect.Type
		env   auth.Env
		state rowState
		found bool
	}{
		"the same":            {reflect.TypeFor[keptBoat](), 2, rowState{"b1", 3, now}, true},
		"another type":        {reflect.TypeFor[otherBoat](), 2, rowState{"b1", 3, now}, false},
		"another environment": {reflect.TypeFor[keptBoat](), 3, rowState{"b1", 3, now}, false},
		"another row":         {reflect.TypeFor[keptBoat](), 2, rowState{"b2", 3, now}, false},
		"a later version":     {reflect.TypeFor[keptBoat](), 2, rowState{"b1", 4, now}, false},
		"another time":        {reflect.TypeFor[keptBoat](), 2, rowState{"b1", 3, now.Add(time.Millisecond)}, false},
	} {
		rows, missing := k.find(c.of, c.env, []rowState{c.state})
		assert.Equal(t, rows[0].IsValid(), c.found, name)
		assert.Equal(t, len(missing) == 0, c.found, name)
	}
}

// Rows and JSON need no more memory than is allowed. What was used lately stays.
func TestKeptRowsAreBounded(t *testing.T) {
	d := &DB{kept: newKept(20 * rowOverhead)}
	encoded := 0
	encode := func(row any) ([]byte, error) {
		encoded++
		return fmt.Appendf(make([]byte, 0, 1000), "%-1000s", row.(*keptBoat).Name), nil
	}
	first := keptBoat{Env: 2, ID: "first", Name: "First", Version: 1}
	for i := range 500 {
		b := keptBoat{Env: 2, ID: fmt.Sprint(i), Name: fmt.Sprint("Boat ", i), Version: 1}
		d.kept.add(2, reflect.ValueOf([]keptBoat{b}))
		for _, row := range []keptBoat{b, first} {
			json, err := d.Encoded(&row, "stable", encode)
			assert.NoError(t, err)
			assert.Equal(t, string(json.Text), fmt.Sprintf("%-1000s", row.Name))
		}
		if d.kept.size > d.kept.most || len(d.kept.rows) != d.kept.recent.Len() {
			t.Fatalf("%d bytes, %d rows, %d in order", d.kept.size, len(d.kept.rows), d.kept.recent.Len())
		}
	}
	assert.Equal(t, encoded, 501, "the first one stays")
	d.ForgetRows()
	assert.Equal(t, d.kept.size, int64(0))
}

// JSON is used again for an equal value only, in the same form.
func TestEncodedComparesValues(t *testing.T) {
	d := &DB{kept: newKept(1 << 20)}
	encoded := 0
	encode := func(row any) ([]byte, error) {
		encoded++
		b := row.(*keptBoat)
		return fmt.Appendf(nil, "%s %v", b.Name, b.Tags), nil
	}
	boat := keptBoat{Env: 2, ID: "b1", Name: "Gull", Tags: []string{"fast"}, Version: 1}
	want := func(b keptBoat, form, json string, n int) {
		t.Helper()
		got, err := d.Encoded(&b, form, encode)
		assert.NoError(t, err)
		assert.Equal(t, string(got.Text), json)
		assert.Equal(t, encoded, n)
	}
	want(boat, "stable", "Gull [fast]", 1)
	want(boat, "stable", "Gull [fast]", 1)
	want(boat, "preview", "Gull [fast]", 2)
	hidden := boat
	hidden.Tags = []string{}
	want(hidden, "stable", "Gull []", 3)
	want(boat, "stable", "Gull [fast]", 4)
	d.KeepRows(0)
	want(boat, "stable", "Gull [fast]", 5)
	want(boat, "stable", "Gull [fast]", 6)
}
