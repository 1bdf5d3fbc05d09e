package identity

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/sso"
	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
	"slipway/internal/platform/outbound"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// samlWorld is a dealership with a SAML connection.
type samlWorld struct {
	*world
	saml    *samltest.Provider
	service samltest.Service
	user    samltest.User
}

// eachSAML runs a test on both databases, on PostgreSQL with two nodes.
func eachSAML(t *testing.T, body map[string]any, test func(t *testing.T, w *samlWorld)) {
	t.Helper()
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		nodes := []*testkit.Server{s}
		if !s.DB.SQLite() {
			nodes = append(nodes, s.Node())
		}
		s.Fleet()
		w := &samlWorld{world: &world{Server: s, t: t, nodes: nodes}, saml: samltest.New("https://idp.example.com", s.DB.Now)}
		full := map[string]any{
			"name": "Acme ADFS", "idp_metadata_xml": string(w.saml.Metadata()), "domains": []string{domain}, "jit": true,
			"group_mapping": []map[string]string{
				{"group": "Sales", "role_id": s.RoleID("sales")}, {"group": "Managers", "role_id": s.RoleID("manager")},
			},
		}
		maps.Copy(full, body)
		s.Test.Post("/v1/sso_connections", full, 201, &w.conn)
		s.VerifyDomain(domain)
		w.user = samltest.User{
			NameID: "kim-17", Format: samltest.Persistent, SessionIndex: "index-1",
			Attributes: map[string][]string{"email": {"kim@" + domain}, "displayName": {"Kim Vale"}, "groups": {"Sales"}},
		}
		w.readMetadata()
		test(t, w)
	})
}

// readMetadata configures the provider with the metadata of the connection.
func (w *samlWorld) readMetadata() {
	w.t.Helper()
	v := w.Browser().Open(local(*w.conn.SPMetadataURL))
	service, err := samltest.ParseService([]byte(v.Text))
	if err != nil {
		w.t.Fatal(err)
	}
	w.service = service
}

// request starts a login in a browser and returns the verified request.
func (w *samlWorld) request(b *testkit.Browser, query string) samltest.Message {
	w.t.Helper()
	v := b.Open(local(w.conn.LoginURL) + query)
	m, err := w.saml.Read(w.service, saml.Request{URL: v.Header.Get("Location")})
	if err != nil {
		w.t.Fatalf("%v: %d %s", err, v.StatusCode, v.Text)
	}
	return m
}

// response answers the login of a browser. Change it before you send it.
func (w *samlWorld) response(b *testkit.Browser) *samltest.Response {
	w.t.Helper()
	m := w.request(b, "")
	r := w.saml.Response(w.service, w.user, m.Attr("ID"))
	r.RelayState = m.RelayState
	return r
}

// post sends a response to a node.
func (w *samlWorld) post(b *testkit.Browser, node *testkit.Server, form url.Values) testkit.View {
	w.t.Helper()
	return b.Post(node.URL+local(*w.conn.ACSURL), form)
}

func (w *samlWorld) signIn(b *testkit.Browser) testkit.View {
	w.t.Helper()
	return w.post(b, w.Server, w.response(b).Form())
}

