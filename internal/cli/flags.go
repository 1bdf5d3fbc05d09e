package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// flagSpec is a flag that a command accepts.
type flagSpec struct {
	name, short string
	value       string // what to enter, "" if the flag needs no value
	help        string
	values      []string        // that it can have
	suggest     func() []string // what completion offers instead of values
	aliases     []string        // older names
	common      bool            // most commands have it
}

// parsed is a command line.
type parsed struct {
	args  []string
	flags map[string][]string
}

func (p parsed) has(name string) bool { return len(p.flags[name]) > 0 }

// last returns the value of a flag, or "". The last one counts.
func (p parsed) last(name string) string {
	if all := p.flags[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// isOn reports whether a flag without a value is set.
func (p parsed) isOn(name string) bool { return p.has(name) && p.last(name) != "false" }

// listValue is the value of a flag that accepts several, separated by commas.
const listValue = "A,B"

// parseFlags parses a command line. A flag can be before or after an argument.
func parseFlags(args []string, specs []flagSpec, command string) (parsed, error) {
	return scanFlags(args, specs, command, false)
}

// scanFlags does the same, or stops at the first argument: then the rest are arguments.
func scanFlags(args []string, specs []flagSpec, command string, stop bool) (p parsed, err error) {
	p.flags = map[string][]string{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			p.args = append(p.args, args[i+1:]...)
			return p, nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			if stop {
				p.args = args[i:]
				return p, nil
			}
			p.args = append(p.args, arg)
			continue
		}

		name, value, hasValue := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		at := slices.IndexFunc(specs, func(f flagSpec) bool { return f.name == name || slices.Contains(f.aliases, name) })
		if !strings.HasPrefix(arg, "--") { // -o csv, -ocsv
			name, value, hasValue = arg[1:2], strings.TrimPrefix(arg[2:], "="), len(arg) > 2
			at = slices.IndexFunc(specs, func(f flagSpec) bool { return f.short == name })
		}
		if at < 0 {
			return p, unknownFlag(arg, name, specs, command)
		}

		f := specs[at]
		switch {
		case f.value == "" && !hasValue:
			value = "true"
		case f.value == "": // --archived=false
		case !hasValue && i+1 == len(args):
			return p, &UsageError{fmt.Sprintf("the flag --%s requires a value", f.name), command}
		case !hasValue:
			i++
			value = args[i]
		}
		p.flags[f.name] = append(p.flags[f.name], value)
	}
	return p, nil
}

// KeyHint is why no command accepts a key as a flag.
const KeyHint = `Other users of this machine could see a key on the command line: run "slipway login --key", or set SLIPWAY_KEY`

func unknownFlag(arg, name string, specs []flagSpec, command string) error {
	var names []string
	for _, f := range specs {
		names = append(names, f.name)
	}
	hint := ""
	if similar := Closest(name, names); len(similar) > 0 {
		hint = fmt.Sprintf(", did you mean \"--%s\"?", strings.Join(similar, `" or "--`))
	}
	flag, _, _ := strings.Cut(arg, "=")
	switch name {
	case "key":
		hint = ". " + KeyHint
	case "totp", "code":
		hint = ". The command asks for the code. In a script, pipe it to stdin"
	}
	return &UsageError{"unknown flag " + flag + hint, command}
}

// unknownCommand suggests a command with a similar name, or one of another noun.
func unknownCommand(noun, name string, all []command) error {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	if similar := Closest(name, names); len(similar) > 0 {
		return &UsageError{fmt.Sprintf("unexpected argument %s, did you mean \"%s\"?", name, strings.Join(similar, `" or "`)), "slipway " + noun}
	}
	var elsewhere []string
	for _, n := range Nouns() {
		for _, c := range commandsOf(n.Name) {
			if c.Name == name {
				elsewhere = append(elsewhere, c.line())
			}
		}
	}
	hint := ""
	if n := len(elsewhere); n > 0 && n <= 3 { // most nouns have list and get
		hint = fmt.Sprintf(", did you mean \"%s\"?", strings.Join(elsewhere, `" or "`))
	}
	return &UsageError{"unexpected argument " + name + hint, "slipway " + noun}
}

// Closest returns the names that are most similar to a mistyped one.
func Closest(name string, known []string) (similar []string) {
	least := max(2, len(name)/3) + 1
	for _, k := range known {
		switch d := levenshtein.Distance(name, k, nil); {
		case d < least:
			least, similar = d, []string{k}
		case d == least && len(similar) > 0 && len(similar) < 3:
			similar = append(similar, k)
		}
	}
	return similar
}

// Formats are the formats of the output.
var formats = []string{"table", "wide", "json", "jsonl", "csv", "id"}

// connectFlags choose the server and the output.
func connectFlags() []flagSpec {
	return []flagSpec{
		{name: "output", short: "o", value: "FORMAT", values: formats, common: true,
			help: "table, wide, json, jsonl, csv or id. Defaults to table on a terminal and to json elsewhere."},
		{name: "jq", value: "FILTER", common: true, help: "Print the result of a jq filter, such as '.data[].hin'."},
		{name: "profile", value: "NAME", common: true, help: "Profile with the server and the API key. Defaults to SLIPWAY_PROFILE or the current one."},
		{name: "base-url", value: "URL", common: true, help: "Address of the server, with the key in SLIPWAY_KEY."},
		{name: "help", short: "h", common: true, help: "Show this help."},
	}
}

// specs returns the flags of a command.
func (c command) specs() (all []flagSpec) {
	own, preview := c.flags()
	params := func(list []Param, note string) {
		for _, p := range list {
			help := p.Doc + note + lookupOf(p.Name).note()
			all = append(all, flagSpec{name: p.flag(), value: placeholder(p), help: help, values: p.Values})
		}
	}
	params(own, "")
	params(preview, " (preview)")

	when := func(on bool, f flagSpec) {
		if on {
			all = append(all, f)
		}
	}
	when(c.Body, flagSpec{name: "data", short: "d", value: "JSON", help: "Body as JSON, @FILE, or - for stdin. Flags add to it."})
	when(c.List, flagSpec{name: "limit", value: "N", help: "Number of items to return, at most 100 per page."})
	when(c.List, flagSpec{name: "all", help: "Return the items of all pages. csv, jsonl and id always do, unless you send --limit."})
	when(c.List, flagSpec{name: "starting-after", value: "CURSOR", help: "Return the page after this cursor."})
	when(c.List, flagSpec{name: "ending-before", value: "CURSOR", help: "Return the page before this cursor."})
	when(c.IfMatch, flagSpec{name: "if-version", value: "N", help: "Fail with exit code 4 unless the resource has this version."})
	when(c.Verb != "GET" && c.Verb != "DELETE", flagSpec{name: "idempotency-key", value: "UUID", help: "Send the same key again to retry safely. Defaults to a new one."})
	when(c.Download, flagSpec{name: "save", value: "FILE", help: "Write the file here. Defaults to stdout."})
	when(c.CSV, flagSpec{name: "save", value: "FILE", help: "Write the CSV here. -o csv prints it."})
	when(waits[background[c.ID]] != nil, flagSpec{name: "wait", help: "Wait until the work is complete. On by default on a terminal: turn it off with --wait=false."})
	when(c.next != nil, flagSpec{name: "preview", help: "Use the preview of the next API version. Flags with (preview) do too."})
	when(c.writes(), flagSpec{name: "yes", help: "Don't ask before changing live data."})
	return append(all, connectFlags()...)
}

func placeholder(p Param) string {
	switch {
	case p.Type == "boolean":
		return ""
	case p.Type == "number":
		return "N"
	case p.Type == "list":
		return listValue
	case strings.HasSuffix(p.Name, "_id"):
		return "ID"
	}
	return "TEXT"
}
