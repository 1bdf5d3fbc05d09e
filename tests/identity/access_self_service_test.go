package identity

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/token"
)

// An administrator can't give themselves the two-factor method of another user,
// with any credential. Otherwise one stolen admin key could create more of them.
func TestAdminCantEnrollForOthers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		victim, viewer := s.Person("owner"), s.Person("viewer")
		e, fresh := enroll(viewer, "totp")
		for who, c := range map[string]*testkit.Client{"key": s.Test, "session": s.OwnerSession(auth.Test).Client} {
			for _, user := range []string{victim.ID, viewer.ID} {
				c.Post("/v1/users/"+user+"/mfa_factors", `{"kind": "totp"}`, 403, nil).WantDetail(t, "user_id", "self", "enroll by a", who)
			}
			c.Post(victim.Factor+"/verify", map[string]any{"code": code(t, s, victim.Secret)}, 403, nil).
				WantDetail(t, "user_id", "self", "verify by a", who)
			c.Post(fresh+"/verify", map[string]any{"code": code(t, s, *e.Secret)}, 403, nil).WantDetail(t, "user_id", "self", "verify by a", who)
		}
		assert.Len(t, testkit.Rows[string](s, `SELECT id FROM mfa_factors WHERE user_id IN (?, ?)`, victim.ID, viewer.ID), 2)
		victim.OwnProof() // the codes of others are not used up, and the method is not locked
	})
}

// Users manage their own methods and sessions without the admin scope, and nothing
// of other users.
func TestSelfService(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("viewer"), s.Person("viewer")
		p.Enroll()
		other.Enroll()
		wantScope := func(res *testkit.Response, what string) {
			t.Helper()
			assert.Contains(t, res.Fault(t).Message, "admin", what)
			res.WantDetail(t, "Authorization", "scope", what)
		}
		wantScope(p.Post("/v1/users/"+other.ID+"/mfa_factors", `{"kind": "totp"}`, 403, nil), "enroll")
		wantScope(p.Post(other.Factor+"/verify", `{"code": "000000"}`, 403, nil), "verify")
		wantScope(p.With("MFA-Token", p.OwnProof()).Delete(other.Factor, 403), "delete")
		wantScope(p.Get("/v1/users/"+p.ID, 403, nil), "read the user")

		s.Advance(time.Minute)
		var mine, theirs page.Page[people.Session]
		second := s.As(sessionWith(s, p))
		p.Get("/v1/sessions", 200, &mine)
		assert.Len(t, mine.Data, 2)
		p.Get("/v1/sessions?user_id="+p.ID, 200, &mine)
		assert.Len(t, mine.Data, 2)
		wantScope(p.Get("/v1/sessions?user_id="+other.ID, 403, nil), "sessions of another user")
		s.Test.Get("/v1/sessions?user_id="+other.ID, 200, &theirs)
		wantScope(p.Delete("/v1/sessions/"+theirs.Data[0].ID, 403), "session of another user")
		wantScope(p.Delete("/v1/sessions/ses_00000000000000000000000000", 403), "unknown session")
		p.Delete("/v1/sessions/"+mine.Data[0].ID, 204)
		second.Get("/v1/me", 401, nil)
		other.Get("/v1/me", 200, nil)

		wantScope(s.As(s.Key(auth.HullsRead)).Get("/v1/sessions", 403, nil), "key without the scope")
		p.With("MFA-Token", p.OwnProof()).Delete(p.Factor, 204)
	})
}

// sessionWith signs a user with an authenticator app in and returns the token.
func sessionWith(s *testkit.Server, p *testkit.Person) string {
	var in access.SignedIn
	s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", s.Code(p.Secret)), 201, &in)
	return in.Token
}

// A stolen password of an administrator without a two-factor method opens nothing.
func TestAdminWithoutFactorCanOnlyEnroll(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		p.Get("/v1/hulls", 200, nil)
		owner := s.RoleID("owner")
		s.Exec(`INSERT INTO user_roles (env, user_id, role_id) SELECT env, id, ? FROM users WHERE id = ?`, owner, p.ID)

		for path, body := range map[string]any{
			"/v1/hulls": nil, "/v1/users": nil, "/v1/sessions": nil, "/v1/audit": nil, "/v1/hins/GRT40912B324": nil,
			"/v1/locations": `{"name": "Pier"}`, "/v1/api_keys": `{"name": "x", "scopes": ["hulls:read"]}`,
		} {
			method := "GET"
			if body != nil {
				method = "POST"
			}
			f := p.Do(method, path, body, 403, nil).Fault(t)
			f.WantDetail(t, "Authorization", "mfa", path)
			assert.Contains(t, f.Message, "/v1/users/"+p.ID+"/mfa_factors", path)
		}
		p.Post("/oauth/password", map[string]any{"old_password": testkit.Password, "new_password": "seven quiet green herons"}, 403, nil)
		p.Post("/v1/users/"+s.Test.User(nil)+"/mfa_factors", `{"kind": "totp"}`, 403, nil)
		var me access.Me
		p.Get("/v1/me", 200, &me)
		assert.Len(t, me.Scopes, 0, "before the enrollment")

		p.Enroll()
		p.Get("/v1/users", 200, nil)
		p.Get("/v1/me", 200, &me)
		assert.Len(t, me.Scopes, len(auth.Scopes), "after the enrollment")
		p.With("MFA-Token", p.OwnProof()).Delete(p.Factor, 204)
		p.Get("/v1/users", 403, nil)
		p.Delete("/oauth/sessions/current", 204)
	})
}

