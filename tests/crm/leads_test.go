package crm

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"slipway/internal/contacts"
	"slipway/internal/identity/people"
	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestCreateLead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc := s.Test.Location()
		hull := s.Test.Hull(loc, nil)
		var l, again, got leads.Lead
		body := map[string]any{
			"contact": map[string]any{"first_name": "Ann", "email": "Ann@example.com", "phone": "410-555-0123"}, "source": "web", "hull_id": hull,
			"message": "Is it still there?", "budget_min_usd": 80000, "budget_max_usd": 130000, "metadata": map[string]any{"utm": "x"},
		}
		res := s.Test.Post("/v1/leads", body, 201, &l)
		assert.Equal(t, l.Status, leads.StatusNew)
		assert.Equal(t, l.LocationID, new(loc))
		assert.Equal(t, l.Score, 0)
		assert.Equal(t, l.OwnerID, nil)
		assert.Equal(t, res.Header.Get("ETag"), `"1"`)

		read := s.Test.Get("/v1/leads/"+l.ID, 200, nil)
		assert.Equal(t, string(read.Bytes), string(res.Bytes), "read after create")
		// The same email or the same phone means the same contact.
		s.Test.Post("/v1/leads", map[string]any{"contact": map[string]any{"last_name": "Bell", "email": "ann@example.com"}}, 201, &again)
		assert.Equal(t, again.ContactID, l.ContactID, "by email")
		assert.Equal(t, again.Source, "other", "by email")
		s.Test.Post("/v1/leads", map[string]any{"contact": map[string]any{"phone": "+1 (410) 555-0123"}}, 201, &again)
		assert.Equal(t, again.ContactID, l.ContactID, "by phone")
		s.Test.Post("/v1/leads", map[string]any{"contact": map[string]any{"last_name": "Bell"}}, 201, &again)
		if again.ContactID == l.ContactID {
			t.Error("the same name alone matched a contact")
		}

		var people page.Page[contacts.Contact]
		s.Test.Get("/v1/contacts", 200, &people)
		assert.Len(t, people.Data, 2)
		s.Test.Patch("/v1/leads/"+l.ID, `{"status":"contacted","hull_id":null,"metadata":{"utm":null}}`, 200, &got)
		assert.Equal(t, got.Status, leads.Contacted)
		assert.Equal(t, got.HullID, nil)
		assert.Equal(t, got.LocationID, new(loc))
		assert.Equal(t, len(got.Metadata), 0)
		assert.Equal(t, got.Version, 2)

		f := s.Test.Post("/v1/leads", `{"contact":{"phone":"12"},"budget_min_usd":2,"budget_max_usd":1}`, 422, nil).Fault(t)
		f.WantDetail(t, "contact.phone", "format", "all errors together")
		f.WantDetail(t, "budget_min_usd", "maximum", "all errors together")
		s.Test.Post("/v1/leads", `{"source":"web"}`, 400, nil)

		f = s.Test.Post("/v1/leads", map[string]any{"contact_id": l.ContactID, "hull_id": "hull_00000000000000000000000000",
			"location_id": "loc_00000000000000000000000000"}, 422, nil).Fault(t)
		f.WantDetail(t, "hull_id", "not_found")
		f.WantDetail(t, "location_id", "not_found")
		s.Test.Post("/v1/leads", `{"contact_id":"con_00000000000000000000000000"}`, 422, nil).WantDetail(t, "contact_id", "not_found")
	})
}

