package messages

import (
	"slices"
	"strings"
	"sync"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
)

// form is an inquiry that a marketplace or the form of a website forwards by email. The sender of the
// email is not the customer.
type form struct {
	full, first, last string
	email, phone      string
	comments          string
	provider          string
	boat              formBoat
}

// formBoat is the boat of a form, as it was sent.
type formBoat struct{ stock, hin, year, make, model string }

// labels are what forms call their fields, in lower case and without punctuation.
var labels = sync.OnceValue(func() map[string]func(f *form) *string {
	all := map[string]func(f *form) *string{}
	for names, field := range map[string]func(f *form) *string{
		"name|full name|customer name|customer|contact name|your name|buyer|from name|sender|lead name": func(f *form) *string { return &f.full },
		"first name|first|firstname|given name":                                                         func(f *form) *string { return &f.first },
		"last name|last|lastname|surname|family name":                                                   func(f *form) *string { return &f.last },
		"email|e mail|email address|e mail address|customer email|contact email|your email|reply to":    func(f *form) *string { return &f.email },
		"phone|telephone|phone number|mobile|cell|cell phone|mobile phone|day phone|daytime phone|contact phone|customer phone|your phone|tel": func(f *form) *string {
			return &f.phone
		},
		"comments|comment|message|customer comments|question|questions|inquiry|enquiry|notes|your message|additional comments": func(f *form) *string { return &f.comments },
		"stock|stock no|stock number|stock id|unit|unit number|boat id|dealer stock number":                                    func(f *form) *string { return &f.boat.stock },
		"hin|vin|hull id|hull identification number|hin vin|vin hin|hull number":                                               func(f *form) *string { return &f.boat.hin },
		"year|model year":                 func(f *form) *string { return &f.boat.year },
		"make|brand|manufacturer|builder": func(f *form) *string { return &f.boat.make },
		"model":                           func(f *form) *string { return &f.boat.model },
		"source|lead source|provider|marketplace|portal|website": func(f *form) *string { return &f.provider },
	} {
		for name := range strings.SplitSeq(names, "|") {
			all[name] = field
		}
	}
	return all
})

// aLabel is the start of a line such as "Stock #: 4411", "* Email - ann@example.com" or "Phone | 410 555 0100".
var aLabel = lazy.Regexp(`^[\s>*•\-]*([A-Za-z][A-Za-z0-9 #./&'()\-]{1,40}?)\s*(?::|=|\||\s-\s|\t)\s*(.*)$`)

// parseLabels reads the fields of a plain form. It returns false unless there are a way to reach the
// customer and another field.
func parseLabels(text string) (form, bool) {
	var f form
	var open *string // the field of the line before, if its value can go on
	found := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		parts := aLabel().FindStringSubmatch(line)
		var field func(*form) *string
		if parts != nil {
			field = labels()[plainLabel(parts[1])]
		}
		switch {
		case field != nil:
			open = field(&f)
			if *open != "" { // the first one counts, such as before the dealer's own details
				open = nil
				continue
			}
			found++
			*open = strings.TrimSpace(parts[2])
			if open != &f.comments && *open != "" {
				open = nil
			}
		case parts != nil && looksLikeLabel(parts[1]):
			open = nil
		case isFooter(line):
			open = nil
		case open == &f.comments && line != "":
			*open = strings.TrimSpace(*open + "\n" + line)
		case open != nil && line != "":
			*open, open = line, nil
		}
	}
	f.email, f.phone = firstAddress(f.email), strings.TrimSpace(f.phone)
	return f, found > 1 && (f.email != "" || f.phone != "")
}

// isFooter reports whether a line is where a marketplace writes about itself.
func isFooter(line string) bool {
	return strings.HasPrefix(line, "--") || strings.HasPrefix(line, "__") || has(plain(line), "unsubscribe", "this email was sent", "email preferences", "manage your leads", "view this lead", "reply to this lead")
}

