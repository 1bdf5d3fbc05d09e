package identity

import (
	"context"
	"testing"
	"time"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/password"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// candidate returns a user as a sign-in finds it.
func candidate(s *testkit.Server, userID string) people.Candidate {
	return testkit.Rows[people.Candidate](s,
		`SELECT env, id, password_hash, 'test' AS mode, FALSE AS known_here FROM users WHERE id = ?`, userID)[0]
}

// A flood of sign-ins fills the queue for password hashes. A user who signs in from an
// address that was used before doesn't wait. Others get an error soon.
func TestFloodOfSignIns(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer") // has signed in from 127.0.0.1
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for {
		leave, err := password.Unknown.Enter(canceled)
		if err != nil {
			break // the queue is full
		}
		t.Cleanup(leave)
	}

	start := time.Now()
	assert.Equal(t, signInFrom(t, s, "127.0.0.1", signIn(p.Email)).Code, 201, "from a known address")
	if waited := time.Since(start); waited >= 3*time.Second {
		t.Errorf("waited %s from a known address", waited)
	}
	w := signInFrom(t, s, "203.0.113.1", signIn(p.Email))
	assert.Equal(t, w.Code, 429, "from another address")
	assert.Equal(t, w.Header().Get("Retry-After"), "5")
	assert.Contains(t, w.Body.String(), `"rate_limited"`)
}

// A code that expires while its request waits is still accepted. Otherwise a flood
// would lock out users with a two-factor method.
func TestCodeExpiresInQueue(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		p.Enroll()
		api := &access.API{DB: s.DB, Box: s.Box, AuthLog: authlog.New(s.DB)}
		c, received := code(t, s, p.Secret), s.DB.Now()
		s.Advance(2 * time.Minute)
		if _, err := openWithCode(t, api, candidate(s, p.ID), &c, s.DB.Now()); err == nil {
			t.Error("got a session with an expired code")
		}
		if _, err := openWithCode(t, api, candidate(s, p.ID), &c, received); err != nil {
			t.Errorf("got %v for a code that was valid when it was received", err)
		}
		if _, err := openWithCode(t, api, candidate(s, p.ID), &c, received); err == nil {
			t.Error("got a second session with the same code")
		}
	})
}

// A code of the owner only works in one of the two environments.
func TestCodeWorksInOneEnvironment(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		body := s.SignIn()
		s.As("").Post("/oauth/sessions", body, 201, nil)
		body["environment"] = "live"
		s.As("").Post("/oauth/sessions", body, 401, nil)
	})
}
