package oauth

import (
	"net/http"

	"slipway/internal/platform/pages"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
)

const (
	serverPath   = "/.well-known/oauth-authorization-server"
	resourcePath = "/.well-known/oauth-protected-resource"

	mcpResourcePath = resourcePath + mcpPath
)

// serverMetadata describes the authorization server (RFC 8414).
type serverMetadata struct {
	_ struct{} `doc:"What the authorization server supports (RFC 8414)."`

	Issuer                string       `json:"issuer" doc:"Identifies the authorization server. It is the iss of responses."`
	AuthorizationEndpoint string       `json:"authorization_endpoint" doc:"Where users allow apps."`
	TokenEndpoint         string       `json:"token_endpoint" doc:"Where apps get tokens."`
	RevocationEndpoint    string       `json:"revocation_endpoint" doc:"Where apps end tokens."`
	IntrospectionEndpoint string       `json:"introspection_endpoint" doc:"Where apps check their tokens."`
	ScopesSupported       []auth.Scope `json:"scopes_supported" doc:"All scopes."`
	ResponseTypes         []string     `json:"response_types_supported" doc:"Only code."`
	ResponseModes         []string     `json:"response_modes_supported" doc:"Only query."`
	GrantTypes            []string     `json:"grant_types_supported" doc:"What the token endpoint exchanges."`
	TokenAuthMethods      []string     `json:"token_endpoint_auth_methods_supported" doc:"How apps authenticate at the token endpoint."`
	RevocationAuthMethods []string     `json:"revocation_endpoint_auth_methods_supported" doc:"How apps authenticate when they end a token."`
	IntrospectAuthMethods []string     `json:"introspection_endpoint_auth_methods_supported" doc:"How apps authenticate when they check a token."`
	ChallengeMethods      []string     `json:"code_challenge_methods_supported" doc:"Only S256."`
	IssParameter          bool         `json:"authorization_response_iss_parameter_supported" doc:"Always true: redirects have iss (RFC 9207)."`
	ClientMetadata        bool         `json:"client_id_metadata_document_supported" doc:"Whether a client ID can be the https URL of a document that describes the app. It then only works for MCP."`
	RegistrationEndpoint  string       `json:"registration_endpoint,omitempty" doc:"Where apps for MCP register themselves (RFC 7591)."`
	ServiceDocumentation  string       `json:"service_documentation" doc:"The API reference."`
}

func (a *API) serverMetadata(w http.ResponseWriter, _ *http.Request) {
	withSecret := []string{"client_secret_basic", "client_secret_post"}
	any := []string{"client_secret_basic", "client_secret_post", "none"}
	m := serverMetadata{
		Issuer: a.AuthURL, AuthorizationEndpoint: a.AuthURL + "/authorize", TokenEndpoint: a.AuthURL + "/token",
		RevocationEndpoint: a.AuthURL + "/revoke", IntrospectionEndpoint: a.AuthURL + "/introspect", ScopesSupported: allScopes(),
		ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes:       []string{"authorization_code", "refresh_token", "client_credentials"},
		TokenAuthMethods: any, RevocationAuthMethods: any, IntrospectAuthMethods: withSecret,
		ChallengeMethods: []string{"S256"}, IssParameter: true, ClientMetadata: a.MCP, ServiceDocumentation: a.BaseURL + "/docs",
	}
	if a.MCP {
		m.RegistrationEndpoint = a.AuthURL + "/register"
	}
	writeJSON(w, http.StatusOK, m)
}

// resourceMetadata describes the API as a resource of the authorization server
// (RFC 9728).
type resourceMetadata struct {
	_ struct{} `doc:"Where clients without a credential find the authorization server (RFC 9728)."`

	Resource      string       `json:"resource" doc:"URL of the API."`
	Servers       []string     `json:"authorization_servers" doc:"Where tokens for the API come from."`
	Scopes        []auth.Scope `json:"scopes_supported" doc:"All scopes."`
	Methods       []string     `json:"bearer_methods_supported" doc:"Tokens are sent in the Authorization header."`
	Name          string       `json:"resource_name" doc:"Name of the API."`
	Documentation string       `json:"resource_documentation" doc:"The API reference."`
}

func (a *API) resourceMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, resourceMetadata{
		Resource: a.audience(forAPI), Servers: []string{a.AuthURL}, Scopes: allScopes(), Methods: []string{"header"}, Name: "Slipway",
		Documentation: a.BaseURL + "/docs",
	})
}

func (a *API) mcpMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, resourceMetadata{
		Resource: a.audience(forMCP), Servers: []string{a.AuthURL}, Scopes: missing(allScopes(), []auth.Scope{auth.Admin}), Methods: []string{"header"},
		Name: "Slipway MCP", Documentation: a.BaseURL + "/docs/mcp",
	})
}

// MCPMetadataURL is where clients of MCP find its description.
func (a *API) MCPMetadataURL() string { return a.BaseURL + mcpResourcePath }

// MetadataURL is where clients find the description of the API.
func (a *API) MetadataURL() string { return a.BaseURL + resourcePath }

func allScopes() []auth.Scope { return selectScopes(func(auth.Scope) bool { return true }) }

// mountPages registers the paths of the authorization server. Clients look for the
// metadata at two locations: RFC 8414 inserts the path of the issuer after the well-known
// part, and most clients also try it the other way around.
func (a *API) mountPages(r *rest.Router) {
	path := a.AuthPath()
	r.HandleForm(path+"/authorize", pages.Guarded(http.HandlerFunc(a.authorize)))
	r.HandleForm(path+"/token", http.HandlerFunc(a.token))
	r.HandleForm(path+"/revoke", http.HandlerFunc(a.revoke))
	r.HandleForm(path+"/introspect", http.HandlerFunc(a.introspect))

	r.Handle(serverPath, http.HandlerFunc(a.serverMetadata))
	if path != "" {
		r.Handle(serverPath+path, http.HandlerFunc(a.serverMetadata))
		r.Handle(path+serverPath, http.HandlerFunc(a.serverMetadata))
	}
	r.Handle(resourcePath, http.HandlerFunc(a.resourceMetadata))
	if a.MCP {
		r.HandleForm(path+"/register", http.HandlerFunc(a.register))
		r.Handle(mcpResourcePath, http.HandlerFunc(a.mcpMetadata))
	}
}
