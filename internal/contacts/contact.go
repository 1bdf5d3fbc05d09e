// Package contacts stores the people and companies that a dealership deals with.
package contacts

import (
	"maps"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"

	"slipway/internal/consent"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/phone"
	"slipway/internal/vocab/privacy"
	"slipway/internal/vocab/search"
)

// Contact is a person or a company. Personal data is excluded from the audit log
// because the log can't be erased.
type Contact struct {
	_ struct{} `doc:"A person or a company." columns:"id first_name+last_name+company_name:NAME email phone tags created_at / kind timezone version"`

	Env                auth.Env          `json:"-" db:"env"`
	ID                 string            `json:"id" db:"id" doc:"Identifies the contact. Starts with con_." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind               Kind              `json:"kind" db:"kind" doc:"Whether the contact is a person or a company."`
	FirstName          *string           `json:"first_name" db:"first_name" doc:"First name of the person, or of the contact person of a company. Null if unknown or erased." example:"Ann"`
	LastName           *string           `json:"last_name" db:"last_name" doc:"Last name of the person, or of the contact person of a company. Null if unknown or erased." example:"Bell"`
	CompanyName        *string           `json:"company_name" db:"company_name" doc:"Name of the company. Null for a person without one." example:"Bell Charters"`
	LegalNameLatin     *string           `json:"legal_name_latin" db:"legal_name_latin" doc:"Legal name in Latin letters, as in a passport. Documents show it before a name in another script. Null if it is not needed." example:"Wang Xiaoming" since:"next"`
	Email              *string           `json:"email" db:"email" doc:"Email address in lowercase. Null if unknown or erased." example:"ann@example.com"`
	Phone              *string           `json:"phone" db:"phone" doc:"Phone number in E.164 format. Null if unknown or erased." example:"+14105550123"`
	Address            *ContactAddress   `json:"address" db:"address,json" doc:"Postal address. Null if unknown or erased." privacy:"personal"`
	Timezone           *string           `json:"timezone" db:"timezone" doc:"IANA time zone. If null, the time zones of the postal code or the state are used, then those of the phone number." example:"America/New_York"`
	PreferredChannel   *consent.Channel  `json:"preferred_channel" db:"preferred_channel" doc:"How the contact prefers to be reached. It does not replace a consent. Null if unknown."`
	Tags               []string          `json:"tags" db:"tags,json" nullable:"false" doc:"Your own labels, to group contacts."`
	MergedInto         *string           `json:"merged_into" db:"merged_into" privacy:"plain" doc:"Contact that this one was merged into. Null if it was not merged." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ErasedAt           *time.Time        `json:"erased_at" db:"erased_at" doc:"When the personal data was erased. Null if it was not."`
	PossibleDuplicates []string          `json:"possible_duplicates" nullable:"false" audit:"-" privacy:"plain" doc:"IDs of contacts with the same email or phone, newest first."`
	Metadata           map[string]string `json:"metadata" db:"metadata,json" doc:"Your own key-value pairs. At most 50."`
	Version            int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt          time.Time         `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt          time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Kind is whether a contact is a person or a company.
type Kind string

// The values.
const (
	Person  Kind = "person"
	Company Kind = "company"
)

var allKinds = enum.Of("ContactKind", "Whether a contact is a person or a company.", Person, Company)

func (Kind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allKinds.Describe(s)
}

// Revision is the version, for the ETag.
func (c Contact) Revision() int64 { return c.Version }

// ContactAddress is the postal address of a contact. All fields are optional.
type ContactAddress struct {
	_          struct{} `doc:"Postal address of a contact. Unknown parts are null." nullable:"true"`
	Line1      *string  `json:"line1" required:"false" maxLength:"200" doc:"Street and number." example:"12 Dock Street"`
	Line2      *string  `json:"line2" required:"false" maxLength:"200" doc:"Apartment, suite or slip."`
	City       *string  `json:"city" required:"false" maxLength:"100" doc:"City or town." example:"Annapolis"`
	Region     *string  `json:"region" required:"false" maxLength:"100" doc:"State, province or region." example:"MD"`
	PostalCode *string  `json:"postal_code" required:"false" maxLength:"20" doc:"ZIP code or postal code." example:"21401"`
	Country    *string  `json:"country" required:"false" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters (ISO 3166)" doc:"Country as two capital letters (ISO 3166)." example:"US"`
}

