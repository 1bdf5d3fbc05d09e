package access

import (
	"context"
	"time"

	"slipway/internal/people"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// OpenSession is the step of a sign-in after the password was checked, at the time
// when the request was received.
func (a *API) OpenSession(ctx context.Context, c people.Candidate, code *string, received time.Time) (SignedIn, error) {
	return a.openSession(ctx, c, code, received)
}

// CountFailure counts a rejected credential.
func (u *Usage) CountFailure(env auth.Env, kind, id, reason string, now time.Time) {
	u.countFailure(env, kind, id, fault.Unauthenticated("%s", reason), now)
}

// PlainHashes returns the hashes of a recovery code without a key.
func PlainHashes(code string) [][]byte {
	return [][]byte{token.Hash(code), token.Hash(normalizeCode(code))}
}
