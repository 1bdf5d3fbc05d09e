package main

import (
	"fmt"

	"slipway/internal/cli"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Your shell."`
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
  local line="${COMP_LINE:0:COMP_POINT}" word before= start c
  local -a words
  read -ra words <<<"$line" # COMP_WORDS splits hulls:read
  [[ $line == *[[:space:]] ]] && words+=("")
  word="${words[${#words[@]}-1]}"
  for c in : =; do # bash only replaces what follows the last of these
    start="${word%"${word##*"$c"}"}"
    [[ $COMP_WORDBREAKS == *"$c"* && ${#start} -gt ${#before} ]] && before="$start"
  done
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

// complete prints what can follow the words, one candidate per line, with a description after
// a tab. The last word is incomplete.
func (s *session) complete(root *cli.Local, words []string) error {
	for _, found := range root.Complete(s, s.cli(), words) {
		if _, err := fmt.Fprintf(s.out, "%s\t%s\n", found.Text, found.Help); err != nil {
			return err
		}
	}
	return nil
}
