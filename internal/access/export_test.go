package access

import (
	"context"
	"time"

	"slipway/internal/people"
	"slipway/internal/vocab/token"
)

// OpenWithCode is the step of a sign-in after the password was checked, at the time
// when the request was received.
func (a *API) OpenWithCode(ctx context.Context, c people.Candidate, code *string, received time.Time) (Opened, error) {
	return a.OpenSession(ctx, checked(c), Opening{Verify: a.WithCode(code, received)})
}

// PlainHashes returns the hashes of a recovery code without a key.
func PlainHashes(code string) [][]byte {
	return [][]byte{token.Hash(code), token.Hash(normalizeCode(code))}
}
