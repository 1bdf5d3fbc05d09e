package crm

import (
	"testing"
	"time"

	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

// leadAt returns a lead by its path.
func leadAt(c *testkit.Client, path string) (l leads.Lead) {
	c.Get(path, 200, &l)
	return l
}

// awaiting returns the counts.
func awaiting(c *testkit.Client) (n leads.AwaitingLeads) {
	c.Get("/v2-preview/awaiting_leads", 200, &n)
	return n
}

// The first answer of a user takes a lead off the list, moves it to contacted and assigns it. When
// the customer writes, it is on the list again.
func TestAnswerTakesLeadOffTheList(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		path := leadWithConsent(s, nil)
		l := leadAt(s.Test, path)
		assert.Equal(t, l.Awaiting, leads.Us)
		assert.Equal(t, *l.AwaitingSince, l.CreatedAt)
		seller := s.Person("sales")
		c := s.As(s.Token(seller.Email))
		assert.Equal(t, awaiting(c).Everyone, 1)
		assert.Equal(t, awaiting(c).Mine, 1)

		var m messages.LeadMessage
		c.Post(path+"/messages", aText, 202, &m)
		assert.Equal(t, m.SentBy.ID, seller.ID)
		l = leadAt(s.Test, path)
		assert.Equal(t, l.Awaiting, leads.Them)
		assert.Equal(t, l.Status, leads.Contacted)
		assert.Equal(t, *l.OwnerID, seller.ID)
		assert.Equal(t, awaiting(c).Everyone, 0)
		assert.Equal(t, awaiting(c).AnsweredToday, 1)
		var history page.Page[leads.LeadAssignment]
		s.Test.Get(path+"/assignments", 200, &history)
		assert.Equal(t, history.Data[0].Reason, new("First answer"))

		s.Advance(time.Hour)
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"Is the trailer included?"}`, 201, &m)
		first := *m.ReceivedAt
		s.Advance(time.Hour)
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"Hello?"}`, 201, nil)
		l = leadAt(s.Test, path)
		assert.Equal(t, l.Awaiting, leads.Us)
		assert.Equal(t, l.AwaitingSince.UnixMilli(), first.UnixMilli())

		// A note is no answer, and a call is one.
		s.Test.Post("/v2-preview/activities", map[string]any{"object_id": l.ID, "kind": "note", "body": "Ask Marcus."}, 201, nil)
		assert.Equal(t, leadAt(s.Test, path).Awaiting, leads.Us)
		s.Test.Post("/v2-preview/activities", map[string]any{"object_id": l.ID, "kind": "call", "body": "It is."}, 201, nil)
		assert.Equal(t, leadAt(s.Test, path).Awaiting, leads.Them)

		// Someone who opts out waits for nobody, and the automatic answer doesn't count.
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"STOP"}`, 201, nil)
		l = leadAt(s.Test, path)
		assert.Equal(t, l.Awaiting, leads.Nobody)
		assert.Equal(t, l.AwaitingSince, nil)
	})
}

// A lead waits again if its answer was not sent, unless it got another one.
func TestAnswerThatFails(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		w := newWorker(t, s, nil, &textProvider{next: []error{&sms.Rejected{Code: "30005"}, &sms.Rejected{Code: "30005"}}})
		path := leadWithConsent(s, nil)
		var question messages.LeadMessage
		s.Test.Post(path+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"Is it still there?"}`, 201, &question)
		send := func() (m messages.LeadMessage) {
			s.Advance(time.Minute)
			s.Test.Post(path+"/messages", aText, 202, &m)
			return m
		}
		fail := func(m messages.LeadMessage) {
			t.Helper()
			assert.NoError(t, jobs.Run(t.Context(), w.SendMessage, messages.SendMessage{Env: w.env, MessageID: m.ID}))
			assert.Equal(t, messagesOf(s, path)[0].Direction, messages.Outbound)
		}

		fail(send())
		l := leadAt(s.Test, path)
		assert.Equal(t, l.Awaiting, leads.Us)
		assert.Equal(t, l.AwaitingSince.UnixMilli(), question.ReceivedAt.UnixMilli())

		first := send()
		send()
		fail(first)
		assert.Equal(t, leadAt(s.Test, path).Awaiting, leads.Them)
	})
}

// The list has the leads that have waited longest first, and a snooze takes one off.
func TestListOfLeadsThatWait(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seller := s.Person("sales")
		c := s.As(s.Token(seller.Email))
		var ids []string
		for range 4 {
			ids = append(ids, c.Lead(nil))
			s.Advance(time.Minute)
		}
		c.Post("/v1/leads/"+ids[1]+"/assign", map[string]any{"user_id": seller.ID}, 200, nil)
		c.Post("/v1/leads/"+ids[2]+"/assign", map[string]any{"user_id": s.Test.User(nil)}, 200, nil)
		list := func(query string) (got []string) {
			t.Helper()
			for next := ""; ; {
				var p page.Page[leads.Lead]
				c.Get("/v2-preview/leads?sort=awaiting_since&limit=2&"+query+next, 200, &p)
				for _, l := range p.Data {
					got = append(got, l.ID)
				}
				if !p.HasMore {
					return got
				}
				next = "&starting_after=" + *p.NextCursor
			}
		}
		assert.Equal(t, list("awaiting=us"), ids)
		assert.Equal(t, list("awaiting=us&owner_id=me"), ids[1:2])
		assert.Equal(t, list("awaiting=us&owner_id=me&or_unowned=true"), []string{ids[0], ids[1], ids[3]})

		tomorrow := s.DB.Now().Add(24 * time.Hour).UTC().Truncate(time.Millisecond)
		var l leads.Lead
		c.Put("/v2-preview/leads/"+ids[0]+"/snooze", map[string]any{"until": tomorrow}, 200, &l)
		assert.Equal(t, l.Awaiting, leads.Nobody)
		assert.Equal(t, list("awaiting=us"), ids[1:])
		assert.Equal(t, list("awaiting=nobody"), ids[:1])
		n := awaiting(c)
		assert.Equal(t, []int64{n.Everyone, n.Mine, n.Snoozed}, []int64{3, 2, 1})
		assert.Equal(t, n.NextWakeAt.UnixMilli(), tomorrow.UnixMilli())
		s.Advance(25 * time.Hour)
		c = s.As(s.Token(seller.Email))
		assert.Equal(t, list("awaiting=us"), ids)

		c.Put("/v2-preview/leads/"+ids[3]+"/snooze", map[string]any{}, 200, nil)
		assert.Equal(t, list("awaiting=us"), ids[:3])
		c.Put("/v2-preview/leads/"+ids[3]+"/snooze", map[string]any{}, 409, nil)
		c.Post("/v2-preview/leads/"+ids[3]+"/wake", nil, 200, nil)
		assert.Equal(t, awaiting(c).Everyone, 4)
	})
}
