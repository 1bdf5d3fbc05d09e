//go:build sso

package browsertest

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"slipway/internal/app"
	"slipway/internal/identity/sso/saml"
	"slipway/internal/platform/site"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// startNodes starts two servers on one database. Each request goes to the other one
// than the request before it, so nothing can stay in the memory of one server.
func startNodes(t *testing.T, s *testkit.Server) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("http://localhost:%d", l.Addr().(*net.TCPAddr).Port)
	var nodes []http.Handler
	for range 2 {
		set := s.Settings()
		set.BaseURL = url
		a, err := app.Open(t.Context(), set, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		a.DB.Now = s.DB.Now
		if err := site.LoadKeys(t.Context(), a.DB, a.Box, false); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, a.Handler)
	}

	var next atomic.Int64
	web := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nodes[next.Add(1)%2].ServeHTTP(w, r)
	})}
	go func() { _ = web.Serve(l) }()
	t.Cleanup(func() { _ = web.Close() })
	return &server{Server: s, url: url, other: url + "/"}
}

// provider is an identity provider in another process.
type provider struct {
	t   *testing.T
	url string
	dir string
}

// account is a user at the provider.
type account struct {
	ID     string
	Email  string
	Name   string
	Groups []string
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return &provider{t, "http://" + l.Addr().String(), t.TempDir()}
}

// run starts the process, and waits until it accepts connections.
func (p *provider) run(dir string, env []string, name string, args ...string) {
	p.t.Helper()
	cmd := exec.Command(name, args...) //nolint:gosec,noctx // runs until the test ends
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	output, err := os.Create(filepath.Join(p.dir, "output.log"))
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = output.Close()
		if p.t.Failed() {
			p.showLogs()
		}
	})
	assert.Eventually(p.t, "the identity provider runs", func() bool {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://")) //nolint:noctx // on this machine
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

func (p *provider) showLogs() {
	files, _ := filepath.Glob(filepath.Join(p.dir, "*.log"))
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if !strings.HasSuffix(lines.Text(), " Accepted") && !strings.HasSuffix(lines.Text(), " Closing") {
				p.t.Log(filepath.Base(name) + ": " + lines.Text())
			}
		}
		_ = f.Close()
	}
}

func (p *provider) write(name string, content any) {
	p.t.Helper()
	text, ok := content.([]byte)
	if !ok {
		var err error
		if text, err = json.Marshal(content); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.dir, name), text, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *provider) get(url string) []byte {
	p.t.Helper()
	res, err := http.Get(url) //nolint:gosec,noctx // on this machine
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("GET %s: %v, %s\n%s", url, err, res.Status, text)
	}
	return text
}

// startSimpleSAMLphp starts a SAML provider, which signs everything and encrypts
// assertions. The binding is how it receives logins.
func startSimpleSAMLphp(t *testing.T, binding string) *provider {
	t.Helper()
	p := newProvider(t)
	pair, err := saml.NewKeyPair("SimpleSAMLphp", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	p.write("idp.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	p.write("idp.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate.Raw}))
	for _, name := range []string{"tmp", "sessions"} {
		if err := os.Mkdir(filepath.Join(p.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.setSAMLUser(account{})

	config, err := filepath.Abs("testdata/simplesamlphp")
	if err != nil {
		t.Fatal(err)
	}
	www := filepath.Join(os.Getenv("SLIPWAY_SIMPLESAMLPHP"), "www")
	p.run(www, []string{
		"SIMPLESAMLPHP_CONFIG_DIR=" + config, "SLIPWAY_IDP_DIR=" + p.dir, "SLIPWAY_IDP_URL=" + p.url, "SLIPWAY_IDP_BINDING=" + binding,
	},
		"php", "-d", "session.save_path="+filepath.Join(p.dir, "sessions"), "-S", strings.TrimPrefix(p.url, "http://"), "-t", www)
	return p
}

func (p *provider) setSAMLUser(u account) {
	p.t.Helper()
	p.write("users.json", map[string]any{u.ID + ":" + testkit.Password: map[string][]string{
		"uid": {u.ID}, "email": {u.Email}, "name": {u.Name}, "groups": u.Groups,
	}})
}

// startOIDCProvider starts an OpenID provider. Its clients are in clients.json.
func startOIDCProvider(t *testing.T) *provider {
	t.Helper()
	p := newProvider(t)
	p.write("clients.json", []any{})
	script, err := filepath.Abs("testdata/oidc-provider.mjs")
	if err != nil {
		t.Fatal(err)
	}
	p.run(p.dir, []string{
		"SLIPWAY_IDP_URL=" + p.url, "SLIPWAY_IDP_CLIENTS=" + filepath.Join(p.dir, "clients.json"), "SLIPWAY_IDP_USERS=" + filepath.Join(p.dir, "users.json"),
	}, "node", script)
	return p
}

func (p *provider) setOIDCUser(u account) {
	p.t.Helper()
	p.write("users.json", map[string]any{u.ID: map[string]any{"email": u.Email, "name": u.Name, "groups": u.Groups}})
}

// waitFor waits until the browser is on a page of a site. Pages of providers send
// forms with scripts, so there are several loads after one click.
func (b *tab) waitFor(prefix string) {
	b.t.Helper()
	last := ""
	defer func() {
		if b.t.Failed() {
			b.t.Logf("the browser is at %s", last)
		}
	}()
	assert.Eventually(b.t, "the browser is at "+prefix, func() bool {
		var at string
		err := chromedp.Run(b, chromedp.Evaluate(
			"document.readyState === 'complete' ? location.href + '\\n' + document.body.innerText : ''", &at))
		if err == nil && at != "" { // an error means that the page is changing
			last = at
		}
		return err == nil && strings.HasPrefix(at, prefix)
	})
}

func (b *tab) location() (url string) {
	b.t.Helper()
	b.run(chromedp.Location(&url))
	return url
}