func TestSAML(t *testing.T) {
	eachSAML(t, nil, func(t *testing.T, w *samlWorld) {
		assert.Equal(t, w.conn.Protocol, sso.SAML)
		assert.Equal(t, *w.conn.Issuer, "https://idp.example.com/metadata")
		assert.Equal(t, w.service.ACSURL, *w.conn.ACSURL)

		// A browser sends no cookies with a form of another site, but with the page after it.
		b := w.Browser()
		form := w.response(b).Form()
		v := w.Browser().Post(local(*w.conn.ACSURL), form)
		assert.Equal(t, v.Request.URL.Path, "/sso/saml/"+w.conn.ID+"/finish")
		assert.Equal(t, v.StatusCode, 403, "without the cookie")
		wantSignedIn(t, b.Open(w.node(1).URL+v.Request.URL.RequestURI()), "kim@"+domain)
		u := w.world.user("kim@" + domain)
		assert.Equal(t, *u.SSOSubject, "kim-17")
		assert.Equal(t, u.Name, "Kim Vale")
		assert.Equal(t, roleNames(u), "sales")

		w.user.Attributes["groups"] = []string{"Managers"}
		wantSignedIn(t, w.signIn(b), "kim@"+domain)
		assert.Equal(t, roleNames(w.world.user("kim@"+domain)), "manager")
		var list struct{ Data []struct{ Method string } }
		w.Test.Get("/v1/sessions?user_id="+u.ID, 200, &list)
		assert.Equal(t, list.Data[0].Method, "saml")

		// An encrypted assertion.
		r := w.response(b)
		r.Encryption = &samltest.Encryption{For: w.service.Encryption[0], Data: "http://www.w3.org/2009/xmlenc11#aes256-gcm"}
		wantSignedIn(t, w.post(b, w.node(1), r.Form()), "kim@"+domain)

		// The session ends when the provider says.
		r = w.response(b)
		r.SessionUntil = w.DB.Now().Add(30 * time.Minute).UTC().Truncate(time.Second)
		w.post(b, w.Server, r.Form())
		w.Advance(31 * time.Minute)
		assert.Equal(t, isSignedIn(b, w.Server), false)
		r = w.response(b)
		r.SessionUntil = time.Time{}
		w.post(b, w.Server, r.Form())
		for range 7 {
			w.Advance(100 * time.Minute)
			assert.Equal(t, isSignedIn(b, w.Server), true)
			if err := w.Settle(t.Context()); err != nil { // saves when the session was seen
				t.Fatal(err)
			}
		}
		w.Advance(21 * time.Minute)
		assert.Equal(t, isSignedIn(b, w.Server), false, "after 12 hours")
	})
}

// samlAttacks are responses that must be rejected, with the reason that the
// administrator sees. Package saml tests many more.
var samlAttacks = []struct {
	name   string
	edit   func(r *samltest.Response)
	reason string
}{
	{"control", func(*samltest.Response) {}, ""},
	{"unsigned", func(r *samltest.Response) { r.SignAssertion = false }, "signed"},
	{"unsigned assertion in a signed response", func(r *samltest.Response) { r.SignAssertion, r.SignResponse = false, true }, "signed"},
	{"foreign key", func(r *samltest.Response) { r.Key = samltest.KeyPair(3) }, "signature"},
	{"wrong audience", func(r *samltest.Response) { r.Audience = "https://another.example.com" }, "audience"},
	{"wrong recipient", func(r *samltest.Response) { r.Recipient = "https://another.example.com" }, "another.example.com"},
	{"wrong destination", func(r *samltest.Response) { r.Destination = "https://another.example.com" }, "another.example.com"},
	{"wrong issuer", func(r *samltest.Response) { r.AssertionIssuer = "https://evil.example" }, "evil.example"},
	{"expired", func(r *samltest.Response) { r.NotOnOrAfter = time.Now().Add(-time.Hour) }, "expired"},
	{"not yet valid", func(r *samltest.Response) { r.NotBefore = time.Now().Add(3 * time.Hour) }, "clock"},
	{"InResponseTo of another login", func(r *samltest.Response) { r.InResponseTo, r.AssertionInResponseTo = "_x", "_x" }, "didn't start"},
	{"IdP-initiated", func(r *samltest.Response) { r.InResponseTo, r.AssertionInResponseTo = "", "" }, "started at the identity provider"},
	{"RelayState of another login", func(r *samltest.Response) { r.RelayState = "x" }, "didn't start"},
	{"transient NameID", func(r *samltest.Response) { r.User.Format = samltest.Transient }, "transient"},
	{"email of another domain", func(r *samltest.Response) {
		r.User.NameID, r.User.Attributes = "x", map[string][]string{"email": {"kim@evil.example"}, "groups": {"Sales"}}
	}, "not a domain of this connection"},
	{"group in another case", func(r *samltest.Response) {
		r.User.NameID, r.User.Attributes = "y", map[string][]string{"email": {"y@" + domain}, "groups": {"sales"}}
	}, "No group of the user"},
	{"too many groups for Entra ID", func(r *samltest.Response) {
		r.User.NameID, r.User.Attributes = "z", map[string][]string{
			"email": {"z@" + domain}, "http://schemas.microsoft.com/claims/groups.link": {"https://graph.example.com"},
		}
	}, "Entra ID sent no groups"},
}

