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
		if err != nil || uri.Scheme != "otpauth" || uri.Host != "totp" || uri.Path != "/Slipway:"+p.Email || uri.Query().Get("secret") != *e.Secret || uri.Query().Get("issuer") != "Slipway" {
			t.Errorf("got %s, %v; want otpauth://totp/Slipway:%s with the secret and the issuer Slipway", *e.OTPAuthURI, err, p.Email)
		}
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
		testkit.Len(t, got, 1, "before it was proven")
		testkit.Equal(t, got[0].Active, false, "before it was proven")
		s.Token(p.Email) // not asked for until it is proven

		first := code(t, s, *e.Secret)
		var proven access.MFAProof
		s.Test.Post(path+"/verify", map[string]any{"code": first}, 200, &proven)
		if got := factors(); !got[0].Active || !strings.HasPrefix(*proven.MFAToken, "mft_") || proven.ExpiresAt.Sub(s.DB.Now()) > 5*time.Minute || len(proven.Challenge) != 0 {
			t.Errorf(`proven: got %s, %s; want got[0].Active = true, proven.MFAToken to start with "mft_", proven.ExpiresAt.Sub(s.DB.Now()) <= 5*time.Minute, len(proven.Challenge) = 0`, testkit.Show(got), testkit.Show(proven))
		}
		s.Test.Post(path+"/verify", map[string]any{"code": first}, 422, nil).WantDetail(t, "code", "mismatch", "the same code again")
		signIn := map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test"}
		s.As("").Post("/oauth/sessions", signIn, 401, nil).WantDetail(t, "totp_code", "required", "without a code")
		second, path2 := enrollWith(s.Test, p.ID, *proven.MFAToken)
		testkit.Len(t, second.RecoveryCodes, 0, "recovery codes come once")
		s.Test.Delete(path2, 204)
		s.Test.With("MFA-Token", mfaToken(s.Test, path, code(t, s, *e.Secret))).Delete(path, 204)
		s.Test.Delete(path, 404)
		testkit.Len(t, factors(), 0)
		s.Token(p.Email)
		if third, _ := enroll(s.Test, p.ID, "totp"); len(third.RecoveryCodes) != 10 || slices.Contains(e.RecoveryCodes, third.RecoveryCodes[0]) {
			t.Errorf("got recovery codes %v after a new enrollment, want ten new ones", third.RecoveryCodes)
		}
	})
}

func TestRefusedFactors(t *testing.T) {
	s := testkit.OnSQLite(t)
	user := s.Test.User(nil)
	path := "/v1/users/" + user + "/mfa_factors"
	s.Test.Post(path, `{"kind": "sms"}`, 422, nil)
	s.Test.Post(path, `{}`, 400, nil)
	_, factor := enroll(s.Test, user, "totp")
	s.Test.Post(factor+"/verify", `{}`, 400, nil).WantDetail(t, "code", "required")
	s.Test.Post(factor+"/verify", nil, 400, nil)
	s.Test.Post(factor+"/verify", `{"code": 123456}`, 400, nil)
	// A factor is found by its owner only.
	s.Test.Post(strings.Replace(factor, user, s.Test.User(nil), 1)+"/verify", `{"code": "000000"}`, 404, nil)
	for range 9 {
		enroll(s.Test, user, "totp")
	}
	s.Test.Post(path, `{"kind": "totp"}`, 409, nil).WantDetail(t, "user_id", "state", "an eleventh")
}

// A code of the step before or after counts, one further away does not.
func TestClocksMayDiffer(t *testing.T) {
	s := testkit.OnSQLite(t)
	secret, path := enrollApp(t, s, s.Test, s.Test.User(nil))
	at := func(steps int) string {
		c, err := totp.GenerateCode(secret, s.DB.Now().Add(time.Duration(steps)*30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	// In the middle of a step, so that none passes between code and answer.
	s.Advance(5*time.Minute + 15*time.Second - time.Duration(s.DB.Now().UnixNano()%int64(30*time.Second)))
	for _, c := range []struct{ steps, status int }{{-2, 422}, {2, 422}, {-1, 200}, {-1, 422}, {0, 200}, {1, 200}, {0, 422}} {
		if res := s.Test.Post(path+"/verify", map[string]any{"code": at(c.steps)}, c.status, nil); c.status == 422 && !res.Fault(t).HasDetail("code", "mismatch") {
			t.Errorf("%+v: got %s, want the detail code mismatch", c, res.Bytes)
		}
	}
}

// Five wrong codes in a row lock a factor for 15 minutes, for right ones too.
func TestWrongCodesLock(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(s.Test, p.ID, "totp")
		secret := *e.Secret
		verify := func(code string, status int) *testkit.Response {
			t.Helper()
			return s.Test.Post(path+"/verify", map[string]any{"code": code}, status, nil)
		}
		verify(code(t, s, secret), 200)
		for range 4 {
			verify(wrongCode(t, s, secret), 422)
		}
		verify(code(t, s, secret), 200) // in a row, it says
		for range 4 {
			verify(wrongCode(t, s, secret), 422)
		}
		// A right code is a right code wherever it is typed, and so is a wrong one.
		s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test", "totp_code": wrongCode(t, s, secret)}, 401, nil)
		locked := verify(code(t, s, secret), 429)
		wait := locked.Header.Get("Retry-After")
		if f := locked.Fault(t); !f.HasDetail("code", "locked") || wait < "860" || wait > "900" || len(wait) != 3 {
			t.Errorf(`got %+v, to be tried again in %s; want a detail "code" "locked", wait >= "860", wait <= "900", len(wait) = 3`, f, wait)
		}
		verify(e.RecoveryCodes[0], 429)
		s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test", "totp_code": code(t, s, secret)}, 429, nil)
		s.Advance(15*time.Minute - 2*time.Minute)
		verify(code(t, s, secret), 429)
		s.Advance(time.Minute)
		verify(code(t, s, secret), 200)
		for range 5 { // the count starts again
			verify(wrongCode(t, s, secret), 422)
		}
		verify(code(t, s, secret), 429)
	})
}

// Guessing many codes at once gives no more guesses, and a code that is
// sent many times at once works once.
func TestCodesAtOnce(t *testing.T) {
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
		other, otherPath := enroll(s.Test, s.Test.User(nil), "totp")
		s.Test.Post(otherPath+"/verify", map[string]any{"code": e.RecoveryCodes[0]}, 422, nil).WantDetail(t, "code", "mismatch", "with somebody else's factor", other.ID)
		for i, c := range e.RecoveryCodes {
			body := map[string]any{"code": typed[i%len(typed)](c)}
			if i%2 == 0 {
				s.Test.Post(path+"/verify", body, 200, nil)
			} else {
				s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test", "totp_code": body["code"]}, 201, nil)
			}
			s.Test.Post(path+"/verify", map[string]any{"code": c}, 422, nil)
		}
		mfaToken(s.Test, path, code(t, s, *e.Secret)) // still the app's
	})
}

