package sheet

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"slipway/internal/vocab/hin"
)

const (
	maxReported      = 20_000  // rows that a report reads
	maxReportedCells = 500_000 // different values are in memory
	maxSamples       = 3
	maxWord          = 64 // bytes of a cell that are compared
)

// HullImportColumn is how a column of a file is read.
type HullImportColumn struct {
	_ struct{} `doc:"A column of an imported file, and how it is read." privacy:"plain"`

	Name       string           `json:"name" doc:"Name of the column in the file." example:"Asking"`
	Field      *string          `json:"field" doc:"Field that it sets. Null if the column is ignored." example:"price_usd"`
	Guess      *string          `json:"guess" doc:"Required field that the column probably has, judged by its values. Null if it has a field." example:"price_usd"`
	Samples    []string         `json:"samples" nullable:"false" doc:"First different values, as in the file."`
	Readings   []string         `json:"readings" nullable:"false" doc:"How the samples are read: as the field, or as the guess."`
	Filled     int64            `json:"filled" doc:"Rows with a value." example:"412"`
	Invalid    int64            `json:"invalid" doc:"Rows whose value can't be read." example:"0"`
	Different  int64            `json:"different" doc:"Different values." example:"398"`
	TotalCents *int64           `json:"total_cents" doc:"Sum of all rows, in cents. Null unless the column has amounts."`
	Lowest     *float64         `json:"lowest" doc:"Lowest number. Null unless the column has years, lengths or other numbers."`
	Highest    *float64         `json:"highest" doc:"Highest number. Null unless the column has years, lengths or other numbers."`
	Unknown    []HullImportWord `json:"unknown" nullable:"false" doc:"Words without a meaning, the most frequent ones first. At most 20."`
	Note       *string          `json:"note" doc:"What to know about the column, such as why a total isn't counted again. Null if there is nothing."`
}

// HullImportWord is a word of a column that has no meaning.
type HullImportWord struct {
	_ struct{} `doc:"A word of a column that has no meaning yet." privacy:"plain"`

	Word string `json:"word" doc:"The word, as in the file." example:"Dock"`
	Rows int64  `json:"rows" doc:"Rows that have it." example:"9"`
}

// Report is how the columns of a file are read.
type Report struct {
	Columns []HullImportColumn
	Missing []string // required fields without a column
	Rows    int64    // that were read
}

// ReportOn reads the first rows of a file and returns how its columns are read. Locations are
// the names and codes of the locations in the form of Plain.
func ReportOn(r *Reader, hasLocation bool, locations map[string]bool) (Report, error) {
	tallies := make([]*tally, len(r.layout.columns))
	for i, c := range r.layout.columns {
		tallies[i] = &tally{column: c, words: map[string]int64{}, locations: locations, layout: r.layout}
	}
	report := Report{Columns: []HullImportColumn{}, Missing: Survey{layout: r.layout}.Missing(hasLocation)}
	most := min(maxReported, maxReportedCells/int64(max(1, len(tallies))))
	for report.Rows < most {
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return report, err
		}
		cells, err := splitCells(record, r.layout.delimiter)
		if record == nil || isBlank(record) || err != nil || len(cells) != len(tallies) {
			continue
		}
		report.Rows++
		for i, cell := range cells {
			if cell = strings.TrimSpace(unescape(cell)); cell != "" {
				tallies[i].add(cell)
			}
		}
	}
	guess(tallies, report.Missing)
	for _, t := range tallies {
		report.Columns = append(report.Columns, t.report())
	}
	explainTotal(report.Columns)
	return report, nil
}

// Plain returns text as words are compared.
func Plain(text string) string { return plain(text) }

// tally is what the cells of a column are.
type tally struct {
	column    column
	layout    layout
	locations map[string]bool
	samples   []string
	words     map[string]int64
	filled    int64
	hins      int64
	fits      map[string]int64 // cells that a required field could have
	guessed   string
}

func (t *tally) add(cell string) {
	t.filled++
	word := Clip(cell, maxWord)
	if t.words[word]++; t.words[word] == 1 && len(t.samples) < maxSamples {
		t.samples = append(t.samples, word)
	}
	if t.fits == nil {
		t.fits = map[string]int64{}
	}
	if t.column.field == "hin" && hin.Decode(cell, time.Time{}).Valid {
		t.hins++
	}
	t.count(cell)
}