func TestSAMLAttacks(t *testing.T) {
	eachSAML(t, nil, func(t *testing.T, w *samlWorld) {
		for i, a := range samlAttacks {
			t.Run(a.name, func(t *testing.T) {
				c := *w
				c.world = w.in(t)
				w.Advance(time.Minute) // rejections within a minute are combined
				b := w.Browser().In(c.Server)
				r := c.response(b)
				a.edit(r)
				v := c.post(b, c.node(i), r.Form())
				if a.reason == "" {
					wantSignedIn(t, v, "kim@"+domain)
					return
				}
				c.wantRejected(v, a.reason)
				assert.Equal(t, isSignedIn(b, c.Server), false)
			})
		}
	})
}

// samlFlowAttacks are attacks on the flow.
var samlFlowAttacks = map[string]func(t *testing.T, w *samlWorld){
	"replayed assertion across nodes": func(t *testing.T, w *samlWorld) {
		b := w.Browser()
		r := w.response(b)
		wantSignedIn(t, w.post(b, w.Server, r.Form()), "kim@"+domain)
		for i := range 2 {
			w.wantRejected(w.post(b, w.node(i), r.Form()), "replay")
		}
	},
	"replayed assertion in a race": func(t *testing.T, w *samlWorld) {
		form := w.response(w.Browser()).Form()
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		statuses := make(chan int, 8)
		for i := range 8 {
			go func() {
				res, err := client.PostForm(w.node(i).URL+local(*w.conn.ACSURL), form) //nolint:noctx // ends with the server
				if err != nil {
					statuses <- 0
					return
				}
				_ = res.Body.Close()
				statuses <- res.StatusCode
			}()
		}
		accepted := 0
		for range 8 {
			if <-statuses == http.StatusSeeOther {
				accepted++
			}
		}
		assert.Equal(t, accepted, 1)
	},
	"InResponseTo of another browser's login": func(t *testing.T, w *samlWorld) {
		victim, attacker := w.Browser(), w.Browser()
		w.request(victim, "") // the victim has a cookie
		r := w.response(attacker)
		w.wantRejected(w.post(victim, w.Server, r.Form()), "does not match the state")
		assert.Equal(t, isSignedIn(victim, w.Server), false)
	},
	"open redirect in RelayState": func(t *testing.T, w *samlWorld) {
		w.world.change(map[string]any{"allow_idp_initiated": true})
		for _, to := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)"} {
			b := w.Browser()
			r := w.saml.Response(w.service, w.user, "")
			r.RelayState = to
			v := w.post(b, w.Server, r.Form())
			wantSignedIn(t, v, "kim@"+domain)
		}
		b := w.Browser()
		r := w.saml.Response(w.service, w.user, "")
		r.RelayState = "/oauth/account/sessions"
		assert.Equal(t, w.post(b, w.Server, r.Form()).Request.URL.Path, "/oauth/account/sessions", "a page of this site")
	},
	"10 MB XML": func(t *testing.T, w *samlWorld) {
		b := w.Browser()
		form := w.response(b).Form()
		form.Set("SAMLResponse", base64.StdEncoding.EncodeToString([]byte("<x>"+strings.Repeat("y", 10<<20)+"</x>")))
		assert.Equal(t, w.post(b, w.Server, form).StatusCode, 403)
	},
	"DTD": func(t *testing.T, w *samlWorld) {
		b := w.Browser()
		form := w.response(b).Form()
		form.Set("SAMLResponse", base64.StdEncoding.EncodeToString([]byte(`<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`)))
		assert.Equal(t, w.post(b, w.Server, form).StatusCode, 403)
	},
	"forged logout request": func(t *testing.T, w *samlWorld) {
		b := w.Browser()
		w.signIn(b)
		for name, edit := range map[string]func(l *samltest.Logout){
			"unsigned":    func(l *samltest.Logout) { l.Unsigned = true },
			"foreign key": func(l *samltest.Logout) { l.Key = samltest.KeyPair(3) },
			"issuer":      func(l *samltest.Logout) { l.Issuer = "https://evil.example" },
			"destination": func(l *samltest.Logout) { l.Destination = "https://evil.example" },
			"expired":     func(l *samltest.Logout) { l.IssuedAt = l.IssuedAt.Add(-time.Hour) },
		} {
			l := w.saml.LogoutRequest(w.service, w.user)
			edit(l)
			assert.Equal(t, w.Browser().Post(local(*w.conn.SLOURL), l.Form()).StatusCode, 403, name)
			if l.Destination == *w.conn.SLOURL {
				assert.Equal(t, w.Browser().Open(local(l.URL())).StatusCode, 403, name)
			}
		}
		assert.Equal(t, isSignedIn(b, w.Server), true)
	},
	"replayed logout request": func(t *testing.T, w *samlWorld) {
		b := w.Browser()
		w.signIn(b)
		l := w.saml.LogoutRequest(w.service, w.user)
		assert.Equal(t, w.Browser().Open(local(l.URL())).StatusCode, http.StatusSeeOther)
		w.signIn(b)
		assert.Equal(t, w.Browser().Open(w.node(1).URL+local(l.URL())).StatusCode, 403)
		assert.Equal(t, isSignedIn(b, w.Server), true)
	},
}

