// Package cli calls the API of a server from a terminal: one command for each operation,
// profiles, and the sign-in that creates their keys.
//
// sdkgen writes the table of operations to table.gen.go. A command looks up its operation
// there, so that the other commands cost nothing.
package cli

import (
	"slices"
	"slipway/internal/vocab/family"
	"strings"
)

// Operation is an operation of the API, and the command that calls it.
type Operation struct {
	ID         string
	Noun, Name string // of the command, as in hulls list-photos
	Preview    bool   // only in the preview of the next version
	Verb, Path string
	Summary    string
	Doc        string
	Scopes     string
	List       bool
	Result     string   // type of the response, or of the items of a list
	Download   bool     // the response is a file
	CSV        bool     // the response is CSV if the request prefers it
	Files      []string // media types of an upload
	Body       bool     // accepts a JSON body
	IfMatch    bool
	Proof      bool // accepts an MFA-Token
	Example    string
	Params     []Param
}

// Param is a parameter or a field of the body.
type Param struct {
	In       place
	Name     string
	Type     string // string, number, boolean, list or json
	Doc      string
	Required bool
	Null     bool
	Values   []string // of an enum
	Example  string
}

type place int

const (
	inPath place = iota
	inQuery
	inBody
)

// flag is the name of the flag or argument.
func (p Param) flag() string { return strings.ReplaceAll(p.Name, "_", "-") }

// isFlag reports whether a parameter is a flag. Nested fields are only in the JSON of a
// body, and so are secrets, which other users of the machine could see in a flag.
func (p Param) isFlag() bool { return p.In != inPath && p.Type != "json" && !p.isSecret() }

func (p Param) isSecret() bool {
	return p.Type == "string" && slices.ContainsFunc([]string{"secret", "password", "token"}, func(word string) bool { return strings.Contains(p.Name, word) })
}

// asksForCode reports whether the operation checks a two-factor code.
func (op *Operation) asksForCode() bool { return op.ID == "verifyMfaFactor" }

// mfaToken is the variable with the proof of a two-factor method.
const mfaToken = "SLIPWAY_MFA_TOKEN"

// needsProof reports whether the operation accepts a proof of a two-factor method: in a header
// or in the body.
func (op *Operation) needsProof() bool {
	return op.Proof || slices.ContainsFunc(op.Params, func(p Param) bool { return p.In == inBody && p.Name == "mfa_token" })
}

// Noun is a group of commands.
type Noun struct{ Name, Help string }

// Nouns returns the groups of commands for the operations.
func Nouns() (all []Noun) {
	for _, f := range family.Commands() {
		all = append(all, Noun{f.Command(), f.Help})
	}
	return all
}

// command is an operation as a command. If the preview has the same operation, next is that
// one: its additional flags belong to the command too.
type command struct {
	*Operation
	next *Operation
}

// commandsOf returns the commands of a noun, sorted by name.
func commandsOf(noun string) (all []command) {
	for i := range operations {
		op := &operations[i]
		if op.Noun != noun {
			continue
		}
		at := slices.IndexFunc(all, func(c command) bool { return c.Name == op.Name })
		switch {
		case at < 0:
			all = append(all, command{op, nil})
		case op.Preview:
			all[at].next = op
		default:
			all[at] = command{op, all[at].Operation}
		}
	}
	slices.SortFunc(all, func(a, b command) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// isDirect reports whether a noun is a command itself.
func isDirect(all []command) bool { return len(all) == 1 && all[0].Name == all[0].Noun }

func (c command) line() string {
	if c.Name == c.Noun {
		return "slipway " + c.Noun
	}
	return "slipway " + c.Noun + " " + c.Name
}

// arguments are the parameters that have no flag: those of the path, and what to search for.
func (c command) arguments() (all []Param) {
	for _, p := range c.Params {
		if p.In == inPath || (c.Name == c.Noun && p.Name == "q") {
			all = append(all, p)
		}
	}
	return all
}

// flags returns the parameters with a flag, and those that only the preview has.
func (c command) flags() (own, preview []Param) {
	arguments := c.arguments()
	for _, p := range c.Params {
		if p.isFlag() && !(c.asksForCode() && p.Name == "code") && !slices.ContainsFunc(arguments, func(a Param) bool { return a.Name == p.Name }) {
			own = append(own, p)
		}
	}
	if c.next == nil {
		return own, nil
	}
	for _, p := range c.next.Params {
		if p.isFlag() && !slices.ContainsFunc(c.Params, func(o Param) bool { return o.Name == p.Name }) {
			preview = append(preview, p)
		}
	}
	return own, preview
}

// writes reports whether the command changes something.
func (op *Operation) writes() bool { return op.Verb != "GET" && !onlyReads[op.ID] }

func find(id string) *Operation {
	id, preview := strings.CutPrefix(id, "preview.")
	for i := range operations {
		if op := &operations[i]; op.ID == id && op.Preview == preview {
			return op
		}
	}
	return nil
}
