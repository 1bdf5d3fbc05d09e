package identity

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

func TestEnrollTOTP(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		e, path := enroll(p, "totp")
		uri, err := url.Parse(*e.OTPAuthURI)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, uri.Scheme+"://"+uri.Host+uri.Path, "otpauth://totp/Slipway:"+p.Email+" (test)")
		assert.Equal(t, uri.Query().Get("secret"), *e.Secret)
		assert.Equal(t, uri.Query().Get("issuer"), "Slipway")
		assert.Equal(t, e.Active, false)
		assert.Equal(t, e.Kind, "totp")
		assert.Equal(t, e.Label, new("Phone"))
		assert.Equal(t, len(e.PublicKey), 0)

		factors := func() []people.UserFactor {
			var u people.User
			s.Test.Get("/v1/users/"+p.ID, 200, &u)
			return u.MFAFactors
		}
		got := factors()
		assert.Len(t, got, 1, "before it is verified")
		assert.Equal(t, got[0].Active, false, "before it is verified")
		s.Token(p.Email) // no code is required until it is verified

		first := code(t, s, *e.Secret)
		var proof, second access.MFAProof
		p.Post(path+"/verify", map[string]any{"code": first}, 200, &proof)
		assert.Equal(t, factors()[0].Active, true)
		if !strings.HasPrefix(*proof.MFAToken, "mft_") || proof.ExpiresAt.Sub(s.DB.Now()) > 5*time.Minute || len(proof.Challenge) != 0 {
			t.Errorf("got %s; want a token that starts with mft_ and expires within 5 minutes, and no challenge", assert.Show(proof))
		}
		assert.Len(t, proof.RecoveryCodes, 10)
		p.Post(path+"/verify", map[string]any{"code": first}, 422, nil).WantDetail(t, "code", "mismatch", "the same code again")

		s.As("").Post("/oauth/sessions", signIn(p.Email), 401, nil).WantDetail(t, "totp_code", "required", "without a code")

		tablet, path2 := enrollWith(p, *proof.MFAToken)
		p.Post(path2+"/verify", map[string]any{"code": code(t, s, *tablet.Secret)}, 200, &second)
		assert.Len(t, second.RecoveryCodes, 0, "recovery codes of a second method")
		p.With("MFA-Token", *second.MFAToken).Delete(path2, 204)
		p.With("MFA-Token", mfaToken(p.Client, path, code(t, s, *e.Secret))).Delete(path, 204)
		p.Delete(path, 404)
		assert.Len(t, factors(), 0)
		s.Token(p.Email)
		if again := p.Enroll(); len(again) != 10 || slices.Contains(proof.RecoveryCodes, again[0]) {
			t.Errorf("got recovery codes %v after a new enrollment, want 10 new ones", again)
		}
	})
}

func TestInvalidFactors(t *testing.T) {
	s := testkit.OnSQLite(t)
	p, other := s.Person("viewer"), s.Person("viewer")
	path := "/v1/users/" + p.ID + "/mfa_factors"
	p.Post(path, `{"kind": "sms"}`, 422, nil)
	p.Post(path, `{}`, 400, nil)
	_, factor := enroll(p, "totp")
	p.Post(factor+"/verify", `{}`, 400, nil).WantDetail(t, "code", "required")
	p.Post(factor+"/verify", nil, 400, nil)
	p.Post(factor+"/verify", `{"code": 123456}`, 400, nil)
	// A factor is only found under its own user.
	other.Post(strings.Replace(factor, p.ID, other.ID, 1)+"/verify", `{"code": "000000"}`, 404, nil)
	for range 9 {
		enroll(p, "totp")
	}
	p.Post(path, `{"kind": "totp"}`, 409, nil).WantDetail(t, "user_id", "state", "eleventh method")
}

// Codes of the step before and after are accepted, others are not.
func TestClockDifference(t *testing.T) {
	s := testkit.OnSQLite(t)
	p := s.Person("viewer")
	secret, path := enrollApp(p)
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
		res := p.Post(path+"/verify", map[string]any{"code": at(c.steps)}, c.status, nil)
		if c.status == 422 {
			res.WantDetail(t, "code", "mismatch", c)
		}
	}
}

