package contacts

import "slipway/internal/vocab/enum"

// MergeField is a field that a merged contact can take from the duplicate.
type MergeField string

// The fields.
const (
	takeFirstName MergeField = "first_name"
	takeLastName  MergeField = "last_name"
	takeCompany   MergeField = "company_name"
	takeLatin     MergeField = "legal_name_latin"
	takeEmail     MergeField = "email"
	takePhone     MergeField = "phone"
	takeAddress   MergeField = "address"
	takeTimezone  MergeField = "timezone"
	takeChannel   MergeField = "preferred_channel"
)

var allMergeFields = enum.Of("ContactMergeField", "Field that a merged contact can take from the duplicate.",
	takeFirstName, takeLastName, takeCompany, takeLatin, takeEmail, takePhone, takeAddress, takeTimezone, takeChannel)

func (MergeField) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allMergeFields.Describe(s)
}

// take replaces fields with those of the duplicate. A value that the duplicate doesn't have replaces nothing.
func (c *Contact) take(d Contact, fields []MergeField) {
	texts := map[MergeField][2]**string{
		takeFirstName: {&c.FirstName, &d.FirstName}, takeLastName: {&c.LastName, &d.LastName}, takeCompany: {&c.CompanyName, &d.CompanyName},
		takeLatin: {&c.LegalNameLatin, &d.LegalNameLatin}, takeEmail: {&c.Email, &d.Email}, takePhone: {&c.Phone, &d.Phone}, takeTimezone: {&c.Timezone, &d.Timezone},
	}
	for _, f := range fields {
		if pair, ok := texts[f]; ok && *pair[1] != nil {
			*pair[0] = *pair[1]
		}
		if f == takeAddress && d.Address != nil {
			c.Address = d.Address
		}
		if f == takeChannel && d.PreferredChannel != nil {
			c.PreferredChannel = d.PreferredChannel
		}
	}
}
