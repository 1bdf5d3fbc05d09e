package access

import (
	"testing"
	"time"

	"slipway/internal/identity/people"
	"slipway/internal/testkit/assert"
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
		assert.Equal(t, creatorOf(keys[id], keys).ID, want, id)
	}
}

func TestRevocationNeedsProof(t *testing.T) {
	admin := people.User{ID: "usr_1", Roles: []people.UserRole{{Scopes: []auth.Scope{auth.Admin}}}}
	sales := people.User{ID: "usr_2", Roles: []people.UserRole{{Scopes: []auth.Scope{auth.LeadsWrite}}}}
	adminKey, readKey := APIKey{ID: "key_1", Scopes: []auth.Scope{auth.Admin}}, APIKey{ID: "key_2", Scopes: []auth.Scope{auth.HullsRead}}
	revoked := adminKey
	revoked.RevokedAt = new(time.Unix(0, 0))
	for name, c := range map[string]struct {
		key     APIKey
		creator people.User
		caller  string
		want    bool
	}{
		"admin key":                           {adminKey, sales, "key_9", true},
		"admin key from the command line":     {adminKey, people.User{}, "key_9", true},
		"admin key of an administrator":       {adminKey, admin, "key_9", true},
		"key of an administrator":             {readKey, admin, "key_9", true},
		"key of an administrator, by them":    {readKey, admin, "usr_1", true},
		"key of another user":                 {readKey, sales, "key_9", false},
		"key from the command line":           {readKey, people.User{}, "key_9", false},
		"admin key that revokes itself":       {adminKey, admin, "key_1", false},
		"admin key that is already revoked":   {revoked, admin, "key_9", false},
		"key of an administrator, by the key": {readKey, admin, "key_2", false},
	} {
		if got := c.key.revocationNeedsProof(c.creator, auth.Actor{ID: c.caller}); got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
