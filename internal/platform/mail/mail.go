// Package mail sends email: by SMTP, or into a folder where a developer can
// read what would have gone out.
package mail

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Message is one email to one recipient.
type Message struct {
	From    string // an address, with or without a name
	To      string
	Subject string
	Text    string
	HTML    string // "" for none
	// Unsubscribe is the address that ends such messages at one click (RFC 8058),
	// "" for messages that were asked for.
	Unsubscribe string
	// Token stays the same when a message is sent again, so that a server or a
	// reader can tell a repeat.
	Token string
}

// Sender sends messages.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// IsRefused reports that the server will never take a message, as for a mailbox
// that is not there. Any other error may pass by itself.
func IsRefused(err error) bool {
	e, ok := errors.AsType[*gomail.SendError](err)
	return ok && e.ErrorCode() >= 500 && (e.Reason == gomail.ErrSMTPRcptTo || e.Reason == gomail.ErrSMTPData || e.Reason == gomail.ErrSMTPDataClose)
}

// compose makes the message as it goes over the wire.
func compose(m Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(m.From), msg.To(m.To)); err != nil {
		return nil, err
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	msg.SetMessageIDWithValue(m.Token + "@slipway")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	if m.Unsubscribe != "" {
		// As they stand: an encoded or folded link would not be found by readers.
		msg.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribe, "<"+m.Unsubscribe+">")
		msg.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	return msg, nil
}

// Outbox is a folder that messages are written to instead of being sent.
type Outbox struct{ Folder string }

// Send writes the message to a file named after its token.
func (o Outbox) Send(_ context.Context, m Message) error {
	msg, err := compose(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return err
	}
	return msg.WriteToFile(filepath.Join(o.Folder, m.Token+".eml"))
}

// SMTP is a server that takes our messages.
type SMTP struct {
	client *gomail.Client
	signer *gomail.DKIMSigner // nil: the server signs, or nobody
}

// NewSMTP reads smtp://user:password@host:587 (STARTTLS, required unless
// ?starttls=off) or smtps://host:465 (TLS from the start). The ports are those
// without one.
func NewSMTP(address string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || (u.Scheme != "smtp" && u.Scheme != "smtps") {
		// The address holds a password: it is not repeated.
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
		opts = append(opts, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	client, err := gomail.NewClient(u.Hostname(), opts...)
	if err != nil {
		return nil, err
	}
	return &SMTP{client: client}, nil
}

// SignAs signs what is sent for a domain (DKIM), by an RSA or Ed25519 key in
// PEM. Receivers want the links to unsubscribe under the signature, too.
func (s *SMTP) SignAs(domain, selector string, key []byte) error {
	private, err := gomail.PrivKeyFromPEM(key)
	if err != nil {
		return err
	}
	s.signer = gomail.NewDKIMSigner(domain, selector, private)
	// No more than fit in one line: a longer list is broken within a word, which
	// breaks the signature.
	s.signer.SignHeaders("From", "To", "Subject", "Date", "List-Unsubscribe", "List-Unsubscribe-Post")
	return s.signer.ValidateConfig()
}

// Send hands the message to the server.
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
		return nil // whatever went wrong while saying goodbye: sent again, it would come twice
	}
	return err
}
