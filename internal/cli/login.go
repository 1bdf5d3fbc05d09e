package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// loginTimeout is how long a sign-in in the browser can take.
const loginTimeout = 10 * time.Minute

func loginFlags() []flagSpec {
	return []flagSpec{
		{name: "base-url", value: "URL", help: "Address of the server. Defaults to SLIPWAY_BASE_URL, or to " + DefaultBaseURL + "."},
		{name: "profile", value: "NAME", help: "Name of the profile. Defaults to the environment: live or test."},
		{name: "key", help: "Read an API key from stdin instead of opening a browser."},
		{name: "no-browser", help: "Only print the address of the page."},
		{name: "help", short: "h", help: "Show this help."},
	}
}

// runLogin creates a profile, with a key that the user allows on a page of the server.
func runLogin(ctx context.Context, s *Session, args []string) error {
	const command = "slipway login"
	p, err := parseFlags(args, loginFlags(), command)
	if err != nil {
		return err
	}
	if p.has("help") {
		return helpPage{
			usage: command + " [flags]", summary: "Sign in to a server.", flags: loginFlags(),
			text: []string{"Opens a page of the server, where you choose the environment and the scopes. The server creates an API key for this machine. " +
				"It expires in 90 days."},
			examples: []string{command + " --base-url https://api.example.com", command + " --key < key.txt"},
		}.print(s.Out)
	}
	if len(p.args) > 0 {
		return &UsageError{"unexpected argument. To use a key, run \"slipway login --key\" and paste it", command}
	}

	base := strings.TrimSuffix(cmp.Or(p.last("base-url"), s.BaseURL, s.Getenv("SLIPWAY_BASE_URL"), DefaultBaseURL), "/")
	var key issuedKey
	if p.has("key") {
		key.Key, err = readKey(s)
	} else {
		key, err = signIn(ctx, s, base, p.has("no-browser"))
	}
	if err != nil {
		return err
	}
	return s.addProfile(ctx, base, key, p.last("profile"))
}

// issuedKey is a key, and when it expires.
type issuedKey struct {
	Key       string     `json:"key"`
	ExpiresAt *time.Time `json:"expires_at"`
}

func readKey(s *Session) (string, error) {
	key, err := s.Ask("Paste the API key: ")
	if err == nil && key == "" {
		err = errors.New("stdin has no API key")
	}
	return key, err
}

// Ask reads a line of stdin, after a question on the terminal. Secrets are asked for, because
// other users of the machine could see them on the command line.
func (s *Session) Ask(question string) (string, error) {
	if s.Interactive {
		if _, err := fmt.Fprint(s.Err, question); err != nil {
			return "", err
		}
	}
	line, _ := bufio.NewReader(s.In).ReadString('\n') // the last line might not end
	return strings.TrimSpace(line), nil
}

// addProfile checks a key and stores it in a profile, which becomes the current one.
func (s *Session) addProfile(ctx context.Context, base string, key issuedKey, name string) error {
	var me struct {
		Dealership  struct{ Name string }
		Environment string
		Scopes      []string
	}
	if err := NewClient(base, key.Key).Call(ctx, http.MethodGet, "/v1/me", nil, &me); err != nil {
		return err
	}
	all, err := s.loadProfiles()
	if err != nil {
		return err
	}
	given := name != ""
	name = cmp.Or(name, me.Environment)
	if old, ok := all.Profiles[name]; ok && !given && (old.BaseURL != base || old.Dealership != me.Dealership.Name) {
		return fmt.Errorf("the profile %s is for %s at %s. Choose another name with --profile", name, old.Dealership, old.BaseURL)
	}
	all.Profiles[name] = Profile{base, key.Key, me.Dealership.Name, me.Environment, me.Scopes, key.ExpiresAt}
	all.Current = name
	if err := all.save(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Err, "Signed in to %s (%s). The current profile is %s.\n", printable(me.Dealership.Name), me.Environment, name)
	return err
}

// callback is what the page returns to this machine.
type callback struct{ code, problem string }

// signIn opens the page and returns the key.
func signIn(ctx context.Context, s *Session, base string, noBrowser bool) (key issuedKey, err error) {
	issuer, err := findIssuer(ctx, base)
	if err != nil {
		return key, err
	}
	listener, err := listen("127.0.0.1:0", "[::1]:0")
	if err != nil {
		return key, err
	}
	defer listener.Close()
	state, verifier := rand.Text(), rand.Text()+rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	redirect := "http://" + listener.Addr().String() + "/callback"
	page := issuer.String() + "/cli?" + url.Values{
		"redirect_uri": {redirect}, "state": {state}, "code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"}, "host": {s.Host},
	}.Encode()

	results := make(chan callback, 1)
	server := &http.Server{Handler: receive(state, results), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener) //nolint:errcheck // it ends with the listener
	defer func() { _ = server.Close() }()
	if _, err := fmt.Fprintf(s.Err, "Open this page to sign in:\n\n  %s\n\n", page); err != nil {
		return key, err
	}
	if !noBrowser {
		if err := s.OpenBrowser(page); err != nil {
			_, _ = fmt.Fprintln(s.Err, "Can't open a browser. Open the page yourself.") // the address is above
		}
	}

	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	var result callback
	select {
	case result = <-results:
	case <-ctx.Done():
		return key, errors.New("the sign-in was not completed. Nothing was changed")
	}
	if result.problem != "" {
		return key, errors.New(result.problem)
	}
	return exchange(ctx, base+issuer.Path, url.Values{"code": {result.code}, "code_verifier": {verifier}, "redirect_uri": {redirect}})
}