// ContactAddressPatch is the body to change an address.
type ContactAddressPatch struct {
	_          struct{}           `nullable:"true"`
	Line1      patch.Null[string] `json:"line1,omitzero" maxLength:"200" doc:"Street and number."`
	Line2      patch.Null[string] `json:"line2,omitzero" maxLength:"200" doc:"Apartment, suite or slip."`
	City       patch.Null[string] `json:"city,omitzero" maxLength:"100" doc:"City or town."`
	Region     patch.Null[string] `json:"region,omitzero" maxLength:"100" doc:"State, province or region."`
	PostalCode patch.Null[string] `json:"postal_code,omitzero" maxLength:"20" doc:"ZIP code or postal code."`
	Country    patch.Null[string] `json:"country,omitzero" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters (ISO 3166)" doc:"Country as two capital letters (ISO 3166)."`
}

// apply returns a changed copy of the address. The old one is needed for the
// event.
func (p ContactAddressPatch) apply(old *ContactAddress) *ContactAddress {
	var a ContactAddress
	if old != nil {
		a = *old
	}
	p.Line1.To(&a.Line1)
	p.Line2.To(&a.Line2)
	p.City.To(&a.City)
	p.Region.To(&a.Region)
	p.PostalCode.To(&a.PostalCode)
	p.Country.To(&a.Country)
	return &a
}

// ContactCreate is the body to create a contact.
type ContactCreate struct {
	_                struct{}                   `doc:"A new contact. It needs at least a name, an email address or a phone number." nullable:"true"`
	Kind             Kind                       `json:"kind,omitempty" default:"person" doc:"Whether the contact is a person or a company."`
	FirstName        *string                    `json:"first_name" required:"false" maxLength:"100" doc:"First name of the person, or of the contact person of a company." example:"Ann"`
	LastName         *string                    `json:"last_name" required:"false" maxLength:"100" doc:"Last name of the person, or of the contact person of a company." example:"Bell"`
	CompanyName      *string                    `json:"company_name" required:"false" maxLength:"200" doc:"Name of the company. Required if kind is company."`
	LegalNameLatin   *string                    `json:"legal_name_latin" required:"false" maxLength:"200" doc:"Legal name in Latin letters, as in a passport. Required for documents if no font of the server has the letters of the name." example:"Wang Xiaoming" since:"next"`
	Email            *string                    `json:"email" required:"false" format:"email" maxLength:"254" doc:"Email address. It is stored in lowercase and can belong to several contacts." example:"ann@example.com"`
	Phone            *string                    `json:"phone" required:"false" maxLength:"40" doc:"Any common format. If it has no country code, the country of the address is used, or the United States." example:"(410) 555-0123"`
	Address          patch.Null[ContactAddress] `json:"address,omitzero" doc:"Postal address."`
	Timezone         *string                    `json:"timezone" required:"false" maxLength:"64" doc:"IANA time zone, for quiet hours. Defaults to the time zones of the address or the phone number." example:"America/New_York"`
	PreferredChannel *consent.Channel           `json:"preferred_channel" required:"false" doc:"How the contact prefers to be reached. It does not replace a consent. Null if unknown."`
	Tags             []string                   `json:"tags,omitempty" maxItems:"50" doc:"Your own labels, to group contacts."`
	Metadata         map[string]string          `json:"metadata,omitempty" doc:"At most 50 pairs. Keys have at most 40 characters, values 500."`
}

