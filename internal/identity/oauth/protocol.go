package oauth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"slipway/internal/vocab/auth"
)

// protocolError is an error of the OAuth protocol (RFC 6749, sections 4.1.2.1 and
// 5.2). Unlike the API, the protocol fixes its form.
type protocolError struct {
	_ struct{} `doc:"An error of the OAuth protocol (RFC 6749)."`

	Code        string `json:"error" doc:"For programs, such as invalid_grant."`
	Description string `json:"error_description,omitempty" doc:"For people."`

	status     int           // of the response; 0 means 400
	retryAfter time.Duration // for status 429

	// Whose request, code or token was rejected, for the log. Env is 0 if it matches
	// no environment. Both are empty for a request that is only malformed.
	env   auth.Env
	appID string
}

func (e *protocolError) Error() string { return e.Code + ": " + e.Description }

func errProtocol(code, format string, args ...any) *protocolError {
	return &protocolError{Code: code, Description: fmt.Sprintf(format, args...)}
}

func errInvalidClient() *protocolError {
	return &protocolError{Code: "invalid_client", Description: "Unknown client, or wrong client secret.", status: 401}
}

// of adds whose request, code or token was rejected.
func (e *protocolError) of(env auth.Env, appID string) *protocolError {
	e.env, e.appID = env, appID
	return e
}

// request is an authorization request.
type request struct {
	ClientID      string
	RedirectURI   string // also if the request had none
	RedirectGiven bool
	State         string
	Challenge     string
	Scopes        []auth.Scope
	Environment   auth.Mode // "" lets the user choose
	Resource      resource
}

// errRedirect means that a request has no redirect URI to return an error to.
type errRedirect struct{ text string }

func (e *errRedirect) Error() string { return e.text }

// single returns a parameter. A request must not repeat one.
func single(params url.Values, name string) (string, error) {
	switch values := params[name]; len(values) {
	case 0:
		return "", nil
	case 1:
		return values[0], nil
	}
	return "", errProtocol("invalid_request", "%s must not be repeated.", name)
}

// parseRedirect reads the part of an authorization request that must be valid before
// anything can be returned to the app: an error that redirects to a URI that is not
// registered would be an open redirect.
func parseRedirect(params url.Values, app App) (req request, err error) {
	req.ClientID = app.ID
	given, err := single(params, "redirect_uri")
	if err != nil {
		return req, &errRedirect{"The link of the app has more than one redirect_uri."}
	}
	req.RedirectURI, req.RedirectGiven = given, given != ""
	switch {
	case given == "" && len(app.RedirectURIs) == 1:
		req.RedirectURI = app.RedirectURIs[0]
	case given == "":
		return req, &errRedirect{"The link of the app has no redirect_uri. The app has registered several, so it must name one."}
	case !matchRedirectURI(app.RedirectURIs, given):
		return req, &errRedirect{"The link of the app has a redirect_uri that the app has not registered."}
	}

	if state, err := single(params, "state"); err == nil {
		req.State = state
	}
	return req, nil
}

// parseRequest reads the rest of an authorization request. Its errors are returned
// to the app.
func parseRequest(params url.Values, app App, req *request) error {
	values := map[string]string{}
	for _, name := range []string{"client_id", "state", "response_type", "response_mode", "scope", "code_challenge", "code_challenge_method", "environment"} {
		value, err := single(params, name)
		if err != nil {
			return err
		}
		values[name] = value
	}
	if t := values["response_type"]; t != "" && t != "code" {
		return errProtocol("unsupported_response_type", "response_type must be code.")
	}
	if m := values["response_mode"]; m != "" && m != "query" {
		return errProtocol("invalid_request", "response_mode must be query.")
	}
	for name, code := range map[string]string{"request": "request_not_supported", "request_uri": "request_uri_not_supported"} {
		if params.Has(name) {
			return errProtocol(code, "%s is not supported.", name)
		}
	}
	req.Environment = auth.Mode(values["environment"])
	if !slices.Contains([]auth.Mode{"", auth.Live, auth.Test}, req.Environment) {
		return errProtocol("invalid_request", "environment must be live or test.")
	}

	if err := parseChallenge(values["code_challenge"], values["code_challenge_method"], app, req); err != nil {
		return err
	}
	var unknown string
	req.Scopes, unknown = parseScopes(values["scope"])
	switch extra := missing(req.Scopes, app.Scopes); {
	case unknown != "":
		return errProtocol("invalid_scope", "Unknown scope %q.", unknown)
	case len(req.Scopes) == 0:
		return errProtocol("invalid_scope", "scope is required. Separate scopes with spaces.")
	case len(extra) > 0:
		return errProtocol("invalid_scope", "The app is not registered for the scopes %s.", join(extra))
	}
	return nil
}

// parseChallenge reads the PKCE parameters. A request without a method means plain,
// which is not allowed.
func parseChallenge(challenge, method string, app App, req *request) error {
	switch {
	case challenge == "" && method != "":
		return errProtocol("invalid_request", "code_challenge is required with code_challenge_method.")
	case challenge == "" && app.Type == Public:
		return errProtocol("invalid_request", "A public app must use PKCE: code_challenge is required.")
	case challenge != "" && method != "S256":
		return errProtocol("invalid_request", "code_challenge_method must be S256.")
	case challenge != "" && !challengeFormat.MatchString(challenge):
		return errProtocol("invalid_request", "code_challenge must have 43 characters in base64url.")
	}
	req.Challenge = challenge
	return nil
}

// response returns the URL that a response is sent to. It names the issuer, so that
// a client of several servers notices a mix-up (RFC 9207).
func (req request) response(issuer string, params url.Values) string {
	if req.State != "" {
		params.Set("state", req.State)
	}
	params.Set("iss", issuer)
	return addParams(req.RedirectURI, params)
}

// errorResponse returns the URL that an error is sent to.
func (req request) errorResponse(issuer string, err error) string {
	e, ok := errors.AsType[*protocolError](err)
	if !ok {
		e = errProtocol("server_error", "Something went wrong. Try again later.")
	}
	return req.response(issuer, url.Values{"error": {e.Code}, "error_description": {e.Description}})
}
