package crm

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/messages"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// sendText sends a text message and returns the code that blocked it, or "" if it was
// accepted.
func sendText(t *testing.T, s *testkit.Server, lead string) string {
	t.Helper()
	res, err := s.Test.Send("POST", "/v1/leads/"+lead+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode == 202 {
		return ""
	}
	return res.Fault(t).Details[0].Code
}

func agree(s *testkit.Server, lead string) {
	s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels":["sms","email"],"scope":"all","ip":"203.0.113.7"}`, 201, nil)
}

func TestMerge(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		ann := s.Test.Contact(map[string]any{"first_name": "Ann", "phone": "+14105550123", "email": nil, "tags": []string{"a"}})
		anna := s.Test.Contact(map[string]any{"first_name": "Anna", "phone": "+12125550199", "email": "anna@example.com",
			"tags": []string{"b"}, "timezone": "Europe/London"})
		first, second := s.Test.Lead(map[string]any{"contact_id": ann}), s.Test.Lead(map[string]any{"contact_id": anna})
		agree(s, second)
		s.Test.Post("/v1/leads/"+first+"/consents", `{"channels":["sms"],"scope":"all"}`, 201, nil)
		if code := sendText(t, s, second); code != "" {
			t.Fatalf(`got %q, want ""`, code)
		}

		var c, gone contacts.Contact
		s.Test.Post("/v1/contacts/"+ann+"/merge", map[string]any{"duplicate_id": anna}, 200, &c)
		assert.Equal(t, c.FirstName, new("Ann"))
		assert.Equal(t, c.Phone, new("+14105550123"))
		assert.Equal(t, c.Email, new("anna@example.com"))
		assert.Equal(t, c.Timezone, new("Europe/London"))
		assert.Equal(t, c.Tags, []string{"a", "b"})
		assert.Equal(t, c.Version, 2)
		assert.Len(t, c.PossibleDuplicates, 0)
		s.Test.Get("/v1/contacts/"+anna, 200, &gone)
		assert.Equal(t, gone.MergedInto, new(ann))
		assert.Equal(t, gone.FirstName, new("Anna"))
		assert.Equal(t, gone.Version, 2)

		var l leads.Lead
		var sent page.Page[messages.LeadMessage]
		var consents page.Page[consent.Consent]
		s.Test.Get("/v1/leads/"+second, 200, &l)
		s.Test.Get("/v1/leads/"+second+"/messages", 200, &sent)
		s.Test.Get("/v1/contacts/"+ann+"/consents", 200, &consents)
		assert.Equal(t, l.ContactID, ann)
		assert.Equal(t, sent.Data[0].ContactID, ann)
		assert.Len(t, consents.Data, 2)

		var list page.Page[contacts.Contact]
		for query, want := range map[string]string{"q=anna": ann, "": ann, "gone=true": anna, "email=anna@example.com": ann} {
			s.Test.Get("/v1/contacts?"+query, 200, &list)
			assert.Len(t, list.Data, 1, query)
			assert.Equal(t, list.Data[0].ID, want, query)
		}

		// You can't use the merged contact any more.
		for _, f := range []testkit.Fault{
			s.Test.Patch("/v1/contacts/"+anna, `{"first_name":"A"}`, 409, nil).Fault(t),
			s.Test.Post("/v1/contacts/"+anna+"/merge", map[string]any{"duplicate_id": ann}, 409, nil).Fault(t),
			s.Test.Post("/v1/contacts/"+ann+"/merge", map[string]any{"duplicate_id": anna}, 409, nil).Fault(t),
			s.Test.Post("/v1/leads", map[string]any{"contact_id": anna}, 409, nil).Fault(t),
			s.Test.Delete("/v1/contacts/"+anna, 409).Fault(t),
		} {
			f.WantDetail(t, "contact_id", "state")
			assert.Contains(t, f.Message, ann)
		}

		s.Test.Post("/v1/contacts/"+ann+"/merge", map[string]any{"duplicate_id": ann}, 422, nil).WantDetail(t, "duplicate_id", "exclusive")
		s.Test.Post("/v1/contacts/"+ann+"/merge", `{"duplicate_id":"con_00000000000000000000000000"}`, 422, nil).
			WantDetail(t, "duplicate_id", "not_found")
		// After another merge, the first contact points to the last one.
		third := s.Test.Contact(nil)
		s.Test.Post("/v1/contacts/"+third+"/merge", map[string]any{"duplicate_id": ann}, 200, nil)
		s.Test.Get("/v1/contacts/"+anna, 200, &gone)
		assert.Equal(t, gone.MergedInto, new(third))
		assert.Equal(t, testkit.Rows[string](s, `SELECT type FROM {emitted} WHERE object_id = ? ORDER BY sequence`, ann),
			[]string{"contact.created", "contact.merged", "contact.updated"})
	})
}

