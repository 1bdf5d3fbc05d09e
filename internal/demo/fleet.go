package demo

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed fleet.csv
var fleetCSV string

// boat is one boat of the fleet.
type boat struct {
	model
	year      int
	condition string // as in the table: order, new, demo or used
	price     int64
	number    int // counts the fleet

	// luck decides what happens to the boat. Each has its own, so that a boat
	// added to the table changes nothing for the others.
	luck *rand.Rand

	desk *desk  // where it is sold
	id   string // given by the service
}

// fleet reads the table. It is part of the program, so that a mistake in it is
// a bug and panics.
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
			b.luck = rand.New(rand.NewPCG(1969, uint64(b.number))) //nolint:gosec // the same boats every time
			all = append(all, b)
		}
	}
	return all
}

// model is a line of the table, by the names of its columns.
type model map[string]string

// number is a cell, nil if it is blank.
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

// count is a cell with a whole number.
func (m model) count(column string) *int64 {
	if v := m.number(column); v != nil {
		return new(int64(*v))
	}
	return nil
}

// text is a cell, nil if it is blank.
func (m model) text(column string) *string {
	if m[column] == "" {
		return nil
	}
	return new(m[column])
}

func (m model) sails() bool   { return strings.HasPrefix(m["class"], "sail-") }
func (m model) paddled() bool { return strings.HasPrefix(m["class"], "unpowered-") }
func (m model) motors() bool  { return !m.sails() && !m.paddled() }

// stockNumber is the maker's initials and a number: GW-1042.
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

// hin makes up a number by the rules of the model year; nil for a boat that is
// older than the rules.
func (b *boat) hin() *string {
	if b.model["mic"] == "" {
		return nil
	}
	number := fmt.Sprintf("%s%05d", b.model["mic"], 10_000+b.number*419%90_000)
	switch {
	case b.year >= 1985: // built in August or September, when the model year begins
		return new(fmt.Sprintf("%s%c%d%02d", number, 'H'+b.number%2, (b.year-1)%10, b.year%100))
	case b.year%2 == 0: // of the two older formats, one here and the other there
		return new(fmt.Sprintf("%s%02d%02d", number, 1+b.number%12, b.year%100))
	}
	return new(fmt.Sprintf("%sM%02d%c", number, b.year%100, 'A'+b.number%12))
}
