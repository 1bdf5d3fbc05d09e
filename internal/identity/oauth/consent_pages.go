package oauth

import (
	"slices"
	"strings"

	"slipway/internal/identity/people"
	"slipway/internal/platform/pages"
	"slipway/internal/vocab/auth"
)

// consentPage asks the user. Cancel is the first button, because the Enter key
// presses the first one.
var consentPage = pages.NewPage(`
<h1>{{if .Again}}{{.App}} wants more access{{else}}{{.Verb}} {{.App}}?{{end}}</h1>
<p>{{.App}} is published by <strong>{{.Publisher}}</strong>{{if .Unverified}}, which this server can't verify further. Continue only if you started this yourself{{end}}.{{if .Homepage}} <a href="{{.Homepage}}" rel="noopener noreferrer">Visit its website</a>.{{end}}</p>
{{if .Message}}<p class="bad" role="alert">{{.Message}}</p>{{end}}
{{if .Blocked}}<p class="bad" role="alert">{{.Blocked}}</p>{{end}}
<p>{{if .Blocked}}It requests to:{{else}}It will be able to:{{end}}</p>
<ul class="scopes">
{{range .Scopes}}<li>{{.Text}}{{if .Warning}} <span class="tag amber">Changes data</span>{{end}}{{if .New}} <span class="tag blue">New</span>{{end}}</li>
{{end}}{{if .Excluded}}<li class="no">No access to {{.Excluded}}</li>
{{end}}</ul>
{{if .ForMCP}}<p>It acts for you, and never with more than you can do yourself. What it proposes waits for a person in the console.</p>{{end}}
<dl class="facts">
<dt>Dealership</dt><dd>{{.Dealership}}</dd>
{{if .Only}}<dt>Environment</dt><dd>{{if eq .Only "live"}}Live: your real data{{else}}Test: sample data{{end}}</dd>{{end}}
<dt>You return to</dt><dd>{{.Host}}</dd>
</dl>
<div class="who"><span>Signed in as {{.Email}}{{if .Roles}} ({{.Roles}}){{end}}</span> <a href="{{.Switch}}">Not you?</a></div>
<form method="post">
<input type="hidden" name="form_token" value="{{.Token}}">
{{if gt (len .Environments) 1}}<label for="environment">Environment</label>
<select id="environment" name="environment" required>
{{if not .ForMCP}}<option value="">Choose one</option>{{end}}
{{range .Environments}}<option value="{{.}}">{{if eq . "live"}}Live: your real data{{else}}Test: sample data{{end}}</option>
{{end}}</select>{{end}}
{{if .NeedsCode}}<label for="code">Two-factor code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="40" aria-describedby="why">
<p class="hint" id="why">Required, because the app will be able to {{if not .Administers}}change data{{else if .OnlyMCP}}read settings and logs{{else}}administer the dealership{{end}}. You can also enter a recovery code.</p>{{end}}
<div class="actions">
<button class="plain" name="decision" value="deny" formnovalidate>Cancel</button>
{{if not .Blocked}}<button name="decision" value="allow">Allow</button>{{end}}
</div>
</form>`)

var noticePage = pages.NewPage(`<h1>{{.Heading}}</h1><p>{{.Text}}</p>`)

// assistantWords are what an assistant can do with a scope, unless it can also get tokens for
// the API. It can only change leads. Package proposals lists what it can propose.
var assistantWords = map[auth.Scope]string{
	auth.HullsRead:  "Read inventory, specifications, prices and photos.",
	auth.HullsWrite: "Propose changes to inventory for your approval. See costs.",
	auth.LeadsRead:  "Read contacts, leads, consents and messages.",
	auth.LeadsWrite: "Change leads. Propose messages for your approval.",
	auth.DealsRead:  "Read deals, offers, finance and documents.",
	auth.DealsWrite: "Propose changes to deals for your approval. See profits, together with costs.",
	auth.Webhooks:   "Read webhooks, their deliveries and events.",
	auth.Admin:      "Read settings, the request log and the audit log.",
}

// changesData reports whether the page marks a scope.
func changesData(s auth.Scope, onlyMCP bool) bool {
	if onlyMCP {
		return s == auth.LeadsWrite
	}
	return s == auth.Admin || strings.HasSuffix(string(s), ":write")
}

// changesSome reports whether one of the scopes changes data, so that allowing it requires a
// two-factor code.
func changesSome(scopes []auth.Scope) bool {
	return slices.ContainsFunc(scopes, func(s auth.Scope) bool { return changesData(s, false) })
}

// areas are what scopes give access to, in the words of the page.
var areas = []struct {
	name   string
	scopes []auth.Scope
}{
	{"inventory", []auth.Scope{auth.HullsRead, auth.HullsWrite}},
	{"contacts and leads", []auth.Scope{auth.LeadsRead, auth.LeadsWrite}},
	{"deals", []auth.Scope{auth.DealsRead, auth.DealsWrite}},
	{"users and settings", []auth.Scope{auth.Admin}},
}

// excluded names what the app gets no access to.
func excluded(scopes []auth.Scope) string {
	var names []string
	for _, area := range areas {
		if !slices.ContainsFunc(area.scopes, func(s auth.Scope) bool { return slices.Contains(scopes, s) }) {
			names = append(names, area.name)
		}
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func roleNames(u people.User) string {
	var names []string
	for _, r := range u.Roles {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}
