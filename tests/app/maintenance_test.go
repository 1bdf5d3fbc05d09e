package app

import (
	"context"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// During maintenance, all nodes reject writes with the message, reads continue, and
// jobs and events wait.
func TestMaintenance(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": testkit.EmptyPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			url, data := database(t), t.TempDir()
			nodes := []*node{serveIn(t, data, url)}
			nodes[0].waitFor(t, "/readyz", 200)
			nodes[0].createDealership(t, auth.Test)
			if url != "" {
				nodes = append(nodes, serveIn(t, data, url))
				nodes[1].key = nodes[0].key
				nodes[1].waitFor(t, "/readyz", 200)
			}
			n := nodes[0]
			location := func(n *node) response {
				return n.send("POST", "/v1/locations", `{"name": "Annapolis", "timezone": "America/New_York"}`)
			}
			at := location(n)
			assert.Equal(t, at.status, 201)
			hull := n.send("POST", "/v1/hulls", `{"make":"Grady-White","model":"Freedom 235","year":2024,"condition":"new","length_ft":23.5,"price_usd":120000,"hin":"GRT40912B324",`+
				`"location_id":"`+at.ID+`"}`)
			assert.Equal(t, hull.status, 201, hull.body)

			if _, err := site.StartMaintenance(t.Context(), n.DB, "We move to a new server.", time.Minute); err != nil {
				t.Fatal(err)
			}
			for _, n := range nodes {
				assert.Eventually(t, "writes to be rejected", func() bool { return location(n).status == 503 })
				assert.Equal(t, location(n).retryAfter, "60", "Retry-After")
				assert.Equal(t, n.send("GET", "/v1/locations", "").status, 200)
				assert.Equal(t, n.send("GET", "/readyz", "").status, 200)
				assert.Equal(t, n.send("POST", "/oauth/token", "").status, 503)
				tool := func(name, arguments string) response {
					return n.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`)
				}
				read := tool("find_boats", `{}`)
				assert.Equal(t, read.status, 200, "an assistant reads")
				assert.Contains(t, read.body, `"rows"`)
				assert.Contains(t, tool("propose_change", `{"change":"price","hull_id":"`+hull.ID+`","price_usd":1,"reason":"x"}`).body, "We move to a new server.", "an assistant proposes")
				assert.Eventually(t, "the jobs to pause", n.JobsPaused)
			}

			// A command enqueues a job and emits an event.
			_, err := access.ResetUserFromCommandLine(t.Context(), n.DB, n.Jobs, access.UserReset{Mode: auth.Test, Email: "owner@example.com"})
			if err != nil {
				t.Fatal(err)
			}
			waiting := func(query string) int64 {
				t.Helper()
				count, err := db.Read(t.Context(), n.DB, func(ctx context.Context, tx *db.Tx) (int64, error) { return db.One[int64](ctx, tx, query) })
				if err != nil {
					t.Fatal(err)
				}
				return count
			}
			const jobs = `SELECT COUNT(*) FROM river_job WHERE state = 'available' AND kind = 'invite_user'`
			assert.Equal(t, waiting(jobs), 1, "jobs that wait")

			if was, err := site.EndMaintenance(t.Context(), n.DB); err != nil || !was {
				t.Fatalf("got %t and error %v, want the maintenance to end", was, err)
			}
			for _, n := range nodes {
				assert.Eventually(t, "writes to be accepted", func() bool { return location(n).status == 201 })
			}
			assert.Eventually(t, "the job to run", func() bool { return waiting(jobs) == 0 })
			assert.Eventually(t, "the events to be relayed", func() bool { return waiting(`SELECT COUNT(*) FROM outbox`) == 0 })
			for _, n := range nodes {
				assert.Equal(t, n.JobsPaused(), false, "jobs paused")
			}

			// A node that starts or stops during maintenance knows about it.
			if _, err := site.StartMaintenance(t.Context(), n.DB, "Again.", time.Minute); err != nil {
				t.Fatal(err)
			}
			if url != "" {
				late := serveIn(t, data, url)
				late.key = n.key
				late.waitFor(t, "/readyz", 200)
				assert.Equal(t, location(late).status, 503, "the first write")
				assert.Eventually(t, "the jobs to pause", late.JobsPaused)
			}
		})
	}
}
