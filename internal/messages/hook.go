package messages

import (
	"encoding/json"
	"errors"
	netmail "net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/leads"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// incoming is a message that a provider reports. Its sender is not known to belong
// to a lead.
type incoming struct {
	channel   consent.Channel
	from      string // normalized address
	name      string // of the sender, if the provider has it
	sender    string // address in From, if the email says to reply to another one
	isADF     bool   // the text is an ADF document, and there is no sender
	to        string
	subject   *string
	text      string // what the sender wrote
	media     []string
	id        string // of the provider
	inReplyTo string // message of this service that it replies to, or ""

	authentication *EmailAuthentication // nil if the provider has no results
	receivedAt     time.Time            // of a message that a user released from quarantine, or zero
}

const (
	maxFields      = 200     // of a form; Twilio sends about 30
	maxMedia       = 10      // limit of Twilio
	maxBody        = 100_000 // characters of a message
	maxLeadMessage = 10_000  // characters of the message of a lead
	maxAddress     = 254
	maxSubject     = 1000
)

// parseForm reads the parameters of a request of Twilio. Parameters that are
// repeated have no clear meaning.
func parseForm(body []byte) (url.Values, error) {
	if strings.Count(string(body), "&") >= maxFields {
		return nil, fault.BadRequest("The form has more than %d fields.", maxFields)
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fault.BadRequest("The form is malformed.").WithCause(err)
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, fault.BadRequest("The field %q is repeated.", printable(clipped(name, 100)))
		}
	}
	return form, nil
}

// textOf returns the message in a request of Twilio.
func textOf(form url.Values) (incoming, error) {
	in := incoming{
		channel: consent.SMS, to: printable(form.Get("To")), text: printable(form.Get("Body")), id: printable(form.Get("MessageSid")),
	}
	var bad fault.Fields
	var ok bool
	from := form.Get("From") // other services of Twilio have a prefix, such as whatsapp:
	if in.from, ok = contacts.ParseAddress(consent.SMS, from); !ok || strings.Contains(from, ":") {
		bad.Add("From", "format", "must be a phone number")
	}
	if in.id == "" || len(in.id) > maxAddress {
		bad.Add("MessageSid", "required", "is required")
	}

	for i := range maxMedia {
		if link := printable(form.Get("MediaUrl" + strconv.Itoa(i))); link != "" {
			in.media = append(in.media, clipped(link, 2000))
		}
	}
	return in, bad.Err()
}

// InboundEmail is the body of a request that reports a received email.
type InboundEmail struct {
	_ struct{} `doc:"An email that a customer sent, as your provider forwards it."`

	From      string `json:"from" doc:"Sender, with or without a name."`
	ReplyTo   string `json:"reply_to,omitempty" doc:"Reply-To header. It is the customer, if it differs from the sender."`
	To        string `json:"to" doc:"Address that received the email."`
	Subject   string `json:"subject" doc:"Subject line."`
	Text      string `json:"text" doc:"Plain text of the email."`
	MessageID string `json:"message_id" doc:"Message-ID header. An email with a known ID is ignored."`
	InReplyTo string `json:"in_reply_to" doc:"In-Reply-To header. It finds the lead that the email replies to."`

	Authentication *EmailAuthentication `json:"authentication,omitempty" doc:"Results of SPF, DKIM and DMARC. Results that are missing, or that Slipway doesn't know, count as none. The sender is verified if dmarc is pass."`
}

// emailOf returns the message in a signed request. It accepts fields that it
// doesn't know and invalid characters, because an opt-out must not be lost.
func emailOf(body []byte, requestID string) (incoming, error) {
	var e InboundEmail
	if err := json.Unmarshal(body, &e); err != nil {
		wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
		switch {
		case ok && strings.HasPrefix(wrong.Field, "authentication"): // the rest was read
		case ok:
			return incoming{}, fault.BadRequest("%s must be a string.", wrong.Field).Detail(wrong.Field, "type", "must be a string")
		default:
			return incoming{}, fault.BadRequest("The JSON is malformed.").WithCause(err)
		}
	}

	in := incoming{channel: consent.Email, to: clipped(printable(e.To), maxAddress), text: printable(e.Text), id: printable(e.MessageID),
		authentication: e.Authentication.normalized()}
	if subject := strings.Join(strings.Fields(printable(e.Subject)), " "); subject != "" {
		in.subject = new(clipped(subject, maxSubject))
	}
	if in.id == "" {
		in.id = printable(requestID)
	}
	if found := ownMessage.FindStringSubmatch(e.InReplyTo); found != nil {
		in.inReplyTo = found[1]
	}

	var bad fault.Fields
	from, err := netmail.ParseAddress(strings.TrimSpace(printable(e.From)))
	if err == nil {
		in.name = strings.TrimSpace(from.Name)
		in.from, _ = contacts.Email(from.Address)
	}
	if in.from == "" || len(in.from) > maxAddress {
		bad.Add("from", "format", "must be an email address")
	}
	in.replyTo(e.ReplyTo)
	return in, bad.Err()
}

