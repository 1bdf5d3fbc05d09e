package sheet

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/phone"
)

// notes is the field whose columns are all read: each cell is a note on the contact.
const notes = "notes"

// identifying are the fields of which a contact needs at least one.
var identifying = []string{"email", "phone", "name", "first_name", "last_name", "company_name"}

// contactFields are the fields of a file of contacts.
var contactFields = []field{
	{"kind", knownWord(contactKinds), []string{"contacttype", "customertype", "recordtype"}},
	{"name", cellName, []string{"fullname", "customername", "customer", "contactname", "contact", "clientname", "client", "buyername", "displayname"}},
	{"first_name", cellFilled, []string{"first", "firstname", "fname", "givenname", "forename"}},
	{"last_name", cellFilled, []string{"last", "lastname", "lname", "surname", "familyname"}},
	{"company_name", cellFilled, []string{"company", "companyname", "business", "businessname", "organization", "account", "accountname"}},
	{"legal_name_latin", cellFilled, []string{"legalname"}},
	{"email", cellEmail, []string{"emailaddress", "email1", "emailaddress1", "primaryemail", "personalemail", "homeemail", "mail", "workemail", "email2"}},
	{"phone", cellFilled, []string{
		"phonenumber", "mobile", "mobilephone", "mobilenumber", "cell", "cellphone", "cellnumber", "primaryphone", "phone1", "telephone",
		"tel", "homephone", "dayphone", "workphone", "businessphone", "eveningphone", "phone2",
	}},
	{"line1", cellFilled, []string{"address", "address1", "addressline1", "street", "streetaddress", "street1", "mailingaddress", "mailingstreet", "homeaddress"}},
	{"line2", cellFilled, []string{"address2", "addressline2", "street2", "apt", "apartment", "suite", "unit"}},
	{"city", cellFilled, []string{"town", "mailingcity", "homecity"}},
	{"region", cellFilled, []string{"state", "province", "stateprovince", "mailingstate", "homestate"}},
	{"postal_code", cellFilled, []string{"zip", "zipcode", "postcode", "postalcode", "mailingzip", "homezip"}},
	{"country", cellCountry, []string{"countrycode", "mailingcountry"}},
	{"timezone", cellFilled, []string{"tz"}},
	{"preferred_channel", knownWord(contactChannels), []string{"preferredcontact", "preferredcontactmethod", "contactpreference", "bestcontact"}},
	{"tags", cellTags, []string{"tag", "labels", "label", "groups", "group", "categories"}},
	{notes, cellNote, []string{"note", "history", "comments", "comment", "remarks", "activity", "activities", "lastnote", "callnotes", "memo"}},

	{"sms_consent", cellConsent, []string{"smsoptin", "textoptin", "textconsent", "oktotext", "cantext", "allowtext", "allowsms", "smspermission", "textpermission"}},
	{"email_consent", cellConsent, []string{"emailoptin", "oktoemail", "canemail", "allowemail", "emailpermission", "emailsubscribed"}},
	{"voice_consent", cellConsent, []string{"calloptin", "callconsent", "phoneconsent", "oktocall", "cancall", "allowcalls", "callpermission"}},
	{"consent_text", cellFilled, []string{"consentlanguage", "consentwording", "optintext", "disclosure"}},
	{"consent_date", cellDate, []string{"dateofconsent", "consentedon", "consentdatetime", "optindate", "dateoptedin"}},
	{"consent_source", cellFilled, []string{"optinsource", "sourceofconsent"}},
	{"consent_scope", knownWord(consentScopes), []string{"consentpurpose", "consentfor"}},
	{"consent_basis", knownWord(consentBases), []string{"consenttype", "consentkind"}},
	{"sms_opt_out", cellOptOut, []string{"textoptout", "donottext", "donotsms", "notext", "notexts", "nosms", "optedoutofsms", "smsunsubscribed"}},
	{"email_opt_out", cellOptOut, []string{"donotemail", "noemail", "noemails", "unsubscribed", "unsubscribe", "optedoutofemail", "hasoptedoutofemail", "emailunsubscribed"}},
	{"voice_opt_out", cellOptOut, []string{"donotcall", "dnc", "nocall", "nocalls", "donotphone", "calloptout", "phoneoptout", "optedoutofcalls"}},
	{"opt_out", cellOptOut, []string{"optedout", "donotcontact", "nocontact", "donotdisturb", "dnd", "unsubscribedfromall"}},
}

