package app

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/id"
	"slipway/internal/vocab/signature"
	"slipway/internal/vocab/token"
)

// Examples have no secrets, and the same ID for the same object.
func TestRecorder(t *testing.T) {
	r := &recorder{seen: map[string]string{}, counts: map[string]int{}}
	ids := id.NewSource()
	hull, other := ids.New("hull", time.Now()), ids.New("hull", time.Now())
	first, second := r.replace("id", hull), r.replace("id", other)
	assert.Equal(t, r.replace("message", "is already used by "+hull), "is already used by "+first)
	if first == second || !id.Valid("hull", first) || !id.Valid("hull", second) {
		t.Errorf("got %s and %s, want two different IDs of hulls", first, second)
	}

	key, public := token.New(token.Key, auth.Test, 1)
	session, _ := token.New(token.Session, auth.Live, 1)
	for _, secret := range []string{key, "sk_test_" + public, session, signature.NewSecret().Text(), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXQ"} {
		got := r.replace("", secret)
		prefix := secret[:strings.LastIndex(secret, "_")+1]
		if !strings.HasPrefix(got, prefix) || strings.Contains(got, secret[len(prefix):]) || len(got) != len(secret) && prefix != "whsec_" {
			t.Errorf("got %s for the secret %s, want a replacement of the same form", got, secret)
		}
	}
	assert.Equal(t, r.replace("title", "2024 Grady-White Freedom 235"), "2024 Grady-White Freedom 235")
}
