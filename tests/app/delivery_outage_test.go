package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"slipway/internal/testkit/assert"
	"slipway/internal/testkit/postgres"
	"slipway/internal/vocab/auth"
)

// No acknowledged event is lost if the database restarts during deliveries.
func TestDatabaseRestartsDuringDeliveries(t *testing.T) {
	t.Parallel()
	cluster, err := postgres.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	n := serveOn(t, cluster.URL("postgres"))
	n.waitFor(t, "/readyz", 200)
	n.createDealership(t, auth.Test)

	var mu sync.Mutex
	received, first := map[string]bool{}, make(chan struct{})
	once := sync.OnceFunc(func() { close(first) })
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			Data struct{ Object struct{ ID string } }
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err != nil {
			t.Error(err)
		}
		mu.Lock()
		received[e.Data.Object.ID] = true
		mu.Unlock()
		once()
	}))
	t.Cleanup(receiver.Close)
	webhook := fmt.Sprintf(`{"url": %q, "events": ["location.created"]}`, receiver.URL)
	if a := n.send("POST", "/v1/webhooks", webhook); a.status != 201 {
		t.Fatalf("create a webhook: got %+v, want 201", a)
	}

	var created []string
	create := func(count int) {
		for range count {
			if a := n.send("POST", "/v1/locations", `{"name": "Pier"}`); a.status == 201 {
				created = append(created, a.ID)
			}
		}
	}
	create(50)
	<-first
	if err := cluster.Kill(); err != nil {
		t.Fatal(err)
	}
	create(1) // fails, because the database is down
	if err := cluster.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.waitFor(t, "/readyz", 200)
	create(20)
	assert.Eventually(t, "all events to be delivered", func() bool {
		mu.Lock()
		defer mu.Unlock()
		for _, id := range created {
			if !received[id] {
				return false
			}
		}
		return true
	})
}
