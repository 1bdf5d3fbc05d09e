// Package sms sends text messages: by Twilio, or into a folder where a
// developer can read what would have gone out.
package sms

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// Message is one text to one number.
type Message struct {
	From string // a number, or what the provider has instead
	To   string
	Text string
	// Token stays the same when a message is sent again, so that a provider can
	// tell a repeat.
	Token string
}

// Sender sends messages.
type Sender interface {
	Name() string
	// Send returns the provider's id of what it took.
	Send(ctx context.Context, m Message) (id string, err error)
	// Status tells what became of it. A message that did not arrive is an error,
	// *Refused; any other error may pass by itself.
	Status(ctx context.Context, id string) (Status, error)
}

// Status is what became of a message that a provider took.
type Status int

// The fates. Of some messages nobody ever hears again.
const (
	Unknown Status = iota
	Underway
	Delivered
)

// Refused is that the provider will never take this message. Any other error
// may pass by itself.
type Refused struct {
	Code string // the provider's
	Text string
}

func (r *Refused) Error() string { return "refused: " + r.Text + " (" + r.Code + ")" }

// OptedOut reports that the recipient told the provider to stop: it knows of a
// STOP that we have not heard of.
func (r *Refused) OptedOut() bool { return r.Code == "21610" }

// Outbox is a folder that messages are written to instead of being sent.
type Outbox struct{ Folder string }

// Name is how messages tell where they went.
func (Outbox) Name() string { return "outbox" }

// Send writes the message to a file named after its token.
func (o Outbox) Send(_ context.Context, m Message) (string, error) {
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(map[string]string{"from": m.From, "to": m.To, "text": m.Text}, "", "  ")
	if err != nil {
		return "", err
	}
	return m.Token, os.WriteFile(filepath.Join(o.Folder, m.Token+".sms.json"), append(text, '\n'), 0o600)
}

// Status is not to be known: nobody reads the folder for the recipient.
func (Outbox) Status(context.Context, string) (Status, error) { return Unknown, nil }

// gsm are the characters that fit seven bits; extended ones count twice.
const (
	gsm      = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	extended = "^{}\\[~]|€\f"
)

// Segments is how many messages a text is sent and billed as. One letter that
// is not in the alphabet of 1985 makes all of them more than twice as dear.
func Segments(text string) int64 {
	units := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune(gsm, r):
			units++
		case strings.ContainsRune(extended, r):
			units += 2
		default:
			return parts(len(utf16.Encode([]rune(text))), 70, 67)
		}
	}
	return parts(units, 160, 153)
}

func parts(units, alone, each int) int64 {
	if units <= alone {
		return 1
	}
	return int64((units + each - 1) / each)
}
