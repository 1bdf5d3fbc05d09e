package oauth

import (
	"crypto/subtle"
	"encoding/json"
	"mime"
	"net/http"
	"time"

	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
)

// register serves the registration endpoint.
func (a *API) register(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		a.fail(w, r, &protocolError{Code: "invalid_request", Description: "Send a POST request.", status: http.StatusMethodNotAllowed})
		return
	}
	if taken := a.Failures.TakeAddress("registration", auth.RequestFrom(r.Context()).IP, 10, time.Minute); taken.Wait > 0 {
		a.fail(w, r, &protocolError{
			Code: "temporarily_unavailable", Description: "Too many registrations. Retry after the time in Retry-After.",
			status: http.StatusTooManyRequests, retryAfter: taken.Wait,
		})
		return
	}

	var in Registration
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10)).Decode(&in) != nil {
		a.fail(w, r, errProtocol("invalid_client_metadata", "The body must be JSON, with the content type application/json."))
		return
	}
	if problem := in.check(); problem != nil {
		a.fail(w, r, problem)
		return
	}
	now := a.DB.Now()
	id, problem := in.clientID(now, site.Of(a.DB).MAC)
	if problem != nil {
		a.fail(w, r, problem)
		return
	}
	writeJSON(w, http.StatusCreated, registeredApp{ClientID: id, IssuedAt: now.Unix(), Registration: in})
}

// openRegistration returns the app of a client ID that the server has issued.
func (a *API) openRegistration(id string) (PublishedApp, error) {
	app, ok := readClientID(id, a.DB.Now(), func(content, signature string) bool {
		want := signatureOf(content, site.Of(a.DB).MAC)
		return subtle.ConstantTimeCompare([]byte(signature), []byte(want)) == 1
	})
	if !ok {
		return app, &errRedirect{"The app of this link doesn't exist."}
	}
	return app, nil
}
