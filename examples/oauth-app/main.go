// Oauth-app is a sample app for Slipway. A dealership installs it, and it shows the
// dealership's boats and the newest changes. It is one file, so that you can read
// it from top to bottom and copy what you need.
//
// Register it with an API key that has the admin scope:
//
//	curl "$SLIPWAY/v1/apps" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{
//	  "name": "Boat list", "redirect_uris": ["http://localhost:4000/callback"], "scopes": ["hulls:read", "webhooks"]}'
//
// Start it, and open http://localhost:4000:
//
//	SLIPWAY=http://localhost:8080 CLIENT_ID=app_... CLIENT_SECRET=cs_test_... go run ./examples/oauth-app
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// App is the state of the app. A real app stores one token and one webhook secret
// per install in its database, encrypted.
type App struct {
	API    string // URL of Slipway
	Public string // URL of this app
	Config oauth2.Config

	mu      sync.Mutex
	pending map[string]string // states of started installs, with their PKCE verifiers
	token   *oauth2.Token
	secret  string   // of the webhook
	events  []string // newest last
}

// NewApp returns an app with its client ID and secret.
func NewApp(api, public, clientID, clientSecret string) *App {
	return &App{
		API: api, Public: public, pending: map[string]string{},
		Config: oauth2.Config{
			ClientID: clientID, ClientSecret: clientSecret,
			RedirectURL: public + "/callback", Scopes: []string{"hulls:read", "webhooks"},
			Endpoint: oauth2.Endpoint{AuthURL: api + "/oauth/authorize", TokenURL: api + "/oauth/token", AuthStyle: oauth2.AuthStyleInHeader},
		},
	}
}

// Handler serves the app.
func (a *App) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.home)
	mux.HandleFunc("GET /install", a.install)
	mux.HandleFunc("GET /callback", a.callback)
	mux.HandleFunc("POST /webhook", a.webhook)
	return mux
}

// install sends the user to Slipway. The state protects against forged callbacks,
// and the verifier against stolen codes.
func (a *App) install(w http.ResponseWriter, r *http.Request) {
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	a.mu.Lock()
	a.pending[state] = verifier
	a.mu.Unlock()
	// The cookie binds the state to this browser.
	http.SetCookie(w, &http.Cookie{Name: "state", Value: state, Path: "/callback", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: 600})
	http.Redirect(w, r, a.Config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), http.StatusSeeOther)
}

// callback receives the user back from Slipway, and exchanges the code for tokens.
func (a *App) callback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	state, cookie := q.Get("state"), ""
	if c, err := r.Cookie("state"); err == nil {
		cookie = c.Value
	}
	a.mu.Lock()
	verifier, known := a.pending[state]
	delete(a.pending, state)
	a.mu.Unlock()
	if !known || state != cookie {
		http.Error(w, "This install was not started here. Start again.", http.StatusBadRequest)
		return
	}
	if problem := q.Get("error"); problem != "" {
		http.Error(w, "The app was not installed: "+problem, http.StatusForbidden)
		return
	}

	token, err := a.Config.Exchange(r.Context(), q.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		http.Error(w, "The code could not be exchanged: "+err.Error(), http.StatusBadGateway)
		return
	}
	a.save(token)
	if err := a.subscribe(r.Context()); err != nil {
		http.Error(w, "The webhook could not be created: "+err.Error(), http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (a *App) save(token *oauth2.Token) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.token = token
}

// Token returns a valid access token. It refreshes an expired one, and saves the
// new refresh token: each works only once.
func (a *App) Token() (*oauth2.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == nil {
		return nil, errors.New("the app is not installed")
	}
	token, err := a.Config.TokenSource(context.Background(), a.token).Token()
	if err != nil {
		return nil, err
	}
	a.token = token
	return token, nil
}

// call sends a request to the API and decodes the response.
func (a *App) call(ctx context.Context, method, path string, body, out any) error {
	token, err := a.Token() //nolint:contextcheck // golang.org/x/oauth2 keeps its own context
	if err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, a.API+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	token.SetAuthHeader(req)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodGet {
		req.Body, req.ContentLength = nil, 0
	}

	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, answer)
	}
	return json.Unmarshal(answer, out)
}

