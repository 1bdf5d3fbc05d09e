package access_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"slipway/internal/access"
	"slipway/internal/people"
	"slipway/internal/testkit"
)

func TestEnrollTOTP(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(s.Test, p.ID, "totp")
		uri, err := url.Parse(*e.OTPAuthURI)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, uri.Scheme+"://"+uri.Host+uri.Path, "otpauth://totp/Slipway:"+p.Email)
		testkit.Equal(t, uri.Query().Get("secret"), *e.Secret)
		testkit.Equal(t, uri.Query().Get("issuer"), "Slipway")
		testkit.Equal(t, e.Active, false)
		testkit.Equal(t, e.Kind, "totp")
		testkit.Equal(t, e.Label, new("Phone"))
		testkit.Len(t, e.RecoveryCodes, 10)
		testkit.Equal(t, len(e.PublicKey), 0)

		factors := func() []people.UserFactor {
			var u people.User
			s.Test.Get("/v1/users/"+p.ID, 200, &u)
			return u.MFAFactors
		}
		got := factors()
		testkit.Len(t, got, 1, "before it is verified")
		testkit.Equal(t, got[0].Active, false, "before it is verified")
		s.Token(p.Email) // no code is required until it is verified

		first := code(t, s, *e.Secret)
		var proof access.MFAProof
		s.Test.Post(path+"/verify", map[string]any{"code": first}, 200, &proof)
		testkit.Equal(t, factors()[0].Active, true)
		if !strings.HasPrefix(*proof.MFAToken, "mft_") || proof.ExpiresAt.Sub(s.DB.Now()) > 5*time.Minute || len(proof.Challenge) != 0 {
			t.Errorf("got %s; want a token that starts with mft_ and expires within 5 minutes, and no challenge", testkit.Show(proof))
		}
		s.Test.Post(path+"/verify", map[string]any{"code": first}, 422, nil).WantDetail(t, "code", "mismatch", "the same code again")

		signIn := map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test"}
		s.As("").Post("/oauth/sessions", signIn, 401, nil).WantDetail(t, "totp_code", "required", "without a code")

		second, path2 := enrollWith(s.Test, p.ID, *proof.MFAToken)
		testkit.Len(t, second.RecoveryCodes, 0, "recovery codes of a second method")
		s.Test.Delete(path2, 204)
		s.Test.With("MFA-Token", mfaToken(s.Test, path, code(t, s, *e.Secret))).Delete(path, 204)
		s.Test.Delete(path, 404)
		testkit.Len(t, factors(), 0)
		s.Token(p.Email)
		if third, _ := enroll(s.Test, p.ID, "totp"); len(third.RecoveryCodes) != 10 || slices.Contains(e.RecoveryCodes, third.RecoveryCodes[0]) {
			t.Errorf("got recovery codes %v after a new enrollment, want 10 new ones", third.RecoveryCodes)
		}
	})
}

func TestInvalidFactors(t *testing.T) {
	s := testkit.OnSQLite(t)
	user := s.Test.User(nil)
	path := "/v1/users/" + user + "/mfa_factors"
	s.Test.Post(path, `{"kind": "sms"}`, 422, nil)
	s.Test.Post(path, `{}`, 400, nil)
	_, factor := enroll(s.Test, user, "totp")
	s.Test.Post(factor+"/verify", `{}`, 400, nil).WantDetail(t, "code", "required")
	s.Test.Post(factor+"/verify", nil, 400, nil)
	s.Test.Post(factor+"/verify", `{"code": 123456}`, 400, nil)
	// A factor is only found under its own user.
	s.Test.Post(strings.Replace(factor, user, s.Test.User(nil), 1)+"/verify", `{"code": "000000"}`, 404, nil)
	for range 9 {
		enroll(s.Test, user, "totp")
	}
	s.Test.Post(path, `{"kind": "totp"}`, 409, nil).WantDetail(t, "user_id", "state", "eleventh method")
}

