package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"slipway/internal/app"
	"slipway/internal/mcp"
)

// mcpCmd serves one assistant, which starts the command and sends requests to its input.
type mcpCmd struct {
	profileFlags
	Live  bool `help:"Accept a key of the live environment."`
	Write bool `help:"Also offer tools that change leads, and that propose changes."`
}

// Run serves until the assistant closes the input. It prints nothing else to the output.
func (c mcpCmd) Run(s *session) error {
	to, err := s.connect(c.Profile)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(to.Key, "sk_test_") && !c.Live {
		return errors.New("this is not a key of the test environment; use --live to let the assistant work with real data")
	}
	caller, err := mcp.Remote(s, to.Base, to.Key, c.Write)
	if err != nil {
		return fmt.Errorf("can't use the key on %s: %w", to.Base, err)
	}
	server := mcp.NewServer(caller, app.Build, slog.New(slog.DiscardHandler))
	err = server.Run(s, mcp.Stdio(s.in, s.out))
	if s.Err() != nil || errors.Is(err, io.EOF) {
		return nil //nolint:nilerr // the assistant or the user has ended it
	}
	return err
}