// Two contacts are merged into each other concurrently. One merge succeeds, and
// no lead is lost.
func TestConcurrentMerges(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for range 5 {
			a, b := s.Test.Contact(nil), s.Test.Contact(nil)
			var wg sync.WaitGroup
			statuses := make([]int, 4)
			for i, path := range []string{a + " " + b, b + " " + a, a, b} {
				wg.Go(func() {
					into, from, merge := strings.Cut(path, " ")
					method, address, body := "POST", "/v1/contacts/"+into+"/merge", map[string]any{"duplicate_id": from}
					if !merge {
						address, body = "/v1/leads", map[string]any{"contact_id": into}
					}
					res, err := s.Test.Send(method, address, body)
					if err != nil {
						t.Error(err)
						return
					}
					statuses[i] = res.StatusCode
				})
			}
			wg.Wait()
			slices.Sort(statuses[:2])
			assert.Equal(t, statuses[:2], []int{200, 409})
		}

		assert.Equal(t, testkit.Rows[int64](s,
			`SELECT COUNT(*) FROM leads l JOIN contacts c ON c.env = l.env AND c.id = l.contact_id WHERE c.merged_into IS NOT NULL`)[0],
			0, "leads of merged contacts")
	})
}

// If one of two merged contacts revoked consent, neither number receives text messages.
func TestRevocationSurvivesMerge(t *testing.T) {
	for name, keepsRevoked := range map[string]bool{"into the one who revoked": true, "into the other": false} {
		t.Run(name, func(t *testing.T) {
			testkit.Each(t, func(t *testing.T, s *testkit.Server) {
				no, yes := s.Test.Contact(map[string]any{"phone": "+14105550123"}), s.Test.Contact(map[string]any{"phone": "+12125550199"})
				a, b := s.Test.Lead(map[string]any{"contact_id": no}), s.Test.Lead(map[string]any{"contact_id": yes})
				agree(s, a)
				agree(s, b)
				s.Test.Post("/v1/leads/"+a+"/inbound_messages", `{"channel":"sms","from":"+14105550123","body":"STOP"}`, 201, nil)
				if code := sendText(t, s, b); code != "" {
					t.Fatalf(`got %q, want ""`, code)
				}

				into, gone := no, yes
				if !keepsRevoked {
					into, gone = yes, no
				}
				s.Test.Post("/v1/contacts/"+into+"/merge", map[string]any{"duplicate_id": gone}, 200, nil)
				for _, lead := range []string{a, b} {
					assert.Equal(t, sendText(t, s, lead), "consent_revoked", lead)
				}
				// The email has no revocation.
				s.Test.Post("/v1/leads/"+a+"/messages", `{"channel":"email","purpose":"transactional","subject":"s","body":"b"}`, 202, nil)
			})
		})
	}
}

