package description

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"slipway/internal/vocab/enum"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// enums are the names of enums that are not Go types yet; see package enum. Each has a place that defines its values: a property, or
// a parameter of an operation. All other places with the same values refer to it.
// A name has more than one place if a description can be without the first.
var enums = []struct {
	name   string
	places []string
}{
	{"ActivityKind", []string{"Activity.kind"}},
	{"ActivityObjectType", []string{"Activity.object_type"}},
	{"ActorType", []string{"Actor.type"}},
	{"AppointmentKind", []string{"Appointment.kind"}},
	{"AuditOutcome", []string{"AuditEntry.outcome"}},
	{"BoatClass", []string{"Hull.boat_class"}},
	{"ChannelFormat", []string{"Channel.format"}},
	{"ChannelKind", []string{"Channel.kind"}},
	{"ConsentBasis", []string{"Consent.basis", "ReachCheck.basis"}},
	{"ConsentRelationship", []string{"ConsentCreate.relationship"}},
	{"ContactKind", []string{"Contact.kind"}},
	{"Currency", []string{"Money.currency"}},
	{"DeadLetterAction", []string{"DeadLetterDrain.action"}},
	{"DealExpansion", []string{"listDeals?expand"}},
	{"DealFundingState", []string{"Deal.funding_state"}},
	{"DealLineItemKind", []string{"DealLineItem.kind"}},
	{"DealLineItemSide", []string{"DealLineItem.side"}},
	{"DealMissingCode", []string{"DealMissing.code"}},
	{"DealSaleType", []string{"Deal.sale_type"}},
	{"DealStatusCategory", []string{"Deal.status_category"}},
	{"DealWarningCode", []string{"DealWarning.code"}},
	{"DeliveryStatus", []string{"Delivery.status"}},
	{"DepositOutcome", []string{"Deal.deposit_outcome"}},
	{"DesignCategory", []string{"HullSpecs.design_category"}},
	{"DocumentKind", []string{"Document.kind"}},
	{"DomainVerifier", []string{"Verification.verified_by"}},
	{"EngineDrive", []string{"SpecEngine.drive"}},
	{"EngineFuel", []string{"SpecEngine.fuel"}},
	{"EnginePosition", []string{"SpecEngine.position"}},
	{"EngineType", []string{"SpecEngine.type"}},
	{"ErrorCode", []string{"ErrorBody.code"}},
	{"FinanceProductKind", []string{"FinanceProduct.kind"}},
	{"FundingDifferenceField", []string{"FundingDifference.field"}},
	{"GrantType", []string{"TokenForm.grant_type"}},
	{"HinAbsentReason", []string{"Hull.hin_absent_reason"}},
	{"HinFormat", []string{"DecodedHin.format"}},
	{"HullCategory", []string{"Hull.category"}},
	{"HullCondition", []string{"Hull.condition"}},
	{"HullExpansion", []string{"listHulls?expand"}},
	{"HullImportEncoding", []string{"HullImport.encoding"}},
	{"HullImportFormat", []string{"HullImport.format"}},
	{"HullImportMissing", []string{"HullImport.missing"}},
	{"HullImportMode", []string{"HullImport.mode"}},
	{"HullImportSkipField", []string{"HullImportSkip.field"}},
	{"HullImportState", []string{"HullImport.state"}},
	{"HullMaterial", []string{"HullSpecs.hull_material"}},
	{"HullOwnership", []string{"Hull.ownership"}},
	{"HullPhotoState", []string{"HullPhoto.state"}},
	{"HullPhotoType", []string{"HullPhoto.content_type"}},
	{"HullShape", []string{"HullSpecs.hull_shape"}},
	{"HullSort", []string{"listHulls?sort"}},
	{"HullSyndicationAction", []string{"HullSyndication.action"}},
	{"HullSyndicationState", []string{"HullSyndication.state"}},
	{"KeelType", []string{"HullSpecs.keel"}},
	{"KeyCreatorStatus", []string{"KeyCreator.status"}},
	{"LeadAssignStrategy", []string{"LeadAssign.strategy"}},
	{"LeadAssignmentMethod", []string{"LeadAssignment.method"}},
	{"LeadExpansion", []string{"listLeads?expand"}},
	{"LeadSignalKind", []string{"LeadSignal.kind"}},
	{"LeadSort", []string{"listLeads?sort"}},
	{"LeadSource", []string{"Lead.source", "LeadsSource.source"}},
	{"LeadStatusCategory", []string{"listLeads?status_category"}},
	{"ListedHullStatus", []string{"ChannelFilter.statuses"}},
	{"MFAFactorKind", []string{"MFAEnroll.kind", "UserFactor.kind"}},
	{"MessageChannel", []string{"LeadMessage.channel", "InboundMessageReceive.channel"}},
	{"MessageDirection", []string{"LeadMessage.direction"}},
	{"MessageOutcome", []string{"UnknownMessageResolve.outcome"}},
	{"MessagePurpose", []string{"LeadMessage.purpose"}},
	{"NewHullStatus", []string{"HullCreate.status"}},
	{"OddDaysInterest", []string{"FinanceStructure.odd_days_interest", "FinanceQuoteCreate.odd_days_interest"}},
	{"PaymentKind", []string{"Payment.kind"}},
	{"PaymentMethod", []string{"Payment.method"}},
	{"PaymentStatus", []string{"Payment.status"}},
	{"PhotoSize", []string{"getHullPhotoContent?variant"}},
	{"PriceType", []string{"Hull.price_type"}},
	{"Propulsion", []string{"HullSpecs.propulsion"}},
	{"RequestMethod", []string{"listRequestLogs?method"}},
	{"SignInMethod", []string{"Session.method", "ProfileSession.method"}},
	{"SoldWhen", []string{"Settings.sold_when"}},
	{"StipulationKind", []string{"Stipulation.kind"}},
	{"StipulationResolution", []string{"StipulationResolve.status"}},
	{"TaxBase", []string{"TaxRule.base"}},
	{"UnitSystem", []string{"getHullSpecs?units"}},
	{"UserReactivation", []string{"UserPatch.status"}},
	{"WebhookDisabledReason", []string{"Webhook.disabled_reason"}},
	{"WebhookHealth", []string{"Webhook.health"}},
	{"WebhookStatus", []string{"Webhook.status"}},
}

