//go:build previous

package main_test

import (
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A server of the last release keeps working after this version has migrated its database:
// it answers every list, and creates what a dealership creates in a day. make test-previous
// builds its program.
func TestPreviousRelease(t *testing.T) {
	binary := os.Getenv("SLIPWAY_PREVIOUS")
	if binary == "" {
		t.Fatal("SLIPWAY_PREVIOUS is not set; run make test-previous")
	}
	testkit.EachDatabase(t, func(t *testing.T, database string) {
		old := &program{t: t, binary: binary, data: t.TempDir()}
		if database == "postgres" {
			old.database = testkit.EmptyPostgres(t)
		}
		d := old.bootstrap()
		code, err := totp.GenerateCode(d.Owner.TestTOTPSecret, time.Now())
		assert.NoError(t, err)
		key := old.key(d.DealershipID, "test", "hulls:read,hulls:write,leads:read,leads:write,deals:read,deals:write,webhooks,admin",
			"--user", d.Owner.Email, "--totp", code, "--rate-limit", "100000")
		s := old.serve()
		work(t, s, key)

		next := &program{t: t, binary: build(t), data: old.data, database: old.database}
		assert.Contains(t, next.text("migrate", "--plan"), "Servers of the version before keep working")
		next.text("migrate")
		assert.Contains(t, next.text("migrate", "--plan"), "The schema is current")
		work(t, s, key)
		if old.database != "" { // SQLite has one server
			work(t, next.serve(), key)
			work(t, s, key)
		}
	})
}

// work reads every list and sells a boat.
func work(t *testing.T, s *server, key string) {
	t.Helper()
	assert.Equal(t, s.send("GET", "/readyz", "", "", nil).status, http.StatusOK, "/readyz")
	for _, path := range []string{
		"/v1/hulls", "/v1/contacts", "/v1/leads", "/v1/deals", "/v1/locations", "/v1/users", "/v1/roles", "/v1/webhooks", "/v1/events", "/v1/audit",
		"/v1/api_keys", "/v1/dealership", "/v1/me", "/v1/channels", "/v2-preview/payments", "/v2-preview/fundings", "/v2-preview/documents",
		"/v2-preview/appointments", "/v2-preview/activities", "/v2-preview/reports/inventory", "/v2-preview/reports/pipeline", "/v2-preview/request_logs",
	} {
		a := s.send("GET", path, key, "", nil)
		assert.Equal(t, a.status, http.StatusOK, path+": "+string(a.body))
	}
	create := func(path string, body map[string]any) string {
		a := s.send("POST", path, key, "", body)
		assert.Equal(t, a.status, http.StatusCreated, path+": "+string(a.body))
		return a.id()
	}
	location := create("/v1/locations", map[string]any{"name": "Pier"})
	hull := create("/v1/hulls", testkit.HullBody(location, nil))
	buyer := create("/v1/contacts", map[string]any{"first_name": "Grace", "last_name": "Miller"})
	create("/v1/leads", map[string]any{"contact": map[string]any{"first_name": "Ann", "email": "ann@example.com"}, "source": "web", "hull_id": hull})
	create("/v1/webhooks", map[string]any{"url": "https://example.com/hook", "events": []string{"deal.*"}})
	deal := create("/v1/deals", map[string]any{"hull_id": hull, "buyer_id": buyer, "offer_usd": 60000})
	for _, path := range []string{"/v1/hulls/" + hull, "/v1/contacts/" + buyer, "/v1/deals/" + deal, "/v1/deals/" + deal + "/offers"} {
		a := s.send("GET", path, key, "", nil)
		assert.Equal(t, a.status, http.StatusOK, path+": "+string(a.body))
	}
}
