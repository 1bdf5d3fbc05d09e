// Package oidctest is an OpenID Connect provider for tests. It signs in one user
// without asking, and can be told to send wrong tokens.
package oidctest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slipway/internal/testkit/testkeys"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The credentials of the client.
const (
	ClientID     = "slipway"
	ClientSecret = "secret of the client"
)

// keyID is the ID of the signing key.
const keyID = "key-1"

// The keys of the provider, and of another one.
const firstKey, otherKey = 4, 5

// Provider is a running provider. Set its fields between requests.
type Provider struct {
	Issuer string
	Key    *rsa.PrivateKey

	// Subject and Claims are the user who signs in. SessionID is in the claim sid.
	Subject, SessionID string
	Claims             map[string]any

	// UserInfo is what userinfo returns in addition to sub. Nil turns it off.
	UserInfo map[string]any

	// Edit changes the claims of an ID token before it is signed.
	Edit func(claims map[string]any)

	// Sign replaces the signature of ID tokens.
	Sign func(claims map[string]any) string

	// Lifetime is how long an ID token is valid.
	Lifetime time.Duration

	// Refresh makes the provider issue refresh tokens.
	Refresh bool

	// Disabled makes the provider reject refresh tokens, as after a deactivation.
	Disabled bool

	// Now is the clock.
	Now func() time.Time

	mu        sync.Mutex
	codes     map[string]url.Values
	refreshes map[string]bool
	seen      []string // paths of requests
}

// Start runs a provider until the test ends.
func Start(t *testing.T) *Provider {
	t.Helper()
	p := &Provider{
		Key: testkeys.RSA(firstKey), Subject: "user-1", SessionID: "session-1", Lifetime: time.Hour, Now: time.Now,
		Claims: map[string]any{}, codes: map[string]url.Values{}, refreshes: map[string]bool{},
	}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.Issuer = server.URL
	return p
}

// Seen returns how often a path was requested.
func (p *Provider) Seen(path string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, seen := range p.seen {
		if seen == path {
			n++
		}
	}
	return n
}

// ServeHTTP serves the endpoints of the provider.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, r.URL.Path)
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		p.discovery(w)
	case "/keys":
		reply(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.Key.Public(), KeyID: keyID, Algorithm: "RS256", Use: "sig"}}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	case "/userinfo":
		claims := map[string]any{"sub": p.Subject}
		maps.Copy(claims, p.UserInfo)
		reply(w, http.StatusOK, claims)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) discovery(w http.ResponseWriter) {
	document := map[string]any{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token",
		"jwks_uri": p.Issuer + "/keys", "end_session_endpoint": p.Issuer + "/logout", "scopes_supported": []string{"openid", "email", "profile"},
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}, "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "authorization_response_iss_parameter_supported": true,
	}
	if p.UserInfo != nil {
		document["userinfo_endpoint"] = p.Issuer + "/userinfo"
	}
	reply(w, http.StatusOK, document)
}

// authorize signs the user in and returns to the client.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("state") == "" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.codes[code] = q
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		http.Error(w, "bad redirect_uri", http.StatusBadRequest)
		return
	}
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.Issuer}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code or a refresh token.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if id != ClientID || secret != ClientSecret {
		reply(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	nonce, ok := "", false
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		var q url.Values
		if q, ok = p.codes[r.PostFormValue("code")]; ok {
			sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
			ok = q.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(sum[:]) && q.Get("redirect_uri") == r.PostFormValue("redirect_uri")
			nonce = q.Get("nonce")
			delete(p.codes, r.PostFormValue("code"))
		}
	case "refresh_token":
		ok = p.refreshes[r.PostFormValue("refresh_token")] && !p.Disabled
		delete(p.refreshes, r.PostFormValue("refresh_token"))
	}
	if !ok {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}

	response := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300, "id_token": p.IDToken(nonce)}
	if p.Refresh {
		token := rand.Text()
		p.refreshes[token] = true
		response["refresh_token"] = token
	}
	reply(w, http.StatusOK, response)
}

// IDToken returns an ID token of the user.
func (p *Provider) IDToken(nonce string) string {
	now := p.Now()
	claims := map[string]any{
		"iss": p.Issuer, "aud": ClientID, "sub": p.Subject, "iat": now.Unix(), "exp": now.Add(p.Lifetime).Unix(), "sid": p.SessionID,
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	maps.Copy(claims, p.Claims)
	if p.Edit != nil {
		p.Edit(claims)
	}
	if p.Sign != nil {
		return p.Sign(claims)
	}
	return p.Signed(claims)
}

// LogoutToken returns a logout token of the session. Edits replace claims; nil
// removes one.
func (p *Provider) LogoutToken(edits map[string]any) string {
	return p.Signed(p.LogoutClaims(edits))
}

// LogoutClaims returns the claims of a logout token.
func (p *Provider) LogoutClaims(edits map[string]any) map[string]any {
	now := p.Now()
	claims := map[string]any{
		"iss": p.Issuer, "aud": ClientID, "sub": p.Subject, "sid": p.SessionID, "iat": now.Unix(), "exp": now.Add(2 * time.Minute).Unix(),
		"jti": rand.Text(), "events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
	for name, value := range edits {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// Signed signs claims with the key of the provider.
func (p *Provider) Signed(claims map[string]any) string {
	return SignedWith(jose.RS256, p.Key, keyID, claims)
}

// SignedWith signs claims with another algorithm or key.
func SignedWith(alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, nil)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		panic(err)
	}
	compact, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return compact
}

// Unsigned returns a token with the algorithm none.
func Unsigned(claims map[string]any) string {
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return strings.Join([]string{encode([]byte(`{"alg":"none","typ":"JWT"}`)), encode(text), ""}, ".")
}

// ForeignKey is a key that the provider doesn't have.
func ForeignKey() *rsa.PrivateKey { return testkeys.RSA(otherKey) }

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client might have disconnected
}
