package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"slipway/internal/cli"
	"slipway/internal/vocab/auth"
)

// printHelp prints the help of a command: its own flags first, then the settings that it
// uses. The server and the demo use all of them.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() == nil {
		return printOverview(ctx.Stdout, ctx.Model.Node)
	}
	hidden := hideUnused(ctx.Model.Node, ctx.Selected())
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if !hidden {
		return nil
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\nTo list all settings, run \"slipway serve --help\".\n")
	return err
}

// otherCommands need no data folder and no server.
var otherCommands = []string{"openapi", "completion", "version"}

// followCommands call a server, like the nouns.
var followCommands = []string{"events", "logs", "listen", "trigger", "mcp"}

// printOverview lists the commands in groups.
func printOverview(w io.Writer, root *kong.Node) error {
	help := map[string]string{}
	var data, server []string
	for _, child := range root.Children {
		help[child.Name] = child.Help
		isServer := slices.ContainsFunc(serverNouns(), func(n cli.Noun) bool { return n.Name == child.Name })
		if !child.Hidden && !isServer && !slices.Contains(otherCommands, child.Name) && !slices.Contains(followCommands, child.Name) {
			data = append(data, child.Name)
		}
	}
	for _, n := range serverNouns() {
		server = append(server, n.Name)
	}

	var b strings.Builder
	fmt.Fprintf(&b, "Usage: slipway <command> [flags]\n\n%s\n", root.Help)
	for _, group := range []struct {
		title string
		names []string
	}{
		{"Commands that work on the data folder:", data},
		{"Commands that call a server:", append(server, followCommands...)},
		{"Other commands:", otherCommands},
	} {
		fmt.Fprintf(&b, "\n%s\n", group.title)
		for _, name := range group.names {
			fmt.Fprintf(&b, "  %-14s  %s\n", name, help[name])
		}
	}
	b.WriteString("\nRun \"slipway <command> --help\" for more about a command. To list all settings, run \"slipway serve --help\".\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// hideUnused hides the settings that a command doesn't use, and reports whether there
// are any.
func hideUnused(root, selected *kong.Node) (hidden bool) {
	used, all := settingsOf(selected)
	for _, f := range root.Flags {
		if f.Group == nil {
			continue
		}
		f.Hidden = !all && !slices.Contains(used, f.Name)
		hidden = hidden || f.Hidden
	}
	return hidden
}

// settingsOf returns the settings that matter for a command.
func settingsOf(selected *kong.Node) (names []string, all bool) {
	if selected == nil || selected.Parent == nil {
		return nil, false
	}
	path := strings.Fields(selected.Path())
	switch path[0] {
	case "serve", "demo":
		return nil, true
	case "listen", "events", "logs", "mcp":
		return []string{"base-url"}, false
	case "trigger":
		return []string{"base-url", "data", "database-url"}, false
	case "openapi", "completion", "version":
		return nil, false
	}
	return []string{"data", "database-url", "master-key"}, false
}

// examples returns the detailed help of a command. Indented lines are printed as they are.
func examples(lines ...string) string {
	return "Examples:\n\n    " + strings.Join(lines, "\n    ")
}

func scopeNames() string { return strings.ReplaceAll(auth.ScopeNames(), ",", ", ") }

// Help returns examples.
func (serveCmd) Help() string {
	return examples(
		"slipway serve",
		"slipway serve --init                       # also creates the database",
		"slipway serve --listen :443 --base-url https://api.example.com --acme-domains api.example.com",
	)
}

// Help returns examples.
func (demoCmd) Help() string {
	return examples("slipway demo", "slipway demo --listen 127.0.0.1:9000")
}

// Help returns examples.
func (bootstrapCmd) Help() string {
	return examples(
		"slipway bootstrap --name 'Severn Yachts' --owner you@example.com",
		"slipway bootstrap --name 'Severn Yachts' --owner you@example.com --plan fleet --json",
	)
}

// Help returns examples.
func (dealershipsListCmd) Help() string {
	return examples("slipway dealerships list", "slipway dealerships list --json")
}

// Help returns examples.
func (keysCreateCmd) Help() string {
	return examples(
		"slipway keys create --dealership dlr_1 --environment live --name Website --scopes hulls:read",
		"slipway keys create --dealership dlr_1 --environment test --scopes hulls:read,admin --user you@example.com --totp 123456",
	)
}

// Help returns examples.
func (keysListCmd) Help() string {
	return examples("slipway keys list --environment live", "slipway keys list --dealership dlr_1 --environment test --json")
}

// Help returns examples.
func (keysRevokeCmd) Help() string { return examples("slipway keys revoke key_1") }

// Help returns examples.
func (usersListCmd) Help() string {
	return examples("slipway users list", "slipway users list --environment test --json")
}

// Help returns examples.
func (usersInviteCmd) Help() string {
	return examples("slipway users invite ann@example.com --name 'Ann Bell' --role sales")
}

// Help returns examples.
func (usersResetCmd) Help() string {
	return examples("slipway users reset ann@example.com", "slipway users reset ann@example.com --two-factor   # also after a lost phone")
}

// Help returns examples.
func (usersUnlockCmd) Help() string { return examples("slipway users unlock ann@example.com") }

// Help returns examples.
func (eventsTailCmd) Help() string {
	return examples(
		"slipway events tail",
		"slipway events tail --profile live --events 'deal.*,hull.sold' --json",
	)
}

// Help returns examples.
func (logsTailCmd) Help() string {
	return examples("slipway logs tail --status 4xx --key Website", "slipway logs tail --operation createHull --json")
}

// Help returns examples.
func (mcpCmd) Help() string {
	return examples("slipway mcp", "slipway mcp --profile live --live --write")
}

// Help returns examples.
func (listenCmd) Help() string {
	return examples("slipway listen --forward-to http://localhost:3000/hook", "slipway listen --profile test --forward-to http://localhost:3000/hook --events 'deal.*'")
}

// Help returns examples.
func (triggerCmd) Help() string {
	return examples(
		"slipway trigger deal.accepted --profile test   # through the API of a running server",
		"slipway trigger deal.accepted                  # in the database of this machine",
	)
}

// Help returns examples.
func (maintenanceOnCmd) Help() string {
	return examples("slipway maintenance on --message 'We are moving to a new server.' --retry-after 10m")
}

// Help returns examples.
func (auditVerifyCmd) Help() string {
	return examples("slipway audit verify", "slipway audit verify --dealership dlr_1")
}

// Help returns examples.
func (auditRefusalsCmd) Help() string {
	return examples("slipway audit refusals --since 168h --limit 20")
}

// Help explains how to install the script.
func (completionCmd) Help() string {
	return examples(
		"slipway completion bash > /etc/bash_completion.d/slipway",
		"slipway completion zsh > \"${fpath[1]}/_slipway\"",
		"slipway completion fish > ~/.config/fish/completions/slipway.fish",
	)
}
