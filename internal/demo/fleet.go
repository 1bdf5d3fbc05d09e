package demo

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/null"
)

//go:embed fleet.csv
var fleetCSV string

// boat is one boat of the fleet.
type boat struct {
	model
	year      int
	condition string // in the table: order, new, demo or used
	price     int64
	number    int // position in the fleet

	// random decides what happens to the boat. Each boat has its own source, so a
	// new boat in the table doesn't change the others.
	random *rand.Rand

	env *environment
	id  string // once it is created

	color string    // of the hull, once the specifications exist
	added time.Time // when it was added or ordered
	since time.Time // when it was in stock
	gone  bool      // it is archived or not for sale now
}

// fleet reads the table. The table is part of the program, so it panics on an error.
func fleet() []*boat {
	r := csv.NewReader(strings.NewReader(fleetCSV))
	r.Comment = '#'
	lines, err := r.ReadAll()
	if err != nil {
		panic(err)
	}
	var all []*boat
	for _, line := range lines[1:] {
		m := model{}
		for i, column := range lines[0] {
			m[column] = line[i]
		}
		for text := range strings.SplitSeq(m["boats"], ";") {
			b := &boat{model: m, number: len(all)}
			if _, err := fmt.Sscan(text, &b.year, &b.condition, &b.price); err != nil {
				panic(fmt.Sprintf("%s: %q: %v", m["model"], text, err))
			}
			b.random = rand.New(rand.NewPCG(1969, uint64(b.number))) //nolint:gosec // the demo must be the same each time
			all = append(all, b)
		}
	}
	return all
}

// model is a row of the table, by column name.
type model map[string]string

// number returns a cell, or nil if it is empty.
func (m model) number(column string) *float64 {
	if m[column] == "" {
		return nil
	}
	v, err := strconv.ParseFloat(m[column], 64)
	if err != nil {
		panic(err)
	}
	return &v
}

// count returns a cell with a whole number, or nil if it is empty.
func (m model) count(column string) *int64 {
	if v := m.number(column); v != nil {
		return new(int64(*v))
	}
	return nil
}

// text returns a cell, or nil if it is empty.
func text[T ~string](m model, column string) *T { return null.From(T(m[column])) }

func (m model) isSail() bool    { return strings.HasPrefix(m["class"], "sail-") }
func (m model) isPaddled() bool { return strings.HasPrefix(m["class"], "unpowered-") }
func (m model) hasMotor() bool  { return !m.isSail() && !m.isPaddled() }

// stockNumber returns the initials of the make and a number, such as GW-1042.
func (b *boat) stockNumber() string {
	initials := ""
	for _, word := range strings.FieldsFunc(b.model["make"], func(r rune) bool { return strings.ContainsRune(" -/", r) }) {
		initials += word[:1]
	}
	if len(initials) == 1 {
		initials = b.model["make"][:2]
	}
	return fmt.Sprintf("%s-%d", strings.ToUpper(initials), 1001+b.number)
}

// hin returns a HIN in the format of the model year, or nil if the boat is older
// than HINs.
func (b *boat) hin() *string {
	if b.model["mic"] == "" {
		return nil
	}
	number := fmt.Sprintf("%s%05d", b.model["mic"], 10_000+b.number*419%90_000)
	switch {
	case b.year >= 1985: // built in August or September, when the model year starts
		return new(fmt.Sprintf("%s%c%d%02d", number, 'H'+b.number%2, (b.year-1)%10, b.year%100))
	case b.year%2 == 0: // use both of the older formats
		return new(fmt.Sprintf("%s%02d%02d", number, 1+b.number%12, b.year%100))
	}
	return new(fmt.Sprintf("%sM%02d%c", number, b.year%100, 'A'+b.number%12))
}
