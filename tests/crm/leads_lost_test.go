package crm

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/leads"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A lead that is closed until a time is open again then, and waits for an answer. Someone who opens it
// earlier, or an answer that comes before, ends the appointment.
func TestLostUntil(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		later := s.DB.Now().Add(90 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
		lost := func(reopen any) string {
			path := "/v1/leads/" + s.Test.Lead(nil)
			s.Test.Post(path+"/close", map[string]any{"reason": "Price", "reopen_at": reopen}, 200, nil)
			return path
		}
		until, forever, early := lost(later), lost(nil), lost(later)
		assert.Equal(t, leadAt(s.Test, until).ReopenAt.UnixMilli(), later.UnixMilli())
		s.Test.Patch(early, `{"status":"working"}`, 200, nil)
		assert.Equal(t, leadAt(s.Test, early).ReopenAt, nil)
		s.Test.Post(early+"/close", `{"reason":"Price"}`, 200, nil)

		a := leads.API{DB: s.DB}
		work := func() { assert.NoError(t, jobs.Run(t.Context(), a.ReopenDue, leads.ReopenDue{})) }
		work()
		assert.Equal(t, leadAt(s.Test, until).Status, leads.Lost)
		s.Advance(91 * 24 * time.Hour)
		work()
		work()
		l := leadAt(s.Test, until)
		assert.Equal(t, l.Status, leads.Working)
		assert.Equal(t, l.Awaiting, leads.Us)
		assert.Equal(t, l.AwaitingSince.UnixMilli(), l.UpdatedAt.UnixMilli())
		assert.Equal(t, l.LostReason, nil)
		assert.Equal(t, leadAt(s.Test, forever).Status, leads.Lost)
		assert.Equal(t, leadAt(s.Test, early).Status, leads.Lost)
		assert.Equal(t, s.EventTypes(l.ID), []string{"lead.created", "lead.lost", "lead.updated"})

		path := "/v1/leads/" + s.Test.Lead(nil) + "/close"
		s.Test.Post(path, `{"reason":"Price","reopen_at":"2026-01-01T00:00:00Z"}`, 422, nil).WantDetail(t, "reopen_at", "minimum")
		s.Test.Post(path, `{"reason":"Price","reopen_at":"2126-01-01T00:00:00Z"}`, 422, nil).WantDetail(t, "reopen_at", "maximum")
	})
}

// A dealership has reasons to choose from, and can list its own.
func TestLostReasons(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var d dealership.Dealership
		s.Test.Get("/v1/dealership", 200, &d)
		assert.Equal(t, d.Settings.LostReasons[:2], []string{"Bought elsewhere", "Price"})
		s.Test.Patch("/v1/dealership", `{"settings":{"lost_reasons":["No slip","Price"]}}`, 200, &d)
		assert.Equal(t, d.Settings.LostReasons, []string{"No slip", "Price"})
		s.Test.Patch("/v1/dealership", `{"settings":{"lost_reasons":[]}}`, 200, &d)
		assert.Equal(t, d.Settings.LostReasons, []string{})

		change := func(reasons ...string) *testkit.Response {
			return s.Test.Patch("/v1/dealership", map[string]any{"settings": map[string]any{"lost_reasons": reasons}}, 422, nil)
		}
		change("Price", " price").WantDetail(t, "settings.lost_reasons[1]", "duplicate")
		change(" ").WantDetail(t, "settings.lost_reasons[0]", "too_short")
		change(strings.Repeat("x", 101)).WantDetail(t, "settings.lost_reasons[0]", "too_long")
	})
}
