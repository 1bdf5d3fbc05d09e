package demo

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// portal is the marketplace that forwards inquiries by email.
const portal = "leads@boat-portal.example"

// asked returns a boat that customers ask about.
func asked(boats []*boat, e *environment) *boat {
	for _, b := range boats {
		if b.env == e && b.model["make"] == "Grady-White" && !b.gone {
			return b
		}
	}
	return boats[len(boats)-1]
}

// addMailbox shows what customers sent in the last minutes: two inquiries that a marketplace
// forwarded, one as ADF and one as text, and a conversation by text message.
func (s *seeder) addMailbox(ctx context.Context, e *environment, hull *boat) error {
	if err := s.as(e.key).send(ctx, http.MethodPatch, "/v1/dealership", object{
		"settings": object{"inbound": object{"marketplaces": []string{portal}}},
	}, nil); err != nil {
		return err
	}
	const adf = `<?xml version="1.0"?><?adf version="1.0"?>
<adf><prospect status="new"><requestdate>%s</requestdate>
<vehicle interest="buy" status="used"><make>%s</make><model>%s</model><stock>%s</stock></vehicle>
<customer><contact><name part="first">Ingrid</name><name part="last">Solberg</name><email>ingrid.solberg@example.com</email>
<phone>410-555-0176</phone></contact><comments>We sail up from Norfolk next week. Could we see her on Thursday?</comments></customer>
<provider><name part="full">Boat Portal</name></provider></prospect></adf>`
	const form = "You have a new lead from Boat Portal!\n\nName: Theo Okafor\nEmail: theo@example.com\nPhone: (443) 555-0122\n" +
		"Stock #: %s\nComments: What would my 2016 Montauk be worth as a trade-in?\n\nManage your leads at boat-portal.example"

	const customer, number = "+14105550158", "+14105550142"
	from := s.started.Add(-14 * time.Minute)
	var received struct {
		LeadID string `json:"lead_id"`
	}
	for i, m := range []object{
		{"channel": "email", "from": portal, "subject": "New lead", "body": fmt.Sprintf(adf,
			from.Format(time.RFC3339), hull.model["make"], hull.model["model"], hull.stockNumber())},
		{"channel": "email", "from": portal, "subject": "New lead from Boat Portal", "body": fmt.Sprintf(form, hull.stockNumber())},
		{"channel": "sms", "from": customer, "to": number, "body": "Hi, this is Paula Reyes. Do you take a sailboat as a trade-in for a center console?"},
	} {
		s.now = from.Add(time.Duration(i) * time.Minute)
		m["provider_message_id"] = fmt.Sprint("demo-", i)
		if err := s.as(e.key).send(ctx, http.MethodPost, "/v2-preview/inbound_messages", m, &received); err != nil {
			return err
		}
	}

	lead := "/v1/leads/" + received.LeadID
	s.now = s.now.Add(2 * time.Minute)
	if err := s.as(e.key).send(ctx, http.MethodPost, lead+"/messages", object{
		"channel": "sms", "purpose": "transactional", "body": "Hi Paula, yes, we do. What do you sail, and which year is she?",
	}, nil); err != nil {
		return err
	}
	s.now = s.now.Add(3 * time.Minute)
	return s.as(e.key).send(ctx, http.MethodPost, lead+"/inbound_messages", object{
		"channel": "sms", "from": customer, "body": "A 2014 Catalina 315, two owners. The sails are from last year. Should I send pictures?",
	}, nil)
}
