package clients

import (
	"bytes"
	"strings"
	"testing"

	"slipway/internal/cli"
	"slipway/internal/testkit"
)

// machine runs commands as a user's machine does, without a terminal.
type machine struct {
	t       *testing.T
	env     map[string]string
	config  string
	session cli.Session       // replaces the defaults
	watch   func(text string) // gets what is written to stderr
}

func newMachine(t *testing.T, s *testkit.Server, key string) *machine {
	t.Helper()
	return &machine{t: t, config: t.TempDir(), env: map[string]string{"SLIPWAY_BASE_URL": s.URL, "SLIPWAY_KEY": key}}
}

// watched is stderr.
type watched struct {
	bytes.Buffer
	watch func(text string)
}

func (w *watched) Write(b []byte) (int, error) {
	if w.watch != nil {
		w.watch(string(b))
	}
	return w.Buffer.Write(b)
}

// result is what a command printed, and its exit code.
type result struct {
	out, err string
	code     int
}

// run runs a command. Stdin is empty unless the session has one.
func (m *machine) run(args ...string) result {
	m.t.Helper()
	var out bytes.Buffer
	errs := &watched{watch: m.watch}
	s := m.session
	s.Out, s.Err, s.Config, s.Getenv, s.Host = &out, errs, m.config, func(name string) string { return m.env[name] }, "harbor-office"
	if s.In == nil {
		s.In = strings.NewReader("")
	}
	if s.OpenBrowser == nil {
		s.OpenBrowser = func(string) error { return nil }
	}
	err := cli.Run(m.t.Context(), &s, args[0], args[1:])
	r := result{out.String(), errs.String(), cli.ExitCode(err)}
	if err != nil {
		r.err += err.Error()
	}
	return r
}

// ok runs a command that must succeed, and returns its output.
func (m *machine) ok(args ...string) string {
	m.t.Helper()
	r := m.run(args...)
	if r.code != 0 {
		m.t.Fatalf("slipway %s: got exit code %d and %s, want 0", strings.Join(args, " "), r.code, r.err)
	}
	return strings.TrimSuffix(r.out, "\n")
}

// fails runs a command that must exit with a code, and returns the error.
func (m *machine) fails(code int, args ...string) string {
	m.t.Helper()
	r := m.run(args...)
	if r.code != code || r.out != "" {
		m.t.Fatalf("slipway %s: got exit code %d, output %q and error %s, want code %d and no output", strings.Join(args, " "), r.code, r.out, r.err, code)
	}
	return r.err
}
