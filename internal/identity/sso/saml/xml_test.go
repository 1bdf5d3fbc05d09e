package saml_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"slipway/internal/identity/sso/saml"
)

// documents are attacks on the parser. They apply to everything that is parsed.
func documents(valid string) map[string]struct{ xml, code string } {
	root := func(content string) string {
		return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol">` + content + `</samlp:Response>`
	}
	bomb := "<!DOCTYPE x [<!ENTITY a0 \"ha\">"
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf("<!ENTITY a%d \"&a%d;&a%d;\">", i, i-1, i-1)
	}

	return map[string]struct{ xml, code string }{
		"DTD":                 {"<!DOCTYPE x>" + valid, saml.CodeForbiddenXML},
		"DTD after a comment": {"<!--x--><!DOCTYPE x>" + valid, saml.CodeForbiddenXML},
		"entity bomb":         {bomb + "]>" + root("&a29;"), saml.CodeForbiddenXML},
		"external entity":     {`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>` + root("&e;"), saml.CodeForbiddenXML},
		"external DTD":        {`<!DOCTYPE x SYSTEM "https://evil.example.net/x.dtd">` + root(""), saml.CodeForbiddenXML},
		"undeclared entity":   {root("&e;"), saml.CodeMalformed},
		"XInclude": {
			root(`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/>`), saml.CodeStructure,
		},
		"processing instruction":    {`<?xml-stylesheet href="x"?>` + valid, saml.CodeForbiddenXML},
		"10 MB":                     {root(strings.Repeat("x", 10<<20)), saml.CodeTooLarge},
		"1 MiB and more":            {root(strings.Repeat("x", 1<<20)), saml.CodeTooLarge},
		"many elements":             {root(strings.Repeat("<a/>", 20_000)), saml.CodeTooLarge},
		"deep":                      {root(strings.Repeat("<a>", 1000) + strings.Repeat("</a>", 1000)), saml.CodeTooLarge},
		"deep, not closed":          {root(strings.Repeat("<a>", 200_000)), saml.CodeTooLarge},
		"many attributes":           {root("<a " + numbered(`a%d="" `, 5000) + "/>"), saml.CodeTooLarge},
		"many namespaces":           {root("<a " + numbered(`xmlns:a%d="urn:x" `, 5000) + "/>"), saml.CodeTooLarge},
		"an attribute twice":        {strings.Replace(valid, " Version=", ` Version="2.0" Version=`, 1), saml.CodeMalformed},
		"two roots":                 {valid + valid, saml.CodeMalformed},
		"text after the root":       {valid + "x", saml.CodeMalformed},
		"another encoding":          {`<?xml version="1.0" encoding="UTF-16"?>` + valid, saml.CodeMalformed},
		"UTF-7":                     {`<?xml version="1.0" encoding="UTF-7"?>` + valid, saml.CodeMalformed},
		"invalid UTF-8":             {root("\xff"), saml.CodeMalformed},
		"null byte":                 {root("\x00"), saml.CodeMalformed},
		"ambiguous namespace":       {root(`<a:b:c xmlns:a="urn:a"/>`), saml.CodeMalformed},
		"empty":                     {"", saml.CodeMalformed},
		"not XML":                   {"hello", saml.CodeMalformed},
		"not closed":                {valid[:len(valid)-5], saml.CodeMalformed},
		"another message":           {strings.ReplaceAll(valid, "samlp:Response", "samlp:ArtifactResponse"), saml.CodeStructure},
		"message without namespace": {"<Response/>", saml.CodeStructure},
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestXMLAttacksOnResponse(t *testing.T) {
	provider, service, known := setup(t)
	valid := string(provider.Response(known, kim, "_1").XML())
	attacks := documents(valid)
	attacks["control"] = struct{ xml, code string }{valid, ""}
	attacks["control: XML declaration"] = struct{ xml, code string }{`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + valid + "\n", ""}
	attacks["control: byte order mark"] = struct{ xml, code string }{"\ufeff" + valid, ""}

	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			_, err := service.Response(url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString([]byte(attack.xml))}}, expect("_1"))
			wantCode(t, err, attack.code)
			if took := time.Since(started); took > 5*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestFormAttacks(t *testing.T) {
	provider, service, known := setup(t)
	valid := provider.Response(known, kim, "_1").Form().Get("SAMLResponse")
	for name, test := range map[string]struct {
		form url.Values
		code string
	}{
		"control":                  {url.Values{"SAMLResponse": {valid}}, ""},
		"control: lines of 76":     {url.Values{"SAMLResponse": {valid[:76] + "\r\n\t" + valid[76:]}}, ""},
		"nothing":                  {url.Values{}, saml.CodeMalformed},
		"two responses":            {url.Values{"SAMLResponse": {valid, valid}}, saml.CodeMalformed},
		"two RelayStates":          {url.Values{"SAMLResponse": {valid}, "RelayState": {"a", "b"}}, saml.CodeMalformed},
		"long RelayState":          {url.Values{"SAMLResponse": {valid}, "RelayState": {strings.Repeat("x", 3000)}}, saml.CodeTooLarge},
		"not Base64":               {url.Values{"SAMLResponse": {"<Response/>"}}, saml.CodeMalformed},
		"URL-safe Base64":          {url.Values{"SAMLResponse": {"_-_-"}}, saml.CodeMalformed},
		"compressed, as in a GET":  {url.Values{"SAMLResponse": {"80jNyckHAA=="}}, saml.CodeMalformed},
		"10 MB of spaces":          {url.Values{"SAMLResponse": {strings.Repeat(" ", 10<<20) + valid}}, saml.CodeTooLarge},
		"a request in the place":   {url.Values{"SAMLRequest": {valid}}, saml.CodeMalformed},
		"a response and a request": {url.Values{"SAMLResponse": {valid}, "SAMLRequest": {valid}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := service.Response(test.form, expect("_1"))
			wantCode(t, err, test.code)
		})
	}
}