// A key with the admin scope is not enough to remove a two-factor method, or to add
// another one.
func TestChangingFactorsRequiresMFAToken(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("viewer"), s.Person("sales")
		p.Enroll()
		other.Enroll()
		factors, path := "/v1/users/"+p.ID+"/mfa_factors", p.Factor
		wantRejected := func(res *testkit.Response) {
			t.Helper()
			res.WantDetail(t, "mfa_token", "mfa")
		}
		wantRejected(p.Post(factors, `{"kind": "totp"}`, 403, nil))
		wantRejected(p.Post(factors, `{"kind": "totp", "mfa_token": "mft_made_up"}`, 403, nil))
		wantRejected(p.Post(factors, map[string]any{"kind": "totp", "mfa_token": s.Test.Proof()}, 403, nil))
		wantRejected(p.Delete(path, 403))
		wantRejected(p.With("MFA-Token", "mft_made_up").Delete(path, 403))
		wantRejected(p.With("MFA-Token", other.OwnProof()).Delete(path, 403))

		// An administrator's key needs an administrator's token, and a session its own.
		wantRejected(s.Test.Delete(path, 403))
		wantRejected(s.Test.With("MFA-Token", other.OwnProof()).Delete(path, 403))
		wantRejected(s.Test.With("MFA-Token", s.Live.Proof()).Delete(path, 403))
		admin := s.OwnerSession(auth.Test)
		wantRejected(admin.With("MFA-Token", s.Person("owner").OwnProof()).Delete(path, 403))

		used := p.OwnProof()
		p.Post(factors, map[string]any{"kind": "totp", "mfa_token": used}, 201, nil)
		wantRejected(p.With("MFA-Token", used).Delete(path, 403))
		unused := p.OwnProof()
		p.With("MFA-Token", p.OwnProof()).Delete(path, 204)
		p.Enroll()
		wantRejected(p.With("MFA-Token", unused).Delete(p.Factor, 403)) // of a removed method
	})
}

// An administrator resets the method of another user. The password alone must not
// be enough to sign in then: others might know it.
func TestResetFactorNeedsNewPassword(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, admin := s.Person("viewer"), s.OwnerSession(auth.Test)
		codes := p.Enroll()
		s.Exec(`DELETE FROM river_job`) // the first invitation
		s.RunJobs()
		path := p.Factor
		admin.With("MFA-Token", admin.OwnProof()).Delete(path, 204)

		p.Get("/v1/me", 401, nil)
		s.Advance(time.Minute)
		for _, c := range []string{"", code(t, s, p.Secret), codes[0]} {
			s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", c), 401, nil)
		}
		var u people.User
		s.Test.Get("/v1/users/"+p.ID, 200, &u)
		assert.Equal(t, u.Status, people.Active)
		assert.Len(t, u.MFAFactors, 0)

		link := s.InvitationLinks(p.Email, 1)[0]
		s.Mail(p.Email, "Set a new password for Acme Marine on Slipway", 1)
		assert.Equal(t, sendForm(t, s, link, "password", "seven quiet green herons").StatusCode, 200)
		var in access.SignedIn
		s.As("").Post("/oauth/sessions", signIn(p.Email, "password", "seven quiet green herons"), 201, &in)
		p.Client = s.As(in.Token)
		p.Enroll()
	})
}

