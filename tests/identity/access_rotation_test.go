package identity

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/identity/access"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

const week = 7 * 24 * time.Hour

// Both keys work for exactly seven days. Then only the new one works.
func TestRotation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var old, next access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read", "hulls:write"], "rate_limit": 500}`, 201, &old)
		path := "/v1/api_keys/" + old.ID
		s.Test.Post(path+"/rotate", nil, 201, &next)
		if next.ID == old.ID || next.Key == old.Key {
			t.Errorf("got the key %s after the rotation, want another one", next.ID)
		}
		assert.Equal(t, next.Name, "Website")
		assert.Equal(t, next.Scopes, old.Scopes)
		assert.Equal(t, next.RateLimit, new(int64(500)))
		assert.Equal(t, next.ExpiresAt, nil)
		assert.Equal(t, next.ServiceVersion, old.ServiceVersion)
		var record access.APIKey
		s.Test.Get(path, 200, &record)
		assert.Equal(t, record.RotatedTo, new(next.ID), "old key")
		assert.Equal(t, record.ExpiresAt, new(next.CreatedAt.Add(week)), "old key")

		// Both keys share their idempotency keys.
		body, retry := testkit.HullBody(s.Test.Location(), nil), uuid.NewString()
		created := s.As(old.Key).With("Idempotency-Key", retry).Post("/v1/hulls", body, 201, nil)
		again := s.As(next.Key).With("Idempotency-Key", retry).Post("/v1/hulls", body, 201, nil)
		assert.Equal(t, string(created.Bytes), string(again.Bytes), "retry with the new key")
		assert.Equal(t, again.Header.Get("Idempotent-Replayed"), "true", "retry with the new key")
		f := s.Test.Post(path+"/rotate", nil, 409, nil).Fault(t)
		f.WantDetail(t, "key_id", "state", "second rotation")
		assert.Contains(t, f.Message, next.ID, "second rotation")

		s.Advance(record.ExpiresAt.Sub(s.DB.Now()) - time.Second)
		s.As(old.Key).Get("/v1/me", 200, nil)
		s.As(next.Key).Get("/v1/me", 200, nil)
		s.Advance(time.Second)
		assert.Contains(t, s.As(old.Key).Get("/v1/me", 401, nil).Fault(t).Message, "rotated", "expired key")
		s.As(next.Key).Get("/v1/me", 200, nil)
		f = s.Test.Post(path+"/rotate", nil, 409, nil).Fault(t)
		f.WantDetail(t, "key_id", "state", "rotation of an expired key")
		assert.Contains(t, f.Message, "expired", "rotation of an expired key")

		// The new key can be rotated again, a revoked one can't.
		var third access.IssuedKey
		s.Test.Post("/v1/api_keys/"+next.ID+"/rotate", `{}`, 201, &third)
		s.Test.Post("/v1/api_keys/"+third.ID+"/revoke", nil, 200, nil)
		s.Test.Post("/v1/api_keys/"+third.ID+"/rotate", nil, 409, nil).WantDetail(t, "key_id", "state", "rotate after revoke")
		s.As(next.Key).Get("/v1/me", 200, nil) // works until it expires
	})
}

// Revoking a rotated key doesn't affect the new key.
func TestRevocationDuringRotation(t *testing.T) {
	s := testkit.OnSQLite(t)
	var old, next access.IssuedKey
	s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &old)
	s.Test.Post("/v1/api_keys/"+old.ID+"/rotate", nil, 201, &next)
	s.Test.Post("/v1/api_keys/"+old.ID+"/revoke", nil, 200, nil)
	s.As(old.Key).Get("/v1/me", 401, nil)
	s.As(next.Key).Get("/v1/me", 200, nil)
}

// Only one of several simultaneous rotations succeeds.
func TestConcurrentRotations(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for range 3 {
			var old access.IssuedKey
			s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &old)
			var mu sync.Mutex
			var issued []access.IssuedKey
			tally := testkit.Concurrently(t, 8, func(int) (*testkit.Response, error) {
				res, err := s.Test.Send("POST", "/v1/api_keys/"+old.ID+"/rotate", nil)
				if err == nil && res.StatusCode == 201 {
					mu.Lock()
					defer mu.Unlock()
					issued = append(issued, decode[access.IssuedKey](t, res))
				}
				return res, err
			})

			if tally[201] != 1 || tally[409] != 7 {
				t.Fatalf("got %v, want one 201 and seven 409", tally)
			}

			s.As(issued[0].Key).Get("/v1/me", 200, nil)
			var record access.APIKey
			s.Test.Get("/v1/api_keys/"+old.ID, 200, &record)
			assert.Equal(t, record.RotatedTo, new(issued[0].ID), "rotated_to of the old key")
			keys := testkit.Rows[int64](s, `SELECT COUNT(*) FROM api_keys WHERE lineage = ?`, old.ID)[0]
			assert.Equal(t, keys, 2, "keys with the same original")
		}
	})
}

