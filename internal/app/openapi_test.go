package app_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/app"
	"slipway/internal/vocab/auth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The description is the contract: a change to it must show in a diff.
func TestOpenAPI(t *testing.T) {
	got, err := app.OpenAPIJSON(app.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	const golden = "../../api/openapi.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal("api/openapi.json is stale: run `make openapi` and read the diff", err)
	}
}

// expected are the operations that exist: id, method, path, what they need and
// their success status.
var expected = []string{
	"acceptOffer POST /v1/deals/{deal_id}/offers/{offer_id}/accept deals:write 200 Deals",
	"addStipulation POST /v1/deals/{deal_id}/fundings/{funding_id}/stipulations deals:write 201 Finance",
	"addTradeIn POST /v1/deals/{deal_id}/trade_ins deals:write 201 Deals",
	"adjustHullPricing PUT /v1/hulls/{hull_id}/pricing hulls:write 200 Hulls",
	"advanceDeal POST /v1/deals/{deal_id}/advance deals:write 200 Deals",
	"advanceFunding POST /v1/deals/{deal_id}/fundings/{funding_id}/advance deals:write 200 Finance",
	"archiveHull POST /v1/hulls/{hull_id}/archive hulls:write 200 Hulls",
	"assignLead POST /v1/leads/{lead_id}/assign leads:write 200 Leads",
	"assignUserRoles PUT /v1/users/{user_id}/roles admin 200 Dealership",
	"cancelDeal POST /v1/deals/{deal_id}/cancel deals:write 200 Deals",
	"closeLead POST /v1/leads/{lead_id}/close leads:write 200 Leads",
	"convertLead POST /v1/leads/{lead_id}/convert leads:write+deals:write 201 Leads",
	"createApiKey POST /v1/api_keys admin 201 Access",
	"createChannel POST /v1/channels hulls:write 201 Hulls",
	"createContact POST /v1/contacts leads:write 201 Contacts",
	"createDeal POST /v1/deals deals:write 201 Deals",
	"createFinanceStructure POST /v1/deals/{deal_id}/finance_structures deals:write 201 Finance",
	"createHull POST /v1/hulls hulls:write 201 Hulls",
	"createHullImport POST /v1/hull_imports hulls:write 202 Hulls",
	"createLead POST /v1/leads leads:write 201 Leads",
	"createLocation POST /v1/locations admin 201 Dealership",
	"createRole POST /v1/roles admin 201 Dealership",
	"createWebhook POST /v1/webhooks webhooks 201 Webhooks",
	"deactivateUser POST /v1/users/{user_id}/deactivate admin 200 Dealership",
	"decodeHin GET /v1/hins/{hin} hulls:read 200 Hulls",
	"deleteChannel DELETE /v1/channels/{channel_id} hulls:write 204 Hulls",
	"deleteHullPhoto DELETE /v1/hulls/{hull_id}/photos/{photo_id} hulls:write 204 Hulls",
	"deleteLocation DELETE /v1/locations/{location_id} admin 204 Dealership",
	"deleteMfaFactor DELETE /v1/users/{user_id}/mfa_factors/{factor_id} admin 204 Access",
	"deleteRole DELETE /v1/roles/{role_id} admin 204 Dealership",
	"deleteWebhook DELETE /v1/webhooks/{webhook_id} webhooks 204 Webhooks",
	"drainDeadLetters POST /v1/webhooks/{webhook_id}/dead_letters/drain webhooks 202 Webhooks",
	"enrollMfaFactor POST /v1/users/{user_id}/mfa_factors admin 201 Access",
	"eraseContact DELETE /v1/contacts/{contact_id} leads:write 204 Contacts",
	"exportContact GET /v1/contacts/{contact_id}/export leads:read 200 Contacts",
	"getApiKey GET /v1/api_keys/{key_id} admin 200 Access",
	"getChannelFeed GET /v1/channels/{channel_id}/feed hulls:read 200 Hulls",
	"getContact GET /v1/contacts/{contact_id} leads:read 200 Contacts",
	"getDeal GET /v1/deals/{deal_id} deals:read 200 Deals",
	"getDealership GET /v1/dealership admin 200 Dealership",
	"getDelivery GET /v1/webhooks/{webhook_id}/deliveries/{delivery_id} webhooks 200 Webhooks",
	"getDocument GET /v1/deals/{deal_id}/documents/{document_id} deals:read 200 Finance",
	"getDocumentContent GET /v1/deals/{deal_id}/documents/{document_id}/content deals:read 200 Finance",
	"getEvent GET /v1/events/{event_id} webhooks 200 Webhooks",
	"getFinanceStructure GET /v1/deals/{deal_id}/finance_structures/{structure_id} deals:read 200 Finance",
	"getFunding GET /v1/deals/{deal_id}/fundings/{funding_id} deals:read 200 Finance",
	"getHull GET /v1/hulls/{hull_id} hulls:read 200 Hulls",
	"getHullImport GET /v1/hull_imports/{import_id} hulls:read 200 Hulls",
	"getHullPhotoContent GET /v1/hulls/{hull_id}/photos/{photo_id}/content hulls:read 200 Hulls",
	"getHullPricing GET /v1/hulls/{hull_id}/pricing hulls:read 200 Hulls",
	"getHullSpecs GET /v1/hulls/{hull_id}/specs hulls:read 200 Hulls",
	"getLead GET /v1/leads/{lead_id} leads:read 200 Leads",
	"getLocation GET /v1/locations/{location_id} hulls:read|admin 200 Dealership",
	"getMe GET /v1/me - 200 Access",
	"getOffer GET /v1/deals/{deal_id}/offers/{offer_id} deals:read 200 Deals",
	"getPayment GET /v1/deals/{deal_id}/payments/{payment_id} deals:read 200 Finance",
	"getUser GET /v1/users/{user_id} admin 200 Dealership",
	"getWebhook GET /v1/webhooks/{webhook_id} webhooks 200 Webhooks",
	"issueDocument POST /v1/deals/{deal_id}/documents deals:write 201 Finance",
	"listApiKeys GET /v1/api_keys admin 200 Access",
	"listAudit GET /v1/audit admin 200 Dealership",
	"listChannels GET /v1/channels hulls:read 200 Hulls",
	"listContactConsents GET /v1/contacts/{contact_id}/consents leads:read 200 Contacts",
	"listContacts GET /v1/contacts leads:read 200 Contacts",
	"listDeadLetters GET /v1/webhooks/{webhook_id}/dead_letters webhooks 200 Webhooks",
	"listDealHistory GET /v1/deals/{deal_id}/history deals:read 200 Deals",
	"listDeals GET /v1/deals deals:read 200 Deals",
	"listDeliveries GET /v1/webhooks/{webhook_id}/deliveries webhooks 200 Webhooks",
	"listDocuments GET /v1/deals/{deal_id}/documents deals:read 200 Finance",
	"listEvents GET /v1/events webhooks 200 Webhooks",
	"listFinanceStructures GET /v1/deals/{deal_id}/finance_structures deals:read 200 Finance",
	"listFundings GET /v1/deals/{deal_id}/fundings deals:read 200 Finance",
	"listHullHistory GET /v1/hulls/{hull_id}/history hulls:read 200 Hulls",
	"listHullPhotos GET /v1/hulls/{hull_id}/photos hulls:read 200 Hulls",
	"listHullPriceChanges GET /v1/hulls/{hull_id}/price_changes hulls:read 200 Hulls",
	"listHullSyndication GET /v1/hulls/{hull_id}/syndication hulls:read 200 Hulls",
	"listHulls GET /v1/hulls hulls:read 200 Hulls",
	"listLeadAssignments GET /v1/leads/{lead_id}/assignments leads:read 200 Leads",
	"listLeadConsents GET /v1/leads/{lead_id}/consents leads:read 200 Leads",
	"listLeadMessages GET /v1/leads/{lead_id}/messages leads:read 200 Leads",
	"listLeadSignals GET /v1/leads/{lead_id}/signals leads:read 200 Leads",
	"listLeads GET /v1/leads leads:read 200 Leads",
	"listLocations GET /v1/locations hulls:read|admin 200 Dealership",
	"listOffers GET /v1/deals/{deal_id}/offers deals:read 200 Deals",
	"listPayments GET /v1/deals/{deal_id}/payments deals:read 200 Finance",
	"listRoles GET /v1/roles admin 200 Dealership",
	"listSessions GET /v1/sessions admin 200 Access",
	"listTradeIns GET /v1/deals/{deal_id}/trade_ins deals:read 200 Deals",
	"listUsers GET /v1/users admin 200 Dealership",
	"listWebhooks GET /v1/webhooks webhooks 200 Webhooks",
	"logLeadConsent POST /v1/leads/{lead_id}/consents leads:write 201 Leads",
	"makeOffer POST /v1/deals/{deal_id}/offers deals:write 201 Deals",
	"mergeContact POST /v1/contacts/{contact_id}/merge leads:write 200 Contacts",
	"provisionUser POST /v1/users admin 201 Dealership",
	"publishHull PUT /v1/hulls/{hull_id}/syndication/{channel_id} hulls:write 200 Hulls",
	"receiveLeadMessage POST /v1/leads/{lead_id}/inbound_messages leads:write 201 Leads",
	"recordLeadSignal POST /v1/leads/{lead_id}/signals leads:write 201 Leads",
	"recordPayment POST /v1/deals/{deal_id}/payments deals:write 201 Finance",
	"refundPayment POST /v1/deals/{deal_id}/payments/{payment_id}/refund deals:write 201 Finance",
	"rejectOffer POST /v1/deals/{deal_id}/offers/{offer_id}/reject deals:write 200 Deals",
	"removeTradeIn DELETE /v1/deals/{deal_id}/trade_ins/{trade_in_id} deals:write 204 Deals",
	"replaceHullSpecs PUT /v1/hulls/{hull_id}/specs hulls:write 200 Hulls",
	"replayEvents POST /v1/webhooks/{webhook_id}/replay webhooks 202 Webhooks",
	"resolveStipulation POST /v1/deals/{deal_id}/fundings/{funding_id}/stipulations/{stipulation_id}/resolve deals:write 200 Finance",
	"retryDelivery POST /v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry webhooks 202 Webhooks",
	"revokeApiKey POST /v1/api_keys/{key_id}/revoke admin 200 Access",
	"revokeLeadConsent POST /v1/leads/{lead_id}/consents/{consent_id}/revoke leads:write 200 Leads",
	"revokeSession DELETE /v1/sessions/{session_id} admin 204 Access",
	"rotateApiKey POST /v1/api_keys/{key_id}/rotate admin 201 Access",
	"rotateWebhookSecret POST /v1/webhooks/{webhook_id}/rotate_secret webhooks 200 Webhooks",
	"selectFinanceStructure POST /v1/deals/{deal_id}/finance_structures/{structure_id}/select deals:write 200 Finance",
	"sendLeadMessage POST /v1/leads/{lead_id}/messages leads:write 202 Leads",
	"signDocument POST /v1/deals/{deal_id}/documents/{document_id}/sign deals:write 200 Finance",
	"submitFunding POST /v1/deals/{deal_id}/fundings deals:write 201 Finance",
	"testWebhook POST /v1/webhooks/{webhook_id}/test webhooks 202 Webhooks",
	"transitionHull POST /v1/hulls/{hull_id}/transition hulls:write 200 Hulls",
	"updateContact PATCH /v1/contacts/{contact_id} leads:write 200 Contacts",
	"updateDeal PATCH /v1/deals/{deal_id} deals:write 200 Deals",
	"updateDealership PATCH /v1/dealership admin 200 Dealership",
	"updateHull PATCH /v1/hulls/{hull_id} hulls:write 200 Hulls",
	"updateHullPhoto PATCH /v1/hulls/{hull_id}/photos/{photo_id} hulls:write 200 Hulls",
	"updateLead PATCH /v1/leads/{lead_id} leads:write 200 Leads",
	"updateLocation PATCH /v1/locations/{location_id} admin 200 Dealership",
	"updateRole PATCH /v1/roles/{role_id} admin 200 Dealership",
	"updateUser PATCH /v1/users/{user_id} admin 200 Dealership",
	"updateWebhook PATCH /v1/webhooks/{webhook_id} webhooks 200 Webhooks",
	"uploadHullPhoto POST /v1/hulls/{hull_id}/photos hulls:write 201 Hulls",
	"verifyMfaFactor POST /v1/users/{user_id}/mfa_factors/{factor_id}/verify admin 200 Access",
	"voidDocument POST /v1/deals/{deal_id}/documents/{document_id}/void deals:write 200 Finance",
	"withdrawHull DELETE /v1/hulls/{hull_id}/syndication/{channel_id} hulls:write 200 Hulls",
}

