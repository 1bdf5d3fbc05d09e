package saml_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"

	"slipway/internal/identity/sso/saml"
	"slipway/internal/identity/sso/saml/samltest"
)

func get(address string) *http.Request {
	return httptest.NewRequest(http.MethodGet, address, nil)
}

func post(form url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "https://slipway.example.com/slo", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// bothBindings runs a test with the redirect and the POST form of a message.
func bothBindings(t *testing.T, l *samltest.Logout, test func(t *testing.T, r *http.Request)) {
	t.Helper()
	t.Run("redirect", func(t *testing.T) { test(t, get(l.URL())) })
	t.Run("POST", func(t *testing.T) { test(t, post(l.Form())) })
}

func TestLogoutFromProvider(t *testing.T) {
	provider, service, known := setup(t)
	l := provider.LogoutRequest(known, kim)
	l.ID, l.RelayState, l.SessionIndexes = "_logout1", "a b+c/d=?&", []string{"_session1", "_session2"}
	bothBindings(t, l, func(t *testing.T, r *http.Request) {
		got, err := service.ParseLogout(r)
		must(t, err)
		equal(t, got, saml.Logout{
			ID: "_logout1", NameID: "kim@example.com", NameIDFormat: samltest.EmailAddress,
			SessionIndexes: []string{"_session1", "_session2"}, RelayState: "a b+c/d=?&",
			ValidUntil: noon.Add(5*time.Minute + saml.Skew),
		})
	})

	for name, postOnly := range map[string]bool{"redirect": false, "POST": true} {
		t.Run("answer by "+name, func(t *testing.T) {
			provider.PostOnly = postOnly
			var err error
			service.Provider, err = saml.ParseMetadata(provider.Metadata())
			must(t, err)
			request, err := service.LogoutResponse("_logout1", strings.Repeat("x", 500))
			must(t, err)
			m, err := provider.Read(known, request)
			must(t, err)
			equal(t, m.Root.Tag, "LogoutResponse")
			equal(t, m.Attr("InResponseTo"), "_logout1")
			equal(t, m.RelayState, strings.Repeat("x", 500))
			equal(t, m.Root.FindElement(".//StatusCode").SelectAttrValue("Value", ""), "urn:oasis:names:tc:SAML:2.0:status:Success")
		})
	}
}

func TestLogoutFromService(t *testing.T) {
	for name, postOnly := range map[string]bool{"redirect": false, "POST": true} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			provider.PostOnly = postOnly
			var err error
			service.Provider, err = saml.ParseMetadata(provider.Metadata())
			must(t, err)
			request, err := service.Logout("_logout1", "kim & <co>@example.com", samltest.EmailAddress, "_session1", "state")
			must(t, err)
			m, err := provider.Read(known, request)
			must(t, err)
			equal(t, []string{m.Root.Tag, m.Attr("ID"), m.Text("NameID"), m.Text("SessionIndex"), m.RelayState},
				[]string{"LogoutRequest", "_logout1", "kim & <co>@example.com", "_session1", "state"})
		})
	}

	provider, service, known := setup(t)
	l := provider.LogoutResponse(known, "_logout1")
	l.ID, l.Status, l.SubStatus = "_answer", "Responder", "PartialLogout"
	bothBindings(t, l, func(t *testing.T, r *http.Request) {
		got, err := service.ParseLogout(r)
		must(t, err)
		equal(t, got, saml.Logout{
			ID: "_answer", InResponseTo: "_logout1", IsResponse: true, Status: "Responder, PartialLogout",
			ValidUntil: noon.Add(5*time.Minute + saml.Skew),
		})
	})

	service.Provider.SLORedirectURL, service.Provider.SLOPostURL = "", ""
	_, err := service.Logout("_1", "kim", "", "", "")
	wantCode(t, err, saml.CodeNotSupported)
}

