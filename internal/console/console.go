// Package console serves the web console: its files, and /console/api, which is the API
// for a browser that is signed in.
//
// The console has no rules of its own. It calls the API like any other client, but with a
// session in a cookie. Only /console/api accepts the cookie, and only from pages of this
// server: the console, and the API reference, where people try operations.
package console

import (
	"strings"

	"slipway/internal/vocab/auth"
)

// Path is where the console is.
const Path = "/console"

// policy only allows what the console consists of: no scripts or styles in the page, and
// no other host.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
	"font-src 'self'; manifest-src 'self'; frame-src blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// modeOf returns the environment of a page, such as /console/test/leads, or "".
func modeOf(path string) auth.Mode {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, Path+"/"), "/")
	switch mode := auth.Mode(first); mode {
	case auth.Live, auth.Test:
		return mode
	}
	return ""
}
