package identity

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
)

// code returns a new code of an authenticator app. Each call moves the clock to
// the next code, because a code works once.
func code(t *testing.T, s *testkit.Server, secret string) string {
	t.Helper()
	return s.Code(secret)
}

// wrongCode returns a code that is neither the current one nor close to it.
func wrongCode(t *testing.T, s *testkit.Server, secret string) string {
	t.Helper()
	near := map[string]bool{}
	for step := -3; step <= 3; step++ {
		c, err := totp.GenerateCode(secret, s.DB.Now().Add(time.Duration(step)*30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		near[c] = true
	}
	for _, c := range []string{"000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777"} {
		if !near[c] {
			return c
		}
	}
	panic("unreachable: at most seven of the eight codes are close")
}

// enroll adds a factor to a user and returns it with its path.
func enroll(p *testkit.Person, kind string) (e access.MFAEnrollment, path string) {
	p.Post("/v1/users/"+p.ID+"/mfa_factors", map[string]any{"kind": kind, "label": "Phone"}, 201, &e)
	return e, "/v1/users/" + p.ID + "/mfa_factors/" + e.ID
}

// enrollWith adds another authenticator app to a user with an active factor.
func enrollWith(p *testkit.Person, token string) (e access.MFAEnrollment, path string) {
	p.Post("/v1/users/"+p.ID+"/mfa_factors", map[string]any{"kind": "totp", "mfa_token": token}, 201, &e)
	return e, "/v1/users/" + p.ID + "/mfa_factors/" + e.ID
}

// enrollApp adds an active authenticator app to a user.
func enrollApp(p *testkit.Person) (secret, path string) {
	p.Enroll()
	return p.Secret, p.Factor
}

// mfaToken verifies a factor with a code and returns the MFA token.
func mfaToken(c *testkit.Client, factor, code string) string {
	var p access.MFAProof
	c.Post(factor+"/verify", map[string]any{"code": code}, 200, &p)
	return *p.MFAToken
}

// encode returns a value as a request body.
func encode(t *testing.T, v any) io.Reader {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// decode parses the body of a response.
func decode[T any](t *testing.T, res *testkit.Response) (v T) {
	t.Helper()
	if err := json.Unmarshal(res.Bytes, &v); err != nil {
		t.Fatalf("%v: %s", err, res.Bytes)
	}
	return v
}

// settle saves what the service would save after some seconds.
func settle(t *testing.T, s *testkit.Server) {
	t.Helper()
	if err := s.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// currentCode returns the current code of an authenticator app.
func currentCode(t *testing.T, s *testkit.Server, secret string) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, s.DB.Now())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sendForm sends the form of a page, as a browser does.
func sendForm(t *testing.T, s *testkit.Server, link string, fields ...string) *http.Response {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	res, err := http.PostForm(s.URL+link, form) //nolint:noctx // the server is closed with the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// openWithCode is the step of a sign-in after the password was checked, at the time when
// the request was received.
func openWithCode(t *testing.T, a *access.API, c people.Candidate, code *string, received time.Time) (access.Opened, error) {
	t.Helper()
	return a.OpenSession(t.Context(), access.PasswordChecked(c), access.Opening{Verify: a.WithCode(code, received)})
}