// Providers escape the query in different ways. The signature covers what they sent.
func TestLogoutQueryAsReceived(t *testing.T) {
	provider, service, known := setup(t)
	for name, escape := range map[string]func(string) string{
		"lower case":        func(s string) string { return lowerEscapes(url.QueryEscape(s)) },
		"spaces as %20":     func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") },
		"everything":        func(s string) string { return escapeAll(s) },
		"as little as ever": func(s string) string { return strings.NewReplacer("+", "%2B", "&", "%26", " ", "+").Replace(s) },
	} {
		t.Run(name, func(t *testing.T) {
			l := provider.LogoutRequest(known, kim)
			l.Escape, l.RelayState = escape, "a b:/c~d"
			got, err := service.ParseLogout(get(l.URL()))
			must(t, err)
			equal(t, got.RelayState, "a b:/c~d")
		})
	}
}

func lowerEscapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			b.WriteString(strings.ToLower(s[i : i+3]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func escapeAll(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[s[i]>>4])+string("0123456789abcdef"[s[i]&15])))
	}
	return b.String()
}

func TestLogoutAttacks(t *testing.T) {
	const other = "https://other.example.com/"
	for name, test := range map[string]struct {
		edit func(*samltest.Logout)
		code string
	}{
		"control":             {func(*samltest.Logout) {}, ""},
		"control: RSA-SHA384": {func(l *samltest.Logout) { l.Method = dsig.RSASHA384SignatureMethod }, ""},
		"control: valid for 90 s less": {func(l *samltest.Logout) {
			l.NotOnOrAfter = noon.Add(-89 * time.Second)
		}, ""},
		"unsigned":                   {func(l *samltest.Logout) { l.Unsigned = true }, saml.CodeUnsigned},
		"foreign key":                {func(l *samltest.Logout) { l.Key = samltest.KeyPair(2) }, saml.CodeSignature},
		"RSA-SHA1":                   {func(l *samltest.Logout) { l.Method = dsig.RSASHA1SignatureMethod }, saml.CodeAlgorithm},
		"wrong destination":          {func(l *samltest.Logout) { l.Destination = other }, saml.CodeDestination},
		"issuer of another provider": {func(l *samltest.Logout) { l.Issuer = other }, saml.CodeIssuer},
		"empty issuer":               {func(l *samltest.Logout) { l.Issuer = " " }, saml.CodeIssuer},
		"no issuer": {func(l *samltest.Logout) {
			l.BeforeSigning = func(el *etree.Element) { child(el, "Issuer").Tag = "Publisher" }
		}, saml.CodeStructure},
		"expired": {func(l *samltest.Logout) { l.NotOnOrAfter = noon.Add(-90 * time.Second) }, saml.CodeExpired},
		"old": {func(l *samltest.Logout) {
			l.IssuedAt, l.NotOnOrAfter = noon.Add(-time.Hour), noon.Add(time.Hour)
		}, saml.CodeExpired},
		"from the future":      {func(l *samltest.Logout) { l.IssuedAt = noon.Add(2 * time.Minute) }, saml.CodeNotYetValid},
		"no time":              {func(l *samltest.Logout) { l.IssuedAt = time.Time{} }, saml.CodeStructure},
		"no name":              {func(l *samltest.Logout) { l.NameID = "" }, saml.CodeStructure},
		"long RelayState":      {func(l *samltest.Logout) { l.RelayState = strings.Repeat("x", 3000) }, saml.CodeTooLarge},
		"empty SessionIndex":   {func(l *samltest.Logout) { l.BeforeSigning = addIndexes(1, "") }, saml.CodeStructure},
		"1000 SessionIndexes":  {func(l *samltest.Logout) { l.BeforeSigning = addIndexes(1000, "x") }, saml.CodeStructure},
		"encrypted name":       {func(l *samltest.Logout) { l.BeforeSigning = addChild("saml:EncryptedID") }, saml.CodeNameID},
		"message in a message": {func(l *samltest.Logout) { l.BeforeSigning = addChild("samlp:LogoutRequest") }, saml.CodeStructure},
		"SAML 1.1":             {func(l *samltest.Logout) { l.BeforeSigning = setVersion }, saml.CodeStructure},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			l := provider.LogoutRequest(known, kim)
			test.edit(l)
			bothBindings(t, l, func(t *testing.T, r *http.Request) {
				_, err := service.ParseLogout(r)
				wantCode(t, err, test.code)
			})
		})
	}
}