func TestSAMLFlowAttacks(t *testing.T) {
	for name, attack := range samlFlowAttacks {
		t.Run(name, func(t *testing.T) { eachSAML(t, nil, attack) })
	}
}

// Logout works from both sides, over redirect and POST.
func TestSAMLLogout(t *testing.T) {
	eachSAML(t, nil, func(t *testing.T, w *samlWorld) {
		b, other := w.Browser(), w.Browser()
		w.signIn(b)
		token := w.bearer(b)
		w.user.SessionIndex = "index-2"
		w.signIn(other)
		w.user.SessionIndex = "index-1"

		v := w.Browser().Open(w.node(1).URL + local(w.saml.LogoutRequest(w.service, w.user).URL()))
		m, err := w.saml.Read(w.service, saml.Request{URL: v.Header.Get("Location")})
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, m.Root.Tag, "LogoutResponse")
		assert.Equal(t, isSignedIn(b, w.Server), false)
		assert.Equal(t, works(w.Server, token), false)
		assert.Equal(t, isSignedIn(other, w.Server), true, "another session")
		l := w.saml.LogoutRequest(w.service, w.user)
		l.SessionIndexes = nil
		assert.Equal(t, w.Browser().Post(w.node(1).URL+local(*w.conn.SLOURL), l.Form()).StatusCode, http.StatusSeeOther)
		assert.Equal(t, isSignedIn(other, w.Server), false, "all sessions")

		w.signIn(b)
		token = w.bearer(b)
		next := b.Submit(b.Open("/oauth/sign-out")).Header.Get("Refresh")
		assert.Equal(t, works(w.node(1), token), false)
		v = b.Open(strings.TrimPrefix(next, "0; url="))
		if m, err = w.saml.Read(w.service, saml.Request{URL: v.Header.Get("Location")}); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, m.Text("NameID"), "kim-17")
		assert.Equal(t, m.Text("SessionIndex"), "index-1")
		v = b.Open(local(w.saml.LogoutResponse(w.service, m.Attr("ID")).URL()))
		assert.Contains(t, v.Text, "You are signed out")
	})
}

