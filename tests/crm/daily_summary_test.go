package crm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/jobs"
	"slipway/internal/summaries"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// letters returns the emails to an address in the outbox folder, without quoted-printable line ends.
func letters(t *testing.T, s *testkit.Server, to string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Data, "outbox", "*.eml"))
	assert.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		assert.NoError(t, err)
		if strings.Contains(string(text), "To: <"+to+">") && strings.Contains(string(text), "Your day at") {
			all = append(all, strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(text)))
		}
	}
	return all
}

// summing runs the jobs of the daily summary.
func summing(t *testing.T, s *testkit.Server) (morning func(), send func(userID, day string)) {
	t.Helper()
	mailer, err := s.Settings().Mailer()
	assert.NoError(t, err)
	a := summaries.API{DB: s.DB, Jobs: s.App.Jobs, Mail: mailer, MailFrom: "slipway@example.com"}
	morning = func() { assert.NoError(t, jobs.Run(t.Context(), a.FindDue, summaries.FindDue{})) }
	send = func(userID, day string) {
		env := testkit.Rows[int64](s, `SELECT env FROM users WHERE id = ?`, userID)[0]
		assert.NoError(t, jobs.Run(t.Context(), a.SendSummary, summaries.SendSummary{Env: auth.Env(env), UserID: userID, Day: day}))
	}
	return morning, send
}

// Someone who turned the summary on gets one email per morning with what needs them, and none if nothing does.
func TestDailySummary(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.StopClock(time.Date(2026, 12, 1, 15, 0, 0, 0, time.UTC)) // 10 AM in New York
		p := s.Person("sales")
		path := "/v2-preview/users/" + p.ID + "/daily_summary"
		var set summaries.DailySummary
		p.Get(path, 200, &set)
		assert.Equal(t, set.Enabled, false)
		assert.Equal(t, set.SendAt, "07:00")
		p.Put(path, `{"enabled": true, "send_at": "7:00"}`, 422, nil).WantDetail(t, "send_at", "pattern")
		p.Put(path, `{"enabled": true}`, 200, &set)
		assert.Equal(t, set.NextAt.UTC().Format(time.RFC3339), "2026-12-02T12:00:00Z")
		s.Person("sales").Put(path, `{"enabled": false}`, 403, nil)
		s.Person("sales").Get(path, 403, nil)

		morning, send := summing(t, s)
		queued := func() int {
			return testkit.Rows[int](s, `SELECT COUNT(*) FROM river_job WHERE kind = 'send_daily_summary'`)[0]
		}
		morning()
		assert.Equal(t, queued(), 0, "it is not 7:00 yet")
		s.Advance(21 * time.Hour)
		morning()
		morning()
		assert.Equal(t, queued(), 1)
		send(p.ID, "2026-12-02")
		assert.Equal(t, len(letters(t, s, p.Email)), 0, "nothing needs the user")

		// The next morning, something does.
		location := s.Test.Location()
		hull := s.Test.Hull(location, nil)
		var lead struct{ ID string }
		s.Test.Post("/v1/leads", map[string]any{
			"contact": map[string]any{"first_name": "Maren", "last_name": "Holt", "email": "maren@example.com"}, "source": "web", "hull_id": hull, "message": "Is it still there?",
		}, 201, &lead)
		p.Client = s.As(s.Token(p.Email))
		p.Put("/v2-preview/hulls/"+hull+"/hold", map[string]any{"expires_at": "2026-12-03T20:00:00Z"}, 200, nil)
		s.Test.Post("/v2-preview/activities", map[string]any{
			"kind": "task", "object_id": lead.ID, "body": "Send the survey <b>", "user_id": p.ID, "due_at": "2026-12-03T15:00:00Z",
		}, 201, nil)
		s.Advance(24 * time.Hour)
		morning()
		assert.Equal(t, queued(), 2)
		send(p.ID, "2026-12-03")
		send(p.ID, "2026-12-03") // the job runs again
		all := letters(t, s, p.Email)
		assert.Equal(t, len(all), 1)
		for _, part := range []string{"Maren Holt", "waits for", "no owner", "Grady-White Freedom 235", "until 3:00 PM", "Send the survey <b>", "Send the survey &lt;b&gt;",
			"/console/test/leads/" + lead.ID, "/console/test/settings/profile", "Thursday, December 3"} {
			if !strings.Contains(all[0], part) {
				t.Errorf("the email doesn't have %q:\n%s", part, all[0])
			}
		}

		// An email for a day that is over is not sent, and neither is one to someone who turned it off or left.
		send(p.ID, "2026-12-02")
		p.Client = s.As(s.Token(p.Email))
		p.Put(path, `{"enabled": false}`, 200, nil)
		s.Advance(24 * time.Hour)
		morning()
		assert.Equal(t, queued(), 2)
		p.Client = s.As(s.Token(p.Email))
		p.Put(path, `{"enabled": true, "send_at": "07:01"}`, 200, nil)
		s.Test.Post("/v1/users/"+p.ID+"/deactivate", nil, 200, nil)
		s.Advance(2 * time.Minute)
		morning()
		send(p.ID, "2026-12-04")
		assert.Equal(t, len(letters(t, s, p.Email)), 1)
		s.Test.Put(path, `{"enabled": true}`, 409, nil).WantDetail(t, "user_id", "state")
	})
}

// The email has what its reader can read: own locations, and objects whose scope the roles have.
func TestDailySummaryLimits(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.StopClock(time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC))
		here, there := s.Test.Location(), s.Test.Location()
		s.Test.Post("/v1/roles", `{"name": "store", "scopes": ["hulls:read", "hulls:write"], "own_locations": true}`, 201, nil)
		p := s.Person("store")
		s.Test.Patch("/v1/users/"+p.ID, map[string]any{"location_ids": []string{here}}, 200, nil)
		for place, model := range map[string]string{here: "Freedom 100", there: "Freedom 200"} {
			hull := s.Test.Hull(place, map[string]any{"model": model})
			s.Test.Post("/v1/hulls/"+hull+"/transition", map[string]any{"to": "on_hold", "expires_at": "2026-12-02T20:00:00Z"}, 200, nil)
		}
		s.Test.Lead(nil)
		p.Put("/v2-preview/users/"+p.ID+"/daily_summary", `{"enabled": true}`, 200, nil)
		_, send := summing(t, s)
		send(p.ID, "2026-12-02")
		all := letters(t, s, p.Email)
		assert.Equal(t, len(all), 1)
		if !strings.Contains(all[0], "Freedom 100") || strings.Contains(all[0], "Freedom 200") || strings.Contains(all[0], "Waiting") {
			t.Errorf("got the email\n%s", all[0])
		}
	})
}
