package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"slipway/internal/cli"
	"slipway/internal/vocab/auth"
)

// otherCommands need no data folder and no server.
var otherCommands = []string{"openapi", "completion", "version"}

// followCommands call a server, like the nouns.
var followCommands = []string{"events", "logs", "listen", "trigger", "mcp"}

// printOverview lists the commands in groups.
func printOverview(w io.Writer, root *cli.Local) error {
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

// examples are the last part of the help of a command.
func examples(lines ...string) string { return strings.Join(lines, "\n") }

func scopeNames() []string { return strings.Split(auth.ScopeNames(), ",") }

// Help returns examples.
func (serveCmd) Help() string {
	return examples(
		"slipway serve",
		"slipway serve --init                       # also creates the database",
		"slipway serve --listen :443 --base-url https://api.example.com --acme-domains api.example.com",
	)
}

// Help returns examples.
func (upgradeCmd) Help() string {
	return examples(
		"slipway upgrade                            # as root, if systemd runs the server",
		"slipway upgrade v1.3.0 --stop 'rc-service slipway stop' --start 'rc-service slipway start'",
	)
}

// Help returns examples.
func (demoCmd) Help() string {
	return examples("slipway demo", "slipway demo --listen 127.0.0.1:9000", "slipway demo --public --base-url https://demo.example.com")
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
		"slipway keys create --dealership dlr_1 --environment test --scopes hulls:read,admin --user you@example.com   # asks for a code",
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
		"slipway trigger deal.accepted                  # at the server of the current profile",
		"slipway trigger deal.accepted --profile test",
		"slipway trigger deal.accepted --dealership dlr_1   # in the database of this machine",
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