var contactKinds = wordsOf(map[string][]string{
	"person": {"individual", "consumer", "retail", "p"}, "company": {"business", "organization", "corporate", "commercial", "b"},
})

var contactChannels = wordsOf(map[string][]string{
	"sms": {"text", "texts", "txt", "textmessage"}, "email": {"mail", "emails"}, "voice": {"phone", "call", "calls", "telephone", "cell", "mobile"},
})

var consentScopes = wordsOf(map[string][]string{
	"marketing":     {"advertising", "promotions", "promotional", "offers", "newsletter"},
	"transactional": {"service", "servicing", "informational", "updates"},
	"all":           {"both", "everything", "any"},
})

var consentBases = wordsOf(map[string][]string{
	"express_written":  {"written", "expresswrittenconsent", "webform", "form", "signed", "checkbox"},
	"express_oral":     {"oral", "verbal", "spoken", "call"},
	"implied_purchase": {"purchase", "customer"},
	"implied_inquiry":  {"inquiry", "enquiry", "lead", "implied"},
	"ebr":              {"establishedbusinessrelationship"},
})

// The values of consent cells.
const (
	Agreed   = "agreed"
	Declined = "declined"  // the person doesn't want marketing
	OptedOut = "opted_out" // the person wants no messages at all
)

var answers = wordsOf(map[string][]string{
	Agreed:   {"yes", "y", "true", "t", "1", "x", "on", "ok", "okay", "optin", "optedin", "subscribed", "granted", "agree", "consented", "allowed", "checked", "in"},
	Declined: {"no", "n", "false", "f", "0", "off", "notoptedin", "decline", "denied", "notsubscribed", "unchecked"},
	OptedOut: {"optout", "out", "unsubscribed", "stop", "stopped", "dnc", "donotcontact", "donottext", "donotemail", "donotcall", "revoked", "withdrawn", "removed"},
})

// refusals are parts of texts that end messages.
var refusals = []string{"optout", "optedout", "unsub", "stop", "donot", "dont", "dnc", "remove", "revok", "never"}

// cellConsent reads whether a person agreed. An unknown word is not a consent.
func cellConsent(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	if value := answers.find(cell); value != "" {
		return value, nil, nil
	}
	if refuses(cell) {
		return OptedOut, nil, nil
	}
	return nil, &note{"unknown", fmt.Sprintf("%q is not a known answer, so no consent was recorded", Clip(cell, 60))}, nil
}

// cellOptOut reads whether a person opted out. An unknown word is an opt-out.
func cellOptOut(cell string, _ layout) (any, *note, error) {
	if cell == "" || cell == "-" || strings.EqualFold(cell, "null") || strings.EqualFold(cell, "n/a") || plain(cell) == "none" {
		return nil, nil, nil
	}
	value := answers.find(cell)
	switch plain(cell) {
	case "no", "n", "false", "f", "0", "off", "in", "optin", "optedin", "subscribed", "unchecked", "active":
		return nil, nil, nil
	}
	if value == "" && !refuses(cell) {
		return OptedOut, &note{"unknown", fmt.Sprintf("%q was read as an opt-out", Clip(cell, 60))}, nil
	}
	return OptedOut, nil, nil
}

func refuses(cell string) bool {
	return slices.ContainsFunc(refusals, func(part string) bool { return strings.Contains(plain(cell), part) })
}

// knownWord reads the values of words. An unknown word is only noted.
func knownWord(w words) reader {
	return func(cell string, _ layout) (any, *note, error) {
		if isEmpty(cell) {
			return nil, nil, nil
		}
		if value := w.find(cell); value != "" {
			return value, nil, nil
		}
		return nil, &note{"unknown", fmt.Sprintf("%q is not a known value and was left out", Clip(cell, 60))}, nil
	}
}

