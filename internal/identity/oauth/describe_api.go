package oauth

import (
	"net/http"

	"slipway/internal/platform/rest"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/family"
)

// These types describe the parameters of the authorization server. The handlers read
// forms, because OAuth has rules for repeated and empty parameters.
type (
	authorizeQuery struct {
		ClientID            string `json:"client_id" doc:"ID of the app, or the https URL of a client ID metadata document."`
		Scope               string `json:"scope" doc:"Scopes, separated by spaces."`
		RedirectURI         string `json:"redirect_uri,omitempty" doc:"Where the user returns. You can omit it if the app has only one."`
		State               string `json:"state,omitempty" doc:"A random value that you bind to the browser. It is returned."`
		CodeChallenge       string `json:"code_challenge,omitempty" doc:"PKCE challenge. Required for public apps."`
		CodeChallengeMethod string `json:"code_challenge_method,omitempty" enum:"S256" doc:"How the challenge was made."`
		Resource            string `json:"resource,omitempty" doc:"URL of the resource that the tokens are for (RFC 8707): {base_url}/mcp, or {base_url} for the API, which is the default."`
		Environment         string `json:"environment,omitempty" enum:"live,test" doc:"If omitted, users who have both choose."`
		ResponseType        string `json:"response_type,omitempty" enum:"code" doc:"Only code."`
	}
	tokenForm struct {
		_ struct{} `doc:"How an app asks for tokens."`

		GrantType    grantType `json:"grant_type" doc:"What you exchange."`
		ClientID     string    `json:"client_id,omitempty" doc:"ID of the app, unless you send it with HTTP Basic authentication."`
		ClientSecret string    `json:"client_secret,omitempty" privacy:"secret" doc:"Secret of a confidential app, unless you send it with HTTP Basic authentication."`
		Code         string    `json:"code,omitempty" privacy:"secret" doc:"For authorization_code: the code from the redirect."`
		RedirectURI  string    `json:"redirect_uri,omitempty" doc:"For authorization_code: the same as in the authorization request."`
		CodeVerifier string    `json:"code_verifier,omitempty" privacy:"secret" doc:"For authorization_code: the PKCE verifier."`
		RefreshToken string    `json:"refresh_token,omitempty" privacy:"secret" doc:"For refresh_token: the refresh token."`
		Scope        string    `json:"scope,omitempty" doc:"Fewer scopes than were allowed."`
		Resource     string    `json:"resource,omitempty" doc:"The same as in the authorization request (RFC 8707)."`
		InstallID    string    `json:"install_id,omitempty" doc:"For client_credentials: the install. You can omit it if the app has only one."`
	}
	oneToken struct {
		_ struct{} `doc:"A token, and the app that it belongs to."`

		Token        string `json:"token" privacy:"secret" doc:"Access token or refresh token."`
		ClientID     string `json:"client_id,omitempty" doc:"ID of the app, unless you send it with HTTP Basic authentication."`
		ClientSecret string `json:"client_secret,omitempty" privacy:"secret" doc:"Secret of a confidential app, unless you send it with HTTP Basic authentication."`
	}
)

// document adds the authorization server to the public description.
func (a *API) document(r *rest.Router) {
	r = r.Family(family.OAuth)
	path := a.AuthPath()
	r.Document(rest.Endpoint{
		Method: http.MethodGet, Path: path + "/authorize", ID: "authorize", Summary: "Ask the user to allow an app",
		Description: "Send the user's browser here. The user signs in, allows the app, and returns to the redirect URI with `code`, " +
			"`state` and `iss`, or with `error` and `error_description`.",
		Query: authorizeQuery{}, Status: http.StatusFound, Error: protocolError{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodPost, Path: path + "/token", ID: "createToken", Summary: "Get or refresh tokens",
		Description: "An access token is valid for 60 minutes. Each use of a refresh token returns a new one.",
		Form:        tokenForm{}, Result: tokenResponse{}, Error: protocolError{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodPost, Path: path + "/revoke", ID: "revokeToken", Summary: "End a token",
		Description: "A refresh token ends together with its access tokens. Unknown tokens also return 200 (RFC 7009).",
		Form:        oneToken{}, Error: protocolError{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodPost, Path: path + "/introspect", ID: "introspectToken", Summary: "Describe a token",
		Description: "For tokens of the calling app. All other tokens are not active (RFC 7662).",
		Form:        oneToken{}, Result: introspection{}, Error: protocolError{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodPost, Path: path + "/register", ID: "registerClient", Summary: "Register an app for MCP",
		Description: "For public apps that use PKCE and request the resource `{base_url}/mcp` (RFC 7591). A user must connect the app within 24 hours.",
		JSON:        Registration{}, Result: registeredApp{}, Status: http.StatusCreated, Error: protocolError{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodGet, Path: serverPath, ID: "getAuthorizationServer", Summary: "Retrieve the authorization server's metadata",
		Description: "OAuth libraries configure themselves from this document (RFC 8414).", Result: serverMetadata{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodGet, Path: resourcePath, ID: "getProtectedResource", Summary: "Retrieve the API's metadata",
		Description: "Names the authorization server and the scopes of the API (RFC 9728).", Result: resourceMetadata{},
	})
	r.Document(rest.Endpoint{
		Method: http.MethodGet, Path: mcpResourcePath, ID: "getMcpResource", Summary: "Retrieve the metadata of MCP",
		Description: "Names the authorization server and the scopes of `/mcp` (RFC 9728).", Result: resourceMetadata{},
	})
}

// grantType is how an app gets tokens.
type grantType string

// The values.
const (
	authorizationCode grantType = "authorization_code"
	refreshToken      grantType = "refresh_token"
	clientCredentials grantType = "client_credentials"
)

var allgrantTypes = enum.Of("GrantType", "How an app gets tokens.", authorizationCode, refreshToken, clientCredentials)

func (grantType) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allgrantTypes.Describe(s)
}
