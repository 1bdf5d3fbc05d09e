package crm

import (
	"testing"
	"time"

	"slipway/internal/activities"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/plans"
	"slipway/internal/platform/jobs"
	"slipway/internal/reports"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

const webPlan = `{"name": "Web leads", "sources": ["web"], "steps": [
	{"day": 0, "kind": "sms", "body": "Hi {first_name|there}, thank you for your message. When can I call you?"},
	{"day": 1, "kind": "task", "body": "Call {first_name|the customer}"},
	{"day": 3, "kind": "email", "subject": "Your boat", "body": "Hi {first_name|there}, are you still looking?"}]}`

// plansOf returns the plans of a lead.
func plansOf(s *testkit.Server, path string) []plans.LeadPlan {
	var p page.Page[plans.LeadPlan]
	s.Test.Get("/v2-preview"+path[len("/v1"):]+"/plans", 200, &p)
	return p.Data
}

// webLead creates a lead from a form, with a message and a phone number.
func webLead(s *testkit.Server, name, number string) string {
	return "/v1/leads/" + created(s, "/v1/leads", map[string]any{"source": "web", "message": "Is it available?",
		"contact": map[string]any{"first_name": name, "phone": number, "email": name + "@example.com", "timezone": "America/New_York"}})
}

// planner runs the jobs of plans.
func planner(s *testkit.Server, p *textProvider, t *testing.T) func(path string) {
	t.Helper()
	w := newWorker(t, s, nil, p)
	a := plans.API{DB: s.DB, Jobs: s.Jobs, Messages: w.API}
	return func(path string) {
		t.Helper()
		one := plansOf(s, path)[0]
		for range 2 { // the second is a job that runs again
			assert.NoError(t, jobs.Run(t.Context(), a.RunPlanStep, plans.RunPlanStep{Env: w.env, LeadPlanID: one.ID, Step: len(one.Results)}))
		}
	}
}

// A plan starts for a new lead from its source, and runs each step once on its day. Its messages are no answer.
func TestFollowUpPlan(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		planID := created(s, "/v2-preview/follow_up_plans", webPlan)
		run := planner(s, &textProvider{}, t)
		ann, other := webLead(s, "Ann", "+14105550101"), "/v1/leads/"+s.Test.Lead(map[string]any{"source": "phone"})
		assert.Equal(t, len(plansOf(s, other)), 0)

		run(ann)
		sent := messagesOf(s, ann)
		assert.Equal(t, len(sent), 1)
		assert.Equal(t, *sent[0].Body, "Hi Ann, thank you for your message. When can I call you?")
		p := plansOf(s, ann)[0]
		assert.Equal(t, null.Text(p.Results[0].MessageID), sent[0].ID)
		assert.Equal(t, *p.NextAt, p.StartedAt.AddDate(0, 0, 1))
		assert.Equal(t, leadAt(s.Test, ann).Awaiting, leads.Us)
		run(ann)
		assert.Equal(t, len(plansOf(s, ann)[0].Results), 1)

		s.Advance(24 * time.Hour)
		run(ann)
		var tasks page.Page[activities.Activity]
		s.Test.Get("/v2-preview/activities?kind=task&object_id="+ann[len("/v1/leads/"):], 200, &tasks)
		assert.Equal(t, len(tasks.Data), 1)
		assert.Equal(t, *tasks.Data[0].Body, "Call Ann")
		s.Advance(48 * time.Hour)
		run(ann)
		p = plansOf(s, ann)[0]
		assert.Equal(t, p.Status, plans.Finished)
		assert.Equal(t, len(messagesOf(s, ann)), 2)

		s.Test.Post("/v2-preview"+other[3:]+"/plans", map[string]any{"plan_id": planID}, 201, nil)
		run(other)
		assert.Equal(t, null.Text(plansOf(s, other)[0].Results[0].Code), "consent_missing")
		s.Test.Post("/v2-preview/lead_plans/"+plansOf(s, other)[0].ID+"/stop", nil, 200, nil)
		s.Test.Post("/v2-preview/lead_plans/"+plansOf(s, other)[0].ID+"/stop", nil, 409, nil)
		s.Test.Post("/v2-preview/follow_up_plans", `{"name":"x","steps":[{"day":2,"kind":"task","body":"a"},{"day":1,"kind":"sms","body":"{x}"}]}`, 422, nil).
			WantDetail(t, "steps[1].day", "minimum")
	})
}

