package access

import (
	"testing"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// Typos and tokens of other kinds are rejected without a query: this
// Authenticator has no database.
func TestTypos(t *testing.T) {
	key, _ := token.New(token.Key, auth.Test)
	for _, typo := range []string{"", "sk_test_", key[1:], key + "a", key[:len(key)-1] + "1"} {
		if _, err := (&Authenticator{}).Authenticate(t.Context(), typo); fault.KindOf(err) != fault.KindUnauthenticated {
			t.Errorf("got %v for %q, want unauthenticated", err, typo)
		}
	}
}
