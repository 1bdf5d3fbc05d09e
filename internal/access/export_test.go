package access

import (
	"context"
	"strings"
	"time"

	"slipway/internal/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// OpenSession is what follows when a password was found right.
func (a *API) OpenSession(ctx context.Context, u people.User, mode auth.Mode) (SignedIn, error) {
	return a.openSession(ctx, people.Candidate{Env: u.Env, ID: u.ID, Mode: mode}, nil)
}

// Failed takes note of a refused credential.
func (u *Usage) Failed(env auth.Env, kind, id, why string, now time.Time) {
	u.failed(env, kind, id, fault.Unauthenticated("%s", why), now)
}

// WithOtherSecret is a well-formed token that finds the row of another one.
func WithOtherSecret(token string) string {
	kind, mode, publicID, _ := parseToken(token)
	forged := kind + "_" + string(mode) + "_" + publicID + strings.Repeat("a", secretLen)
	return forged + checksum(forged)
}
