// Command slipway runs the service and its command-line tools.
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

// commands are the subcommands.
type commands struct {
	app.Settings

	Serve     serveCmd     `cmd:"" help:"Run the API server."`
	Demo      demoCmd      `cmd:"" help:"Run a demo dealership with a temporary database."`
	Bootstrap bootstrapCmd `cmd:"" help:"Create a dealership and its owner."`
	Keys      keysCmd      `cmd:"" help:"Manage API keys."`
	Users     usersCmd     `cmd:"" help:"Help users who can't sign in."`
	Audit     auditCmd     `cmd:"" help:"Verify the audit log."`
	Listen    listenCmd    `cmd:"" help:"Forward events to a URL on your machine."`
	Trigger   triggerCmd   `cmd:"" help:"Emit a sample event in a test environment."`
	Migrate   migrateCmd   `cmd:"" help:"Migrate the database to the current schema."`
	OpenAPI   openapiCmd   `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
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
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // already checked by kong
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	if err := k.Run(&session{ctx, c.Settings, log, os.Stdout}); err != nil {
		text := err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			text = f.Message // without the code, which is for programs
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

func (s *session) printJSON(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