func addIndexes(n int, value string) func(*etree.Element) {
	return func(el *etree.Element) {
		for range n {
			el.CreateElement("samlp:SessionIndex").SetText(value)
		}
	}
}

func addChild(tag string) func(*etree.Element) {
	return func(el *etree.Element) { el.CreateElement(tag) }
}

func setVersion(el *etree.Element) { el.CreateAttr("Version", "1.1") }

func TestLogoutResponseMustBeSigned(t *testing.T) {
	for name, unsigned := range map[string]bool{"control": false, "unsigned": true} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			l := provider.LogoutResponse(known, "_1")
			l.Unsigned = unsigned
			bothBindings(t, l, func(t *testing.T, r *http.Request) {
				_, err := service.ParseLogout(r)
				equal(t, saml.CodeOf(err) == saml.CodeUnsigned, unsigned)
				equal(t, err != nil, unsigned)
			})
		})
	}
}

func TestLogoutPostAttacks(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*etree.Element)
		code string
	}{
		"control":              {func(*etree.Element) {}, ""},
		"changed name":         {func(el *etree.Element) { el.FindElement(".//NameID").SetText("owner@example.com") }, saml.CodeSignature},
		"removed SessionIndex": {func(el *etree.Element) { remove(el, "SessionIndex") }, saml.CodeSignature},
		"comment in the name":  {func(el *etree.Element) { el.FindElement(".//NameID").CreateComment("") }, saml.CodeForbiddenXML},
		"original request in the signature of a forged one": {func(el *etree.Element) {
			original := el.Copy()
			remove(original, "Signature")
			el.CreateAttr("ID", "_evil")
			child(el, "Signature").AddChild(original)
		}, saml.CodeStructure},
		"original request in extensions of a forged one": {func(el *etree.Element) {
			original := el.Copy()
			el.CreateAttr("ID", "_evil")
			el.CreateElement("samlp:Extensions").AddChild(original)
		}, saml.CodeStructure},
	} {
		t.Run(name, func(t *testing.T) {
			provider, service, known := setup(t)
			l := provider.LogoutRequest(known, kim)
			l.Edit = test.edit
			_, err := service.ParseLogout(post(l.Form()))
			wantCode(t, err, test.code)
		})
	}
}

