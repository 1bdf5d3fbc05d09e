package access

import (
	"context"
	"strings"
	"time"

	"slipway/internal/people"
)

// OpenWithCode is the step of a sign-in after the password was checked, at the time
// when the request was received.
func (a *API) OpenWithCode(ctx context.Context, c people.Candidate, code *string, received time.Time) (Opened, error) {
	return a.OpenSession(ctx, checked(c), Opening{Verify: a.WithCode(code, received)})
}

// WithOtherSecret returns a well-formed token with the public ID of another one.
func WithOtherSecret(token string) string {
	kind, mode, publicID, _ := parseToken(token)
	forged := kind + "_" + string(mode) + "_" + publicID + strings.Repeat("a", secretLen)
	return forged + checksum(forged)
}

// PlainHashes returns the hashes of a recovery code without a key.
func PlainHashes(code string) [][]byte {
	return [][]byte{hashToken(code), hashToken(normalizeCode(code))}
}