// listen listens on the first address that this machine has. Some only have IPv6.
func listen(addresses ...string) (l net.Listener, err error) {
	for _, address := range addresses {
		if l, err = net.Listen("tcp", address); err == nil {
			return l, nil
		}
	}
	return nil, err
}

// findIssuer returns the address of the sign-in pages of a server.
func findIssuer(ctx context.Context, base string) (*url.URL, error) {
	var metadata struct{ Issuer string }
	if err := NewClient(base, "").Call(ctx, http.MethodGet, "/.well-known/oauth-authorization-server", nil, &metadata); err != nil {
		return nil, err
	}
	u, err := url.Parse(strings.TrimSuffix(metadata.Issuer, "/"))
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s is not a Slipway server", base)
	}
	return u, nil
}

// callbackPage has the colors of the pages of the server.
const callbackPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Slipway</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --page: #eff3f7; --card: #fff }
@media (prefers-color-scheme: dark) { :root { --page: #090c11; --card: #111820 } }
body { background: var(--page); margin: 0; padding: 12vh 12px }
main { background: var(--card); border-radius: 12px; max-width: 334px; margin: auto; padding: 32px }
h1 { font-size: 20px; line-height: 1.3; margin: 0 0 4px } p { margin: 0 }</style></head>
<body><main><h1>%s</h1><p>%s</p></main></body></html>`

// receive returns the page that ends the sign-in. The state shows that it is the sign-in
// that this command started.
func receive(state string, results chan<- callback) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		q := r.URL.Query()
		if q.Get("state") != state {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, callbackPage, "This link doesn't work", "It belongs to another sign-in. Run <code>slipway login</code> again.")
			return
		}
		result := callback{code: q.Get("code")}
		title, text := "You are signed in", "You can close this window and return to your terminal."
		if result.code == "" {
			result.problem = "the sign-in was canceled. Nothing was changed"
			title, text = "Canceled", "You can close this window."
		}
		_, _ = fmt.Fprintf(w, callbackPage, title, text) // the browser might be closed
		select {
		case results <- result:
		default: // the page was loaded again
		}
	})
	return mux
}

// exchange returns the key for the code of the page.
func exchange(ctx context.Context, auth string, form url.Values) (key issuedKey, err error) {
	res, err := NewClient(auth, "").Send(ctx, Request{
		Verb: http.MethodPost, Path: "/cli/token", JSON: []byte(form.Encode()),
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	})
	if err != nil {
		return key, err
	}
	return key, json.Unmarshal(res.Text, &key)
}

func logoutFlags() []flagSpec {
	return []flagSpec{
		{name: "profile", value: "NAME", help: "Name of the profile. Defaults to the current one."},
		{name: "help", short: "h", help: "Show this help."},
	}
}

// runLogout revokes the key of a profile and deletes the profile.
func runLogout(ctx context.Context, s *Session, args []string) error {
	const command = "slipway logout"
	p, err := parseFlags(args, logoutFlags(), command)
	if err != nil {
		return err
	}
	if p.has("help") {
		return helpPage{
			usage: command + " [flags]", summary: "Revoke the key of a profile and delete the profile.", flags: logoutFlags(), common: outputAndServer,
			examples: []string{command, command + " --profile live"},
		}.print(s.Out)
	}
	all, err := s.loadProfiles()
	if err != nil {
		return err
	}
	name := cmp.Or(p.last("profile"), s.Getenv("SLIPWAY_PROFILE"), all.Current)
	profile, ok := all.Profiles[name]
	if !ok {
		return errNotSignedIn
	}

	note := "Its key was revoked."
	if err := revoke(ctx, profile); err != nil {
		note = "Its key was not revoked: " + strings.SplitN(err.Error(), "\n", 2)[0]
	}
	all.remove(name)
	if err := all.save(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Err, "Deleted the profile %s. %s\n", name, note)
	return err
}

func revoke(ctx context.Context, p Profile) error {
	issuer, err := findIssuer(ctx, p.BaseURL)
	if err != nil {
		return err
	}
	_, err = NewClient(p.BaseURL+issuer.Path, p.Key).Send(ctx, Request{Verb: http.MethodPost, Path: "/cli/revoke"})
	return err
}