// Five wrong codes in a row lock a factor for 15 minutes, even for right codes.
func TestWrongCodesLock(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		codes := p.Enroll()
		secret, path := p.Secret, p.Factor
		verify := func(code string, status int) *testkit.Response {
			t.Helper()
			return p.Post(path+"/verify", map[string]any{"code": code}, status, nil)
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
		verify(codes[0], 429)
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
		p := s.Person("viewer")
		secret, path := enrollApp(p)
		send := func(code string) func(int) (*testkit.Response, error) {
			return func(int) (*testkit.Response, error) {
				return p.Send("POST", path+"/verify", map[string]any{"code": code})
			}
		}
		for range 3 {
			tally := testkit.Concurrently(t, 8, send(code(t, s, secret)))
			assert.Equal(t, tally[200], 1, "a right code, eight times")
			assert.Equal(t, tally[422]+tally[429], 7, "a right code, eight times")
			s.Advance(15 * time.Minute)
			mfaToken(p.Client, path, code(t, s, secret))
			tally = testkit.Concurrently(t, 16, send(wrongCode(t, s, secret)))
			assert.Equal(t, tally[422], 5, "sixteen wrong codes")
			assert.Equal(t, tally[429], 11, "sixteen wrong codes")
			s.Advance(15 * time.Minute)
		}
	})
}

func TestRecoveryCodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p, other := s.Person("viewer"), s.Person("viewer")
		codes := p.Enroll()
		path := p.Factor
		typed := []func(string) string{
			func(c string) string { return c },
			strings.ToUpper,
			func(c string) string { return strings.ReplaceAll(c, "-", "") },
			func(c string) string { return " " + strings.ReplaceAll(c, "-", " ") + " " },
		}

		other.Enroll()
		other.Post(other.Factor+"/verify", map[string]any{"code": codes[0]}, 422, nil).
			WantDetail(t, "code", "mismatch", "factor of another user")

		for i, c := range codes {
			input := typed[i%len(typed)](c)
			if i%2 == 0 {
				p.Post(path+"/verify", map[string]any{"code": input}, 200, nil)
			} else {
				s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", input), 201, nil)
			}
			p.Post(path+"/verify", map[string]any{"code": c}, 422, nil)
		}
		mfaToken(p.Client, path, code(t, s, p.Secret)) // the app still works
	})
}

// A user with two apps can use either, and a locked app doesn't lock the other.
func TestSecondApp(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		phone, phonePath := enrollApp(p)
		e, tabletPath := enrollWith(p, p.OwnProof())
		tablet := *e.Secret
		mfaToken(p.Client, tabletPath, code(t, s, tablet))
		enter := func(code string, want int) {
			t.Helper()
			s.As("").Post("/oauth/sessions", signIn(p.Email, "totp_code", code), want, nil)
		}

		for range 6 {
			enter(code(t, s, tablet), 201)
		}
		enter(code(t, s, phone), 201)

		for range 5 {
			p.Post(phonePath+"/verify", map[string]any{"code": wrongCode(t, s, phone)}, 422, nil)
		}
		p.Post(phonePath+"/verify", map[string]any{"code": code(t, s, phone)}, 429, nil)
		enter(code(t, s, tablet), 201)
		s.Advance(time.Minute) // so that the throttle allows more attempts
		for range 5 {
			enter("000000", 401)
		}
		enter(code(t, s, tablet), 429)
	})
}

// A retried verification returns the same token. The response could have been
// lost, and the code works once.
func TestRetryVerification(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("viewer")
		secret, path := enrollApp(p)
		retry := p.With("Idempotency-Key", uuid.NewString())
		retry.Post(path+"/verify", map[string]any{"code": wrongCode(t, s, secret)}, 422, nil) // doesn't use up the Idempotency-Key
		body := map[string]any{"code": code(t, s, secret)}
		first := retry.Post(path+"/verify", body, 200, nil)
		again := retry.Post(path+"/verify", body, 200, nil)
		assert.Equal(t, string(first.Bytes), string(again.Bytes))
		assert.Equal(t, again.Header.Get("Idempotent-Replayed"), "true")
		p.Post(path+"/verify", body, 422, nil)
	})
}