// Creating and rotating a key with the admin scope requires an MFA token.
func TestAdminKeyRequiresMFAToken(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		manager, deputy := s.Person("manager"), s.Person()
		s.Test.Put("/v1/users/"+deputy.ID+"/roles", map[string]any{
			"role_ids": []string{s.Test.Role("admin")}, "mfa_token": s.Test.Proof(),
		}, 200, nil)
		manager.Enroll()
		deputy.Enroll()
		former := s.Person("owner")

		var in access.SignedIn
		unknown := func() string { return "mft_abcdefghijklmnopqrstuvwxyz" }
		ofOwner := func() string { return s.Test.Proof() }
		ofLiveOwner := func() string { return s.Live.Proof() }
		ofManager := manager.OwnProof
		ofDeputy := deputy.OwnProof
		ofFormer := func() string {
			s.Activate(former.ID)
			s.As("").Post("/oauth/sessions", signIn(former.Email, "totp_code", code(t, s, former.Secret)), 201, &in)
			former.Client = s.As(in.Token)
			token := former.OwnProof()
			s.Test.Post("/v1/users/"+former.ID+"/deactivate", map[string]any{"mfa_token": s.Test.Proof()}, 200, nil)
			return token
		}

		used := func() string {
			token := s.Test.Proof()
			s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token}, 201, nil)
			return token
		}
		after := func(d time.Duration) func() string {
			return func() string {
				token := s.Test.Proof()
				s.Advance(d)
				return token
			}
		}

		for name, c := range map[string]struct {
			client *testkit.Client
			scopes []auth.Scope
			token  func() string
			status int
		}{
			"no token":                              {s.Test, []auth.Scope{auth.Admin}, nil, 403},
			"empty token":                           {s.Test, []auth.Scope{auth.Admin}, func() string { return "" }, 403},
			"unknown token":                         {s.Test, []auth.Scope{auth.Admin}, unknown, 403},
			"used token":                            {s.Test, []auth.Scope{auth.Admin}, used, 403},
			"token after five minutes":              {s.Test, []auth.Scope{auth.Admin}, after(5 * time.Minute), 403},
			"token of the other environment":        {s.Test, []auth.Scope{auth.Admin}, ofLiveOwner, 403},
			"token of a manager":                    {s.Test, []auth.Scope{auth.Admin}, ofManager, 403},
			"token of an admin with fewer scopes":   {s.Test, []auth.Scope{auth.Admin, auth.HullsRead}, ofDeputy, 403},
			"token of a deactivated owner":          {s.Test, []auth.Scope{auth.Admin}, ofFormer, 403},
			"token of a user other than the caller": {deputy.Client, []auth.Scope{auth.Admin}, ofOwner, 403},
			"token of the calling user":             {deputy.Client, []auth.Scope{auth.Admin}, ofDeputy, 201},
			"token of the owner":                    {s.Test, []auth.Scope{auth.Admin, auth.HullsRead}, ofOwner, 201},
			"token after almost five minutes":       {s.Test, []auth.Scope{auth.Admin}, after(5*time.Minute - 10*time.Second), 201},
			"no token and no admin scope":           {s.Test, []auth.Scope{auth.HullsRead}, nil, 201},
		} {
			old := s.KeyWith(access.KeyRequest{Name: "to rotate", Scopes: c.scopes})
			var me access.Me
			s.As(old).Get("/v1/me", 200, &me)
			for how, request := range map[string]func(token *string) (string, map[string]any){
				"create": func(token *string) (string, map[string]any) {
					return "/v1/api_keys", map[string]any{"name": "x", "scopes": c.scopes, "mfa_token": token}
				},
				"rotate": func(token *string) (string, map[string]any) {
					return "/v1/api_keys/" + me.Credential.ID + "/rotate", map[string]any{"mfa_token": token}
				},
			} {
				var token *string
				if c.token != nil {
					token = new(c.token())
				}
				path, body := request(token)
				res, err := c.client.Send("POST", path, body)
				if err != nil || res.StatusCode != c.status || c.status == 403 && !res.Fault(t).HasDetail("mfa_token", "mfa") {
					t.Errorf("%s, %s: got %d %s, %v; want %d, with the detail mfa_token mfa if 403", how, name, res.StatusCode, res.Bytes, err, c.status)
				}
			}
		}
	})
}

// An MFA token works once, even for simultaneous requests.
func TestMFATokenWorksOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		token := s.Test.Proof()
		tally := testkit.Concurrently(t, 6, func(int) (*testkit.Response, error) {
			return s.Test.Send("POST", "/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token})
		})
		assert.Equal(t, tally[201], 1)
		assert.Equal(t, tally[403], 5)

		// A request that fails for another reason doesn't use it up.
		token = s.Test.Proof()
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin", "boats:read"}, "mfa_token": token}, 422, nil)
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token}, 201, nil)
	})
}

// A key with an expiration ends then. A rotation doesn't extend it, and an expired key can't
// be rotated.
func TestExpiration(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		now := time.Now().UTC().Truncate(time.Second)
		s.StopClock(now)
		ends := now.Add(3 * 24 * time.Hour)
		request := access.KeyRequest{Name: "CLI", Scopes: []auth.Scope{auth.HullsRead}, ExpiresAt: &ends}
		rotated, kept := s.As(s.KeyWith(request)), s.As(s.KeyWith(request))
		var old, other access.Me
		rotated.Get("/v1/me", 200, &old)
		kept.Get("/v1/me", 200, &other)

		var next access.IssuedKey
		s.Test.Post("/v1/api_keys/"+old.Credential.ID+"/rotate", nil, 201, &next)
		assert.Equal(t, next.ExpiresAt, &ends, "new key")
		var record access.APIKey
		s.Test.Get("/v1/api_keys/"+old.Credential.ID, 200, &record)
		assert.Equal(t, record.ExpiresAt, &ends, "old key, which ends before the overlap")

		s.Advance(3 * 24 * time.Hour)
		for _, c := range []*testkit.Client{rotated, kept, s.As(next.Key)} {
			c.Get("/v1/hulls", 401, nil)
		}
		s.Test.Post("/v1/api_keys/"+other.Credential.ID+"/rotate", nil, 409, nil)
	})
}
