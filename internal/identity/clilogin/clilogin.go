// Package clilogin signs in the command line. A signed-in user allows a machine to use the
// API on a page, and the machine gets an API key for it.
//
// The machine opens the page with a PKCE challenge and the address of a port on itself. The
// page returns a code there, and the machine exchanges it for the key.
package clilogin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"slipway/internal/identity/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	codeLifetime = 5 * time.Minute
	keyLifetime  = 90 * 24 * time.Hour
)

// code is a request that a user has allowed.
type code struct {
	Env         auth.Env     `db:"env"`
	Hash        []byte       `db:"hash"`
	UserID      string       `db:"user_id"`
	Mode        auth.Mode    `db:"mode"`
	Name        string       `db:"name"`
	Scopes      []auth.Scope `db:"scopes,json"`
	Challenge   string       `db:"challenge"`
	RedirectURI string       `db:"redirect_uri"`
	ExpiresAt   time.Time    `db:"expires_at"`
}

// request is what the machine asks for.
type request struct {
	RedirectURI, State, Challenge, Host string
}

var (
	redirectFormat  = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]):[1-9][0-9]{0,4}/callback$`)
	challengeFormat = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	verifierFormat  = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)
)

// parseRequest reads the parameters of the page, or returns what is wrong with them. Only
// the same machine can receive the code.
func parseRequest(q url.Values) (r request, problem string) {
	for _, values := range q {
		if len(values) > 1 {
			return r, "The link repeats a parameter."
		}
	}
	r = request{q.Get("redirect_uri"), q.Get("state"), q.Get("code_challenge"), hostName(q.Get("host"))}
	switch {
	case !redirectFormat.MatchString(r.RedirectURI):
		return r, "The link must lead back to a port of your machine."
	case q.Get("code_challenge_method") != "S256" || !challengeFormat.MatchString(r.Challenge):
		return r, "The link has no valid code challenge."
	case len(r.State) < 16 || len(r.State) > 200:
		return r, "The link has no valid state."
	}
	return r, ""
}

// hostName returns the name of a machine without characters that could mislead the user.
func hostName(text string) string {
	text = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if text = strings.TrimSpace(text[:min(len(text), 60)]); text == "" {
		return "unknown machine"
	}
	return text
}

// keyName is the name of the key of a machine.
func keyName(host string) string { return "CLI on " + host }

// response returns the URL that leads back to the machine.
func (r request) response(name, value string) string {
	return r.RedirectURI + "?" + url.Values{name: {value}, "state": {r.State}}.Encode()
}

// check returns an error if the code can't be exchanged. A machine that doesn't know the
// verifier did not open the page.
func (c code) check(verifier, redirect string, now time.Time) *fault.Error {
	sum := sha256.Sum256([]byte(verifier))
	got := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case !now.Before(c.ExpiresAt):
		return errCode("The code has expired. Run slipway login again.")
	case !verifierFormat.MatchString(verifier) || subtle.ConstantTimeCompare([]byte(got), []byte(c.Challenge)) != 1:
		return errCode("The code belongs to another sign-in. Run slipway login again.")
	case redirect != c.RedirectURI:
		return errCode("redirect_uri must be the same as on the page.")
	}
	return nil
}

func errCode(text string) *fault.Error { return fault.BadRequest("%s", text) }

// blocked returns why a user can't allow these scopes, or "".
func blocked(u people.User, held, scopes []auth.Scope) string {
	switch {
	case u.Status != people.Active:
		return "Your account is not active."
	case u.IsAdmin() && !u.HasActiveFactor():
		return "Set up a two-factor method first. Administrators can't do anything without one."
	case len(scopes) == 0:
		return "Choose at least one scope."
	}
	for _, s := range scopes {
		if !slices.Contains(held, s) {
			return "You can't allow more than you can do yourself. You don't have the scope " + string(s) + "."
		}
	}
	return ""
}
