package imports

import (
	"maps"
	"slices"
	"strings"
	"time"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/null"
)

// addressFields are the fields of a row that are parts of the postal address.
var addressFields = []string{"line1", "line2", "city", "region", "postal_code", "country"}

// otherContactFields are the fields of a row that are not fields of a contact.
var otherContactFields = []string{
	"notes", "sms_consent", "email_consent", "voice_consent", "consent_text", "consent_date", "consent_source", "consent_scope", "consent_basis",
	"sms_opt_out", "email_opt_out", "voice_opt_out", "opt_out", "tags",
}

// contactFieldsOf returns the fields of a row as fields of a contact, without the tags.
func contactFieldsOf(r sheet.Row) map[string]any {
	fields, address := maps.Clone(r.Fields), map[string]any{}
	for _, name := range addressFields {
		if value, ok := fields[name]; ok {
			address[name] = value
		}
		delete(fields, name)
	}
	for _, name := range otherContactFields {
		delete(fields, name)
	}
	if len(address) > 0 {
		fields["address"] = address
	}
	return fields
}

// newContactFields returns the fields of a new contact. A row with a company and no person is one.
func newContactFields(r sheet.Row) map[string]any {
	fields := contactFieldsOf(r)
	if tags := textsOf(r, "tags"); len(tags) > 0 {
		fields["tags"] = tags
	}
	if _, ok := fields["kind"]; !ok && r.Text("company_name") != "" && r.Text("first_name") == "" && r.Text("last_name") == "" {
		fields["kind"] = string(contacts.Company)
	}
	return fields
}

