//go:build shells

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// harness starts an interactive shell in a terminal, as the tests of zsh do, presses Tab, and
// prints the line after it.
const harness = `
zmodload zsh/zpty
zpty z ${=COMMAND}
zpty -w z "$SETUP"
zpty -r -m z text '*ready*'
zpty -w -n z "$LINE"$'\t\x18'
zpty -r -m z text '*<*>*'
print -r -- "${${text##*<}%%>*}"
`

// shells are interactive shells, and what to enter so that Control-X shows the line.
var shells = map[string][2]string{
	"zsh": {"zsh -f -i", `PS1= PS2= RPS1=; autoload -U compinit; compinit -u -D; source "$SCRIPT"; show() { print -r -- "<$BUFFER>"; exit }; ` +
		`zle -N show; bindkey "^X" show; setopt noautolist; echo rea''dy`},
	"bash": {"bash --norc --noprofile -i", `PS1= PS2=; source "$SCRIPT"; show() { echo "<$READLINE_LINE>"; }; bind -r "\C-x"; bind -x '"\C-x": show'; echo rea''dy`},
}

// Each shell completes commands, flags, values and words with a colon.
func TestShells(t *testing.T) {
	p := &program{t: t, binary: build(t), data: t.TempDir()}
	path := filepath.Dir(p.binary) + ":" + os.Getenv("PATH")
	run := func(t *testing.T, env []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Env = append(os.Environ(), append(env, "PATH="+path, "HOME="+t.TempDir(), "TERM=dumb")...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for line, want := range map[string]string{
		"slipway users re":                        "reset",
		"slipway users list --env":                "--environment",
		"slipway hulls list-ph":                   "list-photos",
		"slipway hulls list --condition dem":      "demo",
		"slipway hulls list --condition=dem":      "--condition=demo",
		"slipway keys create --scopes hulls:re":   "hulls:read",
		"slipway keys create --scopes=a,deals:re": "--scopes=a,deals:read",
		"slipway keys create --scopes a,deals:re": "a,deals:read",
	} {
		t.Run(line, func(t *testing.T) {
			before := line[:strings.LastIndex(line, " ")+1]
			script := filepath.Join(t.TempDir(), "completion")
			for _, shell := range []string{"bash", "zsh", "fish"} {
				if err := os.WriteFile(script, []byte(p.text("completion", shell)), 0o600); err != nil {
					t.Fatal(err)
				}
				env := []string{"SCRIPT=" + script, "LINE=" + line}
				if shell == "fish" {
					word, help, _ := strings.Cut(run(t, env, "fish", "--no-config", "-c", `source $SCRIPT; complete -C $LINE`), "\t")
					assert.Equal(t, word, want, shell, help)
					continue
				}
				env = append(env, "COMMAND="+shells[shell][0], "SETUP="+shells[shell][1])
				assert.Equal(t, strings.TrimSpace(run(t, env, "zsh", "-f", "-c", harness)), before+want, shell)
			}
		})
	}
}