// contact returns the new contact, or every invalid field.
func (n ContactCreate) contact() (Contact, error) {
	c := Contact{
		Kind: n.Kind, FirstName: n.FirstName, LastName: n.LastName, CompanyName: n.CompanyName,
		LegalNameLatin: n.LegalNameLatin, Email: n.Email, Phone: n.Phone, Address: n.Address.V, Timezone: n.Timezone, PreferredChannel: n.PreferredChannel,
		Tags: slices.Clone(n.Tags), Metadata: n.Metadata, PossibleDuplicates: []string{},
	}
	if c.Kind == "" {
		c.Kind = "person"
	}
	if c.Tags == nil {
		c.Tags = []string{}
	}
	if c.Metadata == nil {
		c.Metadata = map[string]string{}
	}
	return c, c.check()
}

// Check validates what the schema can't express.
func (n ContactCreate) Check(time.Time) error {
	_, err := n.contact()
	return err
}

// ContactPatch is the body to change a contact.
type ContactPatch struct {
	_ struct{} `doc:"Changes to a contact. Omitted fields keep their values, null clears a field."`

	Kind             patch.Value[Kind]               `json:"kind,omitzero" doc:"Whether the contact is a person or a company."`
	FirstName        patch.Null[string]              `json:"first_name,omitzero" maxLength:"100" doc:"First name. Null removes it."`
	LastName         patch.Null[string]              `json:"last_name,omitzero" maxLength:"100" doc:"Last name. Null removes it."`
	CompanyName      patch.Null[string]              `json:"company_name,omitzero" maxLength:"200" doc:"Name of the company. Null removes it, but a company must have one."`
	LegalNameLatin   patch.Null[string]              `json:"legal_name_latin,omitzero" maxLength:"200" doc:"Legal name in Latin letters, as in a passport. Null removes it." example:"Wang Xiaoming" since:"next"`
	Email            patch.Null[string]              `json:"email,omitzero" format:"email" maxLength:"254" doc:"Email address. Null removes it."`
	Phone            patch.Null[string]              `json:"phone,omitzero" maxLength:"40" doc:"Phone number in any common format. Null removes it."`
	Address          patch.Null[ContactAddressPatch] `json:"address,omitzero" doc:"Parts of the address to change. Null removes the address."`
	Timezone         patch.Null[string]              `json:"timezone,omitzero" maxLength:"64" doc:"IANA time zone, for quiet hours. Null removes it."`
	PreferredChannel patch.Null[consent.Channel]     `json:"preferred_channel,omitzero" doc:"How the contact prefers to be reached. Null removes it."`
	Tags             patch.Null[[]string]            `json:"tags,omitzero" maxItems:"50" doc:"Replaces all tags. Null removes them."`
	Metadata         patch.Null[map[string]*string]  `json:"metadata,omitzero" doc:"Pairs to add or change. A null value removes the key. Null removes all pairs."`
}

func (p ContactPatch) apply(c *Contact) error {
	p.Kind.To(&c.Kind)
	p.FirstName.To(&c.FirstName)
	p.LastName.To(&c.LastName)
	p.CompanyName.To(&c.CompanyName)
	p.LegalNameLatin.To(&c.LegalNameLatin)
	p.Email.To(&c.Email)
	p.Phone.To(&c.Phone)
	if p.Address.Set && p.Address.V == nil {
		c.Address = nil
	} else if p.Address.Set {
		c.Address = p.Address.V.apply(c.Address)
	}

	p.Timezone.To(&c.Timezone)
	p.PreferredChannel.To(&c.PreferredChannel)
	if p.Tags.Set {
		c.Tags = []string{}
		if p.Tags.V != nil {
			c.Tags = slices.Clone(*p.Tags.V)
		}
	}
	if p.Metadata.Set {
		c.Metadata = patch.MergeMetadata(c.Metadata, p.Metadata.V)
	}

	return c.check()
}

