package cli

import (
	"fmt"
	"io"
	"strings"
)

const (
	helpWidth = 110
	maxValues = 20 // of an enum that the help lists
)

func printText(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// helpPage is the help of a command. All commands have the same parts in the same order.
type helpPage struct {
	usage, summary string
	text           []string // paragraphs
	args, commands [][2]string
	flags          []flagSpec
	common         string   // title of the flags that most commands have
	notes          []string // about flags
	examples       []string
	last           string
}

func (h helpPage) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s\n", h.usage, h.summary)
	for _, paragraph := range h.text {
		b.WriteString("\n" + strings.Join(wrap(strings.ReplaceAll(paragraph, "`", ""), helpWidth), "\n") + "\n")
	}
	section := func(title string, rows [][2]string) {
		if len(rows) > 0 {
			b.WriteString("\n" + title + "\n")
			writeRows(&b, rows)
		}
	}
	section("Arguments:", h.args)
	section("Commands:", h.commands)
	writeFlags(&b, "Flags:", h.flags, false)
	writeFlags(&b, h.common, h.flags, true)
	for _, note := range h.notes {
		b.WriteString("\n" + note + "\n")
	}
	if len(h.examples) > 0 {
		fmt.Fprintf(&b, "\nExamples:\n\n    %s\n", strings.Join(h.examples, "\n    "))
	}
	if h.last != "" {
		b.WriteString("\n" + h.last + "\n")
	}
	return printText(w, b.String())
}

// outputAndServer is the title of the flags of commands that call a server.
const outputAndServer = "Output and server:"

// commandHint ends the help of a group of commands.
func commandHint(line string) string {
	return fmt.Sprintf("Run \"%s <command> --help\" for the flags of a command.", line)
}

// printNounHelp lists the commands of a noun.
func printNounHelp(w io.Writer, noun string, all []command) error {
	h := helpPage{usage: "slipway " + noun + " <command> [flags]", last: commandHint("slipway " + noun)}
	for _, n := range Nouns() {
		if n.Name == noun {
			h.summary = n.Help
		}
	}
	for _, c := range all {
		name := c.Name
		for _, p := range c.arguments() {
			name += " <" + p.flag() + ">"
		}
		if len(c.Files) > 0 {
			name += " <file>"
		}
		text := c.Summary
		if c.Preview {
			text += " (preview)"
		}
		h.commands = append(h.commands, [2]string{name, text + "."})
	}
	return h.print(w)
}

// printHelp prints the help of an operation.
func printHelp(w io.Writer, c command) error {
	h := helpPage{usage: c.line(), summary: c.Summary + ".", flags: c.specs(), common: outputAndServer, examples: []string{exampleOf(c)}}
	for _, p := range c.arguments() {
		h.usage += " <" + p.flag() + ">"
		h.args = append(h.args, [2]string{"<" + p.flag() + ">", p.Doc + lookupOf(p.Name).note()})
	}
	if len(c.Files) > 0 {
		h.usage += " <file>"
		h.args = append(h.args, [2]string{"<file>", "File to upload: " + strings.Join(c.Files, ", ") + "."})
	}
	h.usage += " [flags]"
	if c.Preview {
		h.summary += " (preview)"
	}
	if c.Doc != "" {
		h.text = append(h.text, c.Doc)
	}
	if c.Scopes != "" {
		h.text = append(h.text, "Requires the scope "+strings.ReplaceAll(c.Scopes, "+", " and ")+".")
	}
	if nested := c.nested(); len(nested) > 0 {
		h.notes = append(h.notes, "Only with --data: "+strings.Join(nested, ", ")+".")
	}
	if c.asksForCode() {
		h.notes = append(h.notes, "Asks for the two-factor code. In a script, pipe it to stdin.")
	}
	if c.needsProof() {
		h.notes = append(h.notes, fmt.Sprintf("If a two-factor verification is required, set %s to the token of \"slipway access verify-mfa-factor\".", mfaToken))
	}
	return h.print(w)
}

// nested returns the fields that have no flag.
func (c command) nested() (names []string) {
	for _, p := range c.Params {
		if p.In == inBody && !p.isFlag() && p.Name != "mfa_token" {
			names = append(names, p.Name)
		}
	}
	return names
}

func writeFlags(b *strings.Builder, title string, specs []flagSpec, common bool) {
	var rows [][2]string
	for _, f := range specs {
		if f.common != common {
			continue
		}
		name := "    --" + f.name
		if f.short != "" {
			name = "-" + f.short + ", --" + f.name
		}
		if f.value != "" {
			name += "=" + f.value
		}
		rows = append(rows, [2]string{name, f.describe()})
	}
	if len(rows) > 0 {
		b.WriteString("\n" + title + "\n")
		writeRows(b, rows)
	}
}

// describe returns the help of a flag with its values.
func (f flagSpec) describe() string {
	help := strings.ReplaceAll(f.help, "`", "")
	if f.suggest != nil {
		help = strings.ReplaceAll(help, "${suggest}", strings.Join(f.suggest(), ", "))
	}
	switch n := len(f.values); {
	case n == 0 || f.name == "output":
		return help
	case n > maxValues:
		return help + fmt.Sprintf(" One of: %s and %d more.", strings.Join(f.values[:maxValues], ", "), n-maxValues)
	}
	return help + " One of: " + strings.Join(f.values, ", ") + "."
}

// writeRows writes two columns. The second one wraps.
func writeRows(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		if len(r[0]) <= 40 {
			width = max(width, len(r[0]))
		}
	}
	indent := strings.Repeat(" ", width+4)
	for _, r := range rows {
		fmt.Fprintf(b, "  %-*s", width, r[0])
		if len(r[0]) > width {
			b.WriteString("\n" + indent[:len(indent)-2])
		}
		for i, line := range wrap(r[1], helpWidth-width) {
			if i > 0 {
				b.WriteString(indent)
			} else {
				b.WriteString("  ")
			}
			b.WriteString(line + "\n")
		}
	}
}

// wrap breaks a text into lines.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && len(line)+1+len(w) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}
