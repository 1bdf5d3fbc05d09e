package access_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"slipway/internal/access"
	"slipway/internal/testkit"
	"slipway/internal/vocab/auth"
)

const week = 7 * 24 * time.Hour

// Two keys for seven days, to the second; then one.
func TestRotation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var old, next access.IssuedKey
		s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read", "hulls:write"], "rate_limit": 500}`, 201, &old)
		path := "/v1/api_keys/" + old.ID
		res := s.Test.Post(path+"/rotate", nil, 201, &next)
		if next.ID == old.ID || next.Key == old.Key || next.Name != "Website" || !slices.Equal(next.Scopes, old.Scopes) || *next.RateLimit != 500 || next.ExpiresAt != nil || next.ServiceVersion != old.ServiceVersion {
			t.Errorf(`the successor is %s; want next.ID != %q, next.Key != %q, next.Name = "Website", next.Scopes = %v, next.RateLimit = 500, next.ExpiresAt = nil, next.ServiceVersion = %q`, res.Bytes, old.ID, old.Key, old.Scopes, old.ServiceVersion)
		}
		var record access.APIKey
		s.Test.Get(path, 200, &record)
		testkit.Equal(t, record.RotatedTo, new(next.ID), "old key")
		testkit.Equal(t, record.ExpiresAt, new(next.CreatedAt.Add(week)), "old key")
		// An idempotency key of the old one is the successor's, too: what was sent once is not done twice.
		body, repeat := testkit.HullBody(s.Test.Location(), nil), uuid.NewString()
		made := s.As(old.Key).With("Idempotency-Key", repeat).Post("/v1/hulls", body, 201, nil)
		again := s.As(next.Key).With("Idempotency-Key", repeat).Post("/v1/hulls", body, 201, nil)
		testkit.Equal(t, string(made.Bytes), string(again.Bytes), "made once")
		testkit.Equal(t, again.Header.Get("Idempotent-Replayed"), "true", "made once")
		f := s.Test.Post(path+"/rotate", nil, 409, nil).Fault(t)
		f.WantDetail(t, "key_id", "state", "second rotation")
		testkit.Contains(t, f.Message, next.ID, "second rotation")

		s.Advance(record.ExpiresAt.Sub(s.DB.Now()) - time.Second)
		s.As(old.Key).Get("/v1/me", 200, nil)
		s.As(next.Key).Get("/v1/me", 200, nil)
		s.Advance(time.Second)
		testkit.Contains(t, s.As(old.Key).Get("/v1/me", 401, nil).Fault(t).Message, "rotated", "after its end")
		s.As(next.Key).Get("/v1/me", 200, nil)
		f = s.Test.Post(path+"/rotate", nil, 409, nil).Fault(t)
		f.WantDetail(t, "key_id", "state", "rotated after its end")
		testkit.Contains(t, f.Message, "expired", "rotated after its end")
		// The successor can be rotated in its turn, a revoked one cannot.
		var third access.IssuedKey
		s.Test.Post("/v1/api_keys/"+next.ID+"/rotate", `{}`, 201, &third)
		s.Test.Post("/v1/api_keys/"+third.ID+"/revoke", nil, 200, nil)
		s.Test.Post("/v1/api_keys/"+third.ID+"/rotate", nil, 409, nil).WantDetail(t, "key_id", "state", "rotate after revoke")
		s.As(next.Key).Get("/v1/me", 200, nil) // goes on until its own end
	})
}

// Revoking a rotated key ends it before its time and leaves its successor.
func TestRevocationDuringRotation(t *testing.T) {
	s := testkit.OnSQLite(t)
	var old, next access.IssuedKey
	s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &old)
	s.Test.Post("/v1/api_keys/"+old.ID+"/rotate", nil, 201, &next)
	s.Test.Post("/v1/api_keys/"+old.ID+"/revoke", nil, 200, nil)
	s.As(old.Key).Get("/v1/me", 401, nil)
	s.As(next.Key).Get("/v1/me", 200, nil)
}

