package main_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"slipway/internal/testkit/assert"
)

// forwarded is a request that listen sent.
type forwarded struct {
	header http.Header
	body   []byte
}

// Listen forwards each event that its key can read once, with a signature, even if
// it is restarted.
func TestListen(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		key := p.key(d.DealershipID, "test", "webhooks,hulls:read")
		s := p.serve()
		elsewhere := &program{t: t, binary: p.binary, data: t.TempDir(), env: []string{"SLIPWAY_KEY=" + key}}
		newest := func() string {
			var list struct{ Data []struct{ Type string } }
			if a := s.send("GET", "/v1/events?limit=1", key, "", nil); json.Unmarshal(a.body, &list) != nil || len(list.Data) == 0 {
				return ""
			}
			return list.Data[0].Type
		}
		trigger := func(name string) {
			t.Helper()
			if out, err := p.command("trigger", name).Output(); err != nil || !strings.Contains(string(out), name) {
				exit, _ := err.(*exec.ExitError) //nolint:errorlint // to print stderr
				t.Fatalf("got output %q and error %v %+v, want %s in the output", out, err, exit, name)
			}
		}
		trigger("hull.archived")
		assert.Eventually(t, "the events from before listen started", func() bool { return newest() == "hull.archived" })

		got := make(chan forwarded, 100)
		local := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			got <- forwarded{r.Header, body}
		}))
		t.Cleanup(local.Close)
		next := func(want string) forwarded {
			t.Helper()
			select {
			case e := <-got:
				if !strings.Contains(string(e.body), `"type":"`+want+`"`) {
					t.Fatalf("got %s, want %s", e.body, want)
				}
				return e
			case <-time.After(30 * time.Second):
				t.Fatalf("got no event within 30 seconds, want %s", want)
				return forwarded{}
			}
		}
		listen := func() (lines *bufio.Reader, stop func()) {
			t.Helper()
			cmd := elsewhere.command("listen", "--forward-to", local.URL, "--base-url", s.url, "--state", p.data+"/listen")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return bufio.NewReader(out), func() {
				_ = cmd.Process.Kill() // without a chance to clean up
				_ = cmd.Wait()
			}
		}
		secretOf := func(lines *bufio.Reader) string {
			t.Helper()
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatal(err)
				}
				if secret, ok := strings.CutPrefix(line, "Signing secret "); ok {
					return strings.TrimSpace(secret)
				}
			}
		}
		lines, stop := listen()
		secret := secretOf(lines)
		trigger("hull.created")
		e := next("hull.created")
		hook, err := standard.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := hook.Verify(e.body, e.header); err != nil {
			t.Error(err)
		}
		if line, err := lines.ReadString('\n'); err != nil || strings.TrimSpace(line) != "" {
			t.Errorf("got line %q and error %v, want an empty line", line, err)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "200  hull.created") {
			t.Errorf("got line %q and error %v, want 200  hull.created", line, err)
		}
		stop()

		trigger("contact.created") // the key can't read it
		trigger("hull.sold")
		trigger("user.provisioned") // the key can't read it
		trigger("channel.created")
		lines, stop = listen()
		defer stop()
		assert.Equal(t, secretOf(lines), secret, "secret after a restart")
		next("hull.sold")
		next("channel.created")
		assert.Equal(t, newest(), "channel.created")
		assert.Contains(t, elsewhere.fail("listen", "--forward-to", local.URL, "--base-url", s.url, "--state", p.data+"/listen",
			"--events", "deal.accepted"), "deals:read")
		assert.Contains(t, p.fail("trigger", "hull.sunk"), "is not an event type")
	})
}