// Codes of the step before and after are accepted, others are not.
func TestClockDifference(t *testing.T) {
	s := testkit.OnSQLite(t)
	secret, path := enrollApp(t, s, s.Test, s.Test.User(nil))
	at := func(steps int) string {
		c, err := totp.GenerateCode(secret, s.DB.Now().Add(time.Duration(steps)*30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// Start in the middle of a step, so that the step doesn't change during the test.
	s.Advance(5*time.Minute + 15*time.Second - time.Duration(s.DB.Now().UnixNano()%int64(30*time.Second)))
	for _, c := range []struct{ steps, status int }{{-2, 422}, {2, 422}, {-1, 200}, {-1, 422}, {0, 200}, {1, 200}, {0, 422}} {
		res := s.Test.Post(path+"/verify", map[string]any{"code": at(c.steps)}, c.status, nil)
		if c.status == 422 {
			res.WantDetail(t, "code", "mismatch", c)
		}
	}
}

// Five wrong codes in a row lock a factor for 15 minutes, even for right codes.
func TestWrongCodesLock(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(s.Test, p.ID, "totp")
		secret := *e.Secret
		verify := func(code string, status int) *testkit.Response {
			t.Helper()
			return s.Test.Post(path+"/verify", map[string]any{"code": code}, status, nil)
		}
		enter := func(code string, status int) {
			t.Helper()
			s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", code), status, nil)
		}

		verify(code(t, s, secret), 200)
		for range 4 {
			verify(wrongCode(t, s, secret), 422)
		}
		verify(code(t, s, secret), 200) // resets the count
		for range 4 {
			verify(wrongCode(t, s, secret), 422)
		}
		enter(wrongCode(t, s, secret), 401) // a wrong code at sign-in also counts

		locked := verify(code(t, s, secret), 429)
		wait := locked.Header.Get("Retry-After")
		if f := locked.Fault(t); !f.HasDetail("code", "locked") || wait < "860" || wait > "900" || len(wait) != 3 {
			t.Errorf("got %+v with Retry-After %s; want the detail code locked and 860 to 900 seconds", f, wait)
		}
		verify(e.RecoveryCodes[0], 429)
		enter(code(t, s, secret), 429)

		s.Advance(15*time.Minute - 2*time.Minute)
		verify(code(t, s, secret), 429)
		s.Advance(time.Minute)
		verify(code(t, s, secret), 200)
		for range 5 { // the count was reset
			verify(wrongCode(t, s, secret), 422)
		}
		verify(code(t, s, secret), 429)
	})
}

// Simultaneous requests don't allow more guesses, and a code that is sent several
// times simultaneously works once.
func TestConcurrentCodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		secret, path := enrollApp(t, s, s.Test, s.Test.User(nil))
		send := func(code string) func(int) (*testkit.Response, error) {
			return func(int) (*testkit.Response, error) {
				return s.Test.Send("POST", path+"/verify", map[string]any{"code": code})
			}
		}
		for range 3 {
			tally := testkit.Concurrently(t, 8, send(code(t, s, secret)))
			testkit.Equal(t, tally[200], 1, "a right code, eight times")
			testkit.Equal(t, tally[422]+tally[429], 7, "a right code, eight times")
			s.Advance(15 * time.Minute)
			mfaToken(s.Test, path, code(t, s, secret))
			tally = testkit.Concurrently(t, 16, send(wrongCode(t, s, secret)))
			testkit.Equal(t, tally[422], 5, "sixteen wrong codes")
			testkit.Equal(t, tally[429], 11, "sixteen wrong codes")
			s.Advance(15 * time.Minute)
		}
	})
}

func TestRecoveryCodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(s.Test, p.ID, "totp")
		mfaToken(s.Test, path, code(t, s, *e.Secret))
		typed := []func(string) string{
			func(c string) string { return c },
			strings.ToUpper,
			func(c string) string { return strings.ReplaceAll(c, "-", "") },
			func(c string) string { return " " + strings.ReplaceAll(c, "-", " ") + " " },
		}

		_, otherPath := enroll(s.Test, s.Test.User(nil), "totp")
		s.Test.Post(otherPath+"/verify", map[string]any{"code": e.RecoveryCodes[0]}, 422, nil).
			WantDetail(t, "code", "mismatch", "factor of another user")

		for i, c := range e.RecoveryCodes {
			input := typed[i%len(typed)](c)
			if i%2 == 0 {
				s.Test.Post(path+"/verify", map[string]any{"code": input}, 200, nil)
			} else {
				s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", input), 201, nil)
			}
			s.Test.Post(path+"/verify", map[string]any{"code": c}, 422, nil)
		}
		mfaToken(s.Test, path, code(t, s, *e.Secret)) // the app still works
	})
}

