package identity

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// device is a security key.
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
	// The library removes leading zeros of a coordinate, which affects one key in
	// 128. Real authenticators don't, and the service rejects such keys.
	const fullLength = 77
	for len(d.credential.Key.AttestationData()) != fullLength {
		d.credential = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return d
}

// create responds to the options of a new factor.
func (d *device) create(options map[string]any) map[string]any {
	d.t.Helper()
	asked, err := virtualwebauthn.ParseAttestationOptions(d.text(options))
	if err != nil {
		d.t.Fatal(err)
	}
	return d.object(virtualwebauthn.CreateAttestationResponse(d.site, d.authenticator, d.credential, *asked))
}

// sign responds to a challenge and increases the counter.
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
		owner := s.Person("viewer")
		e, path := enroll(owner, "webauthn")
		if e.Secret != nil || e.OTPAuthURI != nil || e.Active || len(e.PublicKey) == 0 {
			t.Errorf("got %s; want an inactive method with a public key, without a secret", assert.Show(e))
		}

		d := newDevice(t)
		verify := func(assertion map[string]any, status int) (p access.MFAProof) {
			t.Helper()
			res := owner.Post(path+"/verify", map[string]any{"assertion": assertion}, status, nil)
			if status == 200 {
				p = decode[access.MFAProof](t, res)
			} else {
				res.WantDetail(t, "assertion", map[int]string{409: "state", 422: "mismatch"}[status])
			}
			return p
		}
		challenge := func() map[string]any {
			var p access.MFAProof
			if owner.Post(path+"/verify", nil, 200, &p); p.MFAToken != nil || len(p.Challenge) == 0 || !p.ExpiresAt.After(s.DB.Now()) {
				t.Fatalf("got %s; want a challenge that expires in the future, and no token", assert.Show(p))
			}
			return p.Challenge
		}

		elsewhere := *d
		elsewhere.site.Origin = "https://localhost.example.com"
		verify(elsewhere.create(e.PublicKey), 422) // page of another site
		verify(d.create(e.PublicKey), 409)         // a wrong response uses up the challenge
		created := d.create(challenge())
		proof := verify(created, 200)
		if p := proof; p.MFAToken == nil || len(p.RecoveryCodes) != 10 {
			t.Errorf("got %s after the first verification, want a token and 10 recovery codes", assert.Show(p))
		}
		verify(created, 409) // works once
		var u people.User
		s.Test.Get("/v1/users/"+owner.ID, 200, &u)
		assert.Len(t, u.MFAFactors, 1)
		assert.Equal(t, u.MFAFactors[0].Active, true)
		assert.Equal(t, u.MFAFactors[0].Kind, "webauthn")

		first := challenge()
		signed := d.sign(first)
		if p := verify(signed, 200); p.MFAToken == nil || len(p.Challenge) != 0 || len(p.RecoveryCodes) != 0 {
			t.Errorf("got %s, want a token, no challenge and no recovery codes", assert.Show(p))
		}
		verify(signed, 409) // replayed without a challenge
		rejects := func(respond func(challenge map[string]any) map[string]any) {
			t.Helper()
			c := challenge()
			verify(respond(c), 422)
			verify(d.sign(c), 409) // a wrong response uses up the challenge
		}
		rejects(func(map[string]any) map[string]any { return signed })        // replayed for another challenge
		rejects(func(map[string]any) map[string]any { return d.sign(first) }) // new signature of the old challenge
		impostor := newDevice(t)
		impostor.credential.ID = d.credential.ID
		rejects(impostor.sign) // key of another device
		elsewhere = *d
		elsewhere.site.Origin = "https://localhost.example.com"
		rejects(elsewhere.sign)
		cloned := *d
		cloned.credential.Counter = 0
		rejects(cloned.sign) // the counter is too low
		verify(d.sign(challenge()), 200)

		third := challenge()
		s.Advance(5 * time.Minute)
		verify(d.sign(third), 409)
		fourth, fifth := challenge(), challenge() // a new one replaces the earlier one
		verify(d.sign(fourth), 422)
		verify(d.sign(fifth), 409)

		// Only a recovery code replaces a lost key.
		owner.Post(path+"/verify", `{"code": "000000"}`, 422, nil)
		owner.With("MFA-Token", mfaToken(owner.Client, path, proof.RecoveryCodes[3])).Delete(path, 204)
		owner.Post(path+"/verify", nil, 404, nil)
	})
}

// A new challenge can be requested before a security key is active. Its MFA token
// allows creating admin keys.
func TestWebAuthnCreatesAdminKeys(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		owner := s.Person("owner")
		var e access.MFAEnrollment
		factors := "/v1/users/" + owner.ID + "/mfa_factors"
		owner.Post(factors, map[string]any{"kind": "webauthn", "mfa_token": owner.OwnProof()}, 201, &e)
		path := factors + "/" + e.ID
		d := newDevice(t)
		s.Advance(time.Hour)
		owner.Post(path+"/verify", map[string]any{"assertion": d.create(e.PublicKey)}, 409, nil) // the challenge has expired
		var p access.MFAProof
		owner.Post(path+"/verify", nil, 200, &p)
		owner.Post(path+"/verify", map[string]any{"assertion": d.create(p.Challenge)}, 200, nil)
		owner.Post(path+"/verify", `{}`, 200, &p)
		owner.Post(path+"/verify", map[string]any{"assertion": d.sign(p.Challenge)}, 200, &p)
		s.Test.Post("/v1/api_keys", map[string]any{"name": "x", "scopes": []string{"admin"}, "mfa_token": *p.MFAToken}, 201, nil)
	})
}
