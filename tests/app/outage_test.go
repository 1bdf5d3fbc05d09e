package app

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

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/postgres"
	"slipway/internal/vocab/auth"
)

// node is a server as `slipway serve` runs it.
type node struct {
	*app.App
	url, key string
}

func serveOn(t *testing.T, database string) *node {
	t.Helper()
	return serveIn(t, t.TempDir(), database)
}

// serveIn is serveOn with a data folder, whose master key several nodes can share.
func serveIn(t *testing.T, data, database string) *node {
	t.Helper()
	a, err := app.Open(t.Context(), app.Settings{
		Data: data, DatabaseURL: database, Listen: "127.0.0.1:0", BaseURL: "http://localhost",
		LiveRate: 1e6, TestRate: 1e6, AddressRate: 1e6, MaxRequests: 10_000, AllowPrivate: true,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	addr, served := make(chan string, 1), make(chan error, 1)
	go func() { served <- a.Serve(t.Context(), func(at string) { addr <- at }) }()
	n := &node{App: a, key: "sk_live_unknown"}
	select {
	case at := <-addr:
		n.url = "http://" + at
	case err := <-served:
		t.Fatal(err)
	}
	t.Cleanup(func() { // the context of the test is canceled now
		if err := <-served; err != nil {
			t.Errorf("Serve returned error %v", err)
		}
	})
	return n
}

// createDealership creates a dealership and uses a key of one of its environments.
func (n *node) createDealership(t *testing.T, mode auth.Mode) {
	t.Helper()
	d, err := access.Bootstrap(t.Context(), n.DB, n.Box, access.NewDealership{Name: "Acme Marine", Owner: "owner@example.com", Plan: dealership.Standard})
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(d.Owner.TOTPSecret(mode), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	k, err := access.IssueKeyFromCommandLine(t.Context(), n.DB, n.Box, access.CommandKey{DealershipID: d.DealershipID, Mode: mode, Key: access.KeyRequest{Name: "Outage", Scopes: []auth.Scope{auth.HullsRead, auth.HullsWrite, auth.Webhooks, auth.Admin}}, By: access.Operator{Email: d.Owner.Email, Code: code}})
	if err != nil {
		t.Fatal(err)
	}
	n.key = k.Key
}

// response is the response to a request. Its status is 0 if there was none.
type response struct {
	status     int
	retryAfter string
	ID         string // of the created resource
	body       string
	err        error
}

func (n *node) send(method, path, body string) (a response) {
	req, err := http.NewRequest(method, n.url+path, strings.NewReader(body))
	if err != nil {
		return response{err: err}
	}
	req.Header.Set("Authorization", "Bearer "+n.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return response{err: err}
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	a = response{status: res.StatusCode, retryAfter: res.Header.Get("Retry-After"), body: string(text), err: err}
	_ = json.Unmarshal(text, &a) // probes don't return JSON
	return a
}

// waitFor waits until a path returns a status.
func (n *node) waitFor(t *testing.T, path string, want int) {
	t.Helper()
	var got response
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if got = n.send("GET", path, ""); got.status == want {
			return
		}
	}
	t.Fatalf("%s: got %+v after a minute, want %d", path, got, want)
}

// lag returns how long as many requests take that don't need the database, on a machine that may be busy.
func (n *node) lag() time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	for range operations() {
		wg.Go(func() { n.send("GET", "/healthz", "") })
	}
	wg.Wait()
	return time.Since(start)
}

// checkUnavailable fails unless each operation returns 503 within five seconds,
// with a Retry-After of 30 to 60 seconds.
func (n *node) checkUnavailable(t *testing.T) {
	t.Helper()
	limit := 5*time.Second + 3*n.lag()
	var wg sync.WaitGroup
	for _, o := range operations() {
		if len(o.Security) == 0 {
			continue // the credential is in the body, which is validated before the database is used
		}
		wg.Go(func() {
			start := time.Now()
			a := n.send(o.Method, strings.NewReplacer("{", "", "}", "").Replace(o.Path), "{}")
			took := time.Since(start)
			if seconds, err := strconv.Atoi(a.retryAfter); a.status != 503 || err != nil || seconds < 30 || seconds > 60 || took > limit {
				t.Errorf("%s: got %+v after %s, want 503 with a Retry-After of 30 to 60 within %s", o.OperationID, a, took, limit)
			}
		})
	}
	wg.Go(func() {
		assert.Equal(t, n.send("GET", "/readyz", "").status, 503)
	})
	if a := n.send("GET", "/healthz", ""); a.status != 200 { // a restart would not help
		t.Errorf("/healthz: got %+v, want 200", a)
	}
	wg.Wait()
}

// If the database crashes or hangs, the API returns 503. It recovers automatically,
// and no acknowledged write is lost.
func TestDatabaseUnavailable(t *testing.T) {
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
	n.waitFor(t, "/readyz", 200)
	n.createDealership(t, auth.Live)

	stopTraffic := n.startTraffic(t)
	must(cluster.Kill())
	n.checkUnavailable(t)
	must(cluster.Restart(t.Context()))
	n.waitFor(t, "/v1/me", 200)
	n.waitFor(t, "/readyz", 200)

	must(cluster.Pause())
	n.checkUnavailable(t)
	must(cluster.Resume())
	n.waitFor(t, "/v1/me", 200)
	stopTraffic()

	t.Run("before the start", func(t *testing.T) {
		must(cluster.Kill())
		late := serveOn(t, cluster.URL("late"))
		late.checkUnavailable(t)
		stopPolling := late.startPolling(t)
		must(cluster.Restart(t.Context()))
		late.checkUnavailable(t) // the server runs, but the database doesn't exist
		admin, err := sql.Open("pgx", cluster.URL("postgres"))
		must(err)
		defer admin.Close()
		_, err = admin.ExecContext(t.Context(), "CREATE DATABASE late")
		must(err)
		late.waitFor(t, "/readyz", 200)
		late.waitFor(t, "/v1/me", 401) // the key doesn't exist
		stopPolling()
		late.createDealership(t, auth.Live)
		late.waitFor(t, "/v1/me", 200)
	})
}

// startTraffic reads and writes until stop is called. Each response must be a
// success or a 503. Stop checks that each created hull exists.
func (n *node) startTraffic(t *testing.T) (stop func()) {
	t.Helper()
	location := n.send("POST", "/v1/locations", `{"name": "Pier"}`)
	if location.status != 201 {
		t.Fatalf("create a location: got %+v, want 201", location)
	}

	body := fmt.Sprintf(`{"make": "a", "model": "b", "year": 2024, "length_ft": 20, "price_usd": 1, "status": "on_order",
		"location_id": %q}`, location.ID)
	ctx, cancel := context.WithCancel(t.Context())
	created, running := make([][]string, 2), make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i := range created {
		wg.Go(func() {
			for ctx.Err() == nil {
				switch a := n.send("POST", "/v1/hulls", body); a.status {
				case 201:
					if created[i] = append(created[i], a.ID); len(created[i]) == 3 {
						running <- struct{}{}
					}
				case 503:
				default:
					t.Errorf("write: got %+v, want 201 or 503", a)
				}
				if a := n.send("GET", "/v1/hulls", ""); a.status != 200 && a.status != 503 {
					t.Errorf("read: got %+v, want 200 or 503", a)
				}
			}
		})
	}
	for range created {
		select {
		case <-running:
		case <-time.After(30 * time.Second):
			t.Fatal("got no successful writes within 30 seconds")
		}
	}
	return func() {
		t.Helper()
		cancel()
		wg.Wait()
		for _, id := range slices.Concat(created...) {
			assert.Equal(t, n.send("GET", "/v1/hulls/"+id, "").status, 200, "created", id)
		}
	}
}

// startPolling sends requests until stop is called. The API can be unavailable,
// but must not return other errors.
func (n *node) startPolling(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if a := n.send("GET", "/v1/me", ""); a.status != 503 && a.status != 401 {
				t.Errorf("during the start: got %+v, want 503 or 401", a)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
