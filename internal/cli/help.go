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

// printNounHelp lists the commands of a noun.
func printNounHelp(w io.Writer, noun string, all []command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: slipway %s <command> [flags]\n\n", noun)
	for _, n := range Nouns() {
		if n.Name == noun {
			b.WriteString(n.Help + "\n\n")
		}
	}
	b.WriteString("Commands:\n")
	var rows [][2]string
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
		rows = append(rows, [2]string{name, text + "."})
	}
	writeRows(&b, rows)
	fmt.Fprintf(&b, "\nRun \"slipway %s <command> --help\" for the flags of a command, with an example.\n", noun)
	return printText(w, b.String())
}

// printHelp prints the help of an operation.
func printHelp(w io.Writer, c command) error {
	var b strings.Builder
	usage := c.line()
	var args [][2]string
	for _, p := range c.arguments() {
		usage += " <" + p.flag() + ">"
		args = append(args, [2]string{"<" + p.flag() + ">", p.Doc + lookupOf(p.Name).note()})
	}
	if len(c.Files) > 0 {
		usage += " <file>"
		args = append(args, [2]string{"<file>", "File to upload: " + strings.Join(c.Files, ", ") + "."})
	}
	fmt.Fprintf(&b, "Usage: %s [flags]\n\n%s.", usage, c.Summary)
	if c.Preview {
		b.WriteString(" (preview)")
	}
	b.WriteString("\n")
	if c.Doc != "" {
		b.WriteString("\n" + strings.Join(wrap(strings.ReplaceAll(c.Doc, "`", ""), helpWidth), "\n") + "\n")
	}
	if c.Scopes != "" {
		fmt.Fprintf(&b, "\nRequires the scope %s.\n", strings.ReplaceAll(c.Scopes, "+", " and "))
	}
	if len(args) > 0 {
		b.WriteString("\nArguments:\n")
		writeRows(&b, args)
	}

	writeFlags(&b, "Flags:", c.specs(), false)
	if nested := c.nested(); len(nested) > 0 {
		fmt.Fprintf(&b, "\nOnly with --data: %s.\n", strings.Join(nested, ", "))
	}
	if c.needsProof() {
		fmt.Fprintf(&b, "\nIf a two-factor verification is required, set %s to the token of \"slipway access verify-mfa-factor\".\n", mfaToken)
	}
	writeFlags(&b, "Output and server:", c.specs(), true)
	fmt.Fprintf(&b, "\nExample:\n\n    %s\n", exampleOf(c))
	return printText(w, b.String())
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

// printCommandHelp prints the help of a command that is not an operation.
func printCommandHelp(w io.Writer, usage, summary, doc string, specs []flagSpec, examples ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s\n\n%s.\n", usage, summary)
	if doc != "" {
		b.WriteString("\n" + strings.Join(wrap(doc, helpWidth), "\n") + "\n")
	}
	writeFlags(&b, "Flags:", specs, false)
	writeFlags(&b, "Output and server:", specs, true)
	fmt.Fprintf(&b, "\nExamples:\n\n    %s\n", strings.Join(examples, "\n    "))
	return printText(w, b.String())
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