// count adds a cell to the sums of its field, and to the fields that it could have.
func (t *tally) count(cell string) {
	if t.column.field != "" {
		return
	}
	if t.layout.Subject == Contacts {
		if _, ok := email(cell); ok {
			t.fits["email"]++
		}
		return
	}
	if cents, err := parseMoney(cell, t.layout.delimiter == ';'); err == nil && cents != nil && *cents >= 500_00 && *cents <= 50_000_000_00 {
		t.fits["price_usd"]++
	}
	if year, err := strconv.Atoi(cell); err == nil && year >= 1900 && year <= 2100 {
		t.fits["year"]++
		t.fits["price_usd"]--
	}
	if feet, err := parseLength(cell, 1); err == nil && feet >= 5 && feet <= 200 {
		t.fits["length_ft"]++
	}
	if t.locations[plain(cell)] {
		t.fits["location_id"]++
	}
}

// guess assigns each required field without a column to the column that fits best. At least
// nine of ten of its values must fit, and no other column may fit as well.
func guess(tallies []*tally, missing []string) {
	for _, field := range missing {
		var best *tally
		tied := false
		for _, t := range tallies {
			if t.column.field != "" || t.guessed != "" || t.filled == 0 || t.fits[field]*10 < t.filled*9 {
				continue
			}
			switch {
			case best == nil || t.fits[field] > best.fits[field]:
				best, tied = t, false
			case t.fits[field] == best.fits[field]:
				tied = true
			}
		}
		if best != nil && !tied {
			best.guessed = field
		}
	}
}

// report returns how the column is read.
func (t *tally) report() HullImportColumn {
	c := HullImportColumn{
		Name: Clip(t.column.name, 100), Samples: append([]string{}, t.samples...), Readings: []string{}, Unknown: []HullImportWord{},
		Filled: t.filled, Different: int64(len(t.words)),
	}
	read := t.column
	switch {
	case read.field != "":
		c.Field = new(read.field)
	case t.guessed != "":
		c.Guess = new(t.guessed)
		read, _ = t.layout.Subject.fieldNamed(t.guessed)
	default:
		return c
	}
	for word, rows := range t.words {
		t.addReading(&c, read, word, rows)
	}
	for _, sample := range t.samples {
		c.Readings = append(c.Readings, t.reading(read, sample))
	}
	slices.SortFunc(c.Unknown, func(a, b HullImportWord) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Word, b.Word))
	})
	c.Unknown = c.Unknown[:min(len(c.Unknown), 20)]
	if read.field == "hin" && strings.Contains(plain(c.Name), "vin") && t.hins > 0 {
		c.Note = new("Holds HINs: " + strconv.FormatInt(t.hins, 10) + " of " + strconv.FormatInt(t.filled, 10) + " are valid.")
	}
	return c
}

// addReading adds the rows of a word to the sums of its column.
func (t *tally) addReading(c *HullImportColumn, read column, word string, rows int64) {
	if _, ok := t.layout.Words.find(read.field, word); ok {
		return
	}
	value, n, err := read.read(word, t.layout)
	switch {
	case err != nil:
		c.Invalid += rows
		return
	case n != nil && n.code == "unknown", read.field == "location_id" && !t.locations[plain(word)] && !strings.HasPrefix(word, "loc_"):
		c.Unknown = append(c.Unknown, HullImportWord{Word: word, Rows: rows})
		return
	}
	number, ok := value.(float64)
	if !ok {
		return
	}
	if strings.HasSuffix(read.field, "_usd") {
		sum := int64(math.Round(number * 100 * float64(rows)))
		if c.TotalCents != nil {
			sum += *c.TotalCents
		}
		c.TotalCents = &sum
		return
	}
	if c.Lowest == nil || number < *c.Lowest {
		c.Lowest = new(number)
	}
	if c.Highest == nil || number > *c.Highest {
		c.Highest = new(number)
	}
}

// reading returns how a sample is read, in words.
func (t *tally) reading(read column, sample string) string {
	if value, ok := t.layout.Words.find(read.field, sample); ok {
		return value
	}
	value, _, err := read.read(sample, t.layout)
	if err != nil {
		return ""
	}
	switch v := value.(type) {
	case string:
		return v
	case category:
		return string(v)
	case class:
		return string(v)
	case engineText:
		return strings.TrimSpace(v.make + " " + v.model)
	case trailerVIN:
		return string(v)
	case fullName:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// explainTotal says what happens to a total next to its parts.
func explainTotal(columns []HullImportColumn) {
	has := func(fields ...string) bool {
		return slices.ContainsFunc(columns, func(c HullImportColumn) bool { return c.Field != nil && slices.Contains(fields, *c.Field) })
	}
	for i, c := range columns {
		switch {
		case c.Field == nil || *c.Field != totalCost:
		case has("invoice_usd"):
			columns[i].Note = new("Contains the other costs, so it isn't counted again.")
		case has(costParts...):
			columns[i].Note = new("Contains the other costs. The invoice is the rest of it.")
		}
	}
}
