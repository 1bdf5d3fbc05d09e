package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// TestProgram creates a dealership and keys, kills the server during requests,
// and stops it gracefully.
func TestProgram(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		admin := issueKeys(t, p, d)
		writer := p.key(d.DealershipID, "test", "hulls:read,hulls:write,leads:write,deals:read,deals:write,webhooks", "--rate-limit", "10000")
		checkCommandsAreLinked(t, p)
		s := p.serve()
		checkRefusals(t, p, s)
		if a := s.send("GET", "/docs/guides/tour.md", "", "", nil); a.status != 200 {
			t.Errorf("the program has no guides: got %d %s", a.status, a.body)
		}
		// The command line also works while a server is running.
		reader := p.key(d.DealershipID, "live", "hulls:read")
		resetUser(t, p, d)
		for key, want := range map[string]string{admin: "test", writer: "test", reader: "live"} {
			var me struct{ Environment string }
			if a := s.send("GET", "/v1/me", key, "", nil); a.status != 200 || json.Unmarshal(a.body, &me) != nil || me.Environment != want {
				t.Fatalf("key of %s: got %d %s, want 200 and the environment %s", want, a.status, a.body, want)
			}
		}

		location := s.send("POST", "/v1/locations", admin, "", map[string]any{"name": "Pier"}).id()
		s = p.killAndRestart(t, s, writer, "hull", func(i int) map[string]any {
			return testkit.HullBody(location, map[string]any{"hin": fmt.Sprintf("GRT%05dB324", i)})
		})
		hull := s.send("POST", "/v1/hulls", writer, "", testkit.HullBody(location, map[string]any{"hin": "ABC12345B324"})).id()
		buyer := s.send("POST", "/v1/contacts", writer, "", map[string]any{"last_name": "Bell"}).id()
		s = p.killAndRestart(t, s, writer, "deal", func(i int) map[string]any {
			return map[string]any{"hull_id": hull, "buyer_id": buyer, "offer_usd": 100_000 + i}
		})
		stopGracefully(t, s, writer, location)
		checkAuditLog(t, p, d.DealershipID)
	})
}

// issueKeys checks the rules for admin keys and returns an admin key of the test
// environment.
func issueKeys(t *testing.T, p *program, d bootstrapped) string {
	t.Helper()
	create := []string{"keys", "create", "--environment", "test", "--json"}
	args := append(slices.Clone(create), "--dealership", d.DealershipID, "--scopes", "admin,hulls:read")
	code, err := totp.GenerateCode(d.Owner.TestTOTPSecret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	wrong := "000000"
	if code == wrong {
		wrong = "000001"
	}
	for name, c := range map[string]struct {
		args []string
		code string
		want string
	}{
		"admin without a user":  {args, "", "requires a user and their two-factor code"},
		"admin without a code":  {append(slices.Clone(args), "--user", d.Owner.Email), "", "requires a user and their two-factor code"},
		"admin, unknown user":   {append(slices.Clone(args), "--user", "unknown@example.com"), code, "unknown@example.com not found"},
		"admin with wrong code": {append(slices.Clone(args), "--user", d.Owner.Email), wrong, "code is wrong"},
		"an unknown scope":      {append(slices.Clone(create), "--dealership", d.DealershipID, "--scopes", "boats:read"), "", "unknown scope"},
		"an unknown dealership": {append(slices.Clone(create), "--dealership", "dlr_1", "--scopes", "hulls:read"), "", "Dealership dlr_1 not found"},
	} {
		assert.Contains(t, p.enters(c.code).fail(c.args...), c.want, name)
	}
	assert.Contains(t, p.exit(2, append(args, "--totp", code)...), "The command asks for the code", "a code that others could see")
	key := p.enters(code).key(d.DealershipID, "test", "admin,hulls:read", "--user", d.Owner.Email)
	assert.Contains(t, p.enters(code).fail(append(args, "--user", d.Owner.Email)...), "was already used", "the same code again")
	return key
}

// resetUser resets the owner's password on the command line.
func resetUser(t *testing.T, p *program, d bootstrapped) {
	t.Helper()
	unknown := p.fail("users", "reset", "unknown@example.com", "--environment", "test")
	assert.Contains(t, unknown, "User unknown@example.com not found in the test environment")
	out, err := p.command("users", "reset", d.Owner.Email, "--environment", "test", "--dealership", d.DealershipID).Output()
	if err != nil {
		t.Fatal(err)
	}
	assert.Contains(t, string(out), "The password of owner@example.com (usr_")
}

// requests is the number of requests that killAndRestart sends.
const requests = 500

// subscribe creates a webhook with a slow receiver. The returned function fails
// unless an event about each of these objects is received. This shows that no event
// is lost between the commit and the delivery.
func subscribe(t *testing.T, s *server, key, event string) (wantEvents func(ids []string)) {
	t.Helper()
	var mu sync.Mutex
	received := map[string]bool{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			Data struct{ Object struct{ ID string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			return // the server was killed
		}
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		received[e.Data.Object.ID] = true
	}))
	t.Cleanup(receiver.Close)
	if a := s.send("POST", "/v1/webhooks", key, "", map[string]any{"url": receiver.URL, "events": []string{event}}); a.status != 201 {
		t.Fatalf("got %d %s, want 201", a.status, a.body)
	}
	return func(ids []string) {
		t.Helper()
		missing := func() (n int) {
			mu.Lock()
			defer mu.Unlock()
			for _, id := range ids {
				if !received[id] {
					n++
				}
			}
			return n
		}
		assert.Eventually(t, "all events to be delivered", func() bool { return missing() == 0 })
	}
}

