package access

import (
	"testing"
	"time"

	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

// Typos and tokens of other kinds are rejected without a query: this
// Authenticator is not connected to a database.
func TestTypos(t *testing.T) {
	a := &Authenticator{AuthLog: authlog.New(&db.DB{Now: time.Now})}
	key, _ := token.New(token.Key, auth.Test, 1)
	for _, typo := range []string{"", "sk_test_", key[1:], key + "a", key[:len(key)-1] + "1"} {
		if _, err := a.Authenticate(t.Context(), typo); fault.KindOf(err) != fault.KindUnauthenticated {
			t.Errorf("got %v for %q, want unauthenticated", err, typo)
		}
	}
}
