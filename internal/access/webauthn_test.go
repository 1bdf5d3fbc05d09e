package access_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"slipway/internal/access"
	"slipway/internal/people"
	"slipway/internal/testkit"
)

// device is a security key on somebody's desk.
type device struct {
	t             *testing.T
	site          virtualwebauthn.RelyingParty
	authenticator virtualwebauthn.Authenticator
	credential    virtualwebauthn.Credential
}

func newDevice(t *testing.T) *device {
	d := &device{
		t: t, site: virtualwebauthn.RelyingParty{Name: "Slipway", ID: "localhost", Origin: "http://localhost"},
		authenticator: virtualwebauthn.NewAuthenticator(), credential: virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2),
	}
	// The library cuts the leading zeros off a coordinate, which one key in 128
	// has: no real authenticator does, and the service refuses it.
	const whole = 77
	for len(d.credential.Key.AttestationData()) != whole {
		d.credential = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return d
}

// create answers the options of a new factor.
func (d *device) create(options map[string]any) map[string]any {
	d.t.Helper()
	asked, err := virtualwebauthn.ParseAttestationOptions(d.text(options))
	if err != nil {
		d.t.Fatal(err)
	}
	return d.object(virtualwebauthn.CreateAttestationResponse(d.site, d.authenticator, d.credential, *asked))
}

// sign answers a challenge, and counts.
func (d *device) sign(challenge map[string]any) map[string]any {
	d.t.Helper()
	asked, err := virtualwebauthn.ParseAssertionOptions(d.text(challenge))
	if err != nil {
		d.t.Fatal(err)
	}
	d.credential.Counter++
	return d.object(virtualwebauthn.CreateAssertionResponse(d.site, d.authenticator, d.credential, *asked))
}

func (d *device) text(o map[string]any) string {
	d.t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

func (d *device) object(text string) (o map[string]any) {
	d.t.Helper()
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		d.t.Fatal(err)
	}
	return o
}

func TestWebAuthn(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		user := s.Test.User(nil)
		e, path := enroll(s.Test, user, "webauthn")
		if e.Secret != nil || e.OTPAuthURI != nil || e.Active || len(e.RecoveryCodes) != 10 || len(e.PublicKey) == 0 {
			t.Errorf("enrolled %s; want e.Secret = nil, e.OTPAuthURI = nil, e.Active = false, len(e.RecoveryCodes) = 10, len(e.PublicKey) != 0", testkit.Show(e))
		}
		d := newDevice(t)
		verify := func(assertion map[string]any, status int) (p access.MFAProof) {
			t.Helper()
			res := s.Test.Post(path+"/verify", map[string]any{"assertion": assertion}, status, nil)
			if status == 200 {
				p = decode[access.MFAProof](t, res)
			} else {
				res.WantDetail(t, "assertion", map[int]string{409: "state", 422: "mismatch"}[status])
			}
			return p
		}
		challenge := func() map[string]any {
			var p access.MFAProof
			if s.Test.Post(path+"/verify", nil, 200, &p); p.MFAToken != nil || len(p.Challenge) == 0 || !p.ExpiresAt.After(s.DB.Now()) {
				t.Fatalf("asked for a challenge and got %s; want a challenge, no token and an end in the future", testkit.Show(p))
			}
			return p.Challenge
		}
		created := d.create(e.PublicKey)
		elsewhere := *d
		elsewhere.site.Origin = "https://localhost.example.com"
		verify(elsewhere.create(e.PublicKey), 422) // another site's page
		if p := verify(created, 200); p.MFAToken == nil {
			t.Error("activation is a proof")
		}
		verify(created, 409) // once
		var u people.User
		s.Test.Get("/v1/users/"+user, 200, &u)
		testkit.Len(t, u.MFAFactors, 1)
		testkit.Equal(t, u.MFAFactors[0].Active, true)
		testkit.Equal(t, u.MFAFactors[0].Kind, "webauthn")

		first := challenge()
		signed := d.sign(first)
		if p := verify(signed, 200); p.MFAToken == nil || len(p.Challenge) != 0 {
			t.Errorf("proof %s; want p.MFAToken != nil, len(p.Challenge) = 0", testkit.Show(p))
		}
		verify(signed, 409) // replayed: nothing is asked
		second := challenge()
		verify(signed, 422)        // replayed: something else is asked
		verify(d.sign(first), 422) // a fresh signature of the old challenge
		impostor := newDevice(t)
		impostor.credential.ID = d.credential.ID
		verify(impostor.sign(second), 422) // somebody else's key
		elsewhere = *d
		elsewhere.site.Origin = "https://localhost.example.com"
		verify(elsewhere.sign(second), 422)
		cloned := *d
		cloned.credential.Counter = 0
		verify(cloned.sign(second), 422) // it has counted further before
		verify(d.sign(second), 200)      // wrong answers do not use a challenge up

		third := challenge()
		s.Advance(5 * time.Minute)
		verify(d.sign(third), 409)
		fourth, fifth := challenge(), challenge() // a new one takes the place of the one before
		verify(d.sign(fourth), 422)
		verify(d.sign(fifth), 200)

		// A recovery code stands in for a lost key; nothing else does.
		s.Test.Post(path+"/verify", `{"code": "000000"}`, 422, nil)
		s.Test.With("MFA-Token", mfaToken(s.Test, path, e.RecoveryCodes[3])).Delete(path, 204)
		s.Test.Post(path+"/verify", nil, 404, nil)
	})
}

// A key can be asked for its answer again before it is active, and its proof
// opens what needs one.
func TestWebAuthnIssuesAdminKeys(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owner := s.Person("owner")
		e, path := enroll(s.Test, owner.ID, "webauthn")
		d := newDevice(t)
		s.Advance(time.Hour)
		s.Test.Post(path+"/verify", map[string]any{"assertion": d.create(e.PublicKey)}, 409, nil) // too late
		var p access.MFAProof
		s.Test.Post(path+"/verify", nil, 200, &p)
		s.Test.Post(path+"/verify", map[string]any{"assertion": d.create(p.Challenge)}, 200, nil)
		s.Test.Post(path+"/verify", `{}`, 200, &p)
		s.Test.Post(path+"/verify", map[string]any{"assertion": d.sign(p.Challenge)}, 200, &p)
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": *p.MFAToken}, 201, nil)
	})
}