// EnumNames returns the names of enums in the description.
func EnumNames() (names []string) {
	for _, e := range enum.All() {
		names = append(names, e.Name)
	}
	for _, e := range enums {
		names = append(names, e.name)
	}
	return names
}

// nameEnums moves the enums of the description to its components and refers to
// them there. An enum without a name stays where it is, and a test fails.
func nameEnums(doc *huma.OpenAPI) {
	byValues := namedEnums(doc)
	schemas, named := doc.Components.Schemas.Map(), map[*huma.Schema]bool{}
	for s := range schemasOf(doc) {
		e := byValues[valuesKey(s)]
		if len(s.Enum) == 0 || named[s] || e == nil {
			continue
		}
		// Parameters don't say since when their values exist.
		since := sinceValues(s)
		if since != nil && e.Extensions == nil {
			e.Extensions = since
		}
		if since != nil && !reflect.DeepEqual(since, e.Extensions) {
			continue
		}
		schemas[e.Title], named[e] = e, true
		referTo(s, e.Title)
	}
	for e := range named {
		e.Title = ""
	}
}

// namedEnums returns the schemas of the enums that have a name, by their values. The title
// is the name.
func namedEnums(doc *huma.OpenAPI) map[string]*huma.Schema {
	byValues := map[string]*huma.Schema{}
	add := func(name, text string, values []any) {
		s := &huma.Schema{Title: name, Type: huma.TypeString, Description: text, Enum: values}
		if byValues[valuesKey(s)] == nil {
			byValues[valuesKey(s)] = s
		}
	}
	for _, e := range enum.All() {
		var values []any
		for _, v := range e.Values {
			values = append(values, v)
		}
		add(e.Name, e.Doc, values)
	}
	for _, e := range enums {
		if defined := findEnum(doc, e.places); defined != nil && doc.Components.Schemas.Map()[e.name] == nil {
			add(e.name, enumDocs[e.name], withoutNull(defined.Enum))
		}
	}
	return byValues
}

// referTo replaces the type and the values of a schema with a reference.
func referTo(s *huma.Schema, name string) {
	ref, nullable := schemaPrefix+name, s.Nullable
	s.Type, s.Nullable, s.Enum = "", false, nil
	delete(s.Extensions, "x-since-values")
	if nullable {
		s.AnyOf = []*huma.Schema{{Ref: ref}, {Type: "null"}}
	} else {
		s.Ref = ref
	}
}

// findEnum returns the schema of the first place that exists. For a list, it returns
// the schema of the items.
func findEnum(doc *huma.OpenAPI, places []string) *huma.Schema {
	for _, place := range places {
		var found *huma.Schema
		if schema, property, ok := strings.Cut(place, "."); ok {
			if s := doc.Components.Schemas.Map()[schema]; s != nil {
				found = s.Properties[property]
			}
		} else {
			found = findParameter(doc, place)
		}
		if found != nil && found.Items != nil {
			found = found.Items
		}
		if found != nil && len(found.Enum) > 0 {
			return found
		}
	}
	return nil
}

// findParameter returns the schema of a place such as getHullSpecs?units.
func findParameter(doc *huma.OpenAPI, place string) *huma.Schema {
	id, name, _ := strings.Cut(place, "?")
	for op := range operationsOf(doc) {
		for _, p := range op.Parameters {
			p = resolveParam(doc.Components, p)
			if op.OperationID == id && p.Name == name {
				return p.Schema
			}
		}
	}
	return nil
}

// valuesKey is the same for enums with the same values in another order.
func valuesKey(s *huma.Schema) string {
	var values []string
	for _, v := range withoutNull(s.Enum) {
		values = append(values, fmt.Sprint(v))
	}
	slices.Sort(values)
	return strings.Join(values, " ")
}

func withoutNull(values []any) []any {
	return slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
}

// sinceValues returns since when the values of an enum exist, or nil.
func sinceValues(s *huma.Schema) map[string]any {
	out := maps.Clone(s.Extensions)
	maps.DeleteFunc(out, func(name string, _ any) bool { return name != "x-since-values" })
	if len(out) == 0 {
		return nil
	}
	return out
}

func resolveParam(parts *huma.Components, p *huma.Param) *huma.Param {
	if p.Ref == "" {
		return p
	}
	return parts.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
}