// Recovery codes are only shown after the first verification, and only work while
// an active method exists. Otherwise they would be a factor that was never verified.
func TestRecoveryCodesNeedActiveFactor(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(p, "totp")
		count := func() int {
			return len(testkit.Rows[string](s, `SELECT user_id FROM recovery_codes WHERE user_id = ?`, p.ID))
		}
		assert.Equal(t, count(), 0, "codes before the first verification")
		assert.Excludes(t, string(p.Post("/v1/users/"+p.ID+"/mfa_factors", `{"kind": "webauthn"}`, 201, nil).Bytes), "recovery_codes")

		var proof access.MFAProof
		p.Post(path+"/verify", map[string]any{"code": code(t, s, *e.Secret)}, 200, &proof)
		assert.Equal(t, count(), 10, "codes after the first verification")
		_, second := enrollWith(p, *proof.MFAToken)
		p.With("MFA-Token", mfaToken(p.Client, path, code(t, s, *e.Secret))).Delete(path, 204)
		assert.Equal(t, count(), 0, "codes without an active method")
		p.Post(second+"/verify", map[string]any{"code": proof.RecoveryCodes[0]}, 422, nil)

		// Even codes that are left in the database don't work.
		codes := p.Enroll()
		s.Exec(`UPDATE mfa_factors SET active = FALSE WHERE user_id = ?`, p.ID)
		p.Post(p.Factor+"/verify", map[string]any{"code": codes[0]}, 422, nil)
	})
}

// An attacker with a stolen session enrolls a method and verifies it at the same time
// as the user. Only one of the two methods remains.
func TestConcurrentFirstVerification(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for round := range 10 {
			s.Advance(time.Minute)
			p := s.Person("viewer")
			mine, minePath := enroll(p, "totp")
			theirs, theirPath := enroll(p, "totp")
			bodies := []map[string]any{{"code": code(t, s, *mine.Secret)}, {"code": currentCode(t, s, *theirs.Secret)}}
			tally := testkit.Concurrently(t, 2, func(i int) (*testkit.Response, error) {
				return p.Send("POST", []string{minePath, theirPath}[i]+"/verify", bodies[i])
			})
			assert.Equal(t, tally[200], 1, "round", round)
			assert.Equal(t, tally[404], 1, "round", round)
			active := testkit.Rows[bool](s, `SELECT active FROM mfa_factors WHERE user_id = ?`, p.ID)
			assert.Equal(t, active, []bool{true}, "round", round)
		}
	})
}

// A method that is enrolled while the first one is verified needs its MFA token, or is
// deleted.
func TestEnrollDuringFirstVerification(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for round := range 10 {
			s.Advance(time.Minute)
			p := s.Person("viewer")
			e, path := enroll(p, "totp")
			body := map[string]any{"code": code(t, s, *e.Secret)}
			tally := testkit.Concurrently(t, 5, func(i int) (*testkit.Response, error) {
				if i == round%5 {
					return p.Send("POST", path+"/verify", body)
				}
				return p.Send("POST", "/v1/users/"+p.ID+"/mfa_factors", `{"kind": "totp"}`)
			})
			assert.Equal(t, tally[200], 1, "round", round)
			assert.Equal(t, tally[201]+tally[403], 4, "round", round)
			left := testkit.Rows[string](s, `SELECT id FROM mfa_factors WHERE user_id = ?`, p.ID)
			assert.Equal(t, left, []string{e.ID}, "round", round)
		}
	})
}

// Removing a method ends the MFA tokens that it might have issued. Two requests that
// remove two methods at the same time remove one.
func TestConcurrentRemovals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for round := range 6 {
			s.Advance(time.Minute)
			p := s.Person("viewer")
			phone, phonePath := enrollApp(p)
			e, tabletPath := enrollWith(p, p.OwnProof())
			mfaToken(p.Client, tabletPath, code(t, s, *e.Secret))
			tokens := []string{mfaToken(p.Client, phonePath, code(t, s, phone)), mfaToken(p.Client, tabletPath, code(t, s, *e.Secret))}
			tally := testkit.Concurrently(t, 2, func(i int) (*testkit.Response, error) {
				return p.With("MFA-Token", tokens[i]).Send("DELETE", []string{phonePath, tabletPath}[i], nil)
			})
			assert.Equal(t, tally[204], 1, "round", round)
			assert.Equal(t, tally[403], 1, "round", round)
			assert.Len(t, testkit.Rows[string](s, `SELECT id FROM mfa_factors WHERE user_id = ?`, p.ID), 1, "round", round)
			assert.Len(t, testkit.Rows[string](s, `SELECT user_id FROM recovery_codes WHERE user_id = ?`, p.ID), 10, "round", round)
		}
	})
}

// A stolen database doesn't reveal the recovery codes: they are too short for a hash
// without a key.
func TestRecoveryCodesAreStoredWithKey(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer")
	codes := p.Enroll()
	stored := testkit.Rows[[]byte](s, `SELECT hash FROM recovery_codes WHERE user_id = ?`, p.ID)
	assert.Len(t, stored, len(codes))
	for _, c := range codes {
		for _, plain := range [][]byte{token.Hash(c), token.Hash(strings.ReplaceAll(c, "-", ""))} {
			for _, hash := range stored {
				if string(hash) == string(plain) {
					t.Errorf("the code %s is stored as a plain hash", c)
				}
			}
		}
	}
}
