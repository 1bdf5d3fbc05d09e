package main_test

import (
	"bufio"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// usage runs a command line that is invalid and returns the error.
func (p *program) usage(args ...string) string {
	p.t.Helper()
	text, err := p.command(args...).Output()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 2 || len(text) > 0 {
		p.t.Fatalf("slipway %s: got error %v and output %q, want exit code 2 and no output", strings.Join(args, " "), err, text)
	}
	return string(exit.Stderr)
}

// Mistyped commands, flags and event types get a suggestion. The help of a command has
// examples, and its own flags first.
func TestCommandLine(t *testing.T) {
	p := &program{t: t, binary: build(t), data: t.TempDir()}
	for args, want := range map[string]string{
		"sevre":                      `did you mean "serve"?`,
		"users rset ann@example.com": `did you mean "reset"?`,
		"users list --enviromen x":   `did you mean "--environment"?`,
		"bootstrap --name x":         "missing flags: --owner",
		"completion tcsh":            `must be one of "bash","zsh","fish"`,
		"keys":                       `expected one of "create"`,
		"huls":                       `did you mean "hulls"?`,
		"hulls lst":                  `did you mean "list"?`,
		"hulls list --stauts x":      `did you mean "--status"?`,
		"hulls list --key sk_test_1": "slipway login --key",
	} {
		text := p.usage(strings.Fields(args)...)
		assert.Contains(t, text, want, args)
		assert.Contains(t, text, " --help\" for help.", args)
	}
	assert.Contains(t, p.fail("trigger", "deal.acepted"), "Did you mean deal.accepted? To list them, run: slipway events types")
	assert.Contains(t, p.text("events", "types"), "deal.accepted")

	help := p.text("users", "reset", "--help")
	for _, want := range []string{"Examples:", "slipway users reset ann@example.com", "--two-factor", "--data=", "slipway serve --help"} {
		assert.Contains(t, help, want)
	}
	assert.Excludes(t, help, "--twilio-url")
	if own, setting := strings.Index(help, "--two-factor"), strings.Index(help, "--data="); own > setting {
		t.Errorf("got the settings before the flags of the command, want them after:\n%s", help)
	}
	assert.Contains(t, p.text("keys", "create", "--help"), "deals:write, webhooks, admin")
	assert.Contains(t, p.text("serve", "--help"), "--smtp-url")
	overview := p.text()
	assert.Excludes(t, overview, "--data")
	data, server := strings.Index(overview, "Commands that work on the data folder:"), strings.Index(overview, "Commands that call a server:")
	if at := strings.Index(overview, "\n  users "); data < 0 || at < data || at > server || strings.Index(overview, "\n  hulls ") < server {
		t.Errorf("got the help\n%s\nwant users in the first group and hulls in the second", overview)
	}
	assert.Contains(t, p.text("hulls", "archive", "--help"), "Usage: slipway hulls archive <hull-id> [flags]")
}

// Scripts complete commands, flags and values. zsh and fish use the same words.
func TestCompletion(t *testing.T) {
	p := &program{t: t, binary: build(t), data: t.TempDir()}
	for line, want := range map[string]string{
		"slipway us":                                      "users",
		"slipway users ":                                  "list invite reset unlock",
		"slipway users list --env":                        "--environment",
		"slipway users list --environment ":               "live test",
		"slipway keys create --scopes hulls:read,deals:r": "hulls:read,deals:read",
		"slipway trigger deal.acc":                        "deal.accepted",
		"slipway completion ":                             "bash zsh fish",
		"slipway serve --tls":                             "--tls-cert --tls-key",
		"slipway hulls list-ph":                           "list-photos",
		"slipway hulls list --condition ":                 "new used demo",
		"slipway hulls list --status=av":                  "--status=available",
		"slipway hulls list --archived=":                  "--archived=true --archived=false",
		"slipway users list --environment=l":              "--environment=live",
	} {
		words := strings.Split(line, " ")
		got := strings.Join(firstColumn(p.text(append([]string{"__complete"}, words[1:]...)...)), " ")
		assert.Equal(t, got, want, line)
	}

	script := p.text("completion", "bash") + `
PATH="` + p.binary[:strings.LastIndex(p.binary, "/")] + `:$PATH"
COMP_LINE="slipway users re" COMP_POINT=16
_slipway
echo "${COMPREPLY[@]}"
COMP_LINE="slipway keys create --scopes=hulls:re" COMP_POINT=37
_slipway
echo "${COMPREPLY[@]}"`
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script).CombinedOutput()
	if err != nil || string(out) != "reset\nread\n" { // bash replaces what follows the colon
		t.Errorf("got %q and error %v in bash, want reset and read", out, err)
	}
	for _, shell := range []string{"zsh", "fish"} {
		assert.Contains(t, p.text("completion", shell), "slipway __complete")
	}
}

// firstColumn returns the first column of lines with tabs.
func firstColumn(text string) (column []string) {
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(line, "\t")
		column = append(column, word)
	}
	return column
}

// Trigger and events tail use the API of a server, by its address and key.
func TestEventsOfServer(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		key := p.key(d.DealershipID, "test", "webhooks,deals:read")
		s := p.serve()
		elsewhere := &program{t: t, binary: p.binary, data: t.TempDir(), env: []string{"SLIPWAY_BASE_URL=" + s.url, "SLIPWAY_KEY=" + key}}

		tail := elsewhere.command("events", "tail", "--from", "start", "--events", "deal.*")
		out, err := tail.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tail.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = tail.Process.Kill()
			_ = tail.Wait()
		})
		assert.Contains(t, elsewhere.text("trigger", "deal.accepted"), "Emitted deal.accepted for the sample object deal_")
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		assert.Contains(t, line, "deal.accepted")

		assert.Contains(t, elsewhere.fail("trigger", "hull.created"), "hulls:read")
		assert.Contains(t, elsewhere.fail("events", "tail", "--events", "hull.*"), "hulls:read")
		for _, command := range []string{"trigger deal.accepted", "events tail", "listen --forward-to http://localhost:1", "mcp"} {
			assert.Contains(t, elsewhere.usage(append(strings.Fields(command), "--key", key)...), "slipway login --key")
		}
		live := &program{t: t, binary: p.binary, data: t.TempDir(), env: []string{"SLIPWAY_BASE_URL=" + s.url, "SLIPWAY_KEY=" + p.key(d.DealershipID, "live", "webhooks,deals:read")}}
		assert.Contains(t, live.fail("trigger", "deal.accepted"), "only for the test environment")
		assert.Contains(t, elsewhere.exit(5, "trigger", "deal.accepted", "--base-url", "http://127.0.0.1:1"), "can't reach the server; check --base-url")
	})
}
