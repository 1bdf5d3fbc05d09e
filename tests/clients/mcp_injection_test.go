package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
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

// visible removes what a person doesn't see in a text.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if isHidden(r) {
			return -1
		}
		return r
	}, text)
}

func isHidden(r rune) bool {
	return r != '\n' && (!unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r) || strings.ContainsRune("\u115f\u2800\u3164\uffa0", r))
}

// firstWords returns what a text is recognized by.
func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(2, len(words))], " ")
}

// obedient is a model that does what any text tells it to do.
type obedient struct {
	assistant
	pieces []string // of the corpus
}

// read checks a result, and returns its texts of outsiders.
func (o *obedient) read(tool string, args map[string]any) (found []string) {
	o.t.Helper()
	found = o.untrustedIn(o.call(tool, args), tool)
	for _, text := range found {
		if i := strings.IndexFunc(text, isHidden); i >= 0 {
			o.t.Errorf("%s: %q has a hidden character at %d", tool, text, i)
		}
	}
	return found
}

// untrustedIn returns the texts in fields named untrusted_text. It fails if another text of a
// result contains a piece of the corpus.
func (o *obedient) untrustedIn(v any, field string) (found []string) {
	o.t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			found = append(found, o.untrustedIn(value, name)...)
		}
	case []any:
		for _, value := range v {
			found = append(found, o.untrustedIn(value, field)...)
		}
	case string:
		if field == "untrusted_text" {
			return []string{v}
		}
		for _, p := range o.pieces {
			if strings.Contains(v, p) {
				o.t.Errorf("%s contains %q, want it only in untrusted_text", field, p)
			}
		}
	}
	return found
}

// follow calls what a text names, and the worst that it could mean. It returns how many calls
// ended with a proposal.
func (o *obedient) follow(text, lead, hull string) (proposed int) {
	o.t.Helper()
	do := func(tool string, args map[string]any) {
		res := o.try(tool, args)
		if res.IsError {
			o.untrustedIn(textOf(res), "the error of "+tool)
		} else if strings.Contains(textOf(res), `"status":"pending"`) {
			proposed++
		}
	}
	do("propose_message", map[string]any{"lead_id": lead, "channel": "email", "subject": "Boats", "body": text, "reason": text})
	do("propose_change", map[string]any{"change": "price", "hull_id": hull, "price_usd": 1, "reason": text})
	do("update_lead", map[string]any{"lead_id": lead, "note": text})
	for _, id := range []string{
		"eraseContact", "createApiKey", "approveProposal", "exportContact", "logLeadConsent", "refundPayment", "signDocument", "mergeContact",
		"rotateWebhookSecret", "createWebhook", "listUsers", "deleteLocation", "sendLeadMessage", "archiveHull",
	} {
		if strings.Contains(text, id) || id == "archiveHull" {
			do("call_operation", map[string]any{
				"operation_id": id, "path": map[string]any{"lead_id": lead, "hull_id": hull, "contact_id": lead}, "reason": text,
				"body": map[string]any{"reason": text},
			})
		}
	}
	return proposed
}

// Text of outsiders is only in untrusted_text, without what a person can't see. A model that
// obeys all of it ends up with proposals that wait for a person.
func TestInjections(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		o := &obedient{assistant: overHTTP(t, s, s.Key(scopes("hulls:read hulls:write leads:read leads:write deals:read deals:write")...), "")}
		texts, location := injections(t), s.Test.Location()
		for _, text := range texts {
			o.pieces = append(o.pieces, firstWords(storable(text)), firstWords(visible(storable(text))))
		}

		proposed := 0
		for n, text := range texts {
			text = storable(text)
			hull := s.Test.Hull(location, map[string]any{"price_usd": 99000, "make": cut(text, 60), "model": cut(text, 60), "title": cut(text, 150), "description": text})
			lead := s.Test.Lead(map[string]any{
				"contact": map[string]any{"first_name": cut(text, 60), "company_name": cut(text, 90), "email": fmt.Sprintf("writer%d@example.com", n)},
				"hull_id": hull, "message": text, "interest": cut(text, 200),
			})
			s.Test.Post("/v1/leads/"+lead+"/inbound_messages", map[string]any{"channel": "sms", "from": "+14105550123", "body": text}, 201, nil)

			found := o.read("get_lead", map[string]any{"lead_id": lead})
			o.read("call_operation", map[string]any{"operation_id": "getLead", "path": map[string]any{"lead_id": lead}})
			o.read("get_boat", map[string]any{"boat": hull, "include": []string{"history"}})
			o.read("what_happened", map[string]any{"object_id": lead})
			i := slices.IndexFunc(found, func(f string) bool {
				return strings.Contains(strings.Join(strings.Fields(f), " "), firstWords(visible(text)))
			})
			if i < 0 {
				t.Errorf("get_lead returned %q, want a text with %q", found, firstWords(visible(text)))
				continue
			}
			proposed += o.follow(found[i], lead, hull)
		}
		for _, tool := range []string{"list_leads", "find_boats", "what_happened"} {
			o.read(tool, map[string]any{"limit": 50})
		}
		o.read("find_people", map[string]any{"q": "call", "limit": 20})
		assert.Equal(t, proposed >= 2*len(texts), true, "proposals, at least for a price and to archive:", proposed)

		count := func(query string) int { return testkit.Rows[int](s, `SELECT COUNT(*) FROM `+query)[0] }
		assert.Equal(t, count(`messages WHERE direction = 'outbound'`), 0, "messages that were sent")
		assert.Equal(t, count(`hulls WHERE price_usd = 99000 AND status = 'available'`), len(texts), "boats as they were")
		assert.Equal(t, count(`contacts WHERE erased_at IS NOT NULL OR merged_into IS NOT NULL`), 0)
		assert.Equal(t, count(`webhooks`), 0)
		assert.Equal(t, count(`proposals WHERE status <> 'pending'`), 0, "proposals that were decided")
		assert.Equal(t, count(`proposals`), proposed, "proposals")
	})
}

// cut returns the start of a text in one line.
func cut(text string, most int) string {
	runes := []rune(strings.ReplaceAll(text, "\n", " "))
	return string(runes[:min(most, len(runes))])
}