// killAndRestart kills the server during requests with idempotency keys, starts it
// again and repeats all requests. No object is lost or created twice.
func (p *program) killAndRestart(t *testing.T, s *server, key, noun string, body func(i int) map[string]any) *server {
	t.Helper()
	path := "/v1/" + noun + "s"
	keys, bodies, created := make([]string, requests), make([]map[string]any, requests), make([]string, requests)
	for i := range keys {
		keys[i] = uuid.NewString()
		bodies[i] = body(i)
	}
	wantEvents := subscribe(t, s, key, map[string]string{"hull": "hull.created", "deal": "deal.opened"}[noun])
	var done atomic.Int64
	each(func(i int) {
		switch a := s.send("POST", path, key, keys[i], bodies[i]); {
		case a.status == 201:
			created[i] = a.id()
			if done.Add(1) == requests/2 {
				if err := s.cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
			}
		case a.err == nil:
			t.Errorf("request %d: got %d %s, want 201", i, a.status, a.body)
		}
	})
	if n := done.Load(); n < requests/2 || n == requests {
		t.Fatalf("the server was killed after %d requests, want at least %d and less than %d", n, requests/2, requests)
	}
	<-s.done

	s = p.serve()
	ids := make([]string, requests)
	each(func(i int) {
		a := s.send("POST", path, key, keys[i], bodies[i])
		ids[i] = a.id()
		if a.status != 201 || created[i] != "" && (created[i] != ids[i] || !a.replayed) {
			t.Errorf("request %d again: got %d %s, replayed %t, want 201 and a replay of %q", i, a.status, a.body, a.replayed, created[i])
		}
	})
	wantEvents(ids)
	listed := s.list(t, path, key)
	for i, id := range ids {
		if !listed[id] {
			t.Errorf("request %d created %s, which is not listed", i, id)
		}
	}
	assert.Equal(t, len(listed), requests, noun, "count")
	return s
}

// each calls work for each request, with eight workers.
func each(work func(i int)) {
	var wg sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < requests; i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	wg.Wait()
}

// list returns the IDs of all objects in a list.
func (s *server) list(t *testing.T, path, key string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	query := url.Values{"limit": {"100"}}
	for {
		var page struct {
			Data       []struct{ ID string }
			NextCursor *string `json:"next_cursor"`
		}
		a := s.send("GET", path+"?"+query.Encode(), key, "", nil)
		if err := json.Unmarshal(a.body, &page); err != nil || a.status != 200 {
			t.Fatalf("got %d %s and errors %v, %v, want 200", a.status, a.body, a.err, err)
		}
		for _, h := range page.Data {
			ids[h.ID] = true
		}
		if page.NextCursor == nil {
			return ids
		}
		query.Set("starting_after", *page.NextCursor)
	}
}

// stopGracefully stops the server during a request. The server is no longer ready,
// still accepts connections for a moment, and finishes the request.
func stopGracefully(t *testing.T, s *server, key, location string) {
	t.Helper()
	body, err := json.Marshal(testkit.HullBody(location, map[string]any{"hin": "GRT99999B324"}))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	// The server requests the body when the handler reads it. From then on, the request is running.
	const head = "POST /v1/hulls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n" +
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n"
	if _, err := fmt.Fprintf(conn, head, key, len(body)); err != nil {
		t.Fatal(err)
	}

	read := bufio.NewReader(conn)
	if line, err := read.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got line %q and error %v, want 100 Continue", line, err)
	}

	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for s.ready() == 200 { // until the signal has arrived
	}
	assert.Equal(t, s.ready(), http.StatusServiceUnavailable, "/readyz")
	assert.Equal(t, s.send("GET", "/v1/me", key, "", nil).status, 200, "during the shutdown")
	for s.ready() != 0 { // until the server accepts no more connections
	}

	if _, err := conn.Write(body); err != nil {
		t.Fatal(err)
	}
	if blank, err := read.ReadString('\n'); err != nil || strings.TrimSpace(blank) != "" { // the end of the 100 response
		t.Fatalf("got line %q and error %v, want an empty line", blank, err)
	}
	res, err := http.ReadResponse(read, nil)
	if err != nil {
		t.Fatalf("the running request was interrupted: %v", err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); res.StatusCode != 201 || err != nil {
		t.Errorf("the running request: got %d %s and error %v, want 201", res.StatusCode, text, err)
	}
	<-s.done
	if s.err != nil {
		t.Errorf("serve returned %v, want no error\n%s", s.err, s.log)
	}
	assert.Equal(t, s.ready(), 0, "/readyz after the shutdown")
}