// check normalizes the contact and validates what the schema can't express.
func (c *Contact) check() error {
	var bad fault.Fields
	for _, f := range []**string{&c.FirstName, &c.LastName, &c.CompanyName, &c.LegalNameLatin, &c.Email, &c.Phone} {
		*f = trimmed(*f)
	}
	if c.Email != nil {
		if address, ok := Email(*c.Email); ok {
			c.Email = &address
		} else {
			bad.Add("email", "format", "must be an email address")
		}
	}
	if c.Phone != nil {
		if number, ok := phone.Parse(*c.Phone, c.region()); ok {
			c.Phone = &number
		} else {
			bad.Add("phone", "format", "must be a phone number, such as +14105550123")
		}
	}
	if c.LegalNameLatin != nil && strings.ContainsFunc(*c.LegalNameLatin, notLatin) {
		bad.Add("legal_name_latin", "pattern", "must only have Latin letters, digits and punctuation")
	}
	if c.Timezone != nil {
		if _, err := time.LoadLocation(*c.Timezone); err != nil || *c.Timezone == "" || *c.Timezone == "Local" {
			bad.Add("timezone", "enum", "must be an IANA time zone, such as America/New_York")
		}
	}

	c.checkTags(&bad)
	patch.CheckMetadata(&bad, c.Metadata)
	switch {
	case c.Kind == "company" && c.CompanyName == nil:
		bad.Add("company_name", "required", "is required for a company")
	case c.FirstName == nil && c.LastName == nil && c.CompanyName == nil && c.Email == nil && c.Phone == nil:
		bad.Add("last_name", "required", "is required unless you send first_name, company_name, email or phone")
	}

	return bad.Err()
}

// notLatin reports whether a character is a letter or a symbol of another script.
func notLatin(r rune) bool {
	return !unicode.In(r, unicode.Latin, unicode.P, unicode.Nd, unicode.Mn) && r != ' '
}

func (c *Contact) checkTags(bad *fault.Fields) {
	tags := []string{}
	for _, tag := range c.Tags {
		tag = strings.TrimSpace(tag)
		if tag == "" || len([]rune(tag)) > 40 {
			bad.Add("tags", "too_long", "must have 1 to 40 characters each")
		}
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	c.Tags = tags
}

// trimmed returns the text without surrounding spaces, or nil if it is blank.
func trimmed(s *string) *string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return nil
	}
	return new(strings.TrimSpace(*s))
}

// Email normalizes an email address.
func Email(text string) (string, bool) {
	a, err := mail.ParseAddress(strings.TrimSpace(text))
	if err != nil || a.Name != "" {
		return "", false
	}
	return strings.ToLower(a.Address), true
}

// ParseAddress normalizes an address of a channel: an email address, or a phone
// number in E.164.
func ParseAddress(channel consent.Channel, text string) (string, bool) {
	if channel == consent.Email {
		return Email(text)
	}
	return phone.Parse(text, "US")
}

// AddressOn returns the contact's address on a channel, or "" if it has none.
func (c Contact) AddressOn(channel consent.Channel) string {
	if c.ErasedAt != nil {
		return ""
	}
	if channel == consent.Email {
		return null.Text(c.Email)
	}
	return null.Text(c.Phone)
}

// region is the country of a phone number without a country code.
func (c Contact) region() string {
	if c.Address != nil && c.Address.Country != nil {
		return *c.Address.Country
	}
	return "US"
}

// Name returns the name of the person or company, or "" if it has none.
func (c Contact) Name() string {
	name := strings.TrimSpace(null.Text(c.FirstName) + " " + null.Text(c.LastName))
	if name == "" || c.Kind == "company" && c.CompanyName != nil {
		return null.Text(c.CompanyName)
	}
	return name
}

// Active returns a conflict if the contact was merged into another or erased.
func (c Contact) Active() error {
	switch {
	case c.MergedInto != nil:
		return fault.Conflict("The contact was merged into %s. Use that contact instead.", *c.MergedInto).
			Detail("contact_id", "state", "was merged into %s", *c.MergedInto)
	case c.ErasedAt != nil:
		return fault.Conflict("The contact was erased. You can't change it.").Detail("contact_id", "state", "was erased")
	}
	return nil
}

