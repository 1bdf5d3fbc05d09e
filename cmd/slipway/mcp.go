package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"slipway/internal/app"
	"slipway/internal/mcp"
)

// mcpCmd serves one assistant, which starts the command and sends requests to its input.
type mcpCmd struct {
	Key   string `required:"" env:"SLIPWAY_KEY" help:"API key with the scopes that the assistant can use."`
	Live  bool   `help:"Accept a key of the live environment."`
	Write bool   `help:"Also offer tools that change leads, and that propose changes."`
}

// Run serves until the assistant closes the input. It prints nothing else to the output.
func (c mcpCmd) Run(s *session) error {
	if err := c.check(); err != nil {
		return err
	}
	caller, err := mcp.Remote(s, s.settings.BaseURL, c.Key, c.Write)
	if err != nil {
		return fmt.Errorf("can't use the key on %s: %w", s.settings.BaseURL, err)
	}
	server := mcp.NewServer(caller, app.Build, slog.New(slog.DiscardHandler))
	err = server.Run(s, &sdk.IOTransport{Reader: io.NopCloser(s.in), Writer: nopWriteCloser{s.out}})
	if s.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (c mcpCmd) check() error {
	if !strings.HasPrefix(c.Key, "sk_test_") && !c.Live {
		return errors.New("this is not a key of the test environment; use --live to let the assistant work with real data")
	}
	return nil
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
