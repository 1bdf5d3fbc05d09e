package main_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/testkit/assert"
)

// Logs tail prints writes and failed requests of a server.
func TestLogsTail(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		code, err := totp.GenerateCode(d.Owner.TestTOTPSecret, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		key := p.enters(code).key(d.DealershipID, "test", "admin", "--name", "Website", "--user", d.Owner.Email)
		s := p.serve()
		elsewhere := &program{t: t, binary: p.binary, data: t.TempDir(), env: []string{"SLIPWAY_BASE_URL=" + s.url, "SLIPWAY_KEY=" + key}}
		assert.Contains(t, elsewhere.fail("logs", "tail", "--status", "teapot"), "status")
		assert.Contains(t, elsewhere.usage("logs", "tail", "--key", key), "slipway login --key")
		assert.Contains(t, elsewhere.fail("logs", "tail", "--key", "Nothing"), `no API key matches "Nothing"`)
		weak := &program{t: t, binary: p.binary, data: t.TempDir(), env: []string{"SLIPWAY_BASE_URL=" + s.url, "SLIPWAY_KEY=" + p.key(d.DealershipID, "test", "hulls:read")}}
		assert.Contains(t, weak.fail("logs", "tail"), "admin")

		tail := elsewhere.command("logs", "tail", "--status", "4xx", "--operation", "createLocation", "--key", "website")
		out, err := tail.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tail.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = tail.Process.Kill()
			_ = tail.Wait()
		})
		line := make(chan string, 1)
		go func() {
			text, _ := bufio.NewReader(out).ReadString('\n')
			line <- text
		}()
		assert.Eventually(t, "a line about the request", func() bool { // the first requests can be older than the tail
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/locations", strings.NewReader(`{"nope":1}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+key)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			select {
			case text := <-line:
				assert.Contains(t, text, "400  POST   /v1/locations")
				assert.Contains(t, text, "name is required")
				return true
			case <-time.After(time.Second):
				return false
			}
		})
	})
}