// plainLabel removes case and punctuation from the name of a field.
func plainLabel(name string) string {
	return strings.TrimSuffix(plain(strings.NewReplacer("#", " number ", "/", " ").Replace(name)), " number number")
}

// looksLikeLabel reports whether the start of a line is the name of a field that Slipway doesn't know, and
// not a sentence.
func looksLikeLabel(name string) bool { return len(strings.Fields(name)) <= 3 }

// anAddress finds the email address in "ann@example.com <mailto:ann@example.com>".
var anAddress = lazy.Regexp(`[A-Za-z0-9._%+'\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}`)

func firstAddress(text string) string { return anAddress().FindString(text) }

// parseInquiry reads an inquiry that someone else forwards: an ADF document, or a plain form. Known means that
// the sender is a marketplace. The form of someone who writes about themselves is an ordinary email.
func parseInquiry(in incoming, known bool) (form, bool) {
	if f, ok := parseADF(in.text); ok {
		return f, true
	}
	f, ok := parseLabels(in.text)
	own, _ := contacts.Email(f.email)
	return f, ok && (known || own != "" && own != in.from)
}

// isMarketplace reports whether an address, or its domain, is on a list.
func isMarketplace(list []string, address string) bool {
	_, domain, _ := strings.Cut(address, "@")
	return slices.ContainsFunc(list, func(entry string) bool {
		entry = strings.ToLower(entry)
		return entry == address || entry == domain || strings.HasSuffix(domain, "."+entry)
	})
}

// reachable reports whether the form says how to reach the customer.
func (f form) reachable() bool {
	_, email := contacts.Email(f.email)
	_, phone := contacts.ParseAddress(consent.SMS, f.phone)
	return email || phone
}

// contact returns the customer. What can't be an address is left out.
func (f form) contact() *contacts.ContactCreate {
	c := &contacts.ContactCreate{FirstName: null.From(clipped(f.first, 100)), LastName: null.From(clipped(f.last, 100))}
	if f.first == "" && f.last == "" {
		words := strings.Fields(f.full)
		if len(words) > 1 {
			c.FirstName = new(clipped(strings.Join(words[:len(words)-1], " "), 100))
		}
		if len(words) > 0 {
			c.LastName = new(clipped(words[len(words)-1], 100))
		}
	}
	if email, ok := contacts.Email(f.email); ok {
		c.Email = &email
	}
	if number, ok := contacts.ParseAddress(consent.SMS, f.phone); ok {
		c.Phone = &number
	}
	return c
}

// lead returns the lead of a form. The original is kept if the customer wrote nothing.
func (f form) lead(in incoming) leads.LeadCreate {
	message := f.comments
	if message == "" {
		message = in.body()
	}
	provider := f.provider
	if provider == "" {
		provider = oneOf(in.name, in.from)
	}
	n := leads.LeadCreate{
		Source: leads.SourceMarketplace, SourceDetail: new(clipped(oneOf(provider), 200)),
		Contact: patch.Null[contacts.ContactCreate]{Set: true, V: f.contact()}, Message: new(clipped(message, maxLeadMessage)),
	}
	if title := oneOf(strings.Join([]string{f.boat.year, f.boat.make, f.boat.model}, " ")); title != "" {
		n.Interest = new(clipped(title, 500))
	}
	return n
}

// unread returns the lead of an email that a marketplace sent and that Slipway can't read. It has a contact of
// its own, because the address is not the customer's.
func (in incoming) unread() leads.LeadCreate {
	name := clipped(oneOf(in.name, in.from), 80)
	text := in.body()
	if s := null.Text(in.subject); s != "" {
		text = s + "\n\n" + text
	}
	return leads.LeadCreate{
		Source: leads.SourceMarketplace, SourceDetail: &name,
		Contact: patch.Null[contacts.ContactCreate]{Set: true, V: &contacts.ContactCreate{LastName: new("Customer of " + name)}},
		Message: new(clipped(text, maxLeadMessage)), ForReview: true,
	}
}
