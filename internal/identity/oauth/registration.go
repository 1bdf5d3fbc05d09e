package oauth

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
)

// An app can register itself (RFC 7591), because most assistants know no other way. Such an
// app is public, and only works for MCP. Nothing is stored: the client ID contains what the
// app sent, with a signature. So no one can fill the database.

// registrationLifetime is how long a registration can be used for a first connection.
const registrationLifetime = 24 * time.Hour

// maxRegistration limits the size of what a client ID contains.
const maxRegistration = 1500

// dynamicPrefix starts the client ID of an app that registered itself.
const dynamicPrefix = "dyn_"

// isDynamic reports whether a client ID is of an app that registered itself.
func isDynamic(id string) bool { return strings.HasPrefix(id, dynamicPrefix) }

// Registration is what an app sends to register itself. Other members are ignored, as the
// RFC requires.
type Registration struct {
	_ struct{} `doc:"What an app sends to register itself (RFC 7591)."`

	RedirectURIs  []string `json:"redirect_uris" doc:"Where users return after they allow access. At most 5."`
	ClientName    string   `json:"client_name,omitempty" doc:"Name of the app. Users see it when they allow access."`
	AuthMethod    string   `json:"token_endpoint_auth_method,omitempty" enum:"none" doc:"Only none: the app is public and uses PKCE."`
	GrantTypes    []string `json:"grant_types,omitempty" doc:"authorization_code and refresh_token."`
	ResponseTypes []string `json:"response_types,omitempty" doc:"Only code."`
}

// registeredApp is the response to a registration.
type registeredApp struct {
	_ struct{} `doc:"An app that has registered itself (RFC 7591)."`

	ClientID string `json:"client_id" doc:"ID of the app. A first user must connect it within 24 hours."`
	IssuedAt int64  `json:"client_id_issued_at" doc:"When it was registered, in seconds since 1970."`
	Registration
}

// described is what a client ID contains.
type described struct {
	Name    string   `json:"n"`
	URIs    []string `json:"u"`
	Expires int64    `json:"e"` // in seconds since 1970
	Random  string   `json:"r"` // so that two apps with the same name differ
}

// check completes a registration, or returns what is wrong with it.
func (r *Registration) check() *protocolError {
	if r.ClientName = strings.TrimSpace(r.ClientName); r.ClientName == "" {
		r.ClientName = "Unnamed app"
	}
	r.AuthMethod = "none" // what other servers would require is not needed here
	if len(r.RedirectURIs) == 0 || len(r.RedirectURIs) > 5 {
		return errProtocol("invalid_redirect_uri", "Send 1 to 5 redirect_uris.")
	}
	for _, uri := range r.RedirectURIs {
		if problem := checkRedirectURI(uri); problem != "" {
			return errProtocol("invalid_redirect_uri", "Each of the redirect_uris %s.", problem)
		}
	}

	known := []string{string(authorizationCode), string(refreshToken)}
	for _, g := range r.GrantTypes {
		if !slices.Contains(known, g) {
			return errProtocol("invalid_client_metadata", "grant_types can only contain authorization_code and refresh_token.")
		}
	}
	r.GrantTypes = known
	if slices.ContainsFunc(r.ResponseTypes, func(t string) bool { return t != "code" }) {
		return errProtocol("invalid_client_metadata", "response_types can only contain code.")
	}
	r.ResponseTypes = []string{"code"}
	app := App{Name: r.ClientName, RedirectURIs: r.RedirectURIs}
	if utf8.RuneCountInString(r.ClientName) > 100 || app.check() != nil {
		return errProtocol("invalid_client_metadata", "client_name must have at most 100 characters, without control characters.")
	}
	return nil
}

// clientID returns the client ID of a registration.
func (r Registration) clientID(now time.Time, sign func([]byte) []byte) (string, *protocolError) {
	text, err := json.Marshal(described{r.ClientName, r.RedirectURIs, now.Add(registrationLifetime).Unix(), rand.Text()[:12]})
	if err != nil || len(text) > maxRegistration {
		return "", errProtocol("invalid_client_metadata", "The name and the redirect_uris are too long.")
	}
	content := base64.RawURLEncoding.EncodeToString(text)
	return dynamicPrefix + content + "." + signatureOf(content, sign), nil
}

func signatureOf(content string, sign func([]byte) []byte) string {
	return base64.RawURLEncoding.EncodeToString(sign([]byte("oauth registration " + content))[:16])
}

// readClientID returns the app of a client ID, or false if the server didn't issue it.
func readClientID(id string, now time.Time, equal func(content, signature string) bool) (app PublishedApp, ok bool) {
	content, signature, _ := strings.Cut(strings.TrimPrefix(id, dynamicPrefix), ".")
	if !equal(content, signature) {
		return app, false
	}
	text, err := base64.RawURLEncoding.DecodeString(content)
	var d described
	if err != nil || json.Unmarshal(text, &d) != nil {
		return app, false
	}
	// It belongs to no environment, so it can be installed in both.
	return PublishedApp{
		App:  App{Name: d.Name, Type: Public, RedirectURIs: d.URIs, Scopes: allScopes(), MetadataURL: &id},
		Mode: auth.Live, Publisher: publisherOf(id), expired: now.Unix() >= d.Expires,
	}, true
}
