// Package mail sends email with SMTP, or writes it to a folder for development.
package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"slipway/internal/platform/outbox"
)

// Message is one email to one recipient.
type Message struct {
	From    string // an address, with or without a name
	To      string
	Subject string
	Text    string
	HTML    string // "" for none
	Images  []Image
	ReplyTo string // an address, or "" for the sender's
	// Unsubscribe is the URL for one-click unsubscribe (RFC 8058), or "" for none.
	Unsubscribe string
	// Token stays the same when a message is sent again, so that servers and mail
	// clients can detect duplicates.
	Token string
}

// Image is a picture in the HTML part, which shows it as cid:{ID}.
type Image struct {
	ID, Type string
	Content  []byte
}

// Sender sends messages.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// IsRejected reports whether the server will never accept the message, for
// example because the mailbox doesn't exist. All other errors are temporary, unless
// IsUnanswered.
func IsRejected(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.ErrorCode() >= 500 &&
		(e.Reason == gomail.ErrSMTPRcptTo || e.Reason == gomail.ErrSMTPData || e.Reason == gomail.ErrSMTPDataClose)
}

// IsUnanswered reports whether the server received the whole message and didn't say
// whether it accepts it. To send it again might deliver it twice.
func IsUnanswered(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.Reason == gomail.ErrSMTPDataClose && e.ErrorCode() == 0
}

// compose returns the MIME message.
func compose(m Message, options ...gomail.MsgOption) (*gomail.Msg, error) {
	msg := gomail.NewMsg(append(options, gomail.WithNoDefaultUserAgent())...)
	if err := errors.Join(msg.From(m.From), msg.To(m.To)); err != nil {
		return nil, err
	}
	if m.ReplyTo != "" {
		if err := msg.ReplyTo(m.ReplyTo); err != nil {
			return nil, err
		}
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageIDWithValue(m.Token + "@" + domainOf(m.From))
	for _, i := range m.Images {
		err := msg.EmbedReader(i.ID, bytes.NewReader(i.Content), gomail.WithFileContentID("<"+i.ID+">"), gomail.WithFileContentType(gomail.ContentType(i.Type)))
		if err != nil {
			return nil, err
		}
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	if m.Unsubscribe != "" {
		// Preformatted, because mail clients don't find an encoded or folded link.
		msg.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">")
		msg.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	return msg, nil
}

// domainOf returns the domain of an address. Filters distrust a Message-ID of another
// domain than the sender's.
func domainOf(address string) string {
	if a, err := netmail.ParseAddress(address); err == nil {
		address = a.Address
	}
	return address[strings.LastIndexByte(address, '@')+1:]
}

// Outbox is a folder that messages are written to instead of being sent.
type Outbox struct{ Folder string }

const suffix = ".eml" // of the files in the folder

// Send writes the message to a file named after its token. It is not encoded, so that
// you can copy a link from it.
func (o Outbox) Send(_ context.Context, m Message) error {
	msg, err := compose(m, gomail.WithEncoding(gomail.NoEncoding))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return err
	}
	return msg.WriteToFile(filepath.Join(o.Folder, m.Token+suffix))
}

// Remove deletes the file of a message, if it exists.
func (o Outbox) Remove(token string) error {
	return outbox.Remove(filepath.Join(o.Folder, token+suffix))
}

// Sweep deletes the files that were written before a time.
func (o Outbox) Sweep(before time.Time) error { return outbox.Sweep(o.Folder, suffix, before) }

// SMTP sends messages to an SMTP server.
type SMTP struct {
	client *gomail.Client
	signer *gomail.DKIMSigner // nil if messages are not signed here
}

// NewSMTP reads smtp://user:password@host:587 (STARTTLS, required unless
// ?starttls=off) or smtps://host:465 (implicit TLS). The ports shown are the
// defaults.
func NewSMTP(address string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		// The error doesn't repeat the address because it contains a password.
		return nil, errors.New("must have the form smtp://user:password@host:587")
	}
	opts := []gomail.Option{gomail.WithTimeout(20 * time.Second), gomail.WithPort(gomail.DefaultPortTLS)}
	switch {
	case u.Scheme == "smtps":
		opts = append(opts, gomail.WithSSL(), gomail.WithPort(gomail.DefaultPortSSL))
	case u.Query().Get("starttls") == "off":
		opts = append(opts, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if u.Port() != "" {
		port, err := strconv.Atoi(u.Port())
		if err != nil {
			return nil, fmt.Errorf("port: %w", err)
		}
		opts = append(opts, gomail.WithPort(port))
	}
	if u.User != nil {
		password, _ := u.User.Password()
		opts = append(opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()),
			gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(u.Hostname(), opts...)
	if err != nil {
		return nil, err
	}
	return &SMTP{client: client}, nil
}

// SignAs signs messages for a domain (DKIM) with an RSA or Ed25519 key in PEM
// format. Receivers require that the unsubscribe headers are signed too.
func (s *SMTP) SignAs(domain, selector string, key []byte) error {
	private, err := gomail.PrivKeyFromPEM(key)
	if err != nil {
		return err
	}
	s.signer = gomail.NewDKIMSigner(domain, selector, private)
	// The list must fit in one line. A longer one is split within a word, which
	// makes the signature invalid.
	s.signer.SignHeaders("From", "To", "Subject", "Date", "List-Unsubscribe", "List-Unsubscribe-Post")
	return s.signer.ValidateConfig()
}

// Check connects to the server and signs in, without sending a message.
func (s *SMTP) Check(ctx context.Context) error {
	conn, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	return s.client.CloseWithSMTPClient(conn)
}

// Send sends the message to the server.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := compose(m)
	if err != nil {
		return err
	}
	if s.signer != nil {
		msg.SetDKIM(s.signer)
	}
	err = s.client.DialAndSendWithContext(ctx, msg)
	if msg.IsDelivered() {
		return nil // ignore errors after delivery, because a retry would send it twice
	}
	return err
}
