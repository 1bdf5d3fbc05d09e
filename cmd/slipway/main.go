// Command slipway is the service and its tools.
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
	_ "time/tzdata" // time zones on machines that have none

	"github.com/alecthomas/kong"

	"slipway/internal/app"
	"slipway/internal/vocab/fault"
)

// commands are what slipway can do; each has its own file.
type commands struct {
	app.Settings

	Serve     serveCmd     `cmd:"" help:"Serve the API."`
	Demo      demoCmd      `cmd:"" help:"Serve a demo dealership on a temporary database."`
	Bootstrap bootstrapCmd `cmd:"" help:"Create a dealership and its owner."`
	Keys      keysCmd      `cmd:"" help:"Manage API keys."`
	Audit     auditCmd     `cmd:"" help:"Check the audit log."`
	Listen    listenCmd    `cmd:"" help:"Forward an environment's events to your machine."`
	Trigger   triggerCmd   `cmd:"" help:"Make a sample event in a test environment."`
	Migrate   migrateCmd   `cmd:"" help:"Bring the database's schema up to date."`
	OpenAPI   openapiCmd   `cmd:"" name:"openapi" help:"Print the API's OpenAPI description."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
}

// session is what every command works with.
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
		kong.Description("Slipway runs a boat dealership: a self-hosted REST API."))
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong has checked it
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	if err := k.Run(&session{ctx, c.Settings, log, os.Stdout}); err != nil {
		text := err.Error()
		if f, ok := errors.AsType[*fault.Error](err); ok {
			text = f.Message // written for people
		}
		fmt.Fprintln(os.Stderr, "slipway:", text)
		os.Exit(1)
	}
}

// open opens the service for a command that works on its data and ends. It
// works while a server runs on the same data.
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
