package sheet

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"slipway/internal/vocab/fault"
)

// Subject is what the rows of a file are about.
type Subject string

// The subjects. The zero value is Hulls.
const (
	Hulls    Subject = "hulls"
	Contacts Subject = "contacts"
)

// fields returns the fields of a file.
func (s Subject) fields() []field {
	if s == Contacts {
		return contactFields
	}
	return fields
}

var (
	hullAliases    = sync.OnceValue(func() map[string]column { return aliasesOf(fields) })
	contactAliases = sync.OnceValue(func() map[string]column { return aliasesOf(contactFields) })
)

// aliases finds a field by a column name in plain form.
func (s Subject) aliases() map[string]column {
	if s == Contacts {
		return contactAliases()
	}
	return hullAliases()
}

// aliasesOf returns the columns of fields by their names. rank is the place of a name in the
// order of preference, after the name of the field itself.
func aliasesOf(fields []field) map[string]column {
	all := map[string]column{}
	rank := map[string]int{}
	for _, f := range fields {
		names := f.aliases
		if rank[f.name] == 0 {
			names = append([]string{plain(f.name)}, names...)
		}
		for _, name := range names {
			rank[f.name]++
			all[name] = column{field: f.name, read: f.read, rank: rank[f.name]}
		}
	}
	return all
}

// fieldNamed returns the column of a field with this exact name.
func (s Subject) fieldNamed(name string) (column, bool) {
	if key, ok := strings.CutPrefix(name, "metadata."); ok && key != "" {
		return column{field: name, read: cellText, rank: 1}, true
	}
	for _, f := range s.fields() {
		if f.name == name {
			return column{field: f.name, read: f.read, rank: 1}, true
		}
	}
	if s == Contacts {
		return column{}, false
	}
	return furtherEngine(name)
}

// columnNamed returns the column with a name of a file. The column metadata.slip is
// the metadata key slip.
func (s Subject) columnNamed(name string) column {
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "metadata.") {
		c, _ := s.fieldNamed(name)
		return c
	}
	key := plain(name)
	if c, ok := s.aliases()[key]; ok {
		return c
	}
	if c, ok := s.aliases()[strings.TrimRight(key, "0123456789")]; ok && isList(c.field) {
		return c
	}
	if s == Contacts {
		return column{}
	}
	return engineColumn(key)
}

// isList reports whether all columns of a field are read. Their names can end with a number:
// Photo 1, Photo 2.
func isList(field string) bool { return field == photoURLs || field == notes }

// missing returns the required fields of a new row that a file doesn't have.
func (s Subject) missing(l layout, hasLocation bool) (names []string) {
	if s == Contacts {
		if !slices.ContainsFunc(identifying, l.has) {
			return []string{"email"}
		}
		return nil
	}
	for _, name := range required {
		if !l.has(name) {
			names = append(names, name)
		}
	}
	if !hasLocation && !l.has("location_id") {
		names = append(names, "location_id")
	}
	return names
}

// CheckMap adds an error for each field of a map that doesn't exist.
func (s Subject) CheckMap(bad *fault.Fields, names map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] != "" && !s.IsField(names[name]) {
			bad.Add("map", "enum", "maps %q to %q, which is not a field of an import", Clip(name, 100), Clip(names[name], 100))
		}
	}
}

// IsField reports whether a field of an import exists.
func (s Subject) IsField(name string) bool {
	_, ok := s.fieldNamed(name)
	return ok
}

// example returns some fields, for a message.
func (s Subject) example() string {
	if s == Contacts {
		return "first_name, last_name, email, phone"
	}
	return "stock_number, make, model, year, length_ft, price_usd"
}
