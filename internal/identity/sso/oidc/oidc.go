// Package oidc is the relying party of OpenID Connect: discovery, the code flow
// with PKCE, ID tokens, userinfo and logout. It has no database and no server.
//
// go-oidc verifies signatures, issuer, audience and expiry. This package checks what
// the library leaves to its caller: nonce, authorized party, the time of issue, the
// subject, the hash of the access token, and the subject of userinfo.
package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Skew is how far the clocks of the provider and this server can differ.
const Skew = 90 * time.Second

// Fault is a problem that the administrator of a connection can fix. Users who
// sign in don't see it.
type Fault struct {
	Code    string // stable, for tests and programs
	Message string // what is wrong and what to do
	cause   error
}

func (f *Fault) Error() string {
	if f.cause != nil {
		return f.Message + " (" + f.cause.Error() + ")"
	}
	return f.Message
}

func (f *Fault) Unwrap() error { return f.cause }

func faultf(code string, cause error, format string, args ...any) *Fault {
	return &Fault{code, fmt.Sprintf(format, args...), cause}
}

// Provider is an identity provider, as its discovery document describes it. It
// caches the keys of the provider and can be used by several goroutines.
type Provider struct {
	issuer   string
	provider *oidc.Provider
	client   *http.Client
	document document
}

// document is the part of the discovery document that go-oidc doesn't read.
type document struct {
	AuthURL       string   `json:"authorization_endpoint"`
	TokenURL      string   `json:"token_endpoint"`
	UserInfoURL   string   `json:"userinfo_endpoint"`
	KeysURL       string   `json:"jwks_uri"`
	LogoutURL     string   `json:"end_session_endpoint"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
	IssuerInReply bool     `json:"authorization_response_iss_parameter_supported"`
}

// Discover reads the discovery document of an issuer.
func Discover(ctx context.Context, client *http.Client, issuer string) (*Provider, error) {
	client = limited(client)
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, client), issuer)
	if mismatch, ok := errors.AsType[*oidc.IssuerMismatchError](err); ok {
		return nil, faultf("issuer_mismatch", nil,
			"The provider calls itself %q. Set issuer to exactly this value, including a slash at the end.", clip(mismatch.Discovered))
	}
	if err != nil {
		return nil, faultf("discovery", err,
			"The discovery document at %s/.well-known/openid-configuration could not be read. Check issuer.", strings.TrimSuffix(issuer, "/"))
	}

	p := &Provider{issuer: issuer, provider: found, client: client}
	if err := found.Claims(&p.document); err != nil {
		return nil, faultf("discovery", err, "The discovery document has fields of the wrong type.")
	}
	if err := p.document.check(strings.HasPrefix(issuer, "https://")); err != nil {
		return nil, err
	}
	return p, nil
}

// check rejects endpoints that a browser or this server must not be sent to.
func (d document) check(secure bool) error {
	required := map[string]string{"authorization_endpoint": d.AuthURL, "token_endpoint": d.TokenURL, "jwks_uri": d.KeysURL}
	optional := map[string]string{"userinfo_endpoint": d.UserInfoURL, "end_session_endpoint": d.LogoutURL}
	for name, text := range required {
		if text == "" {
			return faultf("discovery", nil, "The discovery document has no %s. Check issuer.", name)
		}
	}
	for name, text := range optional {
		if text != "" {
			required[name] = text
		}
	}
	for name, text := range required {
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "https" && (secure || u.Scheme != "http") {
			return faultf("discovery", nil, "The %s in the discovery document is not an https URL.", name)
		}
	}
	return nil
}

// Client is this server as a client of a provider.
type Client struct {
	Provider     *Provider
	ClientID     string
	ClientSecret string
	RedirectURL  string
	Now          func() time.Time
}

// config returns the settings for the library. Some providers only accept one way
// to send the secret, and trying both would use up the code.
func (c Client) config() oauth2.Config {
	endpoint := c.Provider.provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	methods := c.Provider.document.TokenAuth
	if slices.Contains(methods, "client_secret_post") && !slices.Contains(methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	scopes := []string{oidc.ScopeOpenID, "email", "profile"}
	for _, more := range []string{"groups", oidc.ScopeOfflineAccess} {
		if slices.Contains(c.Provider.document.Scopes, more) {
			scopes = append(scopes, more)
		}
	}
	return oauth2.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, RedirectURL: c.RedirectURL, Endpoint: endpoint, Scopes: scopes,
	}
}

// LoginURL returns where to send the browser.
func (c Client) LoginURL(state, nonce, verifier string) string {
	config := c.config()
	return config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
}

// CheckReply checks the parameters that a browser returns with, except for the
// state, and returns the code.
func (c Client) CheckReply(q url.Values) (code string, err error) {
	issuer := q.Get("iss") // RFC 9207, against mix-up
	if issuer != "" && issuer != c.Provider.issuer || issuer == "" && c.Provider.document.IssuerInReply {
		return "", faultf("wrong_issuer", nil, "The browser returned from the issuer %q instead of %q.", clip(issuer), c.Provider.issuer)
	}
	if problem := q.Get("error"); problem != "" {
		return "", faultf("provider_error", nil, "The provider rejected the sign-in: %s %s", clip(problem), clip(q.Get("error_description")))
	}
	if code = q.Get("code"); code == "" {
		return "", faultf("no_code", nil, "The provider returned no code.")
	}
	return code, nil
}

// Identity is what the provider says about a user.
type Identity struct {
	Issuer       string
	Subject      string
	SessionID    string // sid of the provider's session, or ""
	ExpiresAt    time.Time
	IDToken      string
	RefreshToken string
	Claims       map[string]any
}

// Exchange exchanges a code for the identity. Wanted are the names of claims to
// get from userinfo if the ID token doesn't have them.
func (c Client) Exchange(ctx context.Context, code, verifier, nonce string, wanted []string) (Identity, error) {
	ctx = oidc.ClientContext(ctx, c.Provider.client)
	config := c.config()
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return Identity{}, tokenFault(err)
	}
	id, err := c.identify(ctx, token)
	if err != nil {
		return id, err
	}
	if got, _ := id.Claims["nonce"].(string); nonce == "" || subtle.ConstantTimeCompare([]byte(got), []byte(nonce)) != 1 {
		return id, faultf("nonce", nil, "The ID token is for another sign-in: its nonce is wrong.")
	}
	return id, c.addUserInfo(ctx, token, &id, wanted)
}

// tokenFault explains why the token endpoint returned no token.
func tokenFault(err error) error {
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return faultf("token_endpoint", err, "The token endpoint could not be reached.")
	case refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client":
		return faultf("client_secret", nil, "The provider rejected client_id or client_secret. Check both, and whether the secret has expired.")
	}
	return faultf("token_endpoint", nil, "The token endpoint returned the error %q: %s",
		clip(refused.ErrorCode), clip(refused.ErrorDescription))
}

// identify verifies the ID token of a response.
func (c Client) identify(ctx context.Context, token *oauth2.Token) (id Identity, err error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return id, faultf("no_id_token", nil, "The token endpoint returned no ID token. Allow the scope openid for this client.")
	}
	verified, err := c.verifier().Verify(ctx, raw)
	if err != nil {
		return id, faultf("id_token", err, "The ID token is not valid.")
	}
	id = Identity{
		Issuer: c.Provider.issuer, Subject: verified.Subject, ExpiresAt: verified.Expiry, IDToken: raw, RefreshToken: token.RefreshToken,
	}
	if err := verified.Claims(&id.Claims); err != nil {
		return id, faultf("id_token", err, "The ID token has claims of the wrong type.")
	}
	id.SessionID, _ = id.Claims["sid"].(string)

	switch azp, _ := id.Claims["azp"].(string); {
	case id.Subject == "" || len(id.Subject) > maxSubject:
		return id, faultf("subject", nil, "The ID token has no valid subject (sub).")
	case id.Claims["azp"] != nil && azp != c.ClientID, len(verified.Audience) > 1 && azp != c.ClientID:
		return id, faultf("azp", nil, "The ID token was issued to the client %q.", clip(azp))
	case verified.IssuedAt.After(c.Now().Add(Skew)):
		return id, faultf("issued_at", nil, "The ID token was issued in the future. Check the clocks of the provider and this server.")
	case verified.AccessTokenHash != "" && verified.VerifyAccessToken(token.AccessToken) != nil:
		return id, faultf("at_hash", nil, "The ID token belongs to another access token.")
	}
	return id, nil
}

// maxSubject is the longest subject that OpenID Connect allows.
const maxSubject = 255

func (c Client) verifier() *oidc.IDTokenVerifier {
	return c.Provider.provider.Verifier(&oidc.Config{
		ClientID: c.ClientID, Now: func() time.Time { return c.Now().Add(-Skew) },
	})
}

// addUserInfo adds claims that the ID token doesn't have. It never replaces one,
// because only the ID token is signed.
func (c Client) addUserInfo(ctx context.Context, token *oauth2.Token, id *Identity, wanted []string) error {
	missing := slices.ContainsFunc(wanted, func(name string) bool { return id.Claims[name] == nil })
	if !missing || c.Provider.document.UserInfoURL == "" || id.HasGroupOverage() {
		return nil
	}
	info, err := c.Provider.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return faultf("userinfo", err, "The userinfo endpoint could not be read.")
	}
	if info.Subject != id.Subject {
		return faultf("userinfo_subject", nil, "The userinfo endpoint returned another user than the ID token.")
	}
	var more map[string]any
	if err := info.Claims(&more); err != nil {
		return faultf("userinfo", err, "The userinfo endpoint returned claims of the wrong type.")
	}
	claims := maps.Clone(more)
	maps.Copy(claims, id.Claims)
	setEmailVerified(claims, id.Claims, more)
	id.Claims = claims
	return nil
}

// setEmailVerified takes email_verified from where the address is from. If the ID
// token says that the address is not verified, that stays.
func setEmailVerified(claims, token, info map[string]any) {
	const name = "email_verified"
	from := info
	if token["email"] != nil {
		from = token
	}
	if own, ok := token[name]; ok && own != true && own != "true" {
		from = token
	}
	delete(claims, name)
	if value, ok := from[name]; ok {
		claims[name] = value
	}
}

// HasGroupOverage reports whether Entra ID left the groups out, because the user has
// too many of them.
func (id Identity) HasGroupOverage() bool {
	if has, _ := id.Claims["hasgroups"].(bool); has {
		return true
	}
	names, _ := id.Claims["_claim_names"].(map[string]any)
	return names["groups"] != nil
}

// ErrEnded means that the provider no longer lets the user sign in.
var ErrEnded = errors.New("the provider ended the session")

// Refresh checks with the provider that a user can still sign in. It returns
// ErrEnded if not.
func (c Client) Refresh(ctx context.Context, refreshToken, subject string) (Identity, error) {
	ctx = oidc.ClientContext(ctx, c.Provider.client)
	config := c.config()
	token, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: refreshToken}).Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.ErrorCode == "invalid_grant" {
		return Identity{}, ErrEnded
	}
	if err != nil {
		return Identity{}, tokenFault(err)
	}
	id := Identity{RefreshToken: token.RefreshToken, Subject: subject, ExpiresAt: token.Expiry}
	if raw, _ := token.Extra("id_token").(string); raw == "" { // it is optional in a refresh
		return id, nil
	}
	if id, err = c.identify(ctx, token); err == nil && id.Subject != subject {
		err = faultf("subject", nil, "The refreshed ID token is of another user.")
	}
	return id, err
}

// Logout is a logout that the provider announced.
type Logout struct {
	ID        string // jti, which must be used once
	Subject   string // or ""
	SessionID string // or ""
	ExpiresAt time.Time
}

// VerifyLogout checks a logout token. The caller checks that it was not used.
func (c Client) VerifyLogout(ctx context.Context, raw string) (Logout, error) {
	t, err := c.verifier().VerifyLogout(oidc.ClientContext(ctx, c.Provider.client), raw)
	if err != nil {
		return Logout{}, faultf("logout_token", err, "The logout token is not valid.")
	}
	if t.IssuedAt.After(c.Now().Add(Skew)) {
		return Logout{}, faultf("issued_at", nil, "The logout token was issued in the future.")
	}
	return Logout{t.TokenID, t.Subject, t.SessionID, t.Expiry.Add(Skew)}, nil
}

// LogoutURL returns where to send the browser to sign out at the provider, or "" if
// the provider has no such page.
func (c Client) LogoutURL(idToken, returnTo string) string {
	u, err := url.Parse(c.Provider.document.LogoutURL)
	if err != nil || c.Provider.document.LogoutURL == "" {
		return ""
	}
	q := u.Query()
	q.Set("client_id", c.ClientID)
	q.Set("post_logout_redirect_uri", returnTo)
	if idToken != "" {
		q.Set("id_token_hint", idToken)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// clip shortens text of the provider for a message.
func clip(s string) string {
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// Values returns the texts of a claim: a text or a list of texts.
func Values(claim any) []string {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
		return all
	case bool, float64:
		text, _ := json.Marshal(v) // can't fail
		return []string{string(text)}
	}
	return nil
}
