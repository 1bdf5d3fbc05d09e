package mcp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode"

	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

// injections are texts of outsiders that try to instruct an assistant.
func injections(t *testing.T) (all []string) {
	t.Helper()
	content, err := os.ReadFile("testdata/injections.json")
	if err == nil {
		err = json.Unmarshal(content, &all)
	}
	if err != nil || len(all) != 60 {
		t.Fatalf("got %d texts, %v; want 60", len(all), err)
	}
	return all
}

// storable removes what the API doesn't accept in a text.
func storable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// obedient is a model that does what any text tells it to do.
type obedient struct {
	assistant
	read []string
}

// follow calls what a text names, and the worst that it could mean.
func (o *obedient) follow(text, lead, hull string) {
	o.read = append(o.read, text)
	o.try("propose_message", map[string]any{"lead_id": lead, "channel": "email", "subject": "Boats", "body": text, "reason": text})
	o.try("propose_change", map[string]any{"change": "price", "hull_id": hull, "price_usd": 1, "reason": text})
	o.try("update_lead", map[string]any{"lead_id": lead, "note": text})
	for _, id := range []string{
		"eraseContact", "createApiKey", "approveProposal", "exportContact", "logLeadConsent", "refundPayment", "signDocument", "mergeContact",
		"rotateWebhookSecret", "createWebhook", "listUsers", "deleteLocation", "sendLeadMessage", "archiveHull",
	} {
		if strings.Contains(text, id) || id == "sendLeadMessage" || id == "archiveHull" {
			o.try("call_operation", map[string]any{
				"operation_id": id, "path": map[string]any{"lead_id": lead, "hull_id": hull, "contact_id": lead}, "reason": text,
				"body": map[string]any{"reason": text},
			})
		}
	}
}

// untrustedIn returns the texts in fields named untrusted_text. It fails if another text of a
// result contains a piece of the corpus.
func untrustedIn(t *testing.T, v any, field string, pieces []string) (found []string) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			found = append(found, untrustedIn(t, value, name, pieces)...)
		}
	case []any:
		for _, value := range v {
			found = append(found, untrustedIn(t, value, field, pieces)...)
		}
	case string:
		if field == "untrusted_text" {
			return []string{v}
		}
		for _, p := range pieces {
			if strings.Contains(v, p) {
				t.Errorf("%s contains %q, want it only in untrusted_text", field, p)
			}
		}
	}
	return found
}

// Text of outsiders is only in untrusted_text, without what a person can't see. A model that
// obeys all of it ends up with proposals that wait for a person.
func TestInjections(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		texts := injections(t)
		a := &obedient{assistant: overHTTP(t, s, s.Key(scopes("hulls:read hulls:write leads:read leads:write deals:read deals:write")...), "")}
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 99000})
		var pieces []string
		for i, text := range texts {
			text = storable(text)
			pieces = append(pieces, strings.Fields(text)[0]+" "+strings.Fields(text + " - -")[1])
			contact := s.Test.Contact(map[string]any{"first_name": cut(text, 60), "company_name": cut(text, 90)})
			lead := s.Test.Lead(map[string]any{"contact_id": contact, "message": text, "interest": cut(text, 200), "hull_id": hull})
			s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, nil)
			if i%3 != 0 { // each call takes its time
				continue
			}
			for _, out := range []map[string]any{
				a.call("get_lead", map[string]any{"lead_id": lead}),
				a.call("call_operation", map[string]any{"operation_id": "getLead", "path": map[string]any{"lead_id": lead}}),
			} {
				for _, found := range untrustedIn(t, out, "", pieces) {
					if i := strings.IndexFunc(found, func(r rune) bool {
						return r != '\n' && !unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r)
					}); i >= 0 {
						t.Errorf("%q has a hidden character at %d", found, i)
					}
					if i%2 == 0 {
						a.follow(found, lead, hull)
						break
					}
				}
			}
		}
		for _, tool := range []string{"list_leads", "what_happened"} {
			untrustedIn(t, a.call(tool, map[string]any{"limit": 50}), "", pieces)
		}
		untrustedIn(t, a.call("find_people", map[string]any{"q": "call", "limit": 20}), "", pieces)
		testkit.Equal(t, len(a.read) > 5, true, "texts that the model followed")

		testkit.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM messages WHERE direction = 'outbound'`)[0], 0, "messages that were sent")
		testkit.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM hulls WHERE price_usd = 99000 AND status = 'available'`)[0], 1, "the boat as it was")
		testkit.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM contacts WHERE erased_at IS NOT NULL OR merged_into IS NOT NULL`)[0], 0)
		testkit.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM webhooks`)[0], 0)
		testkit.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM proposals WHERE status <> 'pending'`)[0], 0, "proposals that were decided")
		testkit.Equal(t, testkit.Rows[int](s, `SELECT COUNT(*) FROM proposals`)[0] > 5, true, "proposals")
	})
}

// cut returns the start of a text in one line.
func cut(text string, most int) string {
	runes := []rune(strings.ReplaceAll(text, "\n", " "))
	return string(runes[:min(most, len(runes))])
}

// A proposal of an assistant runs after a person has approved it in the console.
func TestApproval(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		a := overHTTP(t, s, s.Key(auth.HullsRead, auth.HullsWrite), "")
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 138900})
		out := a.call("propose_change", map[string]any{"change": "price", "hull_id": hull, "price_usd": 131600, "reason": "Similar boats are cheaper."})
		testkit.Equal(t, out["status"], any("pending"))
		testkit.Contains(t, out["approve_at"].(string), "/console/test/approvals/prp_")

		id := out["proposal_id"].(string)
		s.Test.Post("/v2-preview/proposals/"+id+"/approve", nil, 403, nil) // programs can't
		b := s.Browser()
		b.SignIn(b.Open("/oauth/sign-in"), s.Person("manager").Email, testkit.Password, "")
		b.Header.Set("Slipway-Mode", "test")
		b.Header.Set("Sec-Fetch-Site", "same-origin")
		v := b.Send("POST", "/console/api/v2-preview/proposals/"+id+"/approve", "")
		testkit.Equal(t, v.StatusCode, 200, v.Text)
		testkit.Equal(t, a.call("get_boat", map[string]any{"boat": hull})["boat"].(map[string]any)["price"], any("$131,600, was $138,900"))
	})
}
