package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"slipway/internal/cli"
	"slipway/internal/vocab/auth"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Your shell: ${enum}."`
}

// Run prints the script for a shell.
func (c completionCmd) Run(s *session) error {
	_, err := fmt.Fprint(s.out, completionScripts[c.Shell])
	return err
}

// completionScripts ask the program what can follow, so that they never are outdated.
var completionScripts = map[string]string{
	"bash": `# bash completion of slipway
_slipway() {
  local line="${COMP_LINE:0:COMP_POINT}" word before=
  local -a words
  read -ra words <<<"$line" # COMP_WORDS splits hulls:read
  [[ $line == *[[:space:]] ]] && words+=("")
  word="${words[${#words[@]}-1]}"
  [[ $COMP_WORDBREAKS == *:* ]] && before="${word%"${word##*:}"}"
  local IFS=$'\n'
  COMPREPLY=($(slipway __complete "${words[@]:1}" 2>/dev/null | cut -f1))
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -o default -F _slipway slipway
`,
	"zsh": `#compdef slipway
_slipway() {
  local -a found
  local line
  for line in "${(@f)$(slipway __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#found )); then _describe slipway found; else _files; fi
}
compdef _slipway slipway
`,
	"fish": `# fish completion of slipway
function __slipway_complete
  set -l words (commandline -opc) (commandline -ct)
  slipway __complete $words[2..] 2>/dev/null
end
complete -c slipway -f -a '(__slipway_complete)'
`,
}

type completeCmd struct {
	Words []string `arg:"" optional:""`
}

// Run prints what can follow the words, one candidate per line, with a description after
// a tab. The last word is incomplete.
func (c completeCmd) Run(s *session, ctx *kong.Context) error {
	if len(c.Words) > 1 && slices.ContainsFunc(serverNouns(), func(n cli.Noun) bool { return n.Name == c.Words[0] }) {
		return c.server(s)
	}
	for _, found := range complete(ctx.Model.Node, c.Words) {
		if _, err := fmt.Fprintf(s.out, "%s\t%s\n", found.text, found.help); err != nil {
			return err
		}
	}
	return nil
}

// server completes a command that calls a server.
func (c completeCmd) server(s *session) error {
	for _, found := range cli.Complete(s, s.cli(), c.Words[0], c.Words[1:]) {
		if _, err := fmt.Fprintf(s.out, "%s\t%s\n", found.Text, found.Help); err != nil {
			return err
		}
	}
	return nil
}

// candidate is a word that can follow.
type candidate struct{ text, help string }

// complete returns the words that can follow, in the order of the help.
func complete(root *kong.Node, words []string) (found []candidate) {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	node, value, positional := follow(root, words[:len(words)-1])

	var all []candidate
	switch {
	case value != nil:
		all = valuesOf(value, last)
	case strings.HasPrefix(last, "-"):
		all = flagsOf(root, node)
	case len(node.Children) > 0:
		for _, child := range node.Children {
			if !child.Hidden {
				all = append(all, candidate{child.Name, child.Help})
			}
		}
	case positional < len(node.Positional):
		all = valuesOf(node.Positional[positional], last)
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.text, last) })
}

// follow returns the command of the words, the flag whose value comes next, if any, and
// the number of arguments.
func follow(root *kong.Node, words []string) (node *kong.Node, value *kong.Value, positional int) {
	node = root
	for _, word := range words {
		if value != nil {
			value = nil
			continue
		}
		if name, ok := strings.CutPrefix(word, "--"); ok {
			value = findFlag(node, name)
			continue
		}
		if i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word }); i >= 0 {
			node = node.Children[i]
		} else {
			positional++
		}
	}
	return node, value, positional
}

// findFlag returns a flag that requires a value, or nil.
func findFlag(node *kong.Node, name string) *kong.Value {
	for _, level := range node.AllFlags(false) {
		for _, f := range level {
			if f.Name == name && !f.IsBool() {
				return f.Value
			}
		}
	}
	return nil
}

// flagsOf returns the flags that the help of a command lists.
func flagsOf(root, node *kong.Node) (all []candidate) {
	hideUnused(root, node)
	for _, level := range slices.Backward(node.AllFlags(true)) {
		for _, f := range level {
			all = append(all, candidate{"--" + f.Name, f.Help})
		}
	}
	return all
}

// valuesOf returns the values of a flag or an argument, or nothing if they can't be
// listed. In a list, the last value is completed.
func valuesOf(v *kong.Value, last string) (all []candidate) {
	switch {
	case v.Enum != "":
		for _, value := range v.EnumSlice() {
			all = append(all, candidate{value, ""})
		}
	case v.Name == "scopes":
		before := last[:strings.LastIndex(last, ",")+1]
		for _, s := range auth.Scopes {
			if !slices.Contains(strings.Split(before, ","), string(s.Scope)) {
				all = append(all, candidate{before + string(s.Scope), s.Doc})
			}
		}
	case v.Name == "type", v.Name == "events":
		before := last[:strings.LastIndex(last, ",")+1]
		for _, name := range eventTypes() {
			all = append(all, candidate{before + name, ""})
		}
	}
	return all
}
