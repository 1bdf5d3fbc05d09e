// Package signin lets users sign in with a browser. Everything that has pages uses
// it: the pages for apps, and the console.
//
// A page calls Require. If the user is not signed in, Require leads to the sign-in
// page, which leads back to the page.
package signin

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/vocab/auth"
)

// ticketLifetime is how long a user can take for the steps after the password.
const ticketLifetime = 5 * time.Minute

// ticket is a password that was checked, for one of the users whom it fits.
type ticket struct {
	Env       auth.Env  `db:"env"`
	Hash      []byte    `db:"hash"`
	UserID    string    `db:"user_id"`
	Mode      auth.Mode `db:"mode"`
	Password  []byte    `db:"password"`
	ReturnTo  string    `db:"return_to"`
	Challenge []byte    `db:"challenge"`
	ExpiresAt time.Time `db:"expires_at"`
}

func (t ticket) checked() access.Checked {
	return access.Checked{Env: t.Env, UserID: t.UserID, Mode: t.Mode, Password: t.Password}
}

// place binds the challenge of a security key to its ticket.
func (t ticket) place() string {
	return fmt.Sprintf("sign_in_tickets/%d/%x/%s", t.Env, t.Hash, t.UserID)
}

// maxReturnTo limits the length of a page's address.
const maxReturnTo = 4096

// safeReturn returns the path and query of a page of this site, or "". The page must
// be one of the known pages, or below one. Anything else would let an attacker send
// a user from our sign-in page to another site.
func safeReturn(given string, known []string) string {
	u, err := url.Parse(given)
	if err != nil || len(given) > maxReturnTo || u.Scheme != "" || u.Opaque != "" || u.Host != "" || u.User != nil {
		return ""
	}
	// Browsers treat a backslash as a slash, and ignore tabs and line breaks.
	if strings.ContainsFunc(given, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return ""
	}
	if !strings.HasPrefix(u.Path, "/") || strings.ContainsAny(u.Path, "\\") || path.Clean(u.Path) != u.Path || u.EscapedPath() != u.Path {
		return ""
	}
	if !slices.ContainsFunc(known, func(page string) bool { return u.Path == page || strings.HasPrefix(u.Path, page+"/") }) {
		return ""
	}
	if u.RawQuery != "" {
		return u.Path + "?" + u.RawQuery
	}
	return u.Path
}

// device describes a browser or a program by its User-Agent.
func device(userAgent *string) string {
	if userAgent == nil || *userAgent == "" {
		return "Unknown device"
	}
	first := func(names ...[2]string) string {
		for _, n := range names {
			if strings.Contains(*userAgent, n[0]) {
				return n[1]
			}
		}
		return ""
	}

	browser := first([2]string{"Edg", "Edge"}, [2]string{"OPR/", "Opera"}, [2]string{"Firefox/", "Firefox"}, [2]string{"FxiOS/", "Firefox"},
		[2]string{"CriOS/", "Chrome"}, [2]string{"Chrome/", "Chrome"}, [2]string{"Safari/", "Safari"})
	system := first([2]string{"iPhone", "iPhone"}, [2]string{"iPad", "iPad"}, [2]string{"Android", "Android"}, [2]string{"Windows", "Windows"},
		[2]string{"Mac OS X", "Mac"}, [2]string{"CrOS", "ChromeOS"}, [2]string{"Linux", "Linux"})
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	}
	program, _, _ := strings.Cut(*userAgent, " ")
	program, _, _ = strings.Cut(program, "/")
	return program
}