// absorb copies the values that the contact doesn't have from the duplicate.
func (c *Contact) absorb(d Contact) {
	for _, f := range []struct{ to, from **string }{
		{&c.FirstName, &d.FirstName},
		{&c.LastName, &d.LastName},
		{&c.CompanyName, &d.CompanyName},
		{&c.LegalNameLatin, &d.LegalNameLatin},
		{&c.Email, &d.Email},
		{&c.Phone, &d.Phone},
		{&c.Timezone, &d.Timezone},
	} {
		if *f.to == nil {
			*f.to = *f.from
		}
	}

	if c.PreferredChannel == nil {
		c.PreferredChannel = d.PreferredChannel
	}
	if c.Address == nil {
		c.Address = d.Address
	}

	tags := slices.Clone(c.Tags)
	for _, tag := range d.Tags {
		if !slices.Contains(tags, tag) && len(tags) < 50 {
			tags = append(tags, tag)
		}
	}

	metadata := maps.Clone(c.Metadata)
	for key, value := range d.Metadata {
		if _, exists := metadata[key]; !exists && len(metadata) < 50 {
			metadata[key] = value
		}
	}

	c.Tags, c.Metadata = tags, metadata
}

// HasOtherName reports whether a name that a customer wrote is not the contact's.
// A part that only one of them has doesn't differ.
func (c Contact) HasOtherName(first, last, company *string) bool {
	for _, part := range [][2]*string{{first, c.FirstName}, {last, c.LastName}, {company, c.CompanyName}} {
		sent, known := search.Fold(null.Text(part[0])), search.Fold(null.Text(part[1]))
		if sent != "" && known != "" && sent != known {
			return true
		}
	}
	return false
}

// fillIn copies the values that the contact lacks from what a customer wrote, and
// reports whether there were any. The names of two people are not mixed.
func (c *Contact) fillIn(sent Contact) bool {
	before := *c
	if c.HasOtherName(sent.FirstName, sent.LastName, sent.CompanyName) {
		sent.FirstName, sent.LastName, sent.CompanyName, sent.LegalNameLatin = nil, nil, nil, nil
	}
	c.absorb(sent)
	return before.FirstName != c.FirstName || before.LastName != c.LastName || before.CompanyName != c.CompanyName ||
		before.Email != c.Email || before.Phone != c.Phone || before.Timezone != c.Timezone || before.Address != c.Address ||
		before.LegalNameLatin != c.LegalNameLatin || before.PreferredChannel != c.PreferredChannel || !slices.Equal(before.Tags, c.Tags) || !maps.Equal(before.Metadata, c.Metadata)
}

// erase removes the personal data. The row stays because deals refer to it.
func (c *Contact) erase(now time.Time) {
	privacy.Erase(c, false)
	c.PreferredChannel, c.PossibleDuplicates, c.ErasedAt = nil, []string{}, &now
}

// tagTerm returns the index term of a tag. No search word starts with #.
func tagTerm(tag string) string { return "#" + search.Fold(tag) }

// terms returns the index terms of the contact.
func (c Contact) terms() []string {
	all := search.Terms(null.Text(c.FirstName), null.Text(c.LastName), null.Text(c.CompanyName), null.Text(c.LegalNameLatin),
		null.Text(c.Email))
	if c.Phone != nil {
		digits, national := strings.TrimPrefix(*c.Phone, "+"), phone.National(*c.Phone)
		all = append(all, digits, national)
		if len(national) == 10 { // so that it is found without the area code
			all = append(all, national[3:])
		}
	}
	for _, tag := range c.Tags {
		all = append(all, tagTerm(tag))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// searchWords returns the words of a search. A phone number in any format is one
// word.
func searchWords(q string) []string {
	digits := strings.Map(func(r rune) rune {
		switch {
		case r >= '0' && r <= '9':
			return r
		case strings.ContainsRune("+-(). ", r):
			return -1
		}
		return 'x'
	}, q)
	if len(digits) >= 7 && !strings.Contains(digits, "x") {
		return []string{digits}
	}
	words := search.Words(q)
	return words[:min(len(words), 8)]
}
