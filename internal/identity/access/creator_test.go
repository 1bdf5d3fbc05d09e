package access

import (
	"testing"
	"time"

	"slipway/internal/vocab/auth"
)

func keyBy(kind auth.ActorType, id string) APIKey {
	return APIKey{CreatedBy: KeyCreator{Actor: auth.Actor{Type: kind, ID: id}}}
}

func TestCreatorOf(t *testing.T) {
	keys := map[string]APIKey{
		"key_first": keyBy("user", "usr_1"), "key_second": keyBy("api_key", "key_first"), "key_third": keyBy("api_key", "key_second"),
		"key_office": keyBy("system", "system"), "key_website": keyBy("api_key", "key_office"),
		"key_lost": keyBy("api_key", "key_missing"), "key_a": keyBy("api_key", "key_b"), "key_b": keyBy("api_key", "key_a"),
		"key_app": keyBy("app", "app_1"), "key_of_app": keyBy("api_key", "key_app"),
	}
	for id, want := range map[string]string{
		"key_first": "usr_1", "key_second": "usr_1", "key_third": "usr_1", "key_office": "system", "key_website": "system",
		"key_lost": "system", "key_a": "system", "key_b": "system", "key_app": "app_1", "key_of_app": "app_1",
	} {
		if got := creatorOf(keys[id], keys).ID; got != want {
			t.Errorf("%s: got %q, want %q", id, got, want)
		}
	}
}

func TestRevocationNeedsProof(t *testing.T) {
	adminKey, readKey := APIKey{ID: "key_1", Scopes: []auth.Scope{auth.Admin}}, APIKey{ID: "key_2", Scopes: []auth.Scope{auth.HullsRead}}
	revoked := adminKey
	revoked.RevokedAt = new(time.Unix(0, 0))
	for name, c := range map[string]struct {
		key    APIKey
		caller string
		want   bool
	}{
		"admin key":                         {adminKey, "key_9", true},
		"admin key, by its creator":         {adminKey, "usr_1", true},
		"plain key":                         {readKey, "key_9", false},
		"admin key that revokes itself":     {adminKey, "key_1", false},
		"admin key that is already revoked": {revoked, "key_9", false},
	} {
		if got := c.key.revocationNeedsProof(auth.Actor{ID: c.caller}); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
