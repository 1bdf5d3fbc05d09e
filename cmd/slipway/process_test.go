package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// built builds the program once, without the race detector, which makes SQLite 20 times
// slower, and without the tables for a debugger, which make linking take twice as long.
var built = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(buildFolder, "slipway")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
})

var buildFolder string

func TestMain(m *testing.M) {
	var err error
	if buildFolder, err = os.MkdirTemp("", "slipway-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(buildFolder)
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// onBoth runs a test with SQLite and with PostgreSQL.
func onBoth(t *testing.T, test func(t *testing.T, p *program)) {
	t.Helper()
	binary := build(t)
	testkit.EachDatabase(t, func(t *testing.T, database string) {
		p := &program{t: t, binary: binary, data: t.TempDir()}
		if database == "postgres" {
			p.database = testkit.EmptyPostgres(t)
		}
		test(t, p)
	})
}

// program is the binary and its settings.
type program struct {
	t                      *testing.T
	binary, data, database string
	env                    []string // more variables
	input                  string   // what commands read from stdin
}

// enters returns the program with what its commands read from stdin, such as a two-factor code.
func (p *program) enters(input string) *program {
	with := *p
	with.input = input + "\n"
	return &with
}

func (p *program) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), p.binary, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SLIPWAY_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "SLIPWAY_DATA="+p.data, "SLIPWAY_DATABASE_URL="+p.database, "SLIPWAY_LISTEN=127.0.0.1:0",
		"SLIPWAY_METRICS_LISTEN=", "SLIPWAY_ALLOW_PRIVATE_WEBHOOKS=true")
	cmd.Env = append(append(cmd.Env, "XDG_CONFIG_HOME="+filepath.Join(buildFolder, "config")), p.env...) // without your profiles
	if p.input != "" {
		cmd.Stdin = strings.NewReader(p.input)
	}
	return cmd
}

// run runs a command and decodes the JSON that it prints.
func (p *program) run(out any, args ...string) {
	p.t.Helper()
	text := p.text(args...)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		p.t.Fatalf("decode %s: %v", text, err)
	}
}

// text runs a command and returns what it prints.
func (p *program) text(args ...string) string {
	p.t.Helper()
	text, err := p.command(args...).Output()
	if err != nil {
		exit, _ := errors.AsType[*exec.ExitError](err)
		p.t.Fatalf("slipway %s: %v\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	return string(text)
}

// fail runs a command that must fail and returns its error output.
func (p *program) fail(args ...string) string {
	p.t.Helper()
	return p.exit(1, args...)
}

// exit runs a command that exits with a code, and returns the error.
func (p *program) exit(code int, args ...string) string {
	p.t.Helper()
	text, err := p.command(args...).Output()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != code || len(text) > 0 {
		p.t.Fatalf("slipway %s: got error %v and output %q, want exit code %d and no output", strings.Join(args, " "), err, text, code)
	}
	return string(exit.Stderr)
}

// bootstrapped is the output of bootstrap.
type bootstrapped struct {
	DealershipID string `json:"dealership_id"`
	Owner        struct {
		Email          string
		Password       string
		LiveTOTPSecret string `json:"live_totp_secret"`
		TestTOTPSecret string `json:"test_totp_secret"`
		LiveTOTPURI    string `json:"live_totp_uri"`

		LiveRecoveryCodes []string `json:"live_recovery_codes"`
		TestRecoveryCodes []string `json:"test_recovery_codes"`
	}
}

func (p *program) bootstrap() (d bootstrapped) {
	p.t.Helper()
	p.run(&d, "bootstrap", "--name", "Acme Marine", "--owner", "Owner@example.com", "--json")
	return d
}

// key creates an API key with the command line.
func (p *program) key(dealership, environment, scopes string, more ...string) string {
	p.t.Helper()
	var k struct{ ID, Key string }
	args := []string{"keys", "create", "--dealership", dealership, "--environment", environment, "--scopes", scopes, "--json"}
	p.run(&k, append(args, more...)...)
	if !strings.HasPrefix(k.ID, "key_") || !strings.HasPrefix(k.Key, "sk_"+environment+"_") {
		p.t.Fatalf("got %+v, want a key of %s", k, environment)
	}
	return k.Key
}

// server is a running `slipway serve`.
type server struct {
	p    *program
	cmd  *exec.Cmd
	url  string
	log  *bytes.Buffer // complete when done is closed
	done chan struct{}
	err  error // result of the process
}

// serve starts a server and waits until it is ready.
func (p *program) serve(flags ...string) *server {
	p.t.Helper()
	s := &server{p: p, cmd: p.command(append([]string{"serve"}, flags...)...), log: &bytes.Buffer{}, done: make(chan struct{})}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	address := make(chan string, 1)
	go func() {
		defer close(s.done)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			s.log.Write(append(lines.Bytes(), '\n'))
			var entry struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
				address <- entry.Address
			}
		}
		s.err = s.cmd.Wait()
	}()
	p.t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it might have ended
		<-s.done
	})
	select {
	case at := <-address:
		s.url = "http://" + at
	case <-s.done:
		p.t.Fatalf("serve stopped: %v\n%s", s.err, s.log)
	}
	assert.Eventually(p.t, "the server to be ready", func() bool { return s.ready() == 200 })
	return s
}

// ready returns the status of /readyz, or 0 if there is no response.
func (s *server) ready() int {
	res, err := http.Get(s.url + "/readyz")
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // so that the connection can be reused
	return res.StatusCode
}

// response is the response to a request. Its status is 0 if there was none.
type response struct {
	status   int
	replayed bool
	body     []byte
	err      error
}

func (a response) id() string {
	var created struct{ ID string }
	_ = json.Unmarshal(a.body, &created) // empty if there is no ID
	return created.ID
}

func (s *server) send(method, path, key, idempotencyKey string, body any) response {
	text, err := json.Marshal(body)
	if err != nil {
		return response{err: err}
	}
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(text))
	if err != nil {
		return response{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{err: err}
	}
	defer res.Body.Close()
	read, err := io.ReadAll(res.Body)
	if err != nil {
		return response{err: err}
	}
	return response{res.StatusCode, res.Header.Get("Idempotent-Replayed") == "true", read, nil}
}