func TestExport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(map[string]any{"email": "ann@example.com"})
		lead := s.Test.Lead(map[string]any{"contact_id": contact, "message": "Is she still there?"})
		agree(s, lead)
		s.Test.Post("/v1/leads/"+lead+"/signals", `{"kind":"call"}`, 201, nil)
		s.Test.Post("/v1/leads/"+lead+"/assign", map[string]any{"user_id": s.Test.User(nil)}, 200, nil)
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", `{"channel":"email","from":"ann@example.com","body":"Hello there"}`, 201, nil)
		var out map[string]json.RawMessage
		res := s.Test.Get("/v1/contacts/"+contact+"/export", 200, &out)
		for name, want := range map[string]string{
			"contact": "ann@example.com", "consents": "203.0.113.7", "leads": "Is she still there?", "signals": `"call"`,
			"assignments": `"manual"`, "messages": "Hello there",
		} {
			assert.Contains(t, string(out[name]), want, name)
		}
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM audit_entries WHERE action = 'contact.exported' AND request_id = ?`,
			res.Header.Get("Request-Id"))[0], 1)
	})
}

// A key without deals:read tries to read the deals of a contact in an export.
func TestExportRequiresTheScopesOfItsContents(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(nil)
		for _, scopes := range [][]auth.Scope{{auth.LeadsRead}, {auth.DealsRead}, {auth.LeadsRead, auth.LeadsWrite, auth.Webhooks}} {
			res := s.As(s.Key(scopes...)).Get("/v1/contacts/"+contact+"/export", 403, nil)
			assert.Contains(t, res.Bytes, "leads:read and deals:read")
		}
		s.As(s.Key(auth.LeadsRead, auth.DealsRead)).Get("/v1/contacts/"+contact+"/export", 200, nil)
	})
}

// The schema of the export lists every field of the response.
func TestExportMatchesSchema(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		from := testkit.Rows[string](s, `SELECT from_address FROM quarantined_messages WHERE id = ?`, s.Test.QuarantinedMessage())[0]
		contact := s.Test.Contact(map[string]any{"email": from})
		lead := s.Test.Lead(map[string]any{"contact_id": contact})
		agree(s, lead)
		s.Test.Post("/v1/leads/"+lead+"/signals", `{"kind":"call"}`, 201, nil)
		s.Test.Post("/v1/leads/"+lead+"/assign", map[string]any{"user_id": s.Test.User(nil)}, 200, nil)
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "email", "from": from, "body": "Hello there"}, 201, nil)
		financedDeal(s, contact)
		location := s.Test.Location()
		held, listed := s.Test.Hull(location, nil), s.Test.Hull(location, map[string]any{"ownership": "brokerage"})
		s.Test.Post("/v1/hulls/"+held+"/transition", map[string]any{"to": "on_hold", "contact_id": contact, "reason": "She comes on Saturday"}, 200, nil)
		s.Test.Put("/v2-preview/hulls/"+listed+"/listing_agreement", map[string]any{"owner_contact_id": contact, "kind": "exclusive", "commission_percent": "10"}, 200, nil)
		s.Test.Post("/v2-preview/activities", map[string]any{"object_id": lead, "kind": "note", "body": "Prefers email"}, 201, nil)
		s.Test.Post("/v2-preview/appointments", map[string]any{
			"kind": "call", "lead_id": lead, "user_id": s.Test.User(nil), "location_id": s.Test.Location(), "starts_at": "2027-01-15T10:00",
		}, 201, nil)
		campaign := newCampaign(s, "email", "We have a sale.")
		s.Test.Post(campaign+"/start", `{}`, 200, nil)
		newCampaigner(t, s, &textProvider{}).turn(t, campaign)
		s.Test.Post("/v2-preview/proposals", map[string]any{
			"operation_id": "createActivity", "body": map[string]any{"object_id": lead, "kind": "note", "body": "Call her on Monday"}, "reason": "She asked.",
		}, 201, nil)

		var out map[string]json.RawMessage
		s.Test.Get("/v1/contacts/"+contact+"/export", 200, &out)
		for name, value := range out {
			if string(value) == "[]" || string(value) == "null" {
				t.Errorf("%s is %s, want at least one record", name, value)
			}
		}

		schema := app.Described().Stable().Paths["/v1/contacts/{contact_id}/export"].Get.Responses["200"].Content["application/json"].Schema
		want := slices.Sorted(maps.Keys(schema.Properties))
		assert.Equal(t, slices.Sorted(maps.Keys(out)), want)
	})
}

// financedDeal creates a deal of a buyer with a trade-in, a payment, a document
// and a funding.
func financedDeal(s *testkit.Server, buyer string) {
	path := "/v1/deals/" + s.Test.AcceptedDeal(map[string]any{"buyer_id": buyer, "deal_type": "finance"})
	s.Test.Post(path+"/trade_ins", `{"description": "An outboard", "allowance_cents": 100000}`, 201, nil)
	var structure struct{ ID string }
	s.Test.Post(path+"/finance_structures", `{"apr_percent": "7.49", "term_months": 240, "cash_down_cents": 1800000}`, 201, &structure)
	s.Test.Post(path+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)
	s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, nil)
	s.Test.Post(path+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 100}`, 201, nil)
	s.Test.Post(path+"/documents", `{"kind":"purchase_agreement"}`, 201, nil)
}

