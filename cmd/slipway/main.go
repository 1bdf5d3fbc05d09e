// Command slipway runs the API server and its command-line tools.
package main

import (
	"context"
	"encoding/json"
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
	"slipway/internal/vocab/fault"
)

// commands are the settings and the subcommands.
type commands struct {
	app.Settings

	Serve     serveCmd       `cmd:"" help:"Run the API server."`
	Demo      demoCmd        `cmd:"" help:"Run a demo dealership with a temporary database."`
	Bootstrap bootstrapCmd   `cmd:"" help:"Create a dealership and its owner."`
	Keys      keysCmd        `cmd:"" help:"Manage API keys and the master key."`
	Users     usersCmd       `cmd:"" help:"Help users who can't sign in."`
	SSO       ssoCmd         `cmd:"" name:"sso" help:"Manage single sign-on."`
	Audit     auditCmd       `cmd:"" help:"Verify the audit log, and show rejected credentials."`
	Listen    listenCmd      `cmd:"" help:"Forward events to a URL on your machine."`
	Trigger   triggerCmd     `cmd:"" help:"Emit a sample event in a test environment."`
	Maintain  maintenanceCmd `cmd:"" name:"maintenance" help:"Reject writes while you work on the database."`
	Migrate   migrateCmd     `cmd:"" help:"Migrate the database to the current schema."`
	OpenAPI   openapiCmd     `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
	Backup    backupCmd      `cmd:"" help:"Back up the database and the files to an archive, or check one."`
	Restore   restoreCmd     `cmd:"" help:"Restore an archive to an empty data folder."`
	Doctor    doctorCmd      `cmd:"" help:"Check the installation, and show how to fix what is wrong."`
	Health    healthCmd      `cmd:"" help:"Exit with 0 if the server on this machine is ready."`
	Version   versionCmd     `cmd:"" help:"Print the version."`

	PrintVersion versionFlag `name:"version" help:"Print the version."`
}

// session contains what the commands need.
type session struct {
	context.Context
	settings app.Settings
	log      *slog.Logger
	out      io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var c commands
	k := kong.Parse(&c, kong.Name("slipway"), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Description("Slipway is a self-hosted REST API for boat dealerships."))

	log := app.NewLogger(c.Settings, os.Stderr, isTerminal(os.Stderr))
	if err := k.Run(&session{ctx, c.Settings, log, os.Stdout}); err != nil {
		text := err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			text = f.Message // without the error code, which is for programs
		}
		fmt.Fprintln(os.Stderr, "slipway:", text)
		os.Exit(1)
	}
}

// open opens the database for a command. A server can run on the same database
// at the same time.
func (s *session) open() (*app.App, error) {
	a, err := app.Open(s, s.settings, s.log)
	if err != nil {
		return nil, err
	}
	return a, a.Migrate(s)
}

// finish links the audit entries of a command, so that they can't be removed
// unnoticed until a server does it, and closes the database.
func (s *session) finish(a *app.App) error {
	if err := a.Settle(context.WithoutCancel(s)); err != nil {
		s.log.Warn("can't link the audit log", "err", err)
	}
	return a.Close()
}

func (s *session) printJSON(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
