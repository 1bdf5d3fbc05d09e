package messages

import (
	"strings"
	"testing"

	"slipway/internal/consent"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/null"
)

const adf = `<?xml version="1.0" encoding="UTF-8"?>
<?adf version="1.0"?>
<adf><prospect status="new"><id sequence="1" source="Boat Portal">8871</id><requestdate>2026-11-12T09:41:00-05:00</requestdate>
<vehicle interest="trade-in" status="used"><year>2009</year><make>Bayliner</make><model>185</model></vehicle>
<vehicle interest="buy" status="used"><year>2022</year><make>Boston Whaler</make><model>210 Montauk</model><vin>BWC13001H627</vin><stock>GW-1003</stock></vehicle>
<customer><contact><name part="first">Grace</name><name part="last">Miller</name><email>Grace@Example.com</email><phone type="voice">410-555-0142</phone></contact>
<comments><![CDATA[Is she still available? We can come on Saturday & Sunday.]]></comments></customer>
<vendor><contact><name part="full">Acme Marine</name><email>sales@acme.example</email><phone>410-555-0100</phone></contact></vendor>
<provider><name part="full">Boat Portal</name><service>Leads</service></provider></prospect></adf>`

// The layouts that marketplaces, website forms and listing services use.
var layouts = map[string]string{
	"ADF":                 adf,
	"ADF below a text":    "You have a new lead.\n\n" + adf + "\n-- \nBoat Portal, unsubscribe here",
	"ADF that is escaped": strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(strings.ReplaceAll(adf, "&", "and")),
	"labels": `You received a new inquiry on Boat Portal!

Name: Grace Miller
Email: grace@example.com
Phone: (410) 555-0142
Stock #: GW-1003
Boat: 2022 Boston Whaler 210 Montauk
Comments: Is she still available? We can come on Saturday & Sunday.

Manage your leads at boat-portal.example.
To unsubscribe from these emails, click here.`,
	"first and last name": `First Name: Grace
Last Name: Miller
E-mail Address: grace@example.com
Day Phone: 410.555.0142
Stock Number: GW-1003
Message:
Is she still available?
We can come on Saturday & Sunday.`,
	"values below the labels": `Name:
Grace Miller

Email:
grace@example.com

Phone:
+1 410 555 0142

Stock No.:
GW-1003

Your Message:
Is she still available?`,
	"bullets and bold": `* Full Name: Grace Miller
* Email: grace@example.com <mailto:grace@example.com>
* Phone: 4105550142
* Stock ID: GW-1003
* Question: Is she still available?`,
	"dashes": `Customer Name - Grace Miller
Customer Email - grace@example.com
Customer Phone - 410 555 0142
Unit Number - GW-1003
Notes - Is she still available?`,
	"a table": "Name | Grace Miller\nEmail | grace@example.com\nPhone | 410-555-0142\nStock | GW-1003\nComments | Is she still available?",
	"tabs":    "Name\tGrace Miller\nEmail\tgrace@example.com\nPhone\t(410) 555-0142\nStock Number\tGW-1003\nComments\tIs she still available?",
	"quoted": `> Name: Grace Miller
> Email: grace@example.com
> Phone: 410-555-0142
> Stock #: GW-1003
> Message: Is she still available?`,
	"the dealer's own details below": `Buyer: Grace Miller
Email: grace@example.com
Phone: 410-555-0142
Dealer Stock Number: GW-1003
Comments: Is she still available?

Dealer: Acme Marine
Email: sales@acme.example
Phone: 410-555-0100`,
	"no phone": "Name: Grace Miller\nEmail: grace@example.com\nHIN: BWC13001H627\nMessage: Is she still available?",
	"no email": "Name: Grace Miller\nCell: 410-555-0142\nStock: GW-1003\nMessage: Is she still available?",
}

func TestParseInquiry(t *testing.T) {
	for name, text := range layouts {
		f, ok := parseInquiry(incoming{from: "leads@portal.example", text: text}, true)
		if !ok || !f.reachable() {
			t.Errorf("%s: got %+v, want the form", name, f)
			continue
		}
		c := f.contact()
		assert.Equal(t, null.Text(c.FirstName)+" "+null.Text(c.LastName), "Grace Miller", name)
		if name != "no email" {
			assert.Equal(t, null.Text(c.Email), "grace@example.com", name)
		}
		if name != "no phone" {
			assert.Equal(t, null.Text(c.Phone), "+14105550142", name)
			assert.Equal(t, f.boat.stock, "GW-1003", name)
		} else {
			assert.Equal(t, f.boat.hin, "BWC13001H627", name)
		}
		assert.Equal(t, strings.HasPrefix(f.comments, "Is she still available?"), true, name+": "+f.comments)
		if strings.Contains(f.comments, "unsubscribe") {
			t.Errorf("%s: got the comments %q", name, f.comments)
		}
	}
}

func TestADFVehicle(t *testing.T) {
	f, _ := parseADF(adf)
	assert.Equal(t, f.boat, formBoat{stock: "GW-1003", hin: "BWC13001H627", year: "2022", make: "Boston Whaler", model: "210 Montauk"})
	assert.Equal(t, f.provider, "Boat Portal")
	n := f.lead(incoming{channel: consent.Email, text: adf})
	assert.Equal(t, *n.Interest, "2022 Boston Whaler 210 Montauk")
	assert.Equal(t, *n.SourceDetail, "Boat Portal")
}

// An email of a customer is none, whatever is in it.
func TestNoInquiry(t *testing.T) {
	for name, text := range map[string]string{
		"a question":         "Is the 210 Montauk still available?",
		"a signature":        "Is she available?\n\nAnn Bell\nPhone: 410-555-0123\nEmail: ann@example.com",
		"a sentence":         "My phone: call me at noon. Name: your price.",
		"broken ADF":         "<adf><prospect>",
		"ADF without anyone": "<adf></adf>",
		"nothing":            "",
	} {
		f, ok := parseInquiry(incoming{from: "ann@example.com", text: text}, false)
		if ok && f.reachable() {
			t.Errorf("%s: got %+v, want no form", name, f)
		}
	}
}

func TestMarketplaces(t *testing.T) {
	list := []string{"leads@portal.example", "Boats.example"}
	for address, want := range map[string]bool{
		"leads@portal.example": true, "other@portal.example": false, "x@boats.example": true, "x@mail.boats.example": true,
		"x@notboats.example": false, "ann@example.com": false,
	} {
		assert.Equal(t, isMarketplace(list, address), want, address)
	}
}

func FuzzParseInquiry(f *testing.F) {
	for _, text := range layouts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := incoming{channel: consent.Email, from: "leads@portal.example", text: printable(text)}
		if p, ok := parseInquiry(in, true); ok && p.reachable() {
			if err := p.lead(in).Check(now); err != nil {
				t.Errorf("%q: the lead is rejected: %v", text, err)
			}
		}
		if err := in.unread().Check(now); err != nil {
			t.Errorf("%q: the lead is rejected: %v", text, err)
		}
	})
}