func TestOperations(t *testing.T) {
	var got []string
	for _, o := range operations() {
		got = append(got, strings.Join([]string{o.OperationID, o.Method, o.Path, needs(o), successOf(o), strings.Join(o.Tags, "+")}, " "))
	}
	slices.Sort(got)
	if !slices.Equal(got, expected) {
		t.Errorf("operations differ:\n%s", strings.Join(difference(got, expected), "\n"))
	}
}

// Whoever reads the description must be able to use it: every operation says
// what it does and how it fails, every field of ours what it holds.
func TestDescriptionIsWhole(t *testing.T) {
	doc := app.OpenAPI()
	families := map[string]bool{}
	for _, tag := range doc.Tags {
		families[tag.Name] = true
	}
	ids := map[string]bool{}
	for _, o := range operations() {
		if ids[o.OperationID] || o.OperationID == "" {
			t.Errorf("operation id %q is missing or used twice", o.OperationID)
		}
		ids[o.OperationID] = true
		if o.Summary == "" || len(o.Tags) != 1 || !families[o.Tags[0]] {
			t.Errorf("%s: summary %q, tags %v", o.OperationID, o.Summary, o.Tags)
		}
		if len(o.Security) == 0 {
			t.Errorf("%s has no security", o.OperationID)
		}
		for _, set := range o.Security {
			for _, s := range set["bearer"] {
				if !auth.KnownScope(auth.Scope(s)) {
					t.Errorf("%s needs the unknown scope %s", o.OperationID, s)
				}
			}
		}
		for _, status := range []string{"400", "401", "403", "429", "500", "503"} {
			if o.Responses[status] == nil {
				t.Errorf("%s does not describe %s", o.OperationID, status)
			}
		}
	}
	snake := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	for name, schema := range doc.Components.Schemas.Map() {
		for field := range schema.Properties {
			if !snake.MatchString(field) {
				t.Errorf("%s.%s is not in snake_case", name, field)
			}
		}
	}
}

// operations are those of /v1, which need a credential.
func operations() (all []*huma.Operation) {
	for path, item := range app.OpenAPI().Paths {
		if !strings.HasPrefix(path, "/v1/") {
			continue
		}
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if o != nil {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b *huma.Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	return all
}

func needs(o *huma.Operation) string {
	var sets []string
	for _, set := range o.Security {
		sets = append(sets, strings.Join(set["bearer"], "+"))
	}
	if s := strings.Join(sets, "|"); s != "" {
		return s
	}
	return "-"
}

func successOf(o *huma.Operation) string { return strconv.Itoa(o.DefaultStatus) }

func difference(got, want []string) (lines []string) {
	for _, g := range got {
		if !slices.Contains(want, g) {
			lines = append(lines, "+ "+g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			lines = append(lines, "- "+w)
		}
	}
	return lines
}
