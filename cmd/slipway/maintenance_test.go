package main_test

import (
	"testing"

	"slipway/internal/testkit/assert"
)

// The command line starts and ends maintenance of a running server.
func TestMaintenance(t *testing.T) {
	onBoth(t, func(t *testing.T, p *program) {
		d := p.bootstrap()
		key := p.key(d.DealershipID, "test", "hulls:read")
		s := p.serve()
		post := func() response {
			return s.send("POST", "/v1/hins/decode", key, "", map[string]any{"hin": "GRT12345B324"})
		}
		rejected := func() bool { return post().status == 503 }
		assert.Equal(t, rejected(), false)

		assert.Contains(t, p.text("maintenance", "on", "--message", "We move to a new server.", "--retry-after", "1m"), "Maintenance is on.")
		assert.Eventually(t, "writes to be rejected", rejected)
		assert.Contains(t, string(post().body), "We move to a new server.")
		assert.Equal(t, s.send("GET", "/v1/me", key, "", nil).status, 200, "a read")
		assert.Contains(t, p.text("maintenance", "status"), "Clients see: We move to a new server.")

		assert.Contains(t, p.text("maintenance", "off"), "Maintenance is off.")
		assert.Eventually(t, "writes to be accepted", func() bool { return !rejected() })
		assert.Contains(t, p.text("maintenance", "off"), "was already off")
		assert.Equal(t, p.text("maintenance", "status"), "Maintenance is off.\n")

		assert.Contains(t, p.fail("maintenance", "on", "--message", ""), "--message must have")
		assert.Contains(t, p.fail("maintenance", "on", "--retry-after", "0s"), "--retry-after must be")
		assert.Contains(t, p.fail("maintenance", "on", "--retry-after", "5m"), "30s to 1m")
		assert.Contains(t, p.text("maintenance", "on", "--retry-after", "5m", "--force"), "Maintenance is on.")
	})
}