// A user with two apps can use either, and a locked app doesn't lock the other.
func TestSecondApp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		phone, phonePath := enrollApp(t, s, s.Test, p.ID)
		e, tabletPath := enrollWith(s.Test, p.ID, mfaToken(s.Test, phonePath, code(t, s, phone)))
		tablet := *e.Secret
		mfaToken(s.Test, tabletPath, code(t, s, tablet))
		enter := func(code string, want int) {
			t.Helper()
			s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", code), want, nil)
		}

		for range 6 {
			enter(code(t, s, tablet), 201)
		}
		enter(code(t, s, phone), 201)

		for range 5 {
			s.Test.Post(phonePath+"/verify", map[string]any{"code": wrongCode(t, s, phone)}, 422, nil)
		}
		s.Test.Post(phonePath+"/verify", map[string]any{"code": code(t, s, phone)}, 429, nil)
		enter(code(t, s, tablet), 201)
		s.Advance(time.Minute) // so that the throttle allows more attempts
		for range 5 {
			enter("000000", 401)
		}
		enter(code(t, s, tablet), 429)
	})
}

// A key with the admin scope is not enough to add or delete a two-factor method of
// a user who has one. Otherwise the check for admin keys could be bypassed.
func TestChangingFactorsRequiresMFAToken(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		secret, path := enrollApp(t, s, s.Test, p.ID)
		factors := "/v1/users/" + p.ID + "/mfa_factors"
		wantRejected := func(res *testkit.Response) {
			t.Helper()
			res.WantDetail(t, "mfa_token", "mfa")
		}
		wantRejected(s.Test.Post(factors, `{"kind": "totp"}`, 403, nil))
		wantRejected(s.Test.Post(factors, `{"kind": "totp", "mfa_token": "mft_made_up"}`, 403, nil))
		wantRejected(s.Test.Delete(path, 403))
		wantRejected(s.Test.With("MFA-Token", "mft_made_up").Delete(path, 403))

		// A token of another user is only accepted if that user is an administrator.
		other := s.Person("sales")
		otherSecret, otherPath := enrollApp(t, s, s.Test, other.ID)
		wantRejected(s.Test.With("MFA-Token", mfaToken(s.Test, otherPath, code(t, s, otherSecret))).Delete(path, 403))
		used := mfaToken(s.Test, path, code(t, s, secret))
		s.Test.Post(factors, map[string]any{"kind": "totp", "mfa_token": used}, 201, nil)
		wantRejected(s.Test.With("MFA-Token", used).Delete(path, 403))
		s.Test.With("MFA-Token", ownerMFAToken(t, s, s.Test)).Delete(path, 204)
	})
}

// Enrolling factors for other users is useless: the first verified factor deletes
// the unverified ones and their recovery codes.
func TestUnverifiedFactorsAreDeleted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		before, beforePath := enroll(s.Test, p.ID, "totp")
		own, ownPath := enroll(s.Test, p.ID, "totp")
		after, afterPath := enroll(s.Test, p.ID, "webauthn")
		mfaToken(s.Test, ownPath, code(t, s, *own.Secret))
		s.Test.Post(beforePath+"/verify", map[string]any{"code": code(t, s, *before.Secret)}, 404, nil)
		s.Test.Post(afterPath+"/verify", nil, 404, nil)
		for _, c := range []string{before.RecoveryCodes[0], after.RecoveryCodes[0]} {
			s.Test.Post(ownPath+"/verify", map[string]any{"code": c}, 422, nil)
		}
		mfaToken(s.Test, ownPath, own.RecoveryCodes[0])
	})
}

// A retried verification returns the same token. The response could have been
// lost, and the code works once.
func TestRetryVerification(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		secret, path := enrollApp(t, s, s.Test, s.Test.User(nil))
		retry := s.Test.With("Idempotency-Key", uuid.NewString())
		retry.Post(path+"/verify", map[string]any{"code": wrongCode(t, s, secret)}, 422, nil) // doesn't use up the Idempotency-Key
		body := map[string]any{"code": code(t, s, secret)}
		first := retry.Post(path+"/verify", body, 200, nil)
		again := retry.Post(path+"/verify", body, 200, nil)
		testkit.Equal(t, string(first.Bytes), string(again.Bytes))
		testkit.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
		s.Test.Post(path+"/verify", body, 422, nil)
	})
}
