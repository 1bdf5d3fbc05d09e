package console

import (
	"net/http"
	"strings"

	"slipway/internal/identity/access"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// apiPath is where the console calls the API: /console/api/v1 is /v1.
const apiPath = Path + "/api"

// modeHeader names the environment of a request. It selects the cookie, so that two tabs
// can show both environments. Another site can't send it.
const modeHeader = "Slipway-Mode"

// Pass turns the requests of the console into requests of the API, with the session of the
// cookie. The router then handles them like those of any other client.
func (a *API) Pass(router http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, ok := strings.CutPrefix(r.URL.Path, apiPath)
		if !ok || !rest.InAPI(path) {
			router.ServeHTTP(w, r)
			return
		}
		token, problem := a.tokenOf(r)
		out := r.Clone(access.WithCookie(r.Context(), token, problem))
		out.URL.Path, out.URL.RawPath = path, strings.TrimPrefix(r.URL.RawPath, apiPath)
		out.Header.Del("Cookie")
		out.Header.Set("Authorization", "Bearer "+token+"-") // the limits distinguish callers by it
		router.ServeHTTP(w, out)
	})
}

// tokenOf returns the token of the session for a request of the console.
func (a *API) tokenOf(r *http.Request) (token string, problem error) {
	mode := auth.Mode(r.Header.Get(modeHeader))
	if mode != auth.Live && mode != auth.Test || !a.isOwn(r) {
		return "", fault.Forbidden("Only the console can use its session. Programs send Authorization: Bearer to /v1.")
	}
	if token = a.SignIn.SessionToken(r, mode); token == "" {
		return "", fault.Unauthenticated("Your session has ended. Sign in again.")
	}
	return token, nil
}

// isOwn reports whether a request comes from a page of the console. Browsers say where a
// request comes from, except on plain HTTP, where the other header has to be enough.
func (a *API) isOwn(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if site != "same-origin" && (site != "" || strings.HasPrefix(a.BaseURL, "https://")) {
		return false
	}
	return http.NewCrossOriginProtection().Check(r) == nil
}
