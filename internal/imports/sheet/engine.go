package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"slipway/internal/vocab/lazy"
)

// MaxEngines is how many engines of a boat can have columns of their own.
const MaxEngines = 4

// engineFields are the fields of an engine after the prefix engine_, or engine2_ for the
// second one.
var engineFields = []string{"make", "model", "year", "serial", "hp", "fuel", "hours"}

var (
	numberedEngine = lazy.Regexp(`^(?:engine|motor|eng)([1-4])(.*)$`)
	ordinalEngine  = lazy.Regexp(`^([1-4])(?:st|nd|rd|th)(?:engine|motor|eng)(.*)$`)
	sideEngine     = lazy.Regexp(`^(port|starboard|stbd)(?:engine|motor|eng)(.*)$`)
	engineNumbered = lazy.Regexp(`^(?:engine|motor|eng)(.*?)([1-4])$`)
)

// furtherEngine returns the column of a field such as engine2_serial.
func furtherEngine(name string) (column, bool) {
	rest, ok := strings.CutPrefix(name, "engine")
	if !ok || len(rest) < 1 || rest[0] < '2' || rest[0] > '0'+MaxEngines {
		return column{}, false
	}
	if len(rest) == 1 {
		return column{field: name, read: cellEngine, rank: 1}, true
	}
	key := strings.TrimPrefix(rest[1:], "_")
	if !slices.Contains(engineFields, key) {
		return column{}, false
	}
	base := "engine_" + key
	if key == "hours" {
		base = "hours"
	}
	c, ok := Hulls.fieldNamed(base)
	c.field = name
	return c, ok
}

// engineColumn returns the column of one of several engines by its name in plain form:
// engine2serial, 2ndenginemake, starboardenginehours and engineserial2. The first engine has
// the fields that a boat with one engine has.
func engineColumn(key string) column {
	number, rest := "", ""
	if m := numberedEngine().FindStringSubmatch(key); m != nil {
		number, rest = m[1], m[2]
	} else if m := ordinalEngine().FindStringSubmatch(key); m != nil {
		number, rest = m[1], m[2]
	} else if m := sideEngine().FindStringSubmatch(key); m != nil {
		number, rest = map[string]string{"port": "1", "starboard": "2", "stbd": "2"}[m[1]], m[2]
	} else if m := engineNumbered().FindStringSubmatch(key); m != nil {
		number, rest = m[2], m[1]
	} else {
		return column{}
	}
	c, ok := hullAliases()["engine"+rest]
	name, isPart := strings.CutPrefix(c.field, "engine_")
	switch {
	case !ok || c.field == "engine_count" || !isPart && c.field != "engine" && c.field != "hours":
		return column{}
	case number == "1":
		return c
	case c.field == "engine":
		c.field = "engine" + number
	case c.field == "hours":
		c.field = "engine" + number + "_hours"
	default:
		c.field = "engine" + number + "_" + name
	}
	return c
}

// engineText is an engine in words, such as 2x Yamaha F300.
type engineText struct {
	make, model string
	count       float64 // 0 if it isn't written
}

// engineMakes are the makers whose names have several words or are written together with the
// model.
var engineMakes = []string{"volvo penta", "john deere", "seven marine", "mercury racing", "general motors", "detroit diesel"}

var engineCounts = lazy.Regexp(`(?i)^(?:(twin|triple|quad)\s+|([1-4])\s*[x\x{d7}]\s*)(.+)$`)

func cellEngine(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	if !strings.ContainsFunc(cell, unicode.IsLetter) {
		return nil, &note{"unknown", fmt.Sprintf("%q is not a known engine and was ignored", Clip(cell, 60))}, nil
	}
	e := engineText{}
	if m := engineCounts().FindStringSubmatch(cell); m != nil {
		cell = m[3]
		if e.count = map[string]float64{"twin": 2, "triple": 3, "quad": 4}[strings.ToLower(m[1])]; m[2] != "" {
			e.count, _ = strconv.ParseFloat(m[2], 64)
		}
	}
	words := strings.Fields(cell)
	n := 1
	if len(words) > 2 && slices.Contains(engineMakes, strings.ToLower(words[0]+" "+words[1])) {
		n = 2
	}
	e.make, e.model = Clip(strings.Join(words[:min(n, len(words))], " "), 100), Clip(strings.Join(words[min(n, len(words)):], " "), 100)
	return e, nil, nil
}

// setEngine sets the make and the model of an engine, unless they have their own columns.
func (r *Row) setEngine(field string, e engineText) {
	set := func(name string, value any) {
		if _, ok := r.Fields[name]; !ok {
			r.Fields[name] = value
		}
	}
	set(field+"_make", e.make)
	if e.model != "" {
		set(field+"_model", e.model)
	}
	if e.count > 0 && field == "engine" {
		set("engine_count", e.count)
	}
}