// A provider without the redirect binding gets a form.
func TestSAMLPostBinding(t *testing.T) {
	eachSAML(t, nil, func(t *testing.T, w *samlWorld) {
		w.saml.PostOnly = true
		w.world.change(map[string]any{"idp_metadata_xml": string(w.saml.Metadata())})
		b := w.Browser()
		v := b.Open(local(w.conn.LoginURL))
		assert.Contains(t, v.Header.Get("Content-Security-Policy"), "form-action 'self' https://idp.example.com;")
		fields := map[string]string{}
		for _, name := range []string{"SAMLRequest", "RelayState"} {
			_, rest, _ := strings.Cut(v.Text, `name="`+name+`" value="`)
			value, _, _ := strings.Cut(rest, `"`)
			fields[name] = strings.ReplaceAll(value, "&#43;", "+")
		}
		m, err := w.saml.Read(w.service, saml.Request{PostURL: w.saml.SSOURL, Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		r := w.saml.Response(w.service, w.user, m.Attr("ID"))
		r.RelayState = m.RelayState
		wantSignedIn(t, w.post(b, w.Server, r.Form()), "kim@"+domain)
	})
}

// The metadata is refreshed every day, and the old one stays in use if that fails.
func TestMetadataRefresh(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.Fleet()
		idp := samltest.New("https://idp.example.com", s.DB.Now)
		text, status := idp.Metadata(), http.StatusOK
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write(text)
		}))
		t.Cleanup(server.Close)
		var c sso.Connection
		body := map[string]any{"name": "x", "idp_metadata_url": server.URL}
		s.Test.Post("/v1/sso_connections", body, 201, &c)
		api := (&world{Server: s}).api()
		refresh := func() {
			t.Helper()
			if err := runRefresh(t, api, s, c.ID); err != nil {
				t.Fatal(err)
			}
			s.Test.Get("/v1/sso_connections/"+c.ID, 200, &c)
		}
		stored := func() string { return testkit.Rows[string](s, `SELECT idp_metadata FROM sso_connections`)[0] }

		first := stored()
		idp.MoreKeys = append(idp.MoreKeys, samltest.KeyPair(1))
		text = idp.Metadata()
		refresh()
		assert.Equal(t, stored() != first && c.MetadataError == nil, true, "several certificates")
		good := stored()
		for reason, bad := range map[string]func(){
			"status 500":    func() { status = 500 },
			"could not be":  func() { status, text = 200, []byte("<html>") },
			"has changed":   func() { status, text = 200, samltest.New("https://evil.example", s.DB.Now).Metadata() },
			"larger than 1": func() { status, text = 200, []byte(strings.Repeat("x", 2<<20)) },
		} {
			bad()
			refresh()
			assert.Equal(t, stored(), good, reason)
			assert.Equal(t, c.MetadataError != nil, true, reason)
		}

		// A private address is rejected, also after the connection was added.
		api.HTTP = outbound.New(time.Minute, false)
		status, text = 200, idp.Metadata()
		refresh()
		assert.Equal(t, *c.MetadataError, "the address is not public")
		assert.Equal(t, stored(), good)
		s.Test.Post("/v1/sso_connections", map[string]any{"name": "x", "idp_metadata_url": "http://169.254.169.254/"}, 422, nil)
		s.Live.Post("/v1/sso_connections", body, 422, nil) // http

		// A key is renewed before it expires. The old one signs for 30 more days.
		server.Close()
		keys := func() samltest.Service {
			t.Helper()
			service, err := samltest.ParseService([]byte(s.Browser().Open(local(*c.SPMetadataURL)).Text))
			if err != nil {
				t.Fatal(err)
			}
			return service
		}
		old := keys().Signing[0]
		s.Advance(3*365*24*time.Hour - 80*24*time.Hour)
		refresh()
		refresh() // not twice
		assert.Len(t, keys().Signing, 2)
		v := s.Browser().Open(local(c.LoginURL))
		only := keys()
		only.Signing = only.Signing[:0]
		only.Signing = append(only.Signing, old)
		if _, err := idp.Read(only, saml.Request{URL: v.Header.Get("Location")}); err != nil {
			t.Errorf("the old key must still sign: %v", err)
		}
	})
}