// textsOf returns the texts of a field with several columns.
func textsOf(r sheet.Row, field string) (texts []string) {
	all, _ := r.Fields[field].([]any)
	for _, value := range all {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// answerFields are the fields of a channel.
var answerFields = []struct {
	channel         consent.Channel
	consent, optOut string
	address         string
}{
	{consent.SMS, "sms_consent", "sms_opt_out", "phone"},
	{consent.Email, "email_consent", "email_opt_out", "email"},
	{consent.Voice, "voice_consent", "voice_opt_out", "phone"},
}

// wishes are what a row says about messages.
type wishes struct {
	agreed, declined, optedOut []consent.Channel
}

// wishesOf reads the consent columns of a row. An opt-out goes before a consent.
func wishesOf(r sheet.Row) (w wishes) {
	for _, f := range answerFields {
		answer := r.Text(f.consent)
		switch {
		case r.Text("opt_out") != "" || r.Text(f.optOut) != "" || answer == sheet.OptedOut:
			w.optedOut = append(w.optedOut, f.channel)
		case answer == sheet.Declined:
			w.declined = append(w.declined, f.channel)
		case answer == sheet.Agreed:
			w.agreed = append(w.agreed, f.channel)
		}
	}
	return w
}

// isEmpty reports whether a row says nothing about messages.
func (w wishes) isEmpty() bool { return len(w.agreed)+len(w.declined)+len(w.optedOut) == 0 }

// fieldOf returns the consent column of a channel.
func fieldOf(c consent.Channel) string { return string(c) + "_consent" }

// evidenceOf returns the consent that a row has evidence of, or why it isn't recorded.
func evidenceOf(r sheet.Row, channels []consent.Channel, now time.Time) (c consent.Consent, why string) {
	var missing []string
	for _, name := range []string{"consent_text", "consent_date", "consent_source"} {
		if r.Text(name) == "" {
			missing = append(missing, strings.TrimPrefix(name, "consent_"))
		}
	}
	if len(missing) > 0 {
		return c, "was not recorded, because its " + joined(missing) + " missing"
	}
	captured, err := time.Parse(time.DateOnly, r.Text("consent_date"))
	if err != nil || captured.After(now) {
		return c, "was not recorded, because its date is in the future"
	}
	n := consent.ConsentCreate{
		Channels: channels, Scope: consent.Transactional, Direction: consent.Granted, CapturedAt: &captured,
		ConsentText: new(sheet.Clip(r.Text("consent_text"), 10_000)), Source: new(sheet.Clip(r.Text("consent_source"), 100)), Method: new("import"),
	}
	if scope := r.Text("consent_scope"); scope != "" {
		n.Scope = consent.Scope(scope)
	}
	if basis := r.Text("consent_basis"); basis != "" {
		n.Basis = new(consent.Basis(basis))
	}
	if c, err = n.Record(now); err != nil {
		return c, "was not recorded, because its evidence is invalid"
	}
	return c, ""
}

// joined returns names as the subject of a sentence: text is; text, date and source are.
func joined(names []string) string {
	last := names[len(names)-1]
	if len(names) == 1 {
		return last + " is"
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + last + " are"
}

// bindingsOf returns the addresses of a row and of its contact on channels.
func bindingsOf(r sheet.Row, c contacts.Contact, channels []consent.Channel) (bound []consent.ConsentBinding) {
	for _, f := range answerFields {
		if !slices.Contains(channels, f.channel) {
			continue
		}
		for _, address := range []string{r.Text(f.address), c.AddressOn(f.channel)} {
			b := consent.ConsentBinding{Channel: f.channel, Address: address}
			if address != "" && !slices.Contains(bound, b) {
				bound = append(bound, b)
			}
		}
	}
	return bound
}

// nameOf returns the name in a row.
func nameOf(r sheet.Row) string {
	name := strings.TrimSpace(r.Text("first_name") + " " + r.Text("last_name"))
	if name == "" {
		name = r.Text("company_name")
	}
	return sheet.Clip(name, 300)
}

// duplicateOf describes a row whose address a contact or an earlier row has.
func duplicateOf(r sheet.Row, c *contacts.Contact) ContactImportDuplicate {
	d := ContactImportDuplicate{Row: r.Number, Name: nameOf(r), Email: null.From(r.Text("email")), Phone: null.From(r.Text("phone")), Matches: slices.Clone(r.SameBy)}
	if r.SameAs > 0 {
		d.SameRow = &r.SameAs
	}
	if c != nil {
		d.ContactID = &c.ID
		for field, pair := range map[string][2]*string{"email": {d.Email, c.Email}, "phone": {d.Phone, c.Phone}} {
			if pair[0] != nil && null.Text(pair[0]) == null.Text(pair[1]) && !slices.Contains(d.Matches, field) {
				d.Matches = append(d.Matches, field)
			}
		}
	}
	slices.Sort(d.Matches)
	d.Matches = append([]string{}, d.Matches...)
	return d
}

// choose counts a duplicate as another action would.
func (i *HullImport) choose(d ContactImportDuplicate, to DuplicateAction) {
	counts := map[DuplicateAction]*int64{skipDuplicate: &i.Skipped, updateDuplicate: &i.Updated, addDuplicate: &i.Created}
	from := counts[d.Action]
	if d.Action == updateDuplicate && *from == 0 {
		from = &i.Unchanged
	}
	if *from > 0 {
		*from--
		*counts[to]++
	}
}

// tellUnrecorded notes why a consent or an opt-out of a row was not recorded.
func tellUnrecorded(r *sheet.Row, c consent.Channel, code, why string) {
	r.Note(fieldOf(c), code, why)
}

// purposesOf returns the kinds of messages of a scope.
func purposesOf(s consent.Scope) []consent.Scope {
	if s == consent.All {
		return []consent.Scope{consent.Marketing, consent.Transactional}
	}
	return []consent.Scope{s}
}

// standingOf returns consent.CodeRevoked if all messages of a scope are revoked.
func standingOf(records []consent.Consent, c consent.Channel, s consent.Scope, now time.Time) string {
	for _, purpose := range purposesOf(s) {
		if code := consent.Fold(records, c, purpose, now).Code; code != consent.CodeRevoked {
			return code
		}
	}
	return consent.CodeRevoked
}

// channelsOf returns the channels of addresses.
func channelsOf(bound []consent.ConsentBinding) (channels []consent.Channel) {
	for _, b := range bound {
		if !slices.Contains(channels, b.Channel) {
			channels = append(channels, b.Channel)
		}
	}
	return channels
}
