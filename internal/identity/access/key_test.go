package access

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/token"
)

func TestCheckKey(t *testing.T) {
	const text = "sk_test_example"
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(k *APIKey)
		want   string
	}{
		"valid":           {func(*APIKey) {}, ""},
		"another secret":  {func(k *APIKey) { k.Hash = token.Hash(text + "2") }, "Unknown API key."},
		"revoked":         {func(k *APIKey) { k.RevokedAt = &now }, "This API key was revoked."},
		"before its end":  {func(k *APIKey) { k.ExpiresAt = new(now.Add(time.Second)) }, ""},
		"expired":         {func(k *APIKey) { k.ExpiresAt = &now }, "This API key has expired."},
		"rotated, before": {func(k *APIKey) { k.RotatedTo, k.ExpiresAt = new("key_2"), new(now.Add(time.Second)) }, ""},
		"rotated":         {func(k *APIKey) { k.RotatedTo, k.ExpiresAt = new("key_2"), &now }, "This API key was rotated and has expired."},
	} {
		k := APIKey{Hash: token.Hash(text)}
		c.change(&k)
		got := ""
		if err := k.check(text, now); err != nil {
			got = strings.TrimPrefix(err.Error(), "unauthenticated: ")
			assert.Equal(t, fault.KindOf(err), fault.KindUnauthenticated, name)
		}
		assert.Equal(t, got, c.want, name)
	}
}
