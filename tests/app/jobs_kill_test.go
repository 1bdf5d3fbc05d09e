package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// withoutRequest are the kinds of jobs that this test doesn't enqueue, with the test that
// runs them.
var withoutRequest = map[string]string{
	"announce_email":            "TestEmailChange, after the link in an email is opened",
	"ask_provider":              "TestAskProvider, after a provider doesn't answer",
	"back_up":                   "TestScheduledBackups, with a target",
	"confirm_email":             "TestEmailChange, for a user who has signed in",
	"confirm_price_alert":       "TestPriceAlert, from a page",
	"fetch_import_photos":       "TestPhotosOfRows",
	"forgot_password":           "TestResetPassword, from a page",
	"password_notice":           "TestResetPassword, from a page",
	"refresh_sso_connection":    "TestMetadataRefresh, for old metadata",
	"send_appointment_reminder": "TestReminderOfServer, for a lead with consent",
	"send_daily_summary":        "TestDailySummary, for a user who wants it",
	"send_price_alerts":         "TestPriceAlert, for an alert that was confirmed",
	"send_reset_link":           "TestResetPassword, from a page",
	"send_sso_link":             "TestLinkByEmail, from a page",
	"verify_sso_domains":        "TestVerifyDomain, for a DNS record",
}

// Jobs of each kind run after a kill at their start, and again after a kill at their end,
// when their work was committed and their completion was not recorded. The second run
// changes nothing: no event, no audit entry, no message and no row more.
func TestKillDuringEachKindOfJob(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, op := range routes() {
			name := op.ID
			if strings.HasPrefix(op.Path, rest.PreviewPath) {
				name = "preview." + op.ID
			}
			r, ok := recipes[name]
			if !ok || op.Method == http.MethodGet || slices.Contains(selfService, op.ID) {
				continue
			}
			path, body := op.Path, any(nil)
			if r.params != nil {
				for name, value := range r.params(s.Test) {
					path = strings.ReplaceAll(path, "{"+name+"}", value)
				}
			}
			if r.body != nil {
				body = r.body(s.Test)
			}
			_, err := s.Test.Send(op.Method, path, body)
			assert.NoError(t, err)
		}

		busyDay(s)
		kill(t, s)
		kinds := testkit.Rows[string](s, `SELECT DISTINCT kind FROM river_job`)
		for _, kind := range s.Jobs.Kinds() {
			if _, listed := withoutRequest[kind]; listed == slices.Contains(kinds, kind) {
				t.Errorf("%s: got a job: %t, and a line in withoutRequest: %t, want one of them", kind, !listed, listed)
			}
		}
		before := effects(s)
		kill(t, s)
		assert.Equal(t, effects(s), before)
	})
}

// busyDay enqueues kinds of jobs that the recipes don't.
func busyDay(s *testkit.Server) {
	soon := s.DB.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	s.Test.Post("/v1/hulls/"+s.Test.Hull(s.Test.Location(), nil)+"/transition", `{"to": "on_hold"}`, 200, nil)
	s.Test.Post("/v1/deals/"+s.Test.Deal(nil)+"/offers", map[string]any{"amount_usd": 1000, "made_by": "dealer", "expires_at": soon}, 201, nil)
	s.Test.Patch("/v1/dealership", `{"settings": {"sender": {"email": "sales@harbor.example.com"}}}`, 200, nil)
	s.Test.Patch("/v1/users/"+s.Test.User(nil), `{"email": "new@example.com"}`, 200, nil)
	channel := s.Test.Channel(map[string]any{"push_url": "https://partner.example.com/"})
	s.Test.Put("/v1/hulls/"+s.Test.Hull(s.Test.Location(), nil)+"/syndication/"+channel, nil, 200, nil)
}

// kill leaves all jobs like a server that was killed while it ran them, and starts another
// one. It waits until nothing is left to do.
func kill(t *testing.T, s *testkit.Server) {
	t.Helper()
	s.KillJobs(testkit.Rows[string](s, `SELECT DISTINCT kind FROM river_job`)...)
	assert.NoError(t, s.Jobs.Start(context.Background()))
	assert.Eventually(t, "all jobs ended, and the periodic ones too", func() bool {
		left := testkit.Rows[int64](s, `SELECT COUNT(*) FROM river_job WHERE state IN ('available', 'running')`)[0]
		seen := testkit.Rows[int64](s, `SELECT COUNT(DISTINCT kind) FROM river_job WHERE kind IN ('push_channel', 'note_audit_heads')`)[0]
		return left == 0 && seen == 2
	})
	assert.NoError(t, s.Jobs.Stop(context.Background()))
}

// effects counts what jobs can leave.
func effects(s *testkit.Server) map[string]int64 {
	counts := map[string]int64{}
	for _, table := range []string{
		"outbox", "events", "audit_entries", "messages", "hulls", "hull_photos", "hull_history", "deliveries", "consents", "activities", "offers",
	} {
		counts[table] = testkit.Rows[int64](s, `SELECT COUNT(*) FROM `+table)[0]
	}
	counts["sent"] = testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE status = 'sent'`)[0]
	return counts
}