// Hull is the part of a hull that the app shows.
type Hull struct {
	Year     int    `json:"year"`
	Make     string `json:"make"`
	Model    string `json:"model"`
	PriceUSD int64  `json:"price_usd"`
	Status   string `json:"status"`
}

// Hulls returns the boats of the dealership.
func (a *App) Hulls(ctx context.Context) ([]Hull, error) {
	var list struct{ Data []Hull }
	err := a.call(ctx, http.MethodGet, "/v1/hulls?limit=50", nil, &list)
	return list.Data, err
}

// subscribe asks Slipway to send changes of boats to the app.
func (a *App) subscribe(ctx context.Context) error {
	var created struct{ Secret string }
	body := map[string]any{"url": a.Public + "/webhook", "events": []string{"hull.*"}}
	if err := a.call(ctx, http.MethodPost, "/v1/webhooks", body, &created); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.secret = created.Secret
	return nil
}

// webhook receives an event. It must check the signature: anyone can call this URL.
func (a *App) webhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "The body could not be read.", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !verify(a.secret, r.Header, body, time.Now()) {
		http.Error(w, "Invalid signature.", http.StatusUnauthorized)
		return
	}
	var event struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "Invalid event.", http.StatusBadRequest)
		return
	}
	if text := event.Type + " " + event.ID; !slices.Contains(a.events, text) { // an event can be delivered twice
		a.events = append(a.events, text)
	}
}

// verify checks a signature of Standard Webhooks.
func verify(secret string, h http.Header, body []byte, now time.Time) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	sent, parseErr := strconv.ParseInt(h.Get("webhook-timestamp"), 10, 64)
	if err != nil || parseErr != nil || len(key) == 0 || now.Sub(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", h.Get("webhook-id"), sent, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.ContainsFunc(strings.Fields(h.Get("webhook-signature")), func(got string) bool {
		return hmac.Equal([]byte(got), []byte(want))
	})
}

// Events returns the received events, newest last.
func (a *App) Events() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.events)
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Boat list</title>
<h1>Boat list</h1>
{{with .Problem}}<p>{{.}}</p>{{end}}
{{if .Installed}}<ul>{{range .Hulls}}<li>{{.Year}} {{.Make}} {{.Model}}, ${{.PriceUSD}} ({{.Status}})</li>{{end}}</ul>
<h2>Changes</h2><ul>{{range .Events}}<li>{{.}}</li>{{end}}</ul>
{{else}}<p><a href="/install">Install in Slipway</a></p>{{end}}
</html>`))

// home shows the boats.
func (a *App) home(w http.ResponseWriter, r *http.Request) {
	var data struct {
		Installed bool
		Problem   string
		Hulls     []Hull
		Events    []string
	}
	a.mu.Lock()
	data.Installed = a.token != nil
	a.mu.Unlock()
	if data.Installed {
		var err error
		if data.Hulls, err = a.Hulls(r.Context()); err != nil {
			data.Installed, data.Problem = false, err.Error()
		}
		data.Events = a.Events()
	}
	if err := page.Execute(w, data); err != nil {
		log.Print(err)
	}
}

func main() {
	listen := cmp.Or(os.Getenv("LISTEN"), "localhost:4000")
	app := NewApp(cmp.Or(os.Getenv("SLIPWAY"), "http://localhost:8080"), cmp.Or(os.Getenv("PUBLIC_URL"), "http://"+listen),
		os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))
	server := &http.Server{Addr: listen, Handler: app.Handler(), ReadHeaderTimeout: 5 * time.Second}
	log.Printf("Open %s", app.Public)
	log.Fatal(server.ListenAndServe())
}
