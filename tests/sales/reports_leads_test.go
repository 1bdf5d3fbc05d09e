package sales

import (
	"testing"
	"time"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

func TestLeadsReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z") // January 31 in New York
		lead := func(source string, changes map[string]any) string {
			body := map[string]any{"source": source}
			for k, v := range changes {
				body[k] = v
			}
			return s.Test.Lead(body)
		}
		sold, open := lead("web", nil), lead("web", nil)
		lead("web", nil)
		var deal struct{ ID string }
		for i, id := range []string{sold, open} {
			s.Test.Post("/v1/leads/"+id+"/convert", map[string]any{"hull_id": w.hull(w.east, "2027-01-01", 1000, 0), "offer_usd": 900}, 201, &deal)
			if i == 0 {
				s.Exec(`UPDATE deals SET status = 'contracted' WHERE id = ?`, deal.ID)
			}
		}
		s.Advance(time.Hour)
		lost := lead("referral", nil)
		s.Test.Post("/v1/leads/"+lost+"/close", `{"reason": "Bought elsewhere"}`, 200, nil)
		lead("referral", map[string]any{"location_id": w.west})
		contact := s.Test.Contact(nil)
		lead("phone", map[string]any{"contact_id": contact})
		s.Test.Delete("/v1/contacts/"+contact, 204)
		s.Other.Lead(nil)

		const columns = "leads,new,working,converted,lost,conversion_percent,sold,sold_percent"
		w.wantCSV("leads", "source,"+columns, "web,3,1,0,2,0,66.7,1,33.3", "referral,2,1,0,0,1,0,0,0", "phone,1,0,0,0,1,0,0,0")
		w.wantCSV("leads?table=months", "month,"+columns, "2027-01,3,1,0,2,0,66.7,1,33.3", "2027-02,3,1,0,0,2,0,0,0")
		w.wantCSV("leads?location_id="+w.west+"&table=months", "month,"+columns, "2027-01,1,1,0,0,0,0,0,0")
		w.wantCSV("leads?table=lost_reasons", "reason,leads,percent", "Bought elsewhere,1,50", "Other,1,50")
		w.wantCSV("leads?date_after=2027-02-01", "source,"+columns, "referral,2,1,0,0,1,0,0,0", "phone,1,0,0,0,1,0,0,0")
		assert.Contains(t, csv(t, s.As(s.Key(auth.LeadsRead)), "leads"), "\nweb,3,1,0,2,0,66.7,,\n", "without deals:read")
	})
}

func TestResponsesReport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		w := newWorld(t, s, "2027-02-01T04:30:00Z") // 23:30 on January 31 in New York, 20:30 in Los Angeles
		created := s.DB.Now()
		user := s.Test.User(nil)
		lead := func(source string, changes map[string]any) string {
			body := map[string]any{"source": source}
			for k, v := range changes {
				body[k] = v
			}
			return s.Test.Lead(body)
		}
		message := func(lead string, after time.Duration, automatic, notice bool) {
			t.Helper()
			body := `{"channel": "sms", "purpose": "transactional", "body": "Hello"}`
			if _, err := s.Test.Send("POST", "/v1/leads/"+lead+"/messages", body); err != nil {
				t.Fatal(err)
			}
			n := testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE lead_id = ? AND direction = 'outbound'`, lead)[0]
			assert.Equal(t, n, 1, "messages")
			s.Exec(`UPDATE messages SET sent_at = ?, automatic = ?, notice = ? WHERE lead_id = ?`, created.Add(after), automatic, notice, lead)
		}
		call := func(lead, kind string, after time.Duration) {
			s.Test.Post("/v2-preview/activities", map[string]any{"object_id": lead, "kind": kind, "body": "Spoke",
				"occurred_at": created.Add(after).Format(time.RFC3339)}, 201, nil)
		}
		quick := lead("web", map[string]any{"owner_id": user})
		slow := lead("web", nil)
		both := lead("email", map[string]any{"owner_id": user, "location_id": w.west})
		lead("email", nil) // not answered
		robot, reminded := lead("web", nil), lead("web", nil)
		noted := lead("web", nil)
		lead("phone", nil)
		lead("walk_in", nil)
		lead("import", nil)
		s.Advance(26 * time.Hour)
		message(quick, 4*time.Minute, false, false)
		message(slow, 25*time.Hour, false, false)
		message(both, 3*time.Hour, false, false)
		call(both, "call", time.Hour)
		message(robot, time.Minute, true, false)
		message(reminded, time.Minute, false, true)
		call(noted, "note", time.Minute)
		s.Test.Post("/v1/leads/"+noted+"/close", `{"reason": "Gone"}`, 200, nil)
		s.Other.Lead(nil)

		const columns = "leads,answered,unanswered,overdue,awaiting,within_5_minutes,within_1_hour,within_1_day,median_seconds,p90_seconds"
		w.wantCSV("responses", "source,"+columns, "web,5,2,3,2,4,1,1,1,240,90000", "email,2,1,1,1,1,0,1,1,3600,3600")
		w.wantCSV("responses?table=owners", "owner_id,"+columns, user+",2,2,0,0,1,1,2,2,240,3600")
		w.wantCSV("responses?date_before=2027-01-30", "source,"+columns)
		w.wantCSV("responses?location_id="+w.west, "source,"+columns, "email,1,1,0,0,0,0,1,1,3600,3600")
		assert.Contains(t, csv(t, s.Test, "responses?table=hours"), "\n23,7,3,4,3,5,1,2,2,3600,90000")
		assert.Contains(t, csv(t, s.Test, "responses?table=hours&location_id="+w.west), "\n20,1,1,0,0,0,0,1,1,3600,3600\n")
	})
}
