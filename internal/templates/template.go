// Package templates stores texts that are sent to many people, and fills in the values of each.
package templates

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
)

// MessageTemplate is a text with places for the values of each recipient.
type MessageTemplate struct {
	_ struct{} `doc:"A text with places for the values of each recipient." privacy:"plain" columns:"id name channel subject body / created_at version"`

	Env       auth.Env        `json:"-" db:"env"`
	ID        string          `json:"id" db:"id" doc:"Identifies the template. Starts with tpl_." example:"tpl_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name      string          `json:"name" db:"name" doc:"Your name of the template." example:"Spring sale"`
	Channel   consent.Channel `json:"channel" db:"channel" enum:"sms,email" doc:"Text message or email."`
	Subject   *string         `json:"subject" db:"subject" doc:"Subject of an email. Null for a text message." example:"Spring sale at {dealership}"`
	Body      string          `json:"body" db:"body" doc:"Text with places such as {first_name|there}." example:"Hi {first_name|there}, our spring sale starts on Saturday."`
	Version   int64           `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt time.Time       `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time       `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

var _ = enum.Part[MessageTemplate]("Channel", "MessageChannel", "Text message or email.")

// Revision is the version, for the ETag.
func (t MessageTemplate) Revision() int64 { return t.Version }

// MessageTemplateCreate is the body to create a template.
type MessageTemplateCreate struct {
	_ struct{} `doc:"A new template."`

	Name    string          `json:"name" minLength:"1" maxLength:"100" doc:"Your name of the template." example:"Spring sale"`
	Channel consent.Channel `json:"channel" enum:"sms,email" doc:"Text message or email."`
	Subject *string         `json:"subject" required:"false" maxLength:"150" doc:"Required for email." example:"Spring sale at {dealership}"`
	Body    string          `json:"body" minLength:"1" maxLength:"20000" doc:"Text. Places are {first_name}, {last_name}, {boat}, {seller} and {dealership}. All except {dealership} need other words for people without the value: {first_name|there}. At most 1000 characters in a text message." example:"Hi {first_name|there}, our spring sale starts on Saturday."`
}

// MessageTemplatePatch is the body to change a template.
type MessageTemplatePatch struct {
	_ struct{} `doc:"Changes to a template. Omitted fields keep their values."`

	Name    patch.Value[string] `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Your name of the template."`
	Subject patch.Value[string] `json:"subject,omitzero" minLength:"1" maxLength:"150" doc:"Subject of an email."`
	Body    patch.Value[string] `json:"body,omitzero" minLength:"1" maxLength:"20000" doc:"Text with places."`
}

// Check validates what the schema can't express.
func (n MessageTemplateCreate) Check(time.Time) error {
	return MessageTemplate{Channel: n.Channel, Subject: n.Subject, Body: n.Body}.check()
}

// template returns the new template.
func (n MessageTemplateCreate) template() MessageTemplate {
	return MessageTemplate{Name: n.Name, Channel: n.Channel, Subject: n.Subject, Body: n.Body}
}

// apply changes the template.
func (p MessageTemplatePatch) apply(t *MessageTemplate) error {
	p.Name.To(&t.Name)
	p.Body.To(&t.Body)
	if p.Subject.Set {
		t.Subject = &p.Subject.V
	}
	return t.check()
}

// longestText limits a text message, so that there is room for the values and the opt-out notice.
const longestText = 1000

func (t MessageTemplate) check() error {
	var bad fault.Fields
	CheckText(&bad, t.Channel, t.Subject, t.Body)
	return bad.Err()
}

// CheckText checks a text with places for a channel.
func CheckText(bad *fault.Fields, channel consent.Channel, subject *string, body string) {
	switch {
	case channel == consent.Email && strings.TrimSpace(null.Text(subject)) == "":
		bad.Add("subject", "required", "is required for email")
	case channel == consent.Email && strings.ContainsAny(*subject, "\r\n"):
		bad.Add("subject", "pattern", "must be a single line")
	case channel == consent.SMS && subject != nil:
		bad.Add("subject", "exclusive", "is only allowed for email")
	}
	switch {
	case strings.TrimSpace(body) == "":
		bad.Add("body", "too_short", "must not be blank")
	case channel == consent.SMS && len([]rune(body)) > longestText:
		bad.Add("body", "too_long", "must have at most %d characters in a text message", longestText)
	}
	checkPlaces(bad, "subject", null.Text(subject))
	checkPlaces(bad, "body", body)
}

// Values are what the places of a text stand for.
type Values struct{ FirstName, LastName, Boat, Price, Link, Photo, Seller, Dealership string }

// places are the names of the values. Each except the dealership can be missing.
var places = []string{"first_name", "last_name", "boat", "seller", "dealership"}

func (v Values) of(place string) string {
	return map[string]string{
		"first_name": v.FirstName, "last_name": v.LastName, "boat": v.Boat, "price": v.Price, "link": v.Link, "photo": v.Photo,
		"seller": v.Seller, "dealership": v.Dealership,
	}[place]
}

// place matches {name} and {name|other words}.
var place = regexp.MustCompile(`\{([^{}|]*)(\|[^{}|]*)?\}`)

func checkPlaces(bad *fault.Fields, field, text string) {
	rest := place.ReplaceAllString(text, "")
	if strings.ContainsAny(rest, "{}") {
		bad.Add(field, "pattern", "has a brace that doesn't belong to a place such as {first_name|there}")
	}
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		switch {
		case !slices.Contains(places, m[1]):
			bad.Add(field, "enum", "has the place {%s}, which must be one of %s", m[1], strings.Join(places, ", "))
		case m[1] != "dealership" && strings.TrimSpace(strings.TrimPrefix(m[2], "|")) == "":
			bad.Add(field, "required", "needs other words for people without a value: {%s|there}", m[1])
		}
	}
}

// Render fills in the values. A value has no line breaks, so that a subject stays one line.
func (v Values) Render(text string) string {
	return place.ReplaceAllStringFunc(text, func(found string) string {
		m := place.FindStringSubmatch(found)
		if value := strings.Join(strings.Fields(v.of(m[1])), " "); value != "" {
			return value
		}
		return strings.TrimPrefix(m[2], "|")
	})
}
