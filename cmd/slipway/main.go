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

	"slipway/docs"
	"slipway/internal/app"
	"slipway/internal/cli"
	"slipway/internal/platform/backup"
	"slipway/internal/platform/guides"
	"slipway/internal/vocab/fault"
)

// commands are the settings and the subcommands.
type commands struct {
	app.Settings

	Serve       serveCmd       `cmd:"" settings:"all" help:"Run the API server."`
	Demo        demoCmd        `cmd:"" settings:"all" help:"Run a demo dealership with a temporary database."`
	Bootstrap   bootstrapCmd   `cmd:"" help:"Create a dealership and its owner."`
	Dealerships dealershipsCmd `cmd:"" help:"List dealerships."`
	Users       usersCmd       `cmd:"" help:"List and invite users, and help those who can't sign in."`
	Keys        keysCmd        `cmd:"" help:"Manage API keys and the master key."`
	SSO         ssoCmd         `cmd:"" name:"sso" help:"Manage single sign-on."`
	Audit       auditCmd       `cmd:"" help:"Verify the audit log, and show rejected credentials."`
	Events      eventsCmd      `cmd:"" settings:"base-url" help:"Follow the events of a server, and list event types."`
	Logs        logsCmd        `cmd:"" settings:"base-url" help:"Follow the API requests of a server."`
	MCP         mcpCmd         `cmd:"" settings:"base-url" name:"mcp" help:"Serve an assistant with the Model Context Protocol on standard input and output."`
	Listen      listenCmd      `cmd:"" settings:"base-url" help:"Forward events to a URL on your machine."`
	Trigger     triggerCmd     `cmd:"" settings:"base-url,data,database-url" help:"Emit a sample event in a test environment."`
	Maintain    maintenanceCmd `cmd:"" name:"maintenance" help:"Reject writes while you work on the database."`
	Migrate     migrateCmd     `cmd:"" help:"Migrate the database to the current schema."`
	Shards      shardsCmd      `cmd:"" help:"Distribute the database over several servers."`
	OpenAPI     openapiCmd     `cmd:"" settings:"none" name:"openapi" help:"Print the OpenAPI document of the API."`
	Backup      backupCmd      `cmd:"" help:"Back up the database and the files to an archive, or check one."`
	Restore     restoreCmd     `cmd:"" help:"Restore an archive to an empty data folder."`
	Upgrade     upgradeCmd     `cmd:"" settings:"none" help:"Replace this program with a newer release, and restart the server."`
	Doctor      doctorCmd      `cmd:"" help:"Check the installation, and show how to fix what is wrong."`
	Health      healthCmd      `cmd:"" help:"Exit with 0 if the server on this machine is ready."`
	Completion  completionCmd  `cmd:"" settings:"none" help:"Print a script that completes commands in your shell."`
	Version     versionCmd     `cmd:"" settings:"none" help:"Print the version."`
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
	guides.Files = docs.Files

	s := &session{Context: ctx, in: os.Stdin, out: os.Stdout}
	if err := s.run(os.Args[1:]); err != nil {
		text := err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			text = f.Message // without the error code, which is for programs
		}
		fmt.Fprintln(os.Stderr, "slipway:", text)
		os.Exit(exitCode(err))
	}
}

// exitCode returns the exit code for an error. Missing files have their own, so that a
// script notices an incomplete backup.
func exitCode(err error) int {
	if _, ok := errors.AsType[*backup.MissingError](err); ok {
		return cli.ExitIncomplete
	}
	return cli.ExitCode(err)
}

// completeCommand prints what can follow a command line. Completion scripts call it.
const completeCommand = "__complete"

// tree returns the commands: the ones of the struct, and the ones that call a server.
func tree(c *commands) *cli.Local {
	root := cli.NewLocal("slipway", "Slipway is a self-hosted REST API for boat dealerships.", c,
		cli.Suggestions{"scopes": scopeNames, "events": eventTypes})
	for _, n := range serverNouns() {
		root.Pass(n.Name, n.Help)
	}
	root.Pass(completeCommand, "").Hidden = true
	return root
}

// run runs a command line.
func (s *session) run(args []string) error {
	var c commands
	root := tree(&c)
	if len(args) == 0 {
		return printOverview(s.out, root)
	}
	found, err := root.Parse(args, os.LookupEnv)
	if err != nil {
		return err
	}
	s.settings, s.log = c.Settings, app.NewLogger(c.Settings, os.Stderr, isTerminal(os.Stderr))

	switch {
	case found.Version:
		return versionCmd{}.Run(s)
	case found.Help && found.Local == root:
		return printOverview(s.out, root)
	case found.Help:
		return found.PrintHelp(s.out)
	case found.Name == completeCommand:
		return s.complete(root, found.Args)
	}
	if own, ok := found.Struct().(interface{ Run(s *session) error }); ok {
		return own.Run(s)
	}
	return cli.Run(s, s.cli(), found.Name, found.Args)
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
