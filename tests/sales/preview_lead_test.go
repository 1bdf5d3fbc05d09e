package sales

import (
	"slices"
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// lead is a lead as the preview shows it.
type lead struct {
	ID             string
	ContactID      string      `json:"contact_id"`
	BudgetMin      *rest.Money `json:"budget_min"`
	LastActivityAt time.Time   `json:"last_activity_at"`
	Contact        *struct{ ID, Email string }
	Hull           *shownHull
	Owner          *people.DirectoryUser
	LastMessage    *messages.LeadMessage `json:"last_message"`
}

// leadsOf returns the IDs of a list of leads.
func leadsOf(c *testkit.Client, query string) (ids []string) {
	var p page.Page[lead]
	c.Get("/v2-preview/leads?"+query, 200, &p)
	for _, l := range p.Data {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestExpandLeads(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		boat := s.Test.Hull(s.Test.Location(), nil)
		ben := s.Test.User(map[string]any{"name": "Ben Ray"})
		contact := s.Test.Contact(nil)
		full := s.Test.Lead(map[string]any{"contact_id": contact, "hull_id": boat, "owner_id": ben, "budget_min_usd": 80000})
		bare := s.Test.Lead(nil)
		for _, text := range []string{"Is it there?", "And the trailer?"} {
			s.Test.Post("/v1/leads/"+full+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, nil)
		}

		const all = "expand=contact,hull,owner,last_message"
		var l lead
		s.Test.Get("/v2-preview/leads/"+full, 200, &l)
		assert.Equal(t, *l.BudgetMin, dollars(80000))
		if l.Contact != nil || l.Hull != nil || l.Owner != nil || l.LastMessage != nil {
			t.Errorf("got %+v, want nothing expanded", l)
		}
		s.Test.Get("/v2-preview/leads/"+full+"?"+all, 200, &l)
		assert.Equal(t, l.Contact.ID, contact)
		assert.Equal(t, l.Hull.ID, boat)
		assert.Equal(t, *l.Owner, people.DirectoryUser{ID: ben, Name: "Ben Ray", Initials: "BR", LocationIDs: []string{}, Active: false})
		assert.Equal(t, *l.LastMessage.Body, "And the trailer?")

		var p page.Page[lead]
		s.Test.Get("/v2-preview/leads?"+all, 200, &p)
		assert.Len(t, p.Data, 2)
		assert.Equal(t, p.Data[0].ID, bare)
		assert.Equal(t, p.Data[0].Hull, nil)
		assert.Equal(t, p.Data[0].LastMessage, nil)
		assert.Equal(t, *p.Data[1].LastMessage.Body, "And the trailer?")

		leadsOnly := s.As(s.Key(auth.LeadsRead))
		leadsOnly.Get("/v2-preview/leads?expand=contact,owner,last_message", 200, nil)
		leadsOnly.Get("/v2-preview/leads/"+full+"?expand=hull", 403, nil).WantDetail(t, "expand", "scope", "hulls:read")
		s.Test.Get("/v2-preview/leads?expand=deal", 400, nil)

		var d struct{ Owner *people.DirectoryUser }
		deal := s.Test.Deal(map[string]any{"owner_id": ben})
		s.As(s.Key(auth.DealsRead)).Get("/v2-preview/deals/"+deal+"?expand=owner", 200, &d)
		assert.Equal(t, d.Owner.Name, "Ben Ray")
	})
}

func TestFilterLeads(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owen := s.Person("sales")
		kit := s.Test.Lead(map[string]any{"contact_id": s.Test.Contact(map[string]any{
			"first_name": "Kit", "last_name": "Amari", "email": "kit@example.com", "phone": "+14105550177",
		})})
		mine := s.Test.Lead(map[string]any{"owner_id": owen.ID})
		lost := s.Test.Lead(nil)
		s.Test.Post("/v1/leads/"+lost+"/close", `{"reason": "Bought elsewhere"}`, 200, nil)
		s.Other.Lead(map[string]any{"contact_id": s.Other.Contact(map[string]any{"first_name": "Kit"})})

		for query, want := range map[string][]string{
			"q=kit":                             {kit},
			"q=ama+kit":                         {kit},
			"q=kit%40example.com":               {kit},
			"q=%28410%29+555-0177":              {kit},
			"q=kit+bell":                        nil,
			"q=%2A":                             nil,
			"q=kit&sort=last_activity":          {kit},
			"status_category=open":              {mine, kit},
			"status_category=lost":              {lost},
			"status_category=converted":         nil,
			"status_category=open&status=new":   {mine, kit},
			"owner_id=" + owen.ID:               {mine},
			"assigned=false":                    {lost, kit},
			"sort=newest":                       {lost, mine, kit},
			"sort=last_activity":                {lost, mine, kit},
			"sort=last_activity&assigned=false": {lost, kit},
		} {
			assert.Equal(t, leadsOf(s.Test, query), want, query)
		}
		assert.Equal(t, leadsOf(owen.Client, "owner_id=me"), []string{mine})
		s.Test.Get("/v2-preview/leads?owner_id=me", 400, nil).WantDetail(t, "owner_id", "format")
		s.Test.Get("/v2-preview/deals?owner_id=me", 400, nil).WantDetail(t, "owner_id", "format")
		owen.Get("/v2-preview/deals?owner_id=me", 200, nil)
		s.Test.Get("/v2-preview/leads?status_category=open&status=lost", 400, nil).WantDetail(t, "status_category", "exclusive")
		s.Test.Get("/v2-preview/leads?sort=score", 400, nil)
	})
}

