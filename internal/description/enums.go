package description

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// enums are the names of enums in the description, so that generators create one
// type for each meaning. Each has a place that defines its values: a property, or
// a parameter of an operation. All other places with the same values refer to it.
// A name has more than one place if a description can be without the first.
var enums = []struct {
	name   string
	places []string
}{
	{"ActivityKind", []string{"Activity.kind"}},
	{"ActivityObjectType", []string{"Activity.object_type"}},
	{"ActorType", []string{"Actor.type"}},
	{"AppType", []string{"App.type"}},
	{"AppointmentKind", []string{"Appointment.kind"}},
	{"AppointmentReminderState", []string{"AppointmentReminder.state"}},
	{"AppointmentStatus", []string{"Appointment.status"}},
	{"AuditOutcome", []string{"AuditEntry.outcome"}},
	{"BoatClass", []string{"Hull.boat_class"}},
	{"ChannelFormat", []string{"Channel.format"}},
	{"ChannelKind", []string{"Channel.kind"}},
	{"ConnectionProtocol", []string{"Connection.protocol"}},
	{"ConsentBasis", []string{"Consent.basis", "ReachCheck.basis"}},
	{"ConsentChannel", []string{"ConsentBinding.channel", "Contact.preferred_channel"}},
	{"ConsentDirection", []string{"Consent.direction"}},
	{"ConsentRelationship", []string{"ConsentCreate.relationship"}},
	{"ConsentScope", []string{"Consent.scope"}},
	{"ContactKind", []string{"Contact.kind"}},
	{"Currency", []string{"Money.currency"}},
	{"DeadLetterAction", []string{"DeadLetterDrain.action"}},
	{"DealExpansion", []string{"listDeals?expand"}},
	{"DealFundingState", []string{"Deal.funding_state"}},
	{"DealLineItemKind", []string{"DealLineItem.kind"}},
	{"DealLineItemSide", []string{"DealLineItem.side"}},
	{"DealMissingCode", []string{"DealMissing.code"}},
	{"DealSaleType", []string{"Deal.sale_type"}},
	{"DealStatus", []string{"Deal.status"}},
	{"DealStatusCategory", []string{"Deal.status_category"}},
	{"DealType", []string{"Deal.deal_type"}},
	{"DealWarningCode", []string{"DealWarning.code"}},
	{"DealershipPlan", []string{"Dealership.plan"}},
	{"DeliveryStatus", []string{"Delivery.status"}},
	{"DepositOutcome", []string{"Deal.deposit_outcome"}},
	{"DesignCategory", []string{"HullSpecs.design_category"}},
	{"DocumentKind", []string{"Document.kind"}},
	{"DocumentOrigin", []string{"Document.origin"}},
	{"DocumentStatus", []string{"Document.status"}},
	{"DomainVerifier", []string{"Verification.verified_by"}},
	{"EngineDrive", []string{"SpecEngine.drive"}},
	{"EngineFuel", []string{"SpecEngine.fuel"}},
	{"EnginePosition", []string{"SpecEngine.position"}},
	{"EngineType", []string{"SpecEngine.type"}},
	{"Environment", []string{"Dealership.environment", "SignIn.environment"}},
	{"ErrorCode", []string{"ErrorBody.code"}},
	{"FinanceProductKind", []string{"FinanceProduct.kind"}},
	{"FundingDifferenceField", []string{"FundingDifference.field"}},
	{"FundingStatus", []string{"Funding.status"}},
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
	{"HullStatus", []string{"Hull.status"}},
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
	{"LeadStatus", []string{"Lead.status"}},
	{"LeadStatusCategory", []string{"listLeads?status_category"}},
	{"ListedHullStatus", []string{"ChannelFilter.statuses"}},
	{"MFAFactorKind", []string{"MFAEnroll.kind", "UserFactor.kind"}},
	{"MessageChannel", []string{"LeadMessage.channel", "InboundMessageReceive.channel"}},
	{"MessageDirection", []string{"LeadMessage.direction"}},
	{"MessageIntent", []string{"LeadMessage.intent", "InboundMessage.intent"}},
	{"MessageOutcome", []string{"UnknownMessageResolve.outcome"}},
	{"MessagePurpose", []string{"LeadMessage.purpose"}},
	{"MessageStatus", []string{"LeadMessage.status"}},
	{"NewHullStatus", []string{"HullCreate.status"}},
	{"OddDaysInterest", []string{"FinanceStructure.odd_days_interest", "FinanceQuoteCreate.odd_days_interest"}},
	{"OfferParty", []string{"Offer.made_by"}},
	{"OfferStatus", []string{"Offer.status"}},
	{"PaymentKind", []string{"Payment.kind"}},
	{"PaymentMethod", []string{"Payment.method"}},
	{"PaymentStatus", []string{"Payment.status"}},
	{"PaymentType", []string{"Payment.type"}},
	{"PhotoSize", []string{"getHullPhotoContent?variant"}},
	{"PriceType", []string{"Hull.price_type"}},
	{"ProposalStatus", []string{"Proposal.status", "ProposalState.status"}},
	{"Propulsion", []string{"HullSpecs.propulsion"}},
	{"RequestMethod", []string{"listRequestLogs?method"}},
	{"SignInMethod", []string{"Session.method", "ProfileSession.method"}},
	{"SignerRole", []string{"DocumentSignature.signer_role"}},
	{"SoldWhen", []string{"Settings.sold_when"}},
	{"StipulationKind", []string{"Stipulation.kind"}},
	{"StipulationResolution", []string{"StipulationResolve.status"}},
	{"StipulationStatus", []string{"Stipulation.status"}},
	{"TaxBase", []string{"TaxRule.base"}},
	{"UnitSystem", []string{"getHullSpecs?units"}},
	{"UserReactivation", []string{"UserPatch.status"}},
	{"UserStatus", []string{"User.status"}},
	{"WebhookDisabledReason", []string{"Webhook.disabled_reason"}},
	{"WebhookHealth", []string{"Webhook.health"}},
	{"WebhookStatus", []string{"Webhook.status"}},
}

// EnumNames returns the names of enums in the description.
func EnumNames() (names []string) {
	for _, e := range enums {
		names = append(names, e.name)
	}
	return names
}

// nameEnums moves the enums of the description to its components and refers to
// them there. An enum without a name stays where it is, and a test fails.
func nameEnums(doc *huma.OpenAPI) {
	schemas := doc.Components.Schemas.Map()
	byValues := map[string]string{}
	for _, e := range enums {
		defined := findEnum(doc, e.places)
		if defined == nil || schemas[e.name] != nil || byValues[valuesKey(defined)] != "" {
			continue
		}
		byValues[valuesKey(defined)] = e.name
		schemas[e.name] = &huma.Schema{
			Type: huma.TypeString, Enum: withoutNull(defined.Enum), Extensions: sinceValues(defined),
		}
	}

	named := map[*huma.Schema]bool{}
	for _, name := range byValues {
		named[schemas[name]] = true
	}
	for s := range schemasOf(doc) {
		name := byValues[valuesKey(s)]
		if len(s.Enum) == 0 || named[s] || name == "" {
			continue
		}
		// Parameters don't say since when their values exist.
		if since := sinceValues(s); since != nil && !reflect.DeepEqual(since, schemas[name].Extensions) {
			continue
		}
		referTo(s, name)
	}
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