// What a customer writes is kept, also if the contact is known.
func TestInlineContactOfAKnownCustomer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		ann := s.Test.Contact(map[string]any{"first_name": "Ann", "last_name": nil, "email": "ann@example.com", "phone": nil})
		send := func(contact string) (l leads.Lead) {
			t.Helper()
			s.Test.Post("/v1/leads", `{"contact":`+contact+`}`, 201, &l)
			return l
		}
		get := func() (c contacts.Contact) {
			s.Test.Get("/v1/contacts/"+ann, 200, &c)
			return c
		}

		// A new phone number and a missing name are filled in.
		l := send(`{"first_name":"ann","last_name":"Bell","email":"Ann@example.com","phone":"(410) 555-0123","address":{"region":"MD"}}`)
		assert.Equal(t, l.ContactID, ann)
		assert.Equal(t, l.PossibleMismatch, false)
		assert.Equal(t, l.SubmittedContact.Phone, new("(410) 555-0123"))
		assert.Equal(t, get().Phone, new("+14105550123"))
		assert.Equal(t, get().LastName, new("Bell"))
		assert.Equal(t, get().Address.Region, new("MD"))
		version := get().Version

		// Another name, number and address are kept on the lead.
		l = send(`{"first_name":"Bob","last_name":"Bell","email":"ann@example.com","phone":"410-555-0199","address":{"region":"VA"}}`)
		assert.Equal(t, l.ContactID, ann)
		assert.Equal(t, l.PossibleMismatch, true)
		assert.Equal(t, l.SubmittedContact.FirstName, new("Bob"))
		assert.Equal(t, l.SubmittedContact.Phone, new("410-555-0199"))
		assert.Equal(t, l.SubmittedContact.Address.Region, new("VA"))
		assert.Equal(t, get().FirstName, new("Ann"))
		assert.Equal(t, get().Phone, new("+14105550123"))
		assert.Equal(t, get().Version, version)

		var again leads.Lead
		s.Test.Get("/v1/leads/"+l.ID, 200, &again)
		assert.Equal(t, again, l, "read again")
		s.Test.Get("/v1/leads/"+s.Test.Lead(map[string]any{"contact_id": ann}), 200, &again)
		assert.Equal(t, again.SubmittedContact, nil)

		// The record of what was written is erased with the contact.
		s.Test.Do("DELETE", "/v1/contacts/"+ann, nil, 204, nil)
		s.Test.Get("/v1/leads/"+l.ID, 200, &again)
		assert.Equal(t, again.SubmittedContact, nil)
	})
}

// Numbers that people make up for a form don't join strangers. Numbers for tests
// are real here.
func TestPlaceholderNumbersMatchNoOne(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		send := func(name, phone string) (l leads.Lead) {
			t.Helper()
			s.Test.Post("/v1/leads", map[string]any{"contact": map[string]any{"last_name": name, "phone": phone}}, 201, &l)
			return l
		}
		for _, number := range []string{"111-111-1111", "999-999-9999", "123-456-7890", "410-155-0100", "123-555-0100"} {
			if a, b := send("Bell", number), send("Smith", number); a.ContactID == b.ContactID {
				t.Errorf("%s: two people are the same contact", number)
			}
		}
		a, b := send("Bell", "410-555-0100"), send("Bell", "(410) 555-0100")
		assert.Equal(t, a.ContactID, b.ContactID)
	})
}

