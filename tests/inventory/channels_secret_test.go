package inventory

import (
	"net/http"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"slipway/internal/channels"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// verify checks a call with the reference library of Standard Webhooks, as a partner does.
func verify(t *testing.T, secret string, c call) error {
	t.Helper()
	wh, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return wh.Verify([]byte(c.body), c.header)
}

// last returns the last call of the partner.
func (p *partner) last(t *testing.T) call {
	t.Helper()
	calls := p.calls()
	if len(calls) == 0 {
		t.Fatal("got no call")
	}
	return calls[len(calls)-1]
}

// A partner can verify who sent a listing.
func TestPushIsSigned(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		var c channels.Channel
		s.Test.Post("/v1/channels", map[string]any{"name": "Partner", "push_url": p.URL}, 201, &c)
		if c.SigningSecret == nil {
			t.Fatal("got no signing secret")
		}
		id := s.Test.Hull(s.Test.Location(), nil)
		listing := "/v1/hulls/" + id + "/syndication/" + c.ID
		send := func() call {
			t.Helper()
			s.Test.Put("/v1/hulls/"+id+"/pricing", map[string]any{"price_usd": 1000 + len(p.calls())}, 200, nil)
			push(t, s, c.ID)
			return p.last(t)
		}

		s.Test.Put(listing, nil, 200, nil)
		push(t, s, c.ID)
		first := p.last(t)
		if err := verify(t, *c.SigningSecret, first); err != nil {
			t.Errorf("the library returned %v", err)
		}
		changed := first
		changed.body += " "
		if verify(t, *c.SigningSecret, changed) == nil {
			t.Error("got no error for a changed body")
		}
		assert.Equal(t, first.header.Get("Authorization"), "")
		assert.Excludes(t, s.Test.Get("/v1/channels", 200, nil).Bytes, *c.SigningSecret)

		// The ID is the same for each attempt, and another one for each change.
		p.respond(500, "")
		failed := send()
		p.respond(200, "")
		s.Advance(2 * time.Minute)
		push(t, s, c.ID)
		retried := p.last(t)
		assert.Equal(t, retried.header.Get("Webhook-Id"), failed.header.Get("Webhook-Id"))
		if failed.header.Get("Webhook-Id") == first.header.Get("Webhook-Id") {
			t.Error("got the same ID for two changes")
		}

		// Both secrets sign during the overlap.
		var rotated channels.Channel
		s.Test.Post("/v2-preview/channels/"+c.ID+"/rotate_secret", `{"overlap_hours": 1}`, 200, &rotated)
		both := send()
		for _, secret := range []string{*c.SigningSecret, *rotated.SigningSecret} {
			if err := verify(t, secret, both); err != nil {
				t.Errorf("during the overlap: %v", err)
			}
		}
		s.Test.Post("/v2-preview/channels/"+c.ID+"/rotate_secret", `{"overlap_hours": 0}`, 200, &rotated)
		one := send()
		if verify(t, *c.SigningSecret, one) == nil || verify(t, *rotated.SigningSecret, one) != nil {
			t.Error("got a signature of the old secret, want one of the new secret")
		}
		s.Test.Post("/v2-preview/channels/"+c.ID+"/rotate_secret", `{"overlap_hours": 169}`, 422, nil)
	})
}

