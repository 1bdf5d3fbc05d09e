package app_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/access"
	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/testkit"
	"slipway/internal/testkit/postgres"
	"slipway/internal/vocab/auth"
)

// node is the service as `slipway serve` runs it.
type node struct {
	*app.App
	url, key string
}

func serveOn(t *testing.T, database string) *node {
	t.Helper()
	a, err := app.Open(t.Context(), app.Settings{
		Data: t.TempDir(), DatabaseURL: database, Listen: "127.0.0.1:0", BaseURL: "http://localhost",
		LiveRate: 1e6, TestRate: 1e6, AddressRate: 1e6, AllowPrivate: true,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	addr, served := make(chan string, 1), make(chan error, 1)
	go func() { served <- a.Serve(t.Context(), func(at string) { addr <- at }) }()
	n := &node{App: a, key: "sk_live_nobody"}
	select {
	case at := <-addr:
		n.url = "http://" + at
	case err := <-served:
		t.Fatal(err)
	}
	t.Cleanup(func() { // the test's context has ended by now
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return n
}

// found gives the node a dealership and a key to it.
func (n *node) found(t *testing.T) {
	t.Helper()
	n.foundAs(t, auth.Live)
}

// foundTest does the same with a key of the test environment.
func (n *node) foundTest(t *testing.T) {
	t.Helper()
	n.foundAs(t, auth.Test)
}

func (n *node) foundAs(t *testing.T, mode auth.Mode) {
	t.Helper()
	d, err := access.Bootstrap(t.Context(), n.DB, n.Box, "Acme Marine", "owner@example.com", dealership.Standard)
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(d.Owner.TOTPSecret(mode), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	k, err := access.IssueKeyFromCommandLine(t.Context(), n.DB, n.Box, d.DealershipID, mode,
		access.KeyRequest{Name: "outage", Scopes: []auth.Scope{auth.HullsRead, auth.HullsWrite, auth.Webhooks, auth.Admin}},
		access.Operator{Email: d.Owner.Email, Code: code})
	if err != nil {
		t.Fatal(err)
	}
	n.key = k.Key
}

// answer is what a request got; its status is 0 if there was no answer.
type answer struct {
	status int
	wait   string // what Retry-After says
	ID     string // of what was made
	err    error
}

func (n *node) send(method, path, body string) (a answer) {
	req, err := http.NewRequest(method, n.url+path, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+n.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	a = answer{status: res.StatusCode, wait: res.Header.Get("Retry-After"), err: err}
	_ = json.Unmarshal(text, &a) // the probes answer with a word
	return a
}

// comes waits until a path has a status. Nothing tells when a database is back:
// the service has to find out by itself, and so has the test.
func (n *node) comes(t *testing.T, path string, want int) {
	t.Helper()
	var got answer
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if got = n.send("GET", path, ""); got.status == want {
			return
		}
	}
	t.Fatalf("%s is still %+v, not %d", path, got, want)
}

// unavailable fails unless every operation there is answers 503 within five
// seconds, and asks to come back in 30 to 60.
func (n *node) unavailable(t *testing.T) {
	t.Helper()
	var wg sync.WaitGroup
	for _, o := range operations() {
		if len(o.Security) == 0 {
			continue // who asks stands in the body, which is judged before the database is needed
		}
		wg.Go(func() {
			start := time.Now()
			a := n.send(o.Method, strings.NewReplacer("{", "", "}", "").Replace(o.Path), "{}")
			took := time.Since(start)
			if seconds, err := strconv.Atoi(a.wait); a.status != 503 || err != nil || seconds < 30 || seconds > 60 || took > 5*time.Second {
				t.Errorf("%s: got %+v after %s; want a.status = 503, no error, seconds >= 30, seconds <= 60, took <= 5*time.Second", o.OperationID,
					a, took)
			}
		})
	}
	wg.Go(func() {
		testkit.Equal(t, n.send("GET", "/readyz", "").status, 503)
	})
	if a := n.send("GET", "/healthz", ""); a.status != 200 { // restarting the node would not help
		t.Errorf("/healthz: got %+v, want a.status = 200", a)
	}
	wg.Wait()
}

// A database that dies or hangs is told as 503, and the service comes back with
// it, by itself. Nothing that was acknowledged is lost.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	cluster, err := postgres.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	n := serveOn(t, cluster.URL("postgres"))
	n.comes(t, "/readyz", 200)
	n.found(t)

	traffic := n.traffic(t)
	must(cluster.Kill())
	n.unavailable(t)
	must(cluster.Restart(t.Context()))
	n.comes(t, "/v1/me", 200)
	n.comes(t, "/readyz", 200)

	must(cluster.Pause())
	n.unavailable(t)
	must(cluster.Resume())
	n.comes(t, "/v1/me", 200)
	traffic()

	t.Run("from the start", func(t *testing.T) {
		must(cluster.Kill())
		late := serveOn(t, cluster.URL("late"))
		late.unavailable(t)
		watch := late.watch(t)
		must(cluster.Restart(t.Context()))
		late.unavailable(t) // there is a server, but no such database
		admin, err := sql.Open("pgx", cluster.URL("postgres"))
		must(err)
		defer admin.Close()
		_, err = admin.ExecContext(t.Context(), "CREATE DATABASE late")
		must(err)
		late.comes(t, "/readyz", 200)
		late.comes(t, "/v1/me", 401) // no key is known yet
		watch()
		late.found(t)
		late.comes(t, "/v1/me", 200)
	})
}

// traffic reads and writes until the function it returns is called, which then
// looks whether all was well: every answer was a success or a 503, and what was
// created is there.
func (n *node) traffic(t *testing.T) (end func()) {
	t.Helper()
	location := n.send("POST", "/v1/locations", `{"name": "Pier"}`)
	if location.status != 201 {
		t.Fatalf("no location: got %+v, want location.status = 201", location)
	}
	body := fmt.Sprintf(`{"make": "a", "model": "b", "year": 2024, "length_ft": 20, "price_usd": 1, "status": "on_order", "location_id": %q}`, location.ID)
	ctx, stop := context.WithCancel(t.Context())
	made, flows := make([][]string, 2), make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			for ctx.Err() == nil {
				switch a := n.send("POST", "/v1/hulls", body); a.status {
				case 201:
					if made[i] = append(made[i], a.ID); len(made[i]) == 3 {
						flows <- struct{}{}
					}
				case 503:
				default:
					t.Errorf("a write got %+v", a)
				}
				if a := n.send("GET", "/v1/hulls", ""); a.status != 200 && a.status != 503 {
					t.Errorf("a read got %+v, want 200 or 503", a)
				}
			}
		})
	}
	for range made {
		select {
		case <-flows:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing can be written")
		}
	}
	return func() {
		t.Helper()
		stop()
		wg.Wait()
		for _, id := range slices.Concat(made...) {
			testkit.Equal(t, n.send("GET", "/v1/hulls/"+id, "").status, 200, id, "acknowledged")
		}
	}
}

// watch asks on and on until the function it returns is called; the service
// may be away, but at no moment look broken.
func (n *node) watch(t *testing.T) (end func()) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if a := n.send("GET", "/v1/me", ""); a.status != 503 && a.status != 401 {
				t.Errorf("while it starts: got %+v, want 503 or 401", a)
			}
		}
	}()
	return func() {
		stop()
		<-done
	}
}
