package access

import (
	"context"
	"strings"
	"time"

	"slipway/internal/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// OpenSession is the step of a sign-in after the password was checked.
func (a *API) OpenSession(ctx context.Context, u people.User, mode auth.Mode) (SignedIn, error) {
	return a.openSession(ctx, people.Candidate{Env: u.Env, ID: u.ID, Mode: mode}, nil)
}

// CountFailure counts a rejected credential.
func (u *Usage) CountFailure(env auth.Env, kind, id, reason string, now time.Time) {
	u.countFailure(env, kind, id, fault.Unauthenticated("%s", reason), now)
}

// WithOtherSecret returns a well-formed token with the public ID of another one.
func WithOtherSecret(token string) string {
	kind, mode, publicID, _ := parseToken(token)
	forged := kind + "_" + string(mode) + "_" + publicID + strings.Repeat("a", secretLen)
	return forged + checksum(forged)
}
