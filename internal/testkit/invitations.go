package testkit

import (
	"fmt"
	"io"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	invitationLink  = regexp.MustCompile(`http://localhost(/oauth/invitations/[a-z0-9]{52})\n`)
	emailChangeLink = regexp.MustCompile(`http://localhost(/oauth/email_changes/[a-z0-9]{52})\n`)
)

// InvitationLinks waits until n invitations have been sent to an address and
// returns the paths of their links.
func (s *Server) InvitationLinks(to string, n int) []string {
	s.t.Helper()
	return s.links(to, "You are invited to Acme Marine on Slipway", n, invitationLink)
}

// EmailChangeLinks waits until n links to confirm an address have been sent to it
// and returns their paths.
func (s *Server) EmailChangeLinks(to string, n int) []string {
	s.t.Helper()
	return s.links(to, "Confirm your new email address for Acme Marine", n, emailChangeLink)
}

func (s *Server) links(to, subject string, n int, link *regexp.Regexp) (links []string) {
	s.t.Helper()
	for _, text := range s.Mail(to, subject, n) {
		if found := link.FindStringSubmatch(text); found != nil {
			links = append(links, found[1])
		}
	}
	if len(links) < n {
		s.t.Fatalf("got the links %v in the messages to %s, want %d", links, to, n)
	}
	return links
}

// Mail waits until n messages with a subject have been sent to an address and
// returns their texts.
func (s *Server) Mail(to, subject string, n int) (texts []string) {
	s.t.Helper()
	Eventually(s.t, fmt.Sprintf("%d messages to %s: %s", n, to, subject), func() bool {
		texts = s.sent(to, subject)
		return len(texts) >= n
	})
	return texts
}

// sent returns the texts of the messages that were sent so far.
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
	if err != nil || m.Header.Get("To") != "<"+to+">" || m.Header.Get("Subject") != subject {
		return ""
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	text := strings.ReplaceAll(string(body), "\r\n", "\n")
	if err != nil || !strings.HasSuffix(strings.TrimSpace(text), ".") { // every message ends with a sentence
		return ""
	}

	Equal(s.t, m.Header.Get("From"), `"Slipway" <noreply@localhost>`)
	return text
}