// The credential of a partner is sent, and shown to no one.
func TestPartnerCredential(t *testing.T) {
	const credential = "partner-key-7f3a9c"
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		var c channels.Channel
		s.Test.Post("/v1/channels", map[string]any{"name": "Partner", "push_url": p.URL, "credential": credential}, 201, &c)
		if c.CredentialSetAt == nil {
			t.Error("got no credential_set_at")
		}
		id := s.Test.Hull(s.Test.Location(), nil)
		s.Test.Put("/v1/hulls/"+id+"/syndication/"+c.ID, nil, 200, nil)
		push(t, s, c.ID)
		assert.Equal(t, p.last(t).header.Get("Authorization"), "Bearer "+credential)
		assert.Equal(t, *onChannel(s, id, c.ID).ExternalID, "BT-1")

		path := "/v2-preview/channels/" + c.ID
		send := func(patch string) http.Header {
			t.Helper()
			s.Test.Patch(path, patch, 200, &c)
			s.Test.Put("/v1/hulls/"+id+"/pricing", map[string]any{"price_usd": 1000 + len(p.calls())}, 200, nil)
			push(t, s, c.ID)
			return p.last(t).header
		}
		sent := send(`{"credential_header": "X-Api-Key", "name": "Renamed", "format": "csv", "kind": "custom"}`)
		assert.Equal(t, sent.Get("X-Api-Key"), credential)
		assert.Equal(t, sent.Get("Authorization"), "")
		assert.Equal(t, send(`{"push_url": "`+p.URL+`/v2"}`).Get("X-Api-Key"), credential, "the same host")
		assert.Equal(t, *onChannel(s, id, c.ID).ExternalID, "BT-1", "after the changes")

		// No response, event, audit entry or column has it.
		for _, text := range shown(s) {
			assert.Excludes(t, text, credential)
		}
		for _, row := range testkit.Rows[[]byte](s, `SELECT secrets FROM channels`) {
			assert.Excludes(t, row, credential)
		}

		// Someone who can change channels can't have it sent to their own server.
		other := newPartner(t)
		s.Test.Patch(path, `{"push_url": "`+other.URL+`"}`, 200, &c)
		assert.Equal(t, c.CredentialSetAt, nil)
		s.Test.Put("/v1/hulls/"+id+"/pricing", `{"price_usd": 5000}`, 200, nil)
		push(t, s, c.ID)
		assert.Equal(t, other.last(t).header.Get("X-Api-Key"), "")
		s.Test.Patch(path, `{"push_url": "`+p.URL+`", "credential": "second"}`, 200, &c)
		assert.Equal(t, send(`{}`).Get("X-Api-Key"), "second")
		assert.Equal(t, send(`{"credential": null}`).Get("X-Api-Key"), "")
		assert.Equal(t, c.CredentialSetAt, nil)
	})
}

func TestBadSecrets(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for body, want := range map[string][2]string{
			`{"name":"x","credential":"key"}`:                                                     {"credential", "exclusive"},
			`{"name":"x","push_url":"http://x.example/","credential":""}`:                         {"credential", "too_short"},
			`{"name":"x","push_url":"http://x.example/","credential":"a\r\nHost: y"}`:             {"credential", "pattern"},
			`{"name":"x","push_url":"http://x.example/","credential_header":"X-Key\r\n"}`:         {"credential_header", "pattern"},
			`{"name":"x","push_url":"http://x.example/","credential_header":"Webhook-Signature"}`: {"credential_header", "format"},
			`{"name":"x","push_url":"http://x.example/","credential_header":"content-type"}`:      {"credential_header", "format"},
			`{"name":"x","listing_url":"https://x.example/boats"}`:                                {"listing_url", "format"},
			`{"name":"x","listing_url":"javascript:alert({hull_id})"}`:                            {"listing_url", "format"},
			`{"name":"x","listing_url":"https://x.example/ {hull_id}"}`:                           {"listing_url", "format"},
			`{"name":"x","format":"nautix"}`:                                                      {"format", "enum"},
		} {
			s.Test.Post("/v1/channels", body, 422, nil).WantDetail(t, want[0], want[1], body)
		}
	})
}

// A channel that starts to send listings gets a signing secret. One from before there
// were secrets sends without a signature until it has one.
func TestSigningSecretOfOtherChannels(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := newPartner(t)
		id := s.Test.Channel(nil)
		path := "/v2-preview/channels/" + id
		var c channels.Channel
		s.Test.Patch(path, `{"push_url": "`+p.URL+`"}`, 200, &c)
		if c.SigningSecret == nil {
			t.Error("got no signing secret")
		}
		s.Test.Patch(path, `{"name": "Renamed"}`, 200, &c)
		assert.Equal(t, c.SigningSecret, nil)

		s.Exec(`UPDATE channels SET secrets = NULL WHERE id = ?`, id)
		s.Test.Put("/v1/hulls/"+s.Test.Hull(s.Test.Location(), nil)+"/syndication/"+id, nil, 200, nil)
		push(t, s, id)
		header := p.last(t).header
		if header.Get("Webhook-Signature") != "" || header.Get("Webhook-Id") == "" || strings.Contains(header.Get("Webhook-Id"), ".") {
			t.Errorf("got %v, want an ID without a period, and no signature", header)
		}
		s.Test.Post(path+"/rotate_secret", nil, 200, &c)
		if c.SigningSecret == nil {
			t.Error("got no signing secret after a rotation")
		}
	})
}
