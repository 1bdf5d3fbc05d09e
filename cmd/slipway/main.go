// Command slipway runs the API server and its command-line tools.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/alecthomas/kong"

	"slipway/internal/app"
	"slipway/internal/cli"
	"slipway/internal/vocab/fault"
)

// commands are the settings and the subcommands.
type commands struct {
	app.Settings `group:"settings"`

	Serve       serveCmd       `cmd:"" help:"Run the API server."`
	Demo        demoCmd        `cmd:"" help:"Run a demo dealership with a temporary database."`
	Bootstrap   bootstrapCmd   `cmd:"" help:"Create a dealership and its owner."`
	Dealerships dealershipsCmd `cmd:"" help:"List dealerships."`
	Users       usersCmd       `cmd:"" help:"List and invite users, and help those who can't sign in."`
	Keys        keysCmd        `cmd:"" help:"Manage API keys and the master key."`
	SSO         ssoCmd         `cmd:"" name:"sso" help:"Manage single sign-on."`
	Audit       auditCmd       `cmd:"" help:"Verify the audit log, and show rejected credentials."`
	Events      eventsCmd      `cmd:"" help:"Follow the events of a server, and list event types."`
	Logs        logsCmd        `cmd:"" help:"Follow the API requests of a server."`
	MCP         mcpCmd         `cmd:"" name:"mcp" help:"Serve an assistant with the Model Context Protocol on standard input and output."`
	Listen      listenCmd      `cmd:"" help:"Forward events to a URL on your machine."`
	Trigger     triggerCmd     `cmd:"" help:"Emit a sample event in a test environment."`
	Maintain    maintenanceCmd `cmd:"" name:"maintenance" help:"Reject writes while you work on the database."`
	Migrate     migrateCmd     `cmd:"" help:"Migrate the database to the current schema."`
	OpenAPI     openapiCmd     `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
	Backup      backupCmd      `cmd:"" help:"Back up the database and the files to an archive, or check one."`
	Restore     restoreCmd     `cmd:"" help:"Restore an archive to an empty data folder."`
	Doctor      doctorCmd      `cmd:"" help:"Check the installation, and show how to fix what is wrong."`
	Health      healthCmd      `cmd:"" help:"Exit with 0 if the server on this machine is ready."`
	Completion  completionCmd  `cmd:"" help:"Print a script that completes commands in your shell."`
	Complete    completeCmd    `cmd:"" name:"__complete" hidden:"" passthrough:"" help:"Print what can follow a command line."`
	Version     versionCmd     `cmd:"" help:"Print the version."`

	PrintVersion versionFlag `name:"version" help:"Print the version."`
}

// session contains what the commands need.
type session struct {
	context.Context
	settings app.Settings
	log      *slog.Logger
	in       io.Reader
	out      io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var c commands
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"--help"}
	}
	k, err := newParser(&c).Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "slipway: %v\nRun %q for help.\n", err, helpCommand(err))
		os.Exit(cli.ExitUsage)
	}

	log := app.NewLogger(c.Settings, os.Stderr, isTerminal(os.Stderr))
	if err := k.Run(&session{ctx, c.Settings, log, os.Stdin, os.Stdout}); err != nil {
		text := err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			text = f.Message // without the error code, which is for programs
		}
		fmt.Fprintln(os.Stderr, "slipway:", text)
		os.Exit(cli.ExitCode(err))
	}
}

// newParser returns the parser of the command line.
func newParser(c *commands) *kong.Kong {
	options := append(serverCommands(), kong.Name("slipway"), kong.Description("Slipway is a self-hosted REST API for boat dealerships."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 120}), kong.Help(printHelp),
		kong.ExplicitGroups([]kong.Group{{Key: "settings", Title: "Settings:"}}), kong.Vars{"scopes": scopeNames()})
	return kong.Must(c, options...)
}

// helpCommand returns the command whose help explains an error.
func helpCommand(err error) string {
	if p, ok := errors.AsType[*kong.ParseError](err); ok && p.Context.Selected() != nil {
		return p.Context.Selected().FullPath() + " --help"
	}
	return "slipway --help"
}

// open opens the database for a command. A server can run on the same database
// at the same time. It creates nothing.
func (s *session) open() (*app.App, error) {
	a, err := app.OpenExisting(s, s.settings, s.log)
	if err != nil {
		return nil, err
	}
	return a, s.migrate(a)
}

// create is open for commands that can create the data folder and the database.
func (s *session) create() (*app.App, error) {
	a, err := app.Open(s, s.settings, s.log)
	if err != nil {
		return nil, err
	}
	return a, s.migrate(a)
}

func (s *session) migrate(a *app.App) error {
	if err := a.Migrate(s); err != nil {
		return errors.Join(err, a.Close())
	}
	return nil
}

// finish links the audit entries of a command, so that they can't be removed
// unnoticed until a server does it, and closes the database.
func (s *session) finish(a *app.App) error {
	if err := a.Settle(context.WithoutCancel(s)); err != nil {
		s.log.Warn("can't link the audit log", "err", err)
	}
	return a.Close()
}
