package messages

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"slipway/internal/vocab/null"
)

// storable fails for text that a database rejects.
func storable(t *testing.T, in incoming) {
	t.Helper()
	texts := []string{in.from, in.name, in.to, in.id, in.inReplyTo, in.body(), null.Text(in.subject), null.Text(in.lead().Message)}
	for _, text := range append(texts, in.media...) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Errorf("%q can't be stored", text)
		}
	}
	if n := utf8.RuneCountInString(in.body()); n > maxBody {
		t.Errorf("got a body of %d characters", n)
	}
	if err := in.contact().Check(now); err != nil {
		t.Errorf("the contact is not valid: %v", err)
	}
}

// Requests of providers contain what strangers wrote.
func FuzzTwilioForm(f *testing.F) {
	f.Add("MessageSid=SM1&From=%2B14105550123&To=%2B14105550100&Body=STOP")
	f.Add("MessageSid=SM1&From=4105550123&Body=%00%FF&MediaUrl0=https://x.example/%00")
	f.Add("Body=a&Body=b")
	f.Add(url.Values{"From": {"whatsapp:+14105550123"}, "MessageSid": {strings.Repeat("x", 300)}}.Encode())
	f.Fuzz(func(t *testing.T, body string) {
		form, err := parseForm([]byte(body))
		if err != nil {
			return
		}
		if in, err := textOf(form); err == nil {
			storable(t, in)
		}
	})
}

func FuzzInboundEmail(f *testing.F) {
	f.Add(`{"from":"Ann Bell <ann@example.com>","to":"sales@acme.example","subject":"a\r\nb","text":"STOP","message_id":"<1@x>"}`)
	f.Add(`{"from":"ann@example.com","text":"\u0000\ud800","in_reply_to":"<msg_01jcqz8t5n8m2x4v6b7c9d0e1f@slipway>"}`)
	f.Add("{\"from\":\"ann@example.com\",\"text\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, body string) {
		in, err := emailOf([]byte(body), "id_1")
		if err != nil {
			return
		}
		storable(t, in)
		if strings.ContainsAny(null.Text(in.subject), "\r\n") {
			t.Errorf("%q has a line break", *in.subject)
		}
	})
}
