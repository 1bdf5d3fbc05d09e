package app

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/hulls"
	"slipway/internal/identity/people"
)

// notAboutContacts are the audited types and fields with text that is not about a
// contact, and what it is about. Add to it only after a review. Other text needs
// the tag audit:"personal", because the audit log can't be erased.
var notAboutContacts = map[string]string{
	"Hull": "a boat", "HullSpecs": "a boat", "NoteOnHin": "a boat", "SpecEngine": "an engine", "SpecTrailer": "a trailer",
	"HullPhoto": "a photo of a boat", "HullSyndication": "a listing of a boat", "HullImport": "a file of boats",
	"Channel": "a partner", "Dealership": "the dealership", "Location": "the dealership", "Settings": "the dealership",
	"Address": "the dealership", "QuietHours": "the dealership", "Sender": "the dealership", "Inbound": "the dealership", "TaxRule": "a tax",
	"User": "an employee", "Session": "an employee", "UserRole": "a role", "UserFactor": "an employee",
	"Role": "a set of scopes", "Actor": "an employee or a key",
	"App": "an app", "InstalledApp": "an app", "Connection": "an identity provider", "GroupRole": "a group of employees",
	"AttributeNames": "an identity provider",
	"APIKey":         "a key", "KeyCreator": "an employee or a key", "Webhook": "an endpoint",
	"FinanceStructure.lender": "a company", "FinanceProduct.provider": "a company", "Funding.lender": "a company",
	"Document.sha256": "a hash", "Contact.merged_into": "an ID", "Offer.in_reply_to": "an ID",
	"LeadMessage.block_reason": "a code", "LeadMessage.provider": "a code", "LeadMessage.error_code": "a code",
	"AppointmentReminder.blocked_reason": "a code",
	"ProposalState.decided_by":           "an ID", "ProposalResult.code": "a code", "ProposalResult.edited": "names of fields",
}

// Text that users can write about a contact must not be in the audit log. The
// test walks the structs of everything that is audited.
func TestAuditLogHasNoTextAboutContacts(t *testing.T) {
	audited := []any{hulls.HullPricing{}, people.Session{}}
	for _, k := range app.Kinds() {
		audited = append(audited, k.Object)
	}
	w := walker{t, map[reflect.Type]bool{}, map[string]bool{}}
	for _, object := range audited {
		w.walk(reflect.TypeOf(object))
	}
	for name := range notAboutContacts {
		if !w.used[name] {
			t.Errorf("notAboutContacts has %s, which has no text in the audit log; remove it", name)
		}
	}
}

type walker struct {
	t    *testing.T
	seen map[reflect.Type]bool
	used map[string]bool // entries of notAboutContacts
}

func (w walker) walk(typ reflect.Type) {
	w.t.Helper()
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() || w.seen[typ] {
		return
	}
	w.seen[typ] = true

	for _, f := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || f.Tag.Get("audit") != "" {
			continue
		}
		if isText(f, name) {
			field := typ.Name() + "." + name
			if notAboutContacts[typ.Name()] == "" && notAboutContacts[field] == "" {
				w.t.Errorf(`%s is in the audit log; add the tag audit:"personal", or review it and add it to notAboutContacts`, field)
			}
			w.used[typ.Name()], w.used[field] = true, true
		}
		w.walk(f.Type)
	}
}

// isText reports whether users can write any text in a field.
func isText(f reflect.StructField, name string) bool {
	typ := f.Type
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	isID := name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
	isChecked := f.Tag.Get("enum") != "" || f.Tag.Get("format") == "date"
	return !isID && !isChecked && (typ == reflect.TypeFor[string]() || typ.Kind() == reflect.Map || typ.Kind() == reflect.Interface)
}
