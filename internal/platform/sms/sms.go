// Package sms sends text messages with Twilio, or writes them to a folder for
// development.
package sms

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"

	"slipway/internal/platform/outbox"
)

// Message is one text message to one number.
type Message struct {
	From string // a number, or a sender ID of the provider
	To   string
	Text string
	// Token stays the same when a message is sent again, so that the provider can
	// detect duplicates.
	Token string
	// Callback is the URL that the provider reports the delivery status to, or "".
	Callback string
}

// Sender sends messages.
type Sender interface {
	Name() string
	// Send returns the provider's ID of the message. The error is *Rejected if the
	// provider will never deliver the message, and *Unanswered if it might. All other
	// errors are temporary: the message was not sent.
	Send(ctx context.Context, m Message) (id string, err error)
	// Sent returns the provider's IDs of the messages like m that it has accepted since a
	// time, oldest first. It answers what Send couldn't.
	Sent(ctx context.Context, m Message, since time.Time) (ids []string, err error)
	// Status returns the delivery status. The error is *Rejected if the message was
	// not delivered. All other errors are temporary.
	Status(ctx context.Context, id string) (Status, error)
}

// Status is the delivery status of a message that the provider accepted.
type Status int

// The statuses. Some messages stay Unknown.
const (
	Unknown Status = iota
	Underway
	Delivered
)

// Unanswered means that the provider received the message, or might have, and didn't
// say whether it accepts it. To send it again might deliver it twice.
type Unanswered struct{ Err error }

func (u *Unanswered) Error() string { return "no answer: " + u.Err.Error() }

func (u *Unanswered) Unwrap() error { return u.Err }

// Rejected means that the provider will never deliver the message.
type Rejected struct {
	Code string // of the provider
	Text string
}

func (r *Rejected) Error() string { return "rejected: " + r.Text + " (" + r.Code + ")" }

// OptedOut reports whether the recipient sent STOP to the provider.
func (r *Rejected) OptedOut() bool { return r.Code == "21610" }

// Outbox is a folder that messages are written to instead of being sent.
type Outbox struct{ Folder string }

const suffix = ".sms.json" // of the files in the folder

// Name is the provider in the API.
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
	return m.Token, os.WriteFile(filepath.Join(o.Folder, m.Token+suffix), append(text, '\n'), 0o600)
}

// Sent looks for the file.
func (o Outbox) Sent(_ context.Context, m Message, _ time.Time) (ids []string, err error) {
	_, err = os.Stat(filepath.Join(o.Folder, m.Token+suffix))
	switch {
	case err == nil:
		return []string{m.Token}, nil
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	}
	return nil, err
}

// Remove deletes the file of a message, if it exists.
func (o Outbox) Remove(token string) error {
	return outbox.Remove(filepath.Join(o.Folder, token+suffix))
}

// Sweep deletes the files that were written before a time.
func (o Outbox) Sweep(before time.Time) error { return outbox.Sweep(o.Folder, suffix, before) }

// Status is always Unknown.
func (Outbox) Status(context.Context, string) (Status, error) { return Unknown, nil }

// gsm is the GSM-7 alphabet. Extended characters count twice.
const (
	gsm      = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	extended = "^{}\\[~]|€\f"
)

// Segments returns the number of SMS segments of a text. One character outside
// GSM-7 reduces the size of a segment from 160 to 70 characters.
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
