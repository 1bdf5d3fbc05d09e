package oauth

import (
	"net/url"
	"strings"
)

// resource is what a token is for (RFC 8707). A token for one works only there.
type resource string

const (
	forAPI resource = ""
	forMCP resource = "mcp"
)

const mcpPath = "/mcp"

// audience returns the URL of a resource.
func (a *API) audience(r resource) string {
	base := strings.TrimSuffix(a.BaseURL, "/")
	if r == forMCP {
		return base + mcpPath
	}
	return base
}

// parseResource returns the resource of a request.
func (a *API) parseResource(params url.Values) (resource, error) {
	given, err := single(params, "resource")
	if err != nil {
		return "", errProtocol("invalid_target", "Request one resource. Tokens for several resources are not supported.")
	}
	switch given = strings.TrimSuffix(given, "/"); {
	case given == "", given == a.audience(forAPI):
		return forAPI, nil
	case !a.MCP:
		return "", errProtocol("invalid_target", "resource must be %s.", a.audience(forAPI))
	case given == a.audience(forMCP):
		return forMCP, nil
	}
	return "", errProtocol("invalid_target", "resource must be %s or %s.", a.audience(forMCP), a.audience(forAPI))
}

// checkResource returns why a token request can't have its resource, or nil. It can't ask
// for another one than the user has allowed.
func (a *API) checkResource(form url.Values, allowed resource) *protocolError {
	given, err := a.parseResource(form)
	if form.Get("resource") == "" || err == nil && given == allowed {
		return nil
	}
	return errProtocol("invalid_target", "resource must be %s, as in the authorization request.", a.audience(allowed))
}