// Only the row of an erased contact and its revocations remain.
func TestErase(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		personal := map[string]any{
			"first_name": "Hildegard", "last_name": "Vonbingen", "email": "hildegard@example.com", "phone": "+14105550123",
			"address": map[string]any{"line1": "7 Abbey Road"}, "tags": []string{"abbess"}, "metadata": map[string]any{"born": "1098"},
		}
		contact := s.Test.Contact(personal)
		twin := s.Test.Contact(map[string]any{"first_name": "Hildegard", "email": nil, "phone": nil})
		lead := s.Test.Lead(map[string]any{"contact_id": contact, "message": "For Hildegard", "interest": "A boat for Hildegard",
			"metadata": map[string]any{"who": "Hildegard"}})
		lost := s.Test.Lead(map[string]any{"contact_id": twin})
		agree(s, lead)
		s.Test.Post("/v1/leads/"+lost+"/close", `{"reason":"Hildegard bought elsewhere"}`, 200, nil)
		s.Test.Post("/v1/contacts/"+contact+"/merge", map[string]any{"duplicate_id": twin}, 200, nil)
		later := s.DB.Now().AddDate(0, 0, 3).UTC().Format(time.RFC3339)
		s.Test.Post("/v1/leads/"+lead+"/messages", map[string]any{"channel": "email", "purpose": "transactional", "subject": "Dear Hildegard",
			"body": "Hello Hildegard", "send_at": later}, 202, nil)
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages",
			`{"channel":"sms","from":"+14105550123","body":"Hildegard says: please stop texting"}`, 201, nil)
		s.Test.Delete("/v1/contacts/"+contact, 204)

		var c contacts.Contact
		if s.Test.Get("/v1/contacts/"+contact, 200, &c); c.ErasedAt == nil || c.Name() != "" || c.Email != nil || c.Phone != nil ||
			c.Address != nil || len(c.Tags)+len(c.Metadata) != 0 {
			t.Errorf(`got %s; want c.ErasedAt != nil, c.Name() = "", c.Email = nil, c.Phone = nil, c.Address = nil, len(c.Tags)+len(c.Metadata) = 0`,
				assert.Show(c))
		}
		var left []string
		for _, path := range []string{
			"/v1/contacts/" + contact, "/v1/contacts/" + twin, "/v1/contacts?gone=true", "/v1/contacts/" + contact + "/export",
			"/v1/contacts/" + contact + "/consents",
			"/v1/leads/" + lead, "/v1/leads/" + lost, "/v1/leads/" + lead + "/messages", "/v1/leads/" + lead + "/consents",
		} {
			left = append(left, string(s.Test.Get(path, 200, nil).Bytes))
		}
		for _, query := range []string{
			`SELECT data FROM {emitted}`, `SELECT changes FROM audit_entries`, `SELECT term FROM contact_terms`,
			`SELECT COALESCE(to_address, '') || COALESCE(from_address, '') || COALESCE(body, '') FROM messages`,
			`SELECT COALESCE(address, '') || bindings || evidence || COALESCE(raw_text, '') FROM consents`,
		} {
			left = append(left, testkit.Rows[string](s, query)...)
		}
		for _, rest := range left {
			for _, word := range []string{"ildegard", "onbingen", "hildegard@", "+1410", "5550123", "Abbey", "abbess", "1098", "203.0.113.7"} {
				assert.Excludes(t, rest, word, "erased")
			}
		}
		var list page.Page[contacts.Contact]
		s.Test.Get("/v1/contacts?q=hildegard", 200, &list)
		assert.Len(t, list.Data, 0)
		var l leads.Lead
		var sent page.Page[messages.LeadMessage]
		s.Test.Get("/v1/leads/"+lead, 200, &l)
		s.Test.Get("/v1/leads/"+lead+"/messages", 200, &sent)
		assert.Equal(t, l.Status, leads.Lost)
		for _, m := range sent.Data {
			if m.Direction == "outbound" && m.Status != messages.Blocked {
				t.Errorf("got %s, want it blocked", assert.Show(m))
			}
		}
		// An erased contact can still write. Only the intent is stored.
		var inbound messages.LeadMessage
		s.Test.Post("/v1/leads/"+lead+"/inbound_messages",
			`{"channel":"email","from":"hildegard@abbey.example","subject":"Hildegard","body":"Unsubscribe"}`, 201, &inbound)
		assert.Equal(t, *inbound.Intent, "stop")
		assert.Equal(t, inbound.From, nil)
		assert.Equal(t, inbound.Body, nil)
		assert.Equal(t, inbound.Subject, nil)
		assert.Equal(t, sendText(t, s, lead), "recipient_invalid")
		s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels":["sms"],"scope":"all","address":"+14105550123"}`, 409, nil)
		for _, rest := range testkit.Rows[string](s, `SELECT data FROM {emitted}`) {
			assert.Excludes(t, rest, "ildegard", "event without the name")
		}
		// A new contact with the same number: the revocation still applies, the consent does not.
		again := s.Test.Lead(map[string]any{"contact": map[string]any{"phone": "+14105550123", "email": "hildegard@example.com"}})
		assert.Equal(t, sendText(t, s, again), "consent_revoked")
		s.Test.Post("/v1/leads/"+again+"/messages", `{"channel":"email","purpose":"transactional","subject":"s","body":"b"}`, 422, nil).
			WantDetail(t, "channel", "consent_missing")
		abbey := s.Test.Lead(map[string]any{"contact": map[string]any{"email": "hildegard@abbey.example"}})
		s.Test.Post("/v1/leads/"+abbey+"/messages", `{"channel":"email","purpose":"transactional","subject":"s","body":"b"}`, 422, nil).
			WantDetail(t, "channel", "consent_revoked")
		s.Test.Delete("/v1/contacts/"+contact, 409).WantDetail(t, "contact_id", "state")
		s.Test.Patch("/v1/contacts/"+contact, `{"first_name":"Hilda"}`, 409, nil)
	})
}

