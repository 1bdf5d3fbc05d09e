package contacts

import (
	"strings"
	"time"

	"slipway/internal/vocab/null"
)

// exported is a page of an export.
type exported struct {
	rows []Contact
	more bool
	next *string
}

// exportColumns are the columns of an export, with the names that an import reads.
var exportColumns = []struct {
	name string
	text func(Contact) string
}{
	{"id", func(c Contact) string { return c.ID }},
	{"kind", func(c Contact) string { return string(c.Kind) }},
	{"first_name", func(c Contact) string { return null.Text(c.FirstName) }},
	{"last_name", func(c Contact) string { return null.Text(c.LastName) }},
	{"company_name", func(c Contact) string { return null.Text(c.CompanyName) }},
	{"legal_name_latin", func(c Contact) string { return null.Text(c.LegalNameLatin) }},
	{"email", func(c Contact) string { return null.Text(c.Email) }},
	{"phone", func(c Contact) string { return null.Text(c.Phone) }},
	{"line1", func(c Contact) string { return null.Text(c.postal().Line1) }},
	{"line2", func(c Contact) string { return null.Text(c.postal().Line2) }},
	{"city", func(c Contact) string { return null.Text(c.postal().City) }},
	{"region", func(c Contact) string { return null.Text(c.postal().Region) }},
	{"postal_code", func(c Contact) string { return null.Text(c.postal().PostalCode) }},
	{"country", func(c Contact) string { return null.Text(c.postal().Country) }},
	{"timezone", func(c Contact) string { return null.Text(c.Timezone) }},
	{"preferred_channel", func(c Contact) string { return null.String(c.PreferredChannel) }},
	{"tags", func(c Contact) string { return strings.Join(c.Tags, "; ") }},
	{"created_at", func(c Contact) string { return c.CreatedAt.Format(time.RFC3339) }},
	{"updated_at", func(c Contact) string { return c.UpdatedAt.Format(time.RFC3339) }},
}

// postal returns the address, without parts if it is unknown.
func (c Contact) postal() ContactAddress {
	if c.Address == nil {
		return ContactAddress{}
	}
	return *c.Address
}
