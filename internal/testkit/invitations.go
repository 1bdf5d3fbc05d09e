package testkit

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slipway/internal/testkit/assert"
	"strings"
)

var mailedLink = regexp.MustCompile(`http://localhost(/(?:oauth/(?:invitations|password/reset|email_changes)/[a-z0-9]{52}|sso/links/[a-z0-9]{52}|senders/[A-Za-z0-9_-]+))\n`)

// InvitationLinks waits until n invitations have been sent to an address and
// returns the paths of their links.
func (s *Server) InvitationLinks(to string, n int) []string {
	s.t.Helper()
	return s.links(to, "/oauth/invitations/", n)
}

// SSOLinks waits until n links to confirm an identity have been sent to an address and
// returns their paths.
func (s *Server) SSOLinks(to string, n int) []string {
	s.t.Helper()
	return s.links(to, "/sso/links/", n)
}

// ResetLinks waits until n links for a forgotten password have been sent to an
// address and returns their paths.
func (s *Server) ResetLinks(to string, n int) (links []string) {
	s.t.Helper()
	return s.links(to, "/oauth/password/reset/", n)
}

// EmailChangeLinks waits until n links to confirm an address have been sent to it
// and returns their paths.
func (s *Server) EmailChangeLinks(to string, n int) []string {
	s.t.Helper()
	return s.links(to, "/oauth/email_changes/", n)
}

// SenderLinks waits until n links to verify a sender address have been sent to it
// and returns their paths.
func (s *Server) SenderLinks(to string, n int) []string {
	s.t.Helper()
	return s.links(to, "/senders/", n)
}

func (s *Server) links(to, kind string, n int) (links []string) {
	s.t.Helper()
	assert.Eventually(s.t, fmt.Sprintf("%d links %s to %s", n, kind, to), func() bool {
		links = nil
		for _, text := range s.sent(to, "") {
			if found := mailedLink.FindStringSubmatch(text); found != nil && strings.HasPrefix(found[1], kind) {
				links = append(links, found[1])
			}
		}
		return len(links) >= n
	})
	return links
}

// Mail waits until n messages with a subject have been sent to an address and
// returns their texts.
func (s *Server) Mail(to, subject string, n int) (texts []string) {
	s.t.Helper()
	assert.Eventually(s.t, fmt.Sprintf("%d messages to %s: %s", n, to, subject), func() bool {
		texts = s.sent(to, subject)
		return len(texts) >= n
	})
	return texts
}

// sent returns the texts of the messages that were sent so far, with any subject
// for "".
func (s *Server) sent(to, subject string) (texts []string) {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Data, "outbox", "*.eml"))
	check(s.t, err)
	for _, file := range files {
		if text := s.message(file, to, subject); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// message returns the text of an email. It returns "" if the email has another
// recipient or subject, or is not completely written yet.
func (s *Server) message(file, to, subject string) string {
	s.t.Helper()
	f, err := os.Open(file)
	check(s.t, err)
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil || m.Header.Get("To") != "<"+to+">" || (subject != "" && m.Header.Get("Subject") != subject) {
		return ""
	}
	text := plainText(m)
	if text == "" {
		return ""
	}

	assert.Equal(s.t, m.Header.Get("From"), `"Slipway" <noreply@localhost>`)
	return text
}

// plainText returns the text of a message that has a text and an HTML part. It returns ""
// if the message is not completely written yet.
func plainText(m *mail.Message) (text string) {
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return text
		}
		if err != nil {
			return ""
		}
		body, err := io.ReadAll(part)
		if err != nil {
			return ""
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
			text = strings.ReplaceAll(string(body), "\r\n", "\n")
		}
	}
}