// Of many rotations at once there is one successor, and it works.
func TestConcurrentRotations(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for range 3 {
			var old access.IssuedKey
			s.Test.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &old)
			var mu sync.Mutex
			var successors []access.IssuedKey
			tally := testkit.Concurrently(t, 8, func(int) (*testkit.Response, error) {
				res, err := s.Test.Send("POST", "/v1/api_keys/"+old.ID+"/rotate", nil)
				if err == nil && res.StatusCode == 201 {
					mu.Lock()
					defer mu.Unlock()
					successors = append(successors, decode[access.IssuedKey](t, res))
				}
				return res, err
			})
			if tally[201] != 1 || tally[409] != 7 {
				t.Fatalf("got %v; want tally[201] = 1, tally[409] = 7", tally)
			}
			s.As(successors[0].Key).Get("/v1/me", 200, nil)
			var record access.APIKey
			s.Test.Get("/v1/api_keys/"+old.ID, 200, &record)
			testkit.Equal(t, record.RotatedTo, new(successors[0].ID), "the record names the successor")
			testkit.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM api_keys WHERE lineage = ?`, old.ID)[0], 2, "keys of one lineage")
		}
	})
}

// The admin scope needs a second factor, at issue and at rotation.
func TestAdminKeyNeedsSecondFactor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		manager, deputy := s.Person("manager"), s.Person()
		s.Test.Put("/v1/users/"+deputy.ID+"/roles", map[string]any{"role_ids": []string{s.Test.Role("admin")}}, 200, nil)
		managersApp, managersFactor := enrollApp(t, s, s.Test, manager.ID)
		deputysApp, deputysFactor := enrollApp(t, s, s.Test, deputy.ID)
		former := s.Person("owner")
		formersApp, formersFactor := enrollApp(t, s, s.Test, former.ID)
		formersProof := func() string {
			s.Activate(former.ID)
			token := mfaToken(s.Test, formersFactor, code(t, s, formersApp))
			s.Test.Post("/v1/users/"+former.ID+"/deactivate", nil, 200, nil)
			return token
		}
		used := func() string {
			token := ownerMFAToken(t, s, s.Test)
			s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token}, 201, nil)
			return token
		}
		after := func(d time.Duration) func() string {
			return func() string {
				token := ownerMFAToken(t, s, s.Test)
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
			"none":                        {s.Test, []auth.Scope{auth.Admin}, nil, 403},
			"empty":                       {s.Test, []auth.Scope{auth.Admin}, func() string { return "" }, 403},
			"made up":                     {s.Test, []auth.Scope{auth.Admin}, func() string { return "mft_abcdefghijklmnopqrstuvwxyz" }, 403},
			"used before":                 {s.Test, []auth.Scope{auth.Admin}, used, 403},
			"five minutes old":            {s.Test, []auth.Scope{auth.Admin}, after(5 * time.Minute), 403},
			"of the other environment":    {s.Test, []auth.Scope{auth.Admin}, func() string { return ownerMFAToken(t, s, s.Live) }, 403},
			"of a manager":                {s.Test, []auth.Scope{auth.Admin}, func() string { return mfaToken(s.Test, managersFactor, code(t, s, managersApp)) }, 403},
			"of an admin with less":       {s.Test, []auth.Scope{auth.Admin, auth.HullsRead}, func() string { return mfaToken(s.Test, deputysFactor, code(t, s, deputysApp)) }, 403},
			"of a deactivated owner":      {s.Test, []auth.Scope{auth.Admin}, formersProof, 403},
			"of another than the session": {deputy.Client, []auth.Scope{auth.Admin}, func() string { return ownerMFAToken(t, s, s.Test) }, 403},
			"of the session's own":        {deputy.Client, []auth.Scope{auth.Admin}, func() string { return mfaToken(s.Test, deputysFactor, code(t, s, deputysApp)) }, 201},
			"of the owner":                {s.Test, []auth.Scope{auth.Admin, auth.HullsRead}, func() string { return ownerMFAToken(t, s, s.Test) }, 201},
			"nearly five minutes old":     {s.Test, []auth.Scope{auth.Admin}, after(5*time.Minute - 10*time.Second), 201},
			"none, and no admin":          {s.Test, []auth.Scope{auth.HullsRead}, nil, 201},
		} {
			old := s.KeyWith(access.KeyRequest{Name: "to rotate", Scopes: c.scopes})
			var me access.Me
			s.As(old).Get("/v1/me", 200, &me)
			for how, ask := range map[string]func(token *string) (string, map[string]any){
				"issue": func(token *string) (string, map[string]any) {
					return "/v1/api_keys", map[string]any{"name": "x", "scopes": c.scopes, "mfa_token": token}
				},
				"rotation": func(token *string) (string, map[string]any) {
					return "/v1/api_keys/" + me.Credential.ID + "/rotate", map[string]any{"mfa_token": token}
				},
			} {
				var token *string
				if c.token != nil {
					token = new(c.token())
				}
				path, body := ask(token)
				res, err := c.client.Send("POST", path, body)
				if err != nil || res.StatusCode != c.status || c.status == 403 && !res.Fault(t).HasDetail("mfa_token", "mfa") {
					t.Errorf("%s, %s: got %d %s, %v; want %d, with the detail mfa_token mfa if 403", how, name, res.StatusCode, res.Bytes, err, c.status)
				}
			}
		}
	})
}

// A token that several requests spend at once is spent once.
func TestProofIsSpentOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		token := ownerMFAToken(t, s, s.Test)
		tally := testkit.Concurrently(t, 6, func(int) (*testkit.Response, error) {
			return s.Test.Send("POST", "/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token})
		})
		testkit.Equal(t, tally[201], 1)
		testkit.Equal(t, tally[403], 5)
		// A request that fails for another reason does not spend it.
		token = ownerMFAToken(t, s, s.Test)
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin", "boats:read"}, "mfa_token": token}, 422, nil)
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": token}, 201, nil)
	})
}
