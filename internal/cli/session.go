package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Session is what a command uses of the machine that it runs on.
type Session struct {
	In          io.Reader
	Out, Err    io.Writer
	Terminal    bool // Out is a terminal
	Interactive bool // In and Err are a terminal
	Color       bool
	Width       int // of the terminal, 0 if it is unknown
	Getenv      func(name string) string
	Config      string // folder of the profiles
	Host        string // name of the machine
	OpenBrowser func(url string) error
	BaseURL     string // of the flag, "" if it was not set
}

// Exit codes. They are documented in docs/command-line.md.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotSignedIn = 3
	ExitConflict    = 4
	ExitUnavailable = 5
	ExitIncomplete  = 6
)

// UsageError is an invalid command line. Nothing was done.
type UsageError struct {
	Text    string
	Command string // whose help explains it
}

func (e *UsageError) Error() string {
	return fmt.Sprintf("%s\nRun %q for help.", e.Text, e.Command+" --help")
}

// errNotSignedIn means that there is no key.
var errNotSignedIn = errors.New("no API key. Run \"slipway login\", or set SLIPWAY_BASE_URL and SLIPWAY_KEY")

// ExitCode returns the exit code for an error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
		return ExitUsage
	}
	if errors.Is(err, errNotSignedIn) {
		return ExitNotSignedIn
	}
	if e, ok := errors.AsType[*Error](err); ok {
		switch {
		case e.Status == http.StatusUnauthorized:
			return ExitNotSignedIn
		case e.Status == http.StatusConflict:
			return ExitConflict
		case e.Status == http.StatusTooManyRequests || e.Status >= 500:
			return ExitUnavailable
		}
		return ExitFailed
	}
	if _, lost := errors.AsType[*noResponse](err); lost {
		return ExitUnavailable
	}
	return ExitFailed
}

// Run runs a command of the server group: a noun, api, login, logout or profiles.
func Run(ctx context.Context, s *Session, noun string, args []string) error {
	switch noun {
	case "api":
		return runAPI(ctx, s, args)
	case "login":
		return runLogin(ctx, s, args)
	case "logout":
		return runLogout(ctx, s, args)
	case "profiles":
		return runProfiles(s, args)
	}

	all := commandsOf(noun)
	if isDirect(all) {
		return runOperation(ctx, s, all[0], args)
	}
	if len(args) == 0 || isHelp(args[0]) {
		return printNounHelp(s.Out, noun, all)
	}
	for _, c := range all {
		if c.Name == args[0] {
			return runOperation(ctx, s, c, args[1:])
		}
	}
	return unknownCommand(noun, args[0], all)
}

func isHelp(arg string) bool { return arg == "--help" || arg == "-h" || arg == "help" }

// confirm asks before a command changes live data. Without a terminal, it requires --yes.
func (s *Session) confirm(c *Client, what string, yes bool, command string) error {
	if yes || !c.IsLive() {
		return nil
	}
	if !s.Interactive {
		return &UsageError{"this command changes live data. Pass --yes to confirm", command}
	}
	label := "LIVE"
	if s.Color {
		label = "\x1b[1;41;97m LIVE \x1b[0m"
	}
	if _, err := fmt.Fprintf(s.Err, "%s %s at %s. Continue? [y/N] ", label, what, c.Base); err != nil {
		return err
	}
	answer, _ := bufio.NewReader(s.In).ReadString('\n') // an empty answer means no
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("canceled. Nothing was changed")
	}
	return nil
}