// An inbox starts with the lead that last wrote or was worked on. Pages stay correct if
// leads move, and if several have the same time.
func TestLeadsByLastActivity(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.StopClock(time.Date(2026, 12, 1, 15, 0, 0, 0, time.UTC))
		var same []string
		for range 3 {
			same = append(same, s.Test.Lead(nil))
		}
		slices.Reverse(same)
		s.Advance(time.Minute)
		last := s.Test.Lead(nil)
		assert.Equal(t, leadsOf(s.Test, "sort=last_activity"), append([]string{last}, same...), "by ID if the time is the same")

		s.Advance(time.Minute)
		s.Test.Post("/v1/leads/"+same[2]+"/inbound_messages", `{"channel": "sms", "from": "+14105550123", "body": "Hello?"}`, 201, nil)
		s.Advance(time.Minute)
		s.Test.Post("/v2-preview/activities", map[string]any{"object_id": same[1], "kind": "call", "body": "Called back"}, 201, nil)
		want := []string{same[1], same[2], last, same[0]}
		assert.Equal(t, leadsOf(s.Test, "sort=last_activity"), want)
		s.Test.Post("/v1/leads/"+same[0]+"/signals", `{"kind": "page_view"}`, 201, nil)
		assert.Equal(t, leadsOf(s.Test, "sort=last_activity"), want, "a signal is not an activity")

		for _, limit := range []string{"1", "2", "3"} {
			var down []string
			after, back := "", ""
			for {
				var p page.Page[leads.Lead]
				s.Test.Get("/v2-preview/leads?sort=last_activity&limit="+limit+after, 200, &p)
				for _, l := range p.Data {
					down = append(down, l.ID)
				}
				if p.PrevCursor != nil {
					back = *p.PrevCursor
				}
				if p.NextCursor == nil {
					break
				}
				after = "&starting_after=" + *p.NextCursor
			}
			assert.Equal(t, down, want, "limit", limit)

			up := []string{}
			for back != "" {
				var p page.Page[leads.Lead]
				s.Test.Get("/v2-preview/leads?sort=last_activity&limit="+limit+"&ending_before="+back, 200, &p)
				for _, l := range slices.Backward(p.Data) {
					up = append(up, l.ID)
				}
				back = ""
				if p.PrevCursor != nil {
					back = *p.PrevCursor
				}
			}
			slices.Reverse(up)
			assert.Equal(t, up, want[:len(up)], "back, with limit", limit)
		}

		s.Test.Get("/v2-preview/leads?sort=last_activity&starting_after="+last, 400, nil).WantDetail(t, "starting_after", "cursor")
		s.Test.Get("/v2-preview/leads?starting_after=last_activity_1", 400, nil).WantDetail(t, "starting_after", "cursor")
	})
}
