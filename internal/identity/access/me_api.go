package access

import (
	"context"
	"net/http"

	"slipway/internal/identity/people"
	"slipway/internal/platform/authlog"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/platform/seal"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/token"
)

// API serves API keys, two-factor methods and sessions.
type API struct {
	DB       *db.DB
	Jobs     *jobs.Queue
	Box      *seal.Box
	People   *people.API
	AuthURL  string
	Auth     *Authenticator
	AuthLog  *authlog.Log
	Throttle *Throttle
}

// Hooks are what access calls in features that depend on it.
type Hooks struct {
	// PasswordOff reports whether a user must use single sign-on.
	PasswordOff func(ctx context.Context, tx *db.Tx, u people.User) (bool, error)

	// Tokens authenticate the tokens of other packages, by their kind.
	Tokens map[token.Kind]TokenAuthenticator

	// Locate finds the locations of objects, by the prefix of their IDs.
	Locate map[string]Locate
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

var administer = auth.Require(auth.Admin)

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Access)
	rest.Get(r, rest.Route{
		Path: "/me", ID: "getMe", Needs: auth.AnyCredential,
		Summary: "Retrieve the calling credential",
		Text:    "Shows which key, user or app the request was authenticated as, with its environment, scopes and rate limit. Use it to test a credential.",
		Assist:  assist.Read,
	}, a.me)

	rest.Get(r, rest.Route{
		Path: "/api_keys", ID: "listApiKeys", Needs: administer,
		Summary: "List API keys",
		Text:    "Returns the keys of this environment, including revoked ones. The keys themselves are not returned. Newest first.",
		Assist:  assist.Never(assist.Credentials),
	}, a.listKeys)
	rest.PostCreated(r, rest.Route{
		Path: "/api_keys", ID: "createApiKey", Needs: administer,
		Summary: "Create an API key",
		Text:    "The key is only returned once. A key with the admin scope requires an `mfa_token`.",
		Assist:  assist.Never(assist.Credentials),
	}, a.createKey)
	rest.Get(r, rest.Route{
		Path: "/api_keys/{key_id}", ID: "getApiKey", Needs: administer,
		Summary: "Retrieve an API key",
		Text:    "Returns the record of the key with its scopes and usage. The key itself is not returned.",
		Assist:  assist.Never(assist.Credentials),
	}, a.getKey)
	rest.PostCreated(r, rest.Route{
		Path: "/api_keys/{key_id}/rotate", ID: "rotateApiKey", Needs: administer,
		Summary:   "Rotate an API key",
		Text:      "Creates a key with the same name, scopes and rate limit. The old key works for 7 more days. To end it earlier, revoke it.",
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true,
	}, a.rotateKey)
	rest.PostOK(r, rest.Route{
		Path: "/api_keys/{key_id}/revoke", ID: "revokeApiKey", Needs: administer,
		Summary:   "Revoke an API key",
		Text:      "The key stops working immediately. A key with the admin scope, or of a user with it, requires an `MFA-Token`.",
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, Urgent: true,
	}, a.revokeKey)

	rest.PostCreated(r, rest.Route{
		Path: "/users/{user_id}/mfa_factors", ID: "enrollMfaFactor", Needs: administer,
		Summary:   "Enroll a two-factor method",
		Text:      "Only for your own user, with a session. Sessions don't need the `admin` scope for this. The method becomes active when you first verify it.",
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, OrSelf: "user_id",
	}, a.enroll)
	rest.Raw(r, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/users/{user_id}/mfa_factors/{factor_id}/verify", ID: "verifyMfaFactor", Needs: administer,
		Summary:   "Verify a two-factor method and get an MFA token",
		Text:      "Only for your own user, with a session. Sessions don't need the `admin` scope for this. The token works once and expires after 5 minutes. The first verification of your first method returns recovery codes. For webauthn, an empty body returns the challenge to sign. Five wrong codes in a row lock the method for 15 minutes.",
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, OrSelf: "user_id",
	}, a.verify)
	rest.Delete(r, rest.Route{
		Path: "/users/{user_id}/mfa_factors/{factor_id}", ID: "deleteMfaFactor", Needs: administer,
		Summary:   "Delete a two-factor method",
		Text:      "Sessions don't need the `admin` scope for their own user. If you delete the last active method of another user, their password is cleared and their sessions end. They receive an email with a link to set a new password, and can then enroll a method again.",
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, OrSelf: "user_id",
	}, a.deleteFactor)

	rest.Get(r, rest.Route{
		Path: "/sessions", ID: "listSessions", Needs: administer,
		Summary:   "List active sessions",
		Text:      "A session without the `admin` scope lists its own user's sessions.",
		Assist:    assist.Never(assist.Credentials),
		OrSession: true,
	}, a.listSessions)
	rest.Delete(r, rest.Route{
		Path: "/sessions/{session_id}", ID: "revokeSession", Needs: administer,
		Summary:   "Revoke a session",
		Text:      "The user is signed out immediately. A session without the `admin` scope can revoke its own user's sessions. Another user with the admin scope requires an `MFA-Token`.",
		Assist:    assist.Never(assist.Credentials),
		NoIfMatch: true, OrSession: true, Urgent: true,
	}, a.revokeSession)
	a.mountSessions(r.Family(family.Sessions))
}

