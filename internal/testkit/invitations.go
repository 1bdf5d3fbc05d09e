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

var invitationLink = regexp.MustCompile(`http://localhost(/oauth/invitations/[a-z0-9]{52})\n`)

// InvitationLinks waits until n invitations have been sent to an address and
// returns the paths of their links.
func (s *Server) InvitationLinks(to string, n int) (links []string) {
	s.t.Helper()
	Eventually(s.t, fmt.Sprintf("%d invitations to %s", n, to), func() bool {
		files, err := filepath.Glob(filepath.Join(s.Data, "outbox", "*.eml"))
		check(s.t, err)
		links = nil
		for _, file := range files {
			if link := s.invitationLink(file, to); link != "" {
				links = append(links, link)
			}
		}
		return len(links) >= n
	})
	return links
}

// invitationLink returns the link in an email. It returns "" if the email has
// another recipient or is not completely written yet.
func (s *Server) invitationLink(file, to string) string {
	s.t.Helper()
	f, err := os.Open(file)
	check(s.t, err)
	defer f.Close()
	m, err := mail.ReadMessage(f)
	if err != nil || m.Header.Get("To") != "<"+to+">" {
		return ""
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		return ""
	}
	found := invitationLink.FindStringSubmatch(strings.ReplaceAll(string(body), "\r\n", "\n"))
	if found == nil {
		return ""
	}

	Equal(s.t, m.Header.Get("Subject"), "You are invited to Acme Marine on Slipway")
	Equal(s.t, m.Header.Get("From"), `"Slipway" <noreply@localhost>`)
	return found[1]
}