// cellFilled reads text. Programs write N/A for none.
func cellFilled(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	return cell, nil, nil
}

// fullName is a name in one cell.
type fullName string

func cellName(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	return fullName(cell), nil, nil
}

// setName splits a name: Ann Bell, and Bell, Ann.
func (r *Row) setName(name string) {
	last, first, ok := strings.Cut(name, ",")
	if !ok {
		parts := strings.Fields(name)
		first, last = strings.Join(parts[:len(parts)-1], " "), parts[len(parts)-1]
	}
	for field, text := range map[string]string{"first_name": strings.TrimSpace(first), "last_name": strings.TrimSpace(last)} {
		if _, known := r.Fields[field]; !known && text != "" {
			r.Fields[field] = text
		}
	}
}

// email returns an address as it is stored.
func email(text string) (string, bool) {
	a, err := mail.ParseAddress(strings.TrimSpace(text))
	if err != nil {
		return "", false
	}
	return strings.ToLower(a.Address), true
}

func cellEmail(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	if address, ok := email(cell); ok {
		return address, nil, nil
	}
	return nil, &note{"unknown", fmt.Sprintf("%q is not an email address and was left out", Clip(cell, 60))}, nil
}

var countries = wordsOf(map[string][]string{
	"US": {"usa", "unitedstates", "unitedstatesofamerica", "america"}, "CA": {"canada", "can"}, "MX": {"mexico"}, "BS": {"bahamas", "thebahamas"},
	"GB": {"uk", "unitedkingdom", "england", "greatbritain"}, "PR": {"puertorico"}, "AU": {"australia"}, "DE": {"germany"}, "FR": {"france"},
})

func cellCountry(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	if code := countries.find(cell); code != "" {
		return code, nil, nil
	}
	if code := strings.ToUpper(cell); countryCode().MatchString(code) {
		return code, nil, nil
	}
	return nil, &note{"unknown", fmt.Sprintf("%q is not a known country and was left out", Clip(cell, 60))}, nil
}

var countryCode = lazy.Regexp(`^[A-Z]{2}$`)

// cellTags reads labels, separated by commas, semicolons or bars.
func cellTags(cell string, _ layout) (any, *note, error) {
	var tags []any
	for _, tag := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(",;|", r) }) {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	if tags == nil {
		return nil, nil, nil
	}
	return tags, nil, nil
}

func cellNote(cell string, _ layout) (any, *note, error) {
	if isEmpty(cell) {
		return nil, nil, nil
	}
	return []any{cell}, nil, nil
}

// extension is what follows a phone number.
var extension = lazy.Regexp(`(?i)\s*(?:x|ext\.?|extension|#)\s*\d{1,6}$`)

// finishContact normalizes the phone number with the country of the row. What can't be read is
// left out, so that it doesn't reject a person who can be reached in another way.
func (r *Row) finishContact() {
	if len(r.Bad) > 0 {
		return
	}
	if text := r.Text("phone"); text != "" {
		delete(r.Fields, "phone")
		region := r.Text("country")
		if region == "" {
			region = "US"
		}
		number, ok := phone.Parse(extension().ReplaceAllString(text, ""), region)
		if ok {
			r.Fields["phone"] = number
		} else if !isEmpty(text) {
			r.Note("phone", "unknown", fmt.Sprintf("%q is not a phone number and was left out", Clip(text, 60)))
		}
	}
	if !slices.ContainsFunc(identifying, func(field string) bool { return r.Text(field) != "" }) {
		r.Bad.Add("email", "required", "is required unless the row has a name, a company or a phone number")
	}
}

// Addresses are the email and the phone of a row, as keys: email ann@example.com.
func (r Row) Addresses() []string {
	email, phone := r.Text("email"), r.Text("phone")
	return AddressesOf(&email, &phone)
}

// AddressesOf returns an email and a phone as keys. A made-up phone doesn't identify a person.
func AddressesOf(email, number *string) (keys []string) {
	if email != nil && *email != "" {
		keys = append(keys, "email "+*email)
	}
	if number != nil && *number != "" && !phone.IsPlaceholder(*number) {
		keys = append(keys, "phone "+*number)
	}
	return keys
}
