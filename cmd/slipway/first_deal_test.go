package main_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/testkit/assert"
)

// TestFirstDeal runs the commands of the installation guide, from an empty folder to a deal whose event
// reaches a webhook. It replaces only what the guide asks the reader to replace, and the
// port, because another server might use it.
func TestFirstDeal(t *testing.T) {
	commands := guideCommands(t, "## First start")
	assert.Equal(t, commands[0], "make build", "first command")
	work := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(build(t), filepath.Join(work, "bin", "slipway")); err != nil {
		t.Fatal(err)
	}
	received := make(chan string, 10)
	webhook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // an incomplete body fails below
		received <- string(body)
	}))
	t.Cleanup(webhook.Close)
	address := freeAddress(t)
	sh := newShell(t, work, "SLIPWAY_LISTEN="+address, "SLIPWAY_METRICS_LISTEN=", "SLIPWAY_ALLOW_PRIVATE_WEBHOOKS=true")

	printed := ""
	for _, command := range commands[1:] {
		command = strings.NewReplacer("127.0.0.1:8080", address, "https://example.com/slipway", webhook.URL,
			"dlr_…", found(printed, `dlr_[0-9a-z]+`), "sk_test_…", found(printed, `sk_test_[0-9A-Za-z_]+`),
			"123456", code(t, found(printed, `(?is)test.*?\b([A-Z2-7]{32})\b`))).Replace(command)
		if command == "bin/slipway serve" {
			sh.run("bin/slipway serve 2>log & server=$!; trap 'kill $server' EXIT")
			assert.Eventually(t, "the server to be ready", func() bool {
				res, err := http.Get("http://" + address + "/readyz")
				if err != nil {
					return false
				}
				defer res.Body.Close()
				return res.StatusCode == http.StatusOK
			})
			continue
		}
		out := sh.run(command)
		if strings.Contains(out, `"error"`) {
			t.Fatalf("%s\nreturned %s", command, out)
		}
		printed += out
	}
	assert.Contains(t, printed, `"status": "open"`, "the deal")
	select {
	case event := <-received:
		assert.Contains(t, event, `"type":"deal.opened"`)
	case <-time.After(time.Minute):
		t.Error("the webhook received no event within a minute, want deal.opened")
	}
}

// guideCommands returns the commands in the console blocks of a section of the installation guide.
func guideCommands(t *testing.T, heading string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), heading+"\n")
	if !ok {
		t.Fatalf("the guide has no section %s", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(section, -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSuffix(line, "\n")
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				commands = append(commands, command)
			} else if n := len(commands); n > 0 && strings.HasPrefix(line, "Two-factor code ") {
				commands[n-1] = "echo " + line[strings.LastIndex(line, " ")+1:] + " | " + commands[n-1] // asked for on a terminal
			} else if n := len(commands); n > 0 && strings.HasSuffix(commands[n-1], `\`) {
				commands[n-1] += "\n" + line
			}
		}
	}
	if len(commands) < 8 {
		t.Fatalf("got %d commands, want at least 8", len(commands))
	}
	return commands
}

// found returns the first match of a pattern, or its group, in what commands have printed.
func found(text, pattern string) string {
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	return match[len(match)-1]
}

// code returns the code of an authenticator app, if its secret is known.
func code(t *testing.T, secret string) string {
	t.Helper()
	if secret == "" {
		return ""
	}
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// freeAddress returns an address that no server uses.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// shell is a terminal in a folder, which is also the home of the user.
type shell struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func newShell(t *testing.T, folder string, variables ...string) *shell {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh") // must end after the test, to stop the server
	cmd.Dir, cmd.Env = folder, append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder}, variables...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // the shell stops the server and exits
		if err := cmd.Wait(); err != nil {
			t.Errorf("the shell failed: %v", err)
		}
	})
	return &shell{t, in, bufio.NewReader(out)}
}

// run runs a command that must succeed, and returns what it printed.
func (s *shell) run(command string) string {
	s.t.Helper()
	const end = "\x1e"
	if _, err := fmt.Fprintf(s.in, "%s\nprintf '%s%%d\\n' $?\n", command, end); err != nil {
		s.t.Fatal(err)
	}
	text, err := s.out.ReadString(end[0])
	if err != nil {
		s.t.Fatalf("%s\nstopped the shell: %v\n%s", command, err, text)
	}
	status, err := s.out.ReadString('\n')
	if err != nil || status != "0\n" {
		s.t.Fatalf("%s\nfailed with status %s, error %v\n%s", command, strings.TrimSpace(status), err, text)
	}
	return strings.TrimSuffix(text, end)
}