// replyTo makes the address in Reply-To the customer. It is ignored if it can't be read, because an opt-out must not be
// lost.
func (in *incoming) replyTo(header string) {
	to, err := netmail.ParseAddress(strings.TrimSpace(printable(header)))
	if err != nil {
		return
	}
	address, ok := contacts.Email(to.Address)
	if !ok || address == in.from || len(address) > maxAddress {
		return
	}
	in.sender, in.from = in.from, address
	if name := strings.TrimSpace(to.Name); name != "" {
		in.name = name
	}
}

// adfOf returns an ADF document that a program sends to the email hook.
func adfOf(body []byte, requestID string) (incoming, error) {
	in := incoming{channel: consent.Email, text: printable(string(body)), id: printable(requestID), name: "an ADF document", isADF: true}
	if _, ok := parseADF(in.text); !ok {
		return in, fault.BadRequest("The ADF document can't be read. It must have a prospect.")
	}
	return in, nil
}

// ownMessage matches the Message-ID of an email that this service sent.
var ownMessage = regexp.MustCompile(`(msg_[0-9a-hjkmnp-tv-z]{26})@`)

// printable returns text that both databases can store. Bytes that are not UTF-8
// are read as Latin-1, which older software sends.
func printable(text string) string {
	if !utf8.ValidString(text) {
		runes := make([]rune, 0, len(text))
		for _, b := range []byte(text) {
			runes = append(runes, rune(b))
		}
		text = string(runes)
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
			return -1
		}
		return r
	}, text))
}

// clipped returns the first characters of a text.
func clipped(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most])
}

// isReport reports whether a mail server wrote the message, for example because it couldn't
// deliver an email.
func (in incoming) isReport() bool {
	name, _, _ := strings.Cut(in.from, "@")
	return in.channel == consent.Email && (name == "mailer-daemon" || name == "postmaster")
}

// body returns the text to store: what the sender wrote, and the links to media.
func (in incoming) body() string {
	return clipped(strings.TrimSpace(strings.Join(append([]string{in.text}, in.media...), "\n")), maxBody)
}

// message returns the message for a lead.
func (in incoming) message(l leads.Lead) LeadMessage {
	m := LeadMessage{
		Env: l.Env, LeadID: l.ID, ContactID: l.ContactID, Channel: in.channel, Direction: Inbound, From: &in.from,
		Subject: in.subject, Body: new(in.body()), Status: Received, ProviderMessageID: &in.id,
		Authentication: in.authentication, SenderVerified: in.authentication.verified(in.channel),
	}
	if in.to != "" {
		m.To = &in.to
	}
	if in.sender != "" {
		m.SenderVerified = new(false) // the results are about the address in From
	}
	return m
}

// lead returns the lead of a sender who is not known yet.
func (in incoming) lead() leads.LeadCreate {
	n := leads.LeadCreate{
		Source: leads.Source(in.channel), Contact: patch.Null[contacts.ContactCreate]{Set: true, V: in.contact()},
		Message: new(clipped(in.body(), maxLeadMessage)),
	}
	return n
}

// contact returns the sender.
func (in incoming) contact() *contacts.ContactCreate {
	if in.channel == consent.SMS {
		return &contacts.ContactCreate{Phone: &in.from}
	}
	c := &contacts.ContactCreate{Email: &in.from}
	if words := strings.Fields(in.name); len(words) > 1 {
		c.FirstName = new(clipped(strings.Join(words[:len(words)-1], " "), 100))
		c.LastName = new(clipped(words[len(words)-1], 100))
	} else if len(words) == 1 {
		c.LastName = new(clipped(words[0], 100))
	}
	return c
}

// revocation returns the record of an opt-out from a sender without a lead.
func (in incoming) revocation(contactID string) *consent.Consent {
	c := &consent.Consent{
		ContactID: contactID, Direction: consent.Revoked, Channels: []consent.Channel{in.channel}, Scope: consent.All,
		Bindings: []consent.ConsentBinding{{Channel: in.channel, Address: in.from}},
		Source:   new("text_keyword"), Method: new("reply"), RawText: new(clipped(in.text, maxLeadMessage)),
		Evidence: map[string]any{"provider_message_id": in.id}, ByPerson: true,
	}
	if in.channel == consent.Email {
		c.Source = new("email")
	}
	return c
}
