package messages

import (
	"html/template"
	"strings"

	"slipway/internal/dealership"
)

// emailHTML is the HTML part of an email.
var emailHTML = template.Must(template.New("email").Parse(`<!doctype html>
<html><body style="font-family: sans-serif; line-height: 1.5">
{{range .Paragraphs}}<p>{{range $i, $line := .}}{{if $i}}<br>{{end}}{{$line}}{{end}}</p>
{{end}}{{with .Footer}}<hr>
<p style="color: #666; font-size: small">{{range $i, $line := .}}{{if $i}}<br>{{end}}{{$line}}{{end}}{{with $.Unsubscribe}}<br><a href="{{.}}">Unsubscribe</a>{{end}}</p>
{{end}}</body></html>
`))

// renderEmail returns the body of an email as text and as HTML. A marketing email
// has a footer with the sender, the postal address and an unsubscribe link.
func renderEmail(body string, d dealership.Dealership, postal, unsubscribe string) (text, html string, err error) {
	data := struct {
		Paragraphs  [][]string
		Footer      []string
		Unsubscribe string
	}{Unsubscribe: unsubscribe}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(body, "\r\n", "\n")), "\n\n") {
		data.Paragraphs = append(data.Paragraphs, strings.Split(paragraph, "\n"))
	}
	text = strings.TrimRight(body, " \n") + "\n"
	if unsubscribe != "" {
		data.Footer = []string{d.Name, postal}
		text += "\n-- \n" + d.Name + "\n" + postal + "\nUnsubscribe: " + unsubscribe + "\n"
	}
	var b strings.Builder
	err = emailHTML.Execute(&b, data)
	return text, b.String(), err
}

// oneLine formats an address for the footer of an email.
func oneLine(a *dealership.Address) string {
	if a == nil {
		return ""
	}
	parts := []string{a.Line1, deref(a.Line2), a.City, strings.TrimSpace(deref(a.Region) + " " + deref(a.PostalCode)), a.Country}
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, ", ")
}
