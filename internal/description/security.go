package description

import (
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/vocab/auth"
)

// exampleURL is the server in a description that no server returned.
const exampleURL = "https://slipway.example.com"

// server describes where the API is. The variables let generated clients use
// another server, because each dealership can run its own.
func server(baseURL string) *huma.Server {
	scheme, host := "https", strings.TrimPrefix(exampleURL, "https://")
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		scheme, host = u.Scheme, u.Host+strings.TrimSuffix(u.Path, "/")
	}
	return &huma.Server{
		URL: "{scheme}://{host}", Description: "Your Slipway server.",
		Variables: map[string]*huma.ServerVariable{
			"scheme": {Default: scheme, Enum: []string{"https", "http"}, Description: "http only on your own machine."},
			"host":   {Default: host, Description: "Host of SLIPWAY_BASE_URL, with the port if there is one."},
		},
	}
}

// securitySchemes are the credentials that operations accept.
func securitySchemes(authURL string) map[string]*huma.SecurityScheme {
	scopes := map[string]string{}
	for _, s := range auth.Scopes {
		scopes[string(s.Scope)] = s.Doc
	}
	return map[string]*huma.SecurityScheme{
		"bearer": {
			Type: "http", Scheme: "bearer",
			Description: "An API key (`sk_test_...`, `sk_live_...`) or a session token (`st_...`). " +
				"It must have the scopes that the operation lists for oauth2.\n\n" + scopeTable(),
		},
		"oauth2": {
			Type: "oauth2", Description: "An access token (`at_test_...`, `at_live_...`) of an app that the dealership installed.",
			Flows: &huma.OAuthFlows{AuthorizationCode: &huma.OAuthFlow{
				AuthorizationURL: authURL + "/authorize", TokenURL: authURL + "/token", RefreshURL: authURL + "/token", Scopes: scopes,
			}},
		},
		"webhookSignature": {
			Type: "apiKey", In: "header", Name: "webhook-signature",
			Description: "Signature of the message, as in Standard Webhooks. Check it with the secret of the webhook.",
		},
	}
}

func scopeTable() string {
	var b strings.Builder
	b.WriteString("| scope | allows |\n|---|---|\n")
	for _, s := range auth.Scopes {
		b.WriteString("| `" + string(s.Scope) + "` | " + s.Doc + " |\n")
	}
	return b.String()
}

// securityOf describes the credentials with which a caller satisfies a rule. Only
// oauth2 has scopes in OpenAPI. They apply to all credentials.
func securityOf(need auth.Rule) []map[string][]string {
	security := []map[string][]string{{"bearer": {}}}
	for _, set := range need {
		names := []string{}
		for _, s := range set {
			names = append(names, string(s))
		}
		security = append(security, map[string][]string{"oauth2": names})
	}
	return security
}
