package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"slipway/internal/testkit"
	"slipway/internal/testkit/postgres"
)

// A database that restarts while events are delivered loses none of those that
// were acknowledged.
func TestDatabaseRestartsWhileDelivering(t *testing.T) {
	t.Parallel()
	cluster, err := postgres.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	n := serveOn(t, cluster.URL("postgres"))
	n.comes(t, "/readyz", 200)
	n.foundTest(t)

	var mu sync.Mutex
	heard, first := map[string]bool{}, make(chan struct{})
	once := sync.OnceFunc(func() { close(first) })
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			Data struct{ Object struct{ ID string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		mu.Lock()
		heard[e.Data.Object.ID] = true
		mu.Unlock()
		once()
	}))
	t.Cleanup(receiver.Close)
	if a := n.send("POST", "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["location.created"]}`, receiver.URL)); a.status != 201 {
		t.Fatalf("got %+v, want a.status = 201", a)
	}
	var made []string
	make := func(count int) {
		for range count {
			if a := n.send("POST", "/v1/locations", `{"name": "Pier"}`); a.status == 201 {
				made = append(made, a.ID)
			}
		}
	}
	make(50)
	<-first
	if err := cluster.Kill(); err != nil {
		t.Fatal(err)
	}
	make(1) // fails: the database is down
	if err := cluster.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.comes(t, "/readyz", 200)
	make(20)
	testkit.Eventually(t, "all events to be delivered", func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, id := range made {
			if !heard[id] {
				return false
			}
		}
		return true
	})
}