func TestLogoutRedirectAttacks(t *testing.T) {
	provider, service, known := setup(t)
	l := provider.LogoutRequest(known, kim)
	l.RelayState = "state"
	valid := l.URL()
	another := provider.LogoutRequest(known, samltest.User{NameID: "owner@example.com"})
	parameter := func(address, name string) string {
		u, err := url.Parse(address)
		must(t, err)
		return name + "=" + url.QueryEscape(u.Query().Get(name))
	}

	response := provider.LogoutResponse(known, "_1")
	for name, test := range map[string]struct{ url, code string }{
		"control":                    {valid, ""},
		"control: another parameter": {valid + "&utm=1", ""},
		"control: reordered":         {reorder(valid), ""},
		"message of another request": {
			strings.Replace(valid, parameter(valid, "SAMLRequest"), parameter(another.URL(), "SAMLRequest"), 1), saml.CodeSignature,
		},
		"changed RelayState":          {strings.Replace(valid, "RelayState=state", "RelayState=https", 1), saml.CodeSignature},
		"removed RelayState":          {strings.Replace(valid, "RelayState=state&", "", 1), saml.CodeSignature},
		"added RelayState":            {strings.Replace(another.URL(), "&SigAlg", "&RelayState=x&SigAlg", 1), saml.CodeSignature},
		"removed signature":           {strings.Replace(valid, "&"+parameter(valid, "Signature"), "", 1), saml.CodeUnsigned},
		"empty signature":             {strings.Replace(valid, parameter(valid, "Signature"), "Signature=", 1), saml.CodeUnsigned},
		"removed algorithm":           {strings.Replace(valid, parameter(valid, "SigAlg")+"&", "", 1), saml.CodeUnsigned},
		"another algorithm":           {strings.Replace(valid, "rsa-sha256", "rsa-sha512", 1), saml.CodeSignature},
		"algorithm none":              {strings.Replace(valid, parameter(valid, "SigAlg"), "SigAlg=none", 1), saml.CodeAlgorithm},
		"signature is not Base64":     {strings.Replace(valid, parameter(valid, "Signature"), "Signature=!", 1), saml.CodeMalformed},
		"two requests":                {valid + "&" + parameter(another.URL(), "SAMLRequest"), saml.CodeMalformed},
		"escaped name of a parameter": {valid + "&%53AMLRequest=x", ""}, // not read, because it isn't signed
		"a request and a response":    {valid + "&" + parameter(response.URL(), "SAMLResponse"), saml.CodeMalformed},
		"request sent as a response":  {strings.Replace(valid, "SAMLRequest=", "SAMLResponse=", 1), saml.CodeSignature},
		"two RelayStates":             {valid + "&RelayState=x", saml.CodeMalformed},
		"unknown encoding":            {valid + "&SAMLEncoding=urn:none", saml.CodeNotSupported},
		"bad escape":                  {strings.Replace(valid, "RelayState=state", "RelayState=%zz", 1), saml.CodeMalformed},
		"nothing":                     {known.SLOURL, saml.CodeMalformed},
		"compressed bomb":             {l.URLOf(make([]byte, 100<<20)), saml.CodeTooLarge},
		"not compressed":              {signedPlain(l), saml.CodeMalformed},
		"DTD":                         {l.URLOf([]byte(`<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>`)), saml.CodeForbiddenXML},
		"another message":             {l.URLOf(provider.Response(known, kim, "").XML()), saml.CodeStructure},
	} {
		t.Run(name, func(t *testing.T) {
			r := get(known.SLOURL)
			u, err := url.Parse(test.url)
			if err != nil { // an address that a server would still pass on
				_, query, _ := strings.Cut(test.url, "?")
				u = &url.URL{RawQuery: query}
			}
			r.URL = u
			_, err = service.ParseLogout(r)
			wantCode(t, err, test.code)
		})
	}
}

// A bomb without a valid signature isn't even decompressed.
func TestUnsignedBombIsNotDecompressed(t *testing.T) {
	provider, service, known := setup(t)
	l := provider.LogoutRequest(known, kim)
	l.Key = samltest.KeyPair(2)
	_, err := service.ParseLogout(get(l.URLOf(make([]byte, 10<<20))))
	wantCode(t, err, saml.CodeSignature)
}

// A signed bomb is decompressed up to the limit only.
func TestBombStopsAtTheLimit(t *testing.T) {
	provider, service, known := setup(t)
	r := get(provider.LogoutRequest(known, kim).URLOf(make([]byte, 100<<20)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := service.ParseLogout(r)
	runtime.ReadMemStats(&after)
	wantCode(t, err, saml.CodeTooLarge)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("allocated %d MiB", used>>20)
	}
}

func TestLogoutBodyLimit(t *testing.T) {
	_, service, _ := setup(t)
	_, err := service.ParseLogout(post(url.Values{"SAMLRequest": {strings.Repeat("x", 5<<20)}}))
	wantCode(t, err, saml.CodeMalformed)
	r := post(nil)
	r.Method = http.MethodPut
	_, err = service.ParseLogout(r)
	wantCode(t, err, saml.CodeMalformed)
}

// signedPlain is a signed query whose message isn't compressed.
func signedPlain(l *samltest.Logout) string {
	changed := *l
	changed.Escape = func(s string) string {
		if len(s) > 400 { // the message
			s = base64.StdEncoding.EncodeToString([]byte("<x/>"))
		}
		return url.QueryEscape(s)
	}
	return changed.URLOf([]byte(strings.Repeat(l.ID+samltest.NewID(), 50)))
}

func reorder(address string) string {
	path, query, _ := strings.Cut(address, "?")
	parts := strings.Split(query, "&")
	parts[0], parts[len(parts)-1] = parts[len(parts)-1], parts[0]
	return path + "?" + strings.Join(parts, "&")
}