// mountSessions registers what people call before they have a credential.
func (a *API) mountSessions(r *rest.Router) {
	rest.Public(r, http.MethodPost, http.StatusCreated, rest.Route{
		Path: a.AuthPath() + "/sessions", ID: "signIn",
		Summary: "Sign in and create a session",
		Text:    "Signs in a user with email and password, and a two-factor code if the user has a method. The token works until the session expires or is revoked.",
	}, a.signIn)
	rest.Public(r, http.MethodDelete, http.StatusNoContent, rest.Route{
		Path: a.AuthPath() + "/sessions/current", ID: "signOut",
		Summary: "Sign out and end the current session",
		Text:    "Ends the session whose token you send. The token stops working immediately.",
	}, a.signOut)
	rest.Public(r, http.MethodPost, http.StatusNoContent, rest.Route{
		Path: a.AuthPath() + "/password", ID: "changePassword",
		Summary: "Change your password and end all your sessions",
		Text:    "Requires a session, the old password and, if the user has a two-factor method, a code. All sessions of the user end, including this one.",
	}, a.changePassword)
	rest.Public(r, http.MethodPost, http.StatusAccepted, rest.Route{
		Path: a.AuthPath() + "/password/forgot", ID: "forgotPassword",
		Summary: "Send a link to set a new password",
		Text:    "If a user has this email address, a link is sent to it. The link works once and expires after one hour. The response is the same for unknown addresses.",
	}, a.forgotPassword)
}

// AuthPath returns the path of {auth_url} on this server.
func (a *API) AuthPath() string {
	if a.AuthURL == "" { // only described
		return "/oauth"
	}
	return people.AuthPath(a.AuthURL)
}

// Me is the calling credential.
type Me struct {
	_ struct{} `doc:"The credential of the request."`

	Credential  auth.Actor   `json:"credential" doc:"API key, user or app of the request."`
	Environment auth.Mode    `json:"environment" doc:"Environment that the credential belongs to."`
	Dealership  MeDealership `json:"dealership" doc:"Dealership that the credential belongs to."`
	Scopes      []auth.Scope `json:"scopes" nullable:"false" doc:"Scopes of the credential."`
	Version     string       `json:"service_version" doc:"API version of requests that have no Service-Version header." example:"2026-11-15"`
	RateLimit   MeRateLimit  `json:"rate_limit" doc:"How many requests the credential can send."`
	UserID      *string      `json:"user_id" doc:"User of the session, or user who installed the app. Null for an API key."`
	AppID       *string      `json:"app_id" doc:"App of the token. Null for an API key or a session."`
	InstallID   *string      `json:"install_id" doc:"Install of the app in this environment. Null for an API key or a session." since:"next"`
}

// MeDealership is the dealership of the calling credential.
type MeDealership struct {
	_ struct{} `doc:"The dealership of the credential."`

	ID   string `json:"id" doc:"ID of the dealership." example:"dlr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name string `json:"name" doc:"Name of the dealership." example:"Chesapeake Marine"`
}

// MeRateLimit is the rate limit of the calling credential.
type MeRateLimit struct {
	_ struct{} `doc:"The rate limit of the credential."`

	RequestsPerSecond float64 `json:"requests_per_second" doc:"Requests per second that are allowed in the long run." example:"100"`
	Burst             float64 `json:"burst" doc:"Requests that can be sent at once before the limit applies." example:"200"`
}

func (a *API) me(ctx context.Context, tx *db.Tx, _ *struct{}) (Me, error) { return FindMe(ctx, tx) }