// A merge can take fields of the duplicate. An opt-out of the address that is replaced applies to the one that replaces it.
func TestMergeTakesFields(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		keep := s.Test.Contact(map[string]any{"first_name": "Ann", "last_name": "Bell", "email": "old@example.com", "phone": "+14105550101"})
		drop := s.Test.Contact(map[string]any{"first_name": "Anne", "last_name": "Bell-Cole", "email": "new@example.com", "phone": nil})
		lead := s.Test.Lead(map[string]any{"contact_id": keep})
		s.Test.Post("/v1/leads/"+lead+"/consents", `{"channels":["email"],"scope":"all","direction":"revoked"}`, 201, nil)
		var c contacts.Contact
		s.Test.Post("/v1/contacts/"+keep+"/merge", map[string]any{"duplicate_id": drop, "take": []string{"last_name", "email", "phone"}}, 200, &c)
		assert.Equal(t, *c.FirstName, "Ann")
		assert.Equal(t, *c.LastName, "Bell-Cole")
		assert.Equal(t, *c.Email, "new@example.com")
		assert.Equal(t, *c.Phone, "+14105550101")
		s.Test.Post("/v1/leads/"+lead+"/messages", `{"channel":"email","purpose":"transactional","subject":"s","body":"b"}`, 422, nil).
			WantDetail(t, "channel", "consent_revoked")
		s.Test.Post("/v1/contacts/"+keep+"/merge", `{"duplicate_id": "con_1", "take": ["tags"]}`, 422, nil)
	})
}