// Two apps: either signs in, as often as it likes, and one that is locked does
// not lock the other.
func TestSecondApp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		phone, phonePath := enrollApp(t, s, s.Test, p.ID)
		e, tabletPath := enrollWith(s.Test, p.ID, mfaToken(s.Test, phonePath, code(t, s, phone)))
		tablet := *e.Secret
		mfaToken(s.Test, tabletPath, code(t, s, tablet))
		signIn := func(code string, want int) {
			t.Helper()
			s.As("").Post("/oauth/sessions", map[string]any{"email": p.Email, "password": testkit.Password, "environment": "test", "totp_code": code}, want, nil)
		}
		for range 6 {
			signIn(code(t, s, tablet), 201)
		}
		signIn(code(t, s, phone), 201)
		for range 5 {
			s.Test.Post(phonePath+"/verify", map[string]any{"code": wrongCode(t, s, phone)}, 422, nil)
		}
		s.Test.Post(phonePath+"/verify", map[string]any{"code": code(t, s, phone)}, 429, nil)
		signIn(code(t, s, tablet), 201)
		s.Advance(time.Minute) // for the throttle
		for range 5 {
			signIn("000000", 401)
		}
		signIn(code(t, s, tablet), 429)
	})
}

// A key with the admin scope is not enough to touch the second factor of
// somebody who has one: that would get around what guards admin keys.
func TestFactorsAreGuardedByFactors(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		secret, path := enrollApp(t, s, s.Test, p.ID)
		factors := "/v1/users/" + p.ID + "/mfa_factors"
		refused := func(res *testkit.Response) {
			t.Helper()
			res.WantDetail(t, "mfa_token", "mfa")
		}
		refused(s.Test.Post(factors, `{"kind": "totp"}`, 403, nil))
		refused(s.Test.Post(factors, `{"kind": "totp", "mfa_token": "mft_made_up"}`, 403, nil))
		refused(s.Test.Delete(path, 403))
		refused(s.Test.With("MFA-Token", "mft_made_up").Delete(path, 403))

		// Another user's proof counts only if that user administers.
		q := s.Person("sales")
		theirs, theirPath := enrollApp(t, s, s.Test, q.ID)
		refused(s.Test.With("MFA-Token", mfaToken(s.Test, theirPath, code(t, s, theirs))).Delete(path, 403))
		spent := mfaToken(s.Test, path, code(t, s, secret))
		s.Test.Post(factors, map[string]any{"kind": "totp", "mfa_token": spent}, 201, nil)
		refused(s.Test.With("MFA-Token", spent).Delete(path, 403))
		s.Test.With("MFA-Token", ownerMFAToken(t, s, s.Test)).Delete(path, 204)
	})
}

// Enrolling factors for others before they have one gains nothing: with
// the first that is proven, the others and their recovery codes are gone.
func TestUnprovenFactorsEnd(t *testing.T) {
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

// A repeat of a verification gets the same token: the answer may have been
// lost, and the code works once.
func TestVerifyAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		secret, path := enrollApp(t, s, s.Test, s.Test.User(nil))
		repeat := s.Test.With("Idempotency-Key", uuid.NewString())
		repeat.Post(path+"/verify", map[string]any{"code": wrongCode(t, s, secret)}, 422, nil) // a refusal keeps no key
		body := map[string]any{"code": code(t, s, secret)}
		first := repeat.Post(path+"/verify", body, 200, nil)
		again := repeat.Post(path+"/verify", body, 200, nil)
		testkit.Equal(t, string(first.Bytes), string(again.Bytes))
		testkit.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
		s.Test.Post(path+"/verify", body, 422, nil)
	})
}
