package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"
)

// jsonFlag is the flag of commands that print a table or JSON.
type jsonFlag struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (s *session) printJSON(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printTable prints rows below a header.
func (s *session) printTable(header []string, rows [][]string) error {
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			row[i] = orDash(&cell)
		}
		_, _ = fmt.Fprintln(w, printable(strings.Join(row, "\t"))) // Flush returns the error
	}
	return w.Flush()
}

func orDash(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return strings.ReplaceAll(*s, "\t", " ")
}

// printable removes what clients could send to control the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// confirm asks a question on the terminal. It reports false if there is none.
func (s *session) confirm(question string) bool {
	if !isTerminal(s.in) || !isTerminal(s.out) {
		return false
	}
	if _, err := fmt.Fprintf(s.out, "%s [y/N] ", question); err != nil {
		return false
	}
	answer, _ := bufio.NewReader(s.in).ReadString('\n') // an empty answer means no
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// useColor reports whether to print colors.
func useColor(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }
