// Package contacts is the people and companies that a dealership deals with.
package contacts

import (
	"maps"
	"net/mail"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/phone"
	"slipway/internal/vocab/search"
)

// Contact is a person or a company. What is personal about it stays out of the
// audit log, which cannot forget.
type Contact struct {
	Env                auth.Env          `json:"-" db:"env"`
	ID                 string            `json:"id" db:"id" example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Kind               string            `json:"kind" db:"kind" enum:"person,company"`
	FirstName          *string           `json:"first_name" db:"first_name" audit:"-" example:"Ann"`
	LastName           *string           `json:"last_name" db:"last_name" audit:"-" example:"Bell"`
	CompanyName        *string           `json:"company_name" db:"company_name" audit:"-" example:"Bell Charters"`
	Email              *string           `json:"email" db:"email" audit:"-" doc:"In lower case." example:"ann@example.com"`
	Phone              *string           `json:"phone" db:"phone" audit:"-" doc:"In international form, E.164." example:"+14105550123"`
	Address            *ContactAddress   `json:"address" db:"address,json" audit:"-"`
	Timezone           *string           `json:"timezone" db:"timezone" audit:"-" doc:"IANA time zone; without it, that of the phone number counts." example:"America/New_York"`
	PreferredChannel   *string           `json:"preferred_channel" db:"preferred_channel" enum:"sms,email,voice"`
	Tags               []string          `json:"tags" db:"tags,json" nullable:"false" audit:"-"`
	MergedInto         *string           `json:"merged_into" db:"merged_into" doc:"The contact that this one turned out to be." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ErasedAt           *time.Time        `json:"erased_at" db:"erased_at" doc:"When the personal data was erased."`
	PossibleDuplicates []string          `json:"possible_duplicates" nullable:"false" audit:"-" doc:"Ids of contacts with the same email or phone."`
	Metadata           map[string]string `json:"metadata" db:"metadata,json" audit:"-" doc:"Your own notes: up to 50 pairs."`
	Version            int64             `json:"version" db:"version" doc:"Counts the changes; the same as the ETag." example:"1"`
	CreatedAt          time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt          time.Time         `json:"updated_at" db:"updated_at"`
}

// Revision is the contact's version.
func (c Contact) Revision() int64 { return c.Version }

// ContactAddress is where a contact lives, as far as it is known.
type ContactAddress struct {
	_          struct{} `nullable:"true"`
	Line1      *string  `json:"line1" required:"false" maxLength:"200" example:"12 Dock Street"`
	Line2      *string  `json:"line2" required:"false" maxLength:"200"`
	City       *string  `json:"city" required:"false" maxLength:"100" example:"Annapolis"`
	Region     *string  `json:"region" required:"false" maxLength:"100" doc:"State, province or region." example:"MD"`
	PostalCode *string  `json:"postal_code" required:"false" maxLength:"20" example:"21401"`
	Country    *string  `json:"country" required:"false" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters (ISO 3166)" example:"US"`
}

// ContactAddressPatch changes some of an address.
type ContactAddressPatch struct {
	_          struct{}           `nullable:"true"`
	Line1      patch.Null[string] `json:"line1,omitzero" maxLength:"200"`
	Line2      patch.Null[string] `json:"line2,omitzero" maxLength:"200"`
	City       patch.Null[string] `json:"city,omitzero" maxLength:"100"`
	Region     patch.Null[string] `json:"region,omitzero" maxLength:"100"`
	PostalCode patch.Null[string] `json:"postal_code,omitzero" maxLength:"20"`
	Country    patch.Null[string] `json:"country,omitzero" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters (ISO 3166)"`
}

// on returns the address with the changes: a copy, because the old one goes
// into the event.
func (p ContactAddressPatch) on(old *ContactAddress) *ContactAddress {
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

// ContactCreate is what a new contact needs: anything that says who it is.
type ContactCreate struct {
	_                struct{}                   `nullable:"true"`
	Kind             string                     `json:"kind,omitempty" enum:"person,company" default:"person"`
	FirstName        *string                    `json:"first_name" required:"false" maxLength:"100" example:"Ann"`
	LastName         *string                    `json:"last_name" required:"false" maxLength:"100" example:"Bell"`
	CompanyName      *string                    `json:"company_name" required:"false" maxLength:"200" doc:"Needed for a company."`
	Email            *string                    `json:"email" required:"false" format:"email" maxLength:"254" example:"ann@example.com"`
	Phone            *string                    `json:"phone" required:"false" maxLength:"40" doc:"In any usual form. Without a country code it is taken as a number of the address's country, else of the United States." example:"(410) 555-0123"`
	Address          patch.Null[ContactAddress] `json:"address,omitzero"`
	Timezone         *string                    `json:"timezone" required:"false" maxLength:"64" example:"America/New_York"`
	PreferredChannel *string                    `json:"preferred_channel" required:"false" enum:"sms,email,voice"`
	Tags             []string                   `json:"tags,omitempty" maxItems:"50"`
	Metadata         map[string]string          `json:"metadata,omitempty" doc:"Up to 50 pairs; keys up to 40 characters, values up to 500."`
}

// contact makes the contact, or says everything that is wrong with it.
func (n ContactCreate) contact() (Contact, error) {
	c := Contact{
		Kind: n.Kind, FirstName: n.FirstName, LastName: n.LastName, CompanyName: n.CompanyName,
		Email: n.Email, Phone: n.Phone, Address: n.Address.V, Timezone: n.Timezone, PreferredChannel: n.PreferredChannel,
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

// Check says what the schema cannot.
func (n ContactCreate) Check(time.Time) error {
	_, err := n.contact()
	return err
}

// ContactPatch changes a contact.
type ContactPatch struct {
	Kind             patch.Value[string]             `json:"kind,omitzero" enum:"person,company"`
	FirstName        patch.Null[string]              `json:"first_name,omitzero" maxLength:"100"`
	LastName         patch.Null[string]              `json:"last_name,omitzero" maxLength:"100"`
	CompanyName      patch.Null[string]              `json:"company_name,omitzero" maxLength:"200"`
	Email            patch.Null[string]              `json:"email,omitzero" format:"email" maxLength:"254"`
	Phone            patch.Null[string]              `json:"phone,omitzero" maxLength:"40"`
	Address          patch.Null[ContactAddressPatch] `json:"address,omitzero"`
	Timezone         patch.Null[string]              `json:"timezone,omitzero" maxLength:"64"`
	PreferredChannel patch.Null[string]              `json:"preferred_channel,omitzero" enum:"sms,email,voice"`
	Tags             patch.Null[[]string]            `json:"tags,omitzero" maxItems:"50" doc:"All the tags; null removes them."`
	Metadata         patch.Null[map[string]*string]  `json:"metadata,omitzero" doc:"Pairs to add or change; a null value removes its key, null removes all."`
}

func (p ContactPatch) apply(c *Contact) error {
	p.Kind.To(&c.Kind)
	p.FirstName.To(&c.FirstName)
	p.LastName.To(&c.LastName)
	p.CompanyName.To(&c.CompanyName)
	p.Email.To(&c.Email)
	p.Phone.To(&c.Phone)
	if p.Address.Set && p.Address.V == nil {
		c.Address = nil
	} else if p.Address.Set {
		c.Address = p.Address.V.on(c.Address)
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

// check normalizes the contact and says everything that the schema cannot.
func (c *Contact) check() error {
	var bad fault.Fields
	for _, f := range []**string{&c.FirstName, &c.LastName, &c.CompanyName, &c.Email, &c.Phone} {
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
		bad.Add("last_name", "required", "is required, unless a first name, a company name, an email or a phone says who it is")
	}
	return bad.Err()
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

// trimmed is nil for text that is blank: a name of spaces is no name.
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

// region is where a phone number without a country is.
func (c Contact) region() string {
	if c.Address != nil && c.Address.Country != nil {
		return *c.Address.Country
	}
	return "US"
}

// Name is how people call the contact, "" if nobody knows.
func (c Contact) Name() string {
	name := strings.TrimSpace(deref(c.FirstName) + " " + deref(c.LastName))
	if name == "" || c.Kind == "company" && c.CompanyName != nil {
		return deref(c.CompanyName)
	}
	return name
}

// Active fails for a contact that was merged into another or erased: nothing
// new happens to it.
func (c Contact) Active() error {
	switch {
	case c.MergedInto != nil:
		return fault.Conflict("The contact was merged into %s.", *c.MergedInto).Detail("contact_id", "state", "was merged into %s", *c.MergedInto)
	case c.ErasedAt != nil:
		return fault.Conflict("The contact was erased.").Detail("contact_id", "state", "was erased")
	}
	return nil
}

// absorb takes over what the duplicate knows and the contact does not.
func (c *Contact) absorb(d Contact) {
	for _, f := range []struct{ to, from **string }{
		{&c.FirstName, &d.FirstName},
		{&c.LastName, &d.LastName},
		{&c.CompanyName, &d.CompanyName},
		{&c.Email, &d.Email},
		{&c.Phone, &d.Phone},
		{&c.Timezone, &d.Timezone},
		{&c.PreferredChannel, &d.PreferredChannel},
	} {
		if *f.to == nil {
			*f.to = *f.from
		}
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
	notes := maps.Clone(c.Metadata)
	for key, value := range d.Metadata {
		if _, taken := notes[key]; !taken && len(notes) < 50 {
			notes[key] = value
		}
	}
	c.Tags, c.Metadata = tags, notes
}

// erase forgets the person and keeps the row, which deals refer to.
func (c *Contact) erase(now time.Time) {
	*c = Contact{
		Env: c.Env, ID: c.ID, Kind: c.Kind, Tags: []string{}, Metadata: map[string]string{}, PossibleDuplicates: []string{},
		MergedInto: c.MergedInto, ErasedAt: &now, Version: c.Version, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
}

// tagTerm is how a tag stands in the index: no word of a search begins so.
func tagTerm(tag string) string { return "#" + search.Fold(tag) }

// terms are what the contact is found by.
func (c Contact) terms() []string {
	all := search.Terms(deref(c.FirstName), deref(c.LastName), deref(c.CompanyName), deref(c.Email))
	if c.Phone != nil {
		digits, national := strings.TrimPrefix(*c.Phone, "+"), phone.National(*c.Phone)
		all = append(all, digits, national)
		if len(national) == 10 { // where people leave out the area code
			all = append(all, national[3:])
		}
	}
	for _, tag := range c.Tags {
		all = append(all, tagTerm(tag))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// searched are the words of a search. A phone number is one word, however it
// is written.
func searched(q string) []string {
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

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
