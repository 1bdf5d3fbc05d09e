package crm

import (
	"encoding/json"
	"fmt"
	"testing"

	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func inquiryEmail(from, replyTo, text, id string) string {
	body, _ := json.Marshal(map[string]any{"from": from, "reply_to": replyTo, "to": "sales@acme.example", "subject": "New lead", "text": text, "message_id": id})
	return string(body)
}

const aForm = "Name: %s\nEmail: %s\nPhone: %s\nStock #: GW-77\nComments: Is she still available?\n\nUnsubscribe from these emails."

// Three buyers through one marketplace are three leads with their own names and addresses, about the boat, and
// each can be answered.
func TestMarketplaceEmails(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"stock_number": "GW-77"})
		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"marketplaces":["leads@portal.example"]}}}`, 200, nil)

		for i, name := range []string{"Grace Miller", "Noor Haddad", "Theo Okafor"} {
			text := fmt.Sprintf(aForm, name, fmt.Sprintf("buyer%d@example.com", i), fmt.Sprintf("(410) 555-010%d", i))
			p.mail(fmt.Sprint("id_", i), inquiryEmail("Boat Portal <leads@portal.example>", "", text, fmt.Sprintf("<%d@portal.example>", i)), 204)
			p.mail(fmt.Sprint("again_", i), inquiryEmail("Boat Portal <leads@portal.example>", "", text, fmt.Sprintf("<%d@portal.example>", i)), 204)
		}
		var list page.Page[leads.Lead]
		s.Test.Get("/v1/leads?source=marketplace", 200, &list)
		assert.Len(t, list.Data, 3)
		l := list.Data[0]
		assert.Equal(t, l.SourceDetail, new("Boat Portal"))
		assert.Equal(t, l.HullID, &hull)
		assert.Equal(t, *l.Message, "Is she still available?")
		assert.Equal(t, l.NeedsReview, false)
		var c contacts.Contact
		s.Test.Get("/v1/contacts/"+l.ContactID, 200, &c)
		assert.Equal(t, []string{*c.FirstName, *c.LastName, *c.Email, *c.Phone}, []string{"Theo", "Okafor", "buyer2@example.com", "+14105550102"})
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+l.ID, "sms", "transactional"), "")
		assert.Equal(t, blockCode(t, s, "/v1/leads/"+l.ID, "email", "transactional"), "")

		// What can't be read is a lead to review, with the original, and never a merged one.
		for i := range 2 {
			p.mail(fmt.Sprint("odd_", i), inquiryEmail("Boat Portal <leads@portal.example>", "", "Someone likes your boat!", fmt.Sprintf("<odd%d@portal.example>", i)), 204)
		}
		s.Test.Get("/v1/leads?needs_review=true", 200, &list)
		assert.Len(t, list.Data, 2)
		assert.Equal(t, list.Data[0].Message, new("New lead\n\nSomeone likes your boat!"))
		assert.Equal(t, list.Data[0].ContactID != list.Data[1].ContactID, true)
	})
}

// A form that isn't on the list is read if it names another address than the sender's. Reply-To is the customer.
func TestFormsAndReplyTo(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		p.mail("id_1", inquiryEmail("noreply@site.example", "", fmt.Sprintf(aForm, "Grace Miller", "grace@example.com", "410-555-0142"), "<1@site>"), 204)
		p.mail("id_2", inquiryEmail("noreply@site.example", "Noor Haddad <noor@example.com>", "A kayak for two?", "<2@site>"), 204)

		var list page.Page[leads.Lead]
		s.Test.Get("/v1/leads", 200, &list)
		assert.Len(t, list.Data, 2)
		for i, want := range []string{"noor@example.com", "grace@example.com"} {
			var c contacts.Contact
			s.Test.Get("/v1/contacts/"+list.Data[i].ContactID, 200, &c)
			assert.Equal(t, *c.Email, want)
		}
		m := messagesOf(s, "/v1/leads/"+list.Data[0].ID)[0]
		assert.Equal(t, m.From, new("noor@example.com"))
		assert.Equal(t, m.SenderVerified, new(false))

		s.Test.Patch("/v1/dealership", `{"settings":{"inbound":{"marketplaces":["not a domain"]}}}`, 422, nil).
			WantDetail(t, "settings.inbound.marketplaces[0]", "pattern")
	})
}

// Programs send ADF to the hook and to the API.
func TestADF(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const adf = `<adf><prospect><customer><contact><name part="full">Grace Miller</name><email>%s</email></contact>
			<comments>Is she available?</comments></customer><provider><name>Portal</name></provider></prospect></adf>`
		p := newProvider(t, s, s.Test, ownNumber, twilioToken)
		p.adf("id_1", fmt.Sprintf(adf, "grace@example.com"), 204)
		p.adf("id_1", fmt.Sprintf(adf, "grace@example.com"), 204)
		p.adf("id_2", "<adf>", 400)
		var r struct {
			LeadID      *string `json:"lead_id"`
			CreatedLead bool    `json:"created_lead"`
		}
		s.Test.Post("/v2-preview/inbound_messages", map[string]any{"channel": "email", "from": "leads@portal.example",
			"body": fmt.Sprintf(adf, "noor@example.com"), "provider_message_id": "<3@portal>"}, 200, &r)
		assert.Equal(t, r.CreatedLead, true)
		var l leads.Lead
		s.Test.Get("/v1/leads/"+*r.LeadID, 200, &l)
		assert.Equal(t, []string{string(l.Source), *l.SourceDetail, *l.Message}, []string{"marketplace", "Portal", "Is she available?"})
		var list page.Page[leads.Lead]
		s.Test.Get("/v1/leads", 200, &list)
		assert.Len(t, list.Data, 2)
	})
}