// Any answer stops a plan, and so does the end of the lead. A text message waits for the morning.
func TestPlanStops(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s).Add(8*time.Hour)) // 21:00 in New York or later
		created(s, "/v2-preview/follow_up_plans", webPlan)
		run := planner(s, &textProvider{}, t)
		ann, ben, cleo := webLead(s, "Ann", "+14105550101"), webLead(s, "Ben", "+14105550102"), webLead(s, "Cleo", "+14105550103")
		run(ann)
		p := plansOf(s, ann)[0]
		assert.Equal(t, len(p.Results), 0)
		zone, err := time.LoadLocation("America/New_York")
		assert.NoError(t, err)
		assert.Equal(t, p.NextAt.In(zone).Hour(), 8)
		assert.Equal(t, len(messagesOf(s, ann)), 0)

		s.Advance(time.Minute)
		s.Test.Post(ann+"/inbound_messages", `{"channel":"sms","from":"+14105550101","body":"Call me tomorrow"}`, 201, nil)
		s.Test.Post(ben+"/close", `{"reason":"Price"}`, 200, nil)
		for path, why := range map[string]plans.LeadPlanEnd{ann: plans.Answered, ben: plans.Closed} {
			p := plansOf(s, path)[0]
			assert.Equal(t, p.Status, plans.Stopped)
			assert.Equal(t, *p.Reason, why)
			s.Advance(12 * time.Hour)
			run(path)
			for _, m := range messagesOf(s, path) {
				assert.Equal(t, m.Direction, messages.Inbound)
			}
		}
		s.Test.Post("/v2-preview"+cleo[3:]+"/plans", map[string]any{"plan_id": plansOf(s, cleo)[0].PlanID}, 201, nil)
		assert.Equal(t, *plansOf(s, cleo)[1].Reason, plans.Replaced)
	})
}

// A stalled lead goes to the next user in turn, if the dealership wants it. The responses report compares
// locations with their goals.
func TestReassignStalledAndGoals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := leads.API{DB: s.DB}
		users := []string{s.Test.User(map[string]any{"takes_leads": true}), s.Test.User(map[string]any{"takes_leads": true})}
		location := s.Test.Location()
		s.Test.Patch("/v1/locations/"+location, `{"response_goal_minutes": 15}`, 200, nil)
		lead := "/v1/leads/" + s.Test.Lead(map[string]any{"location_id": location, "owner_id": users[0], "source": "web"})
		stalled := func() {
			s.Advance(73 * time.Hour)
			assert.NoError(t, jobs.Run(t.Context(), a.FindStalled, leads.FindStalled{}))
		}
		stalled()
		assert.Equal(t, null.Text(leadAt(s.Test, lead).OwnerID), users[0])
		s.Test.Patch("/v1/dealership", `{"settings":{"reassign_stalled":true}}`, 200, nil)
		s.Test.Post(lead+"/assign", map[string]any{"user_id": users[0]}, 200, nil)
		stalled()
		assert.Equal(t, null.Text(leadAt(s.Test, lead).OwnerID) != users[0], true)

		var r reports.ResponsesReport
		s.Test.Get("/v2-preview/reports/responses", 200, &r)
		assert.Equal(t, len(r.Locations), 1)
		assert.Equal(t, *r.Locations[0].GoalMinutes, int64(15))
		assert.Equal(t, *r.Locations[0].WithinGoal, int64(0))
	})
}