// A form that is sent twice creates one contact.
func TestConcurrentContacts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				res, err := s.Test.Send("POST", "/v1/leads", `{"contact":{"first_name":"Ann","email":"ann@example.com","phone":"+14105550123"}}`)
				if err != nil || res.StatusCode != 201 {
					t.Errorf("got %v %s; want status 201", err, assert.Show(res))
				}
			})
		}
		wg.Wait()
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM contacts`)[0], 1)
	})
}

func TestLeadLifecycle(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Lead(nil)
		path := "/v1/leads/" + id
		var l leads.Lead
		s.Test.Patch(path, `{"status":"qualified"}`, 200, nil)
		s.Test.Post(path+"/close", `{}`, 400, nil)
		s.Test.Post(path+"/close", `{"reason":"price"}`, 200, &l)
		assert.Equal(t, l.Status, leads.Lost)
		assert.Equal(t, l.LostReason, new("price"))
		s.Test.Post(path+"/close", `{"reason":"price"}`, 409, nil)
		s.Test.Post(path+"/assign", `{"strategy":"round_robin"}`, 409, nil)
		s.Test.Patch(path, `{"status":"new"}`, 409, nil).WantDetail(t, "status", "state")
		s.Test.Patch(path, `{"status":"working"}`, 200, &l)
		assert.Equal(t, l.Status, leads.Working)
		assert.Equal(t, l.LostReason, nil)

		env := s.TestEnv()
		convert := func(deal string) error {
			_, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (leads.Lead, error) {
				tx = tx.In(env)
				l, err := leads.Find(ctx, tx, id)
				if err != nil {
					return l, err
				}
				return l, leads.Convert(ctx, tx, &l, deal)
			})
			return err
		}

		if err := convert("deal_1"); err != nil {
			t.Fatal(err)
		}
		if err := convert("deal_2"); err == nil {
			t.Error("converted twice")
		}

		s.Test.Get(path, 200, &l)
		assert.Equal(t, l.Status, leads.Converted)
		assert.Equal(t, l.DealID, new("deal_1"))
		s.Test.Patch(path, `{"status":"working"}`, 409, nil).WantDetail(t, "status", "state")

		want := []string{"lead.created", "lead.qualified", "lead.lost", "lead.updated", "lead.converted"}
		if got := s.EventTypes(id); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestLeadFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		loc, user := s.Test.Location(), s.Test.User(nil)
		hull, contact := s.Test.Hull(loc, nil), s.Test.Contact(nil)
		a := s.Test.Lead(map[string]any{"hull_id": hull, "source": "phone"})
		b := s.Test.Lead(map[string]any{"contact_id": contact, "owner_id": user})
		s.Test.Patch("/v1/leads/"+a, `{"status":"working"}`, 200, nil)

		for query, want := range map[string][]string{
			"": {b, a}, "status=working": {a}, "source=phone": {a}, "contact_id=" + contact: {b}, "hull_id=" + hull: {a}, "location_id=" + loc: {a},
			"owner_id=" + user: {b}, "assigned=true": {b}, "assigned=false": {a}, "stalled=true": {},
			"stalled=false": {b, a}, "needs_review=true": {},
			"needs_review=false&status=new": {b}, "created_after=2199-01-01T00:00:00Z": {}, "updated_after=2001-01-01T00:00:00Z": {b, a},
		} {
			var p page.Page[leads.Lead]
			s.Test.Get("/v1/leads?"+query, 200, &p)
			ids := []string{}
			for _, l := range p.Data {
				ids = append(ids, l.ID)
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s: %v, want %v", query, ids, want)
			}
		}
	})
}

func TestAssign(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id, first, second := s.Test.Lead(nil), s.Test.User(nil), s.Test.User(nil)
		path := "/v1/leads/" + id
		s.Test.Post(path+"/assign", map[string]any{"user_id": first}, 200, nil)
		s.Test.Post(path+"/assign", map[string]any{"user_id": second, "reason": "On holiday"}, 200, nil)

		var history page.Page[leads.LeadAssignment]
		s.Test.Get(path+"/assignments", 200, &history)
		assert.Len(t, history.Data, 2)
		assert.Equal(t, history.Data[0].From, new(first))
		assert.Equal(t, history.Data[0].To, second)
		assert.Equal(t, history.Data[0].Reason, new("On holiday"))
		assert.Equal(t, history.Data[0].Method, "manual")
		assert.Equal(t, history.Data[1].From, nil)
		assert.Equal(t, history.Data[1].Actor.Type, "api_key")
		s.Test.Post(path+"/assign", `{}`, 400, nil)
		s.Test.Post(path+"/assign", map[string]any{"user_id": first, "strategy": "round_robin"}, 422, nil)
		s.Test.Post(path+"/assign", `{"user_id":"usr_00000000000000000000000000"}`, 422, nil).WantDetail(t, "user_id", "not_found")
		s.Test.Post("/v1/users/"+first+"/deactivate", nil, 200, nil)
		s.Test.Post(path+"/assign", map[string]any{"user_id": first}, 422, nil).WantDetail(t, "user_id", "state")
	})
}

// sellers creates active users with the sales role at these locations.
func sellers(s *testkit.Server, n int, locations ...string) (ids []string) {
	sales := s.RoleID("sales")
	for range n {
		id := s.Test.User(map[string]any{"role_ids": []string{sales}, "location_ids": append([]string{}, locations...)})
		s.Activate(id)
		ids = append(ids, id)
	}
	return ids
}

// A hundred concurrent assignments to four users: 25 each, and none to others.
func TestRoundRobinIsFair(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		here, there := s.Test.Location(), s.Test.Location()
		four := sellers(s, 3, here)
		four = append(four, sellers(s, 1)...) // works at all locations
		sellers(s, 1, there)
		gone := sellers(s, 1, here)[0]
		s.Test.Post("/v1/users/"+gone+"/deactivate", nil, 200, nil)
		s.Activate(s.Test.User(map[string]any{"role_ids": []string{s.RoleID("viewer")}}))
		s.Test.User(map[string]any{"role_ids": []string{s.RoleID("sales")}}) // only invited

		contact := s.Test.Contact(nil)
		made := make([]string, 100)
		var wg sync.WaitGroup
		for i := range made {
			wg.Go(func() {
				var l leads.Lead
				res, err := s.Test.Send("POST", "/v1/leads", map[string]any{"contact_id": contact, "location_id": here})
				if err != nil || json.Unmarshal(res.Bytes, &l) != nil {
					t.Errorf("got %v %s; want no errors", err, assert.Show(res))
				}
				made[i] = l.ID
			})
		}
		wg.Wait()
		for _, id := range made {
			wg.Go(func() {
				res, err := s.Test.Send("POST", "/v1/leads/"+id+"/assign", `{"strategy":"round_robin"}`)
				if err != nil || res.StatusCode != 200 {
					t.Errorf("got %v %s; want status 200", err, assert.Show(res))
				}
			})
		}
		wg.Wait()
		turns := map[string]int64{}
		for _, u := range testkit.Rows[string](s, `SELECT owner_id FROM leads WHERE owner_id IS NOT NULL`) {
			turns[u]++
		}
		for _, u := range four {
			assert.Equal(t, turns[u], 25, u)
		}
		assert.Equal(t, len(turns), 4)
	})
}

func TestRoundRobinContinues(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		three := sellers(s, 3)
		slices.Sort(three)
		take := func() string {
			var l leads.Lead
			s.Test.Post("/v1/leads/"+s.Test.Lead(nil)+"/assign", `{"strategy":"round_robin"}`, 200, &l)
			return *l.OwnerID
		}
		got := []string{take(), take()}
		s.Test.Post("/v1/users/"+three[2]+"/deactivate", nil, 200, nil)

		got = append(got, take())
		s.Test.Patch("/v1/users/"+three[2], `{"status":"active"}`, 200, nil)
		s.Activate(three[2])
		got = append(got, take(), take(), take())
		if want := []string{three[0], three[1], three[0], three[1], three[2], three[0]}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		for _, u := range three {
			s.Test.Post("/v1/users/"+u+"/deactivate", nil, 200, nil)
		}

		owner := testkit.Rows[string](s, `SELECT id FROM users WHERE email = 'owner@example.com' ORDER BY env LIMIT 2`)[1]
		assert.Equal(t, take(), owner, "only the owner is left")
	})
}

// Managers and marketing users can write leads, but they don't take them unless
// they want to.
func TestRoundRobinPicksOnlyUsersWhoTakeLeads(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		seller := sellers(s, 1)[0]
		manager := s.Test.User(map[string]any{"role_ids": []string{s.RoleID("manager")}})
		s.Activate(manager)
		s.Activate(s.Test.User(map[string]any{"role_ids": []string{s.RoleID("marketing")}}))
		take := func() string {
			var l leads.Lead
			s.Test.Post("/v1/leads/"+s.Test.Lead(nil)+"/assign", `{"strategy":"round_robin"}`, 200, &l)
			return *l.OwnerID
		}
		assert.Equal(t, []string{take(), take(), take()}, []string{seller, seller, seller})

		var u people.User
		s.Test.Get("/v1/users/"+seller, 200, &u)
		assert.Equal(t, u.TakesLeads, true, "by the sales role")
		s.Test.Patch("/v1/users/"+seller, `{"takes_leads": false}`, 200, &u)
		assert.Equal(t, u.TakesLeads, false)
		s.Test.Patch("/v1/users/"+manager, `{"takes_leads": true}`, 200, &u)
		assert.Equal(t, u.TakesLeads, true)
		assert.Equal(t, []string{take(), take()}, []string{manager, manager})
		s.Test.Patch("/v1/users/"+seller, `{"takes_leads": null}`, 200, &u)
		assert.Equal(t, u.TakesLeads, true, "by the sales role again")
	})
}

func TestSignals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Patch("/v1/dealership", `{"settings":{"qualify_at_score":50}}`, 200, nil)
		id := s.Test.Lead(nil)
		path := "/v1/leads/" + id
		var l leads.Lead
		score := func() int64 {
			s.Test.Get(path, 200, &l)
			return l.Score
		}
		s.Test.Post(path+"/signals", `{"kind":"sea_trial_request","value":2.5,"source":"website"}`, 201, nil)
		assert.Equal(t, score(), 35, l.Score)
		assert.Equal(t, l.Status, leads.StatusNew, l.Score)
		s.Advance(14 * 24 * time.Hour)
		assert.Equal(t, score(), 17, "after a half-life") // 17.5, and a moment later

		old := s.DB.Now().Add(-14 * 24 * time.Hour).Format(time.RFC3339)
		s.Test.Post(path+"/signals", `{"kind":"credit_start","occurred_at":"`+old+`"}`, 201, nil)
		assert.Equal(t, score(), 32, "with a signal from two weeks ago", l.Score)
		assert.Equal(t, l.Status, leads.StatusNew, "with a signal from two weeks ago", l.Score)
		s.Test.Post(path+"/signals", `{"kind":"call"}`, 201, nil)
		s.Test.Post(path+"/signals", `{"kind":"call"}`, 201, nil)
		assert.Equal(t, score(), 62, l.Score)
		assert.Equal(t, l.Status, leads.Qualified, l.Score)
		s.Test.Post(path+"/signals", `{"kind":"credit_start"}`, 201, nil)

		var list page.Page[leads.LeadSignal]
		s.Test.Get(path+"/signals?limit=2", 200, &list)
		assert.Len(t, list.Data, 2)
		assert.Equal(t, list.HasMore, true)
		assert.Equal(t, list.Data[0].Kind, "credit_start")

		qualified := 0
		for _, event := range s.EventTypes(id) {
			if event == "lead.qualified" {
				qualified++
			}
		}
		assert.Equal(t, qualified, 1, "qualified", "times")
		s.Test.Post(path+"/signals", `{"kind":"sneeze"}`, 422, nil)
		s.Test.Post(path+"/signals", `{"kind":"call","occurred_at":"2199-01-01T00:00:00Z"}`, 422, nil).WantDetail(t, "occurred_at", "maximum")
		s.Test.Post(path+"/signals", `{"kind":"call","hull_id":"hull_00000000000000000000000000"}`, 422, nil).
			WantDetail(t, "hull_id", "not_found")
	})
}

// Concurrent signals are all recorded, and all of them count toward the score.
func TestConcurrentSignals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		path := "/v1/leads/" + s.Test.Lead(nil)
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				if res, err := s.Test.Send("POST", path+"/signals", `{"kind":"page_view"}`); err != nil || res.StatusCode != 201 {
					t.Errorf("got %v %s; want no error, res.StatusCode = 201", err, assert.Show(res))
				}
			})
		}
		wg.Wait()
		var l leads.Lead
		s.Test.Get(path, 200, &l)
		assert.Equal(t, l.Score, 60)
		assert.Equal(t, l.Status, leads.Qualified)
	})
}

func TestStalledLeads(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Test.Patch("/v1/dealership", `{"settings":{"stalled_after_hours":10}}`, 200, nil)
		api := &leads.API{DB: s.DB}
		look := func() {
			if err := api.FindStalled(t.Context(), leads.FindStalled{}); err != nil {
				t.Fatal(err)
			}
		}
		isStalled := func(c *testkit.Client, id string) bool {
			var l leads.Lead
			c.Get("/v1/leads/"+id, 200, &l)
			return l.StalledAt != nil
		}
		quiet, touched, lost, live := s.Test.Lead(nil), s.Test.Lead(nil), s.Test.Lead(nil), s.Live.Lead(nil)
		s.Test.Post("/v1/leads/"+lost+"/close", `{"reason":"price"}`, 200, nil)
		s.Advance(9 * time.Hour)
		s.Test.Patch("/v1/leads/"+touched, `{"status":"contacted"}`, 200, nil)
		if look(); isStalled(s.Test, quiet) {
			t.Error("stalled too early")
		}

		s.Advance(time.Hour)
		look()
		look()
		for id, want := range map[string]bool{quiet: true, touched: false, lost: false} {
			assert.Equal(t, isStalled(s.Test, id), want, id, "stalled")
		}
		if isStalled(s.Live, live) {
			t.Error("stalled with the settings of another environment")
		}
		assert.Equal(t, s.EventTypes(quiet), []string{"lead.created", "lead.stalled"})
		// Touched, it may stall again.
		if s.Test.Patch("/v1/leads/"+quiet, `{"timeline":"soon"}`, 200, nil); isStalled(s.Test, quiet) {
			t.Error("stalled although it was changed")
		}
		s.Advance(10 * time.Hour)
		if look(); !isStalled(s.Test, quiet) {
			t.Error("did not stall again")
		}
	})
}
