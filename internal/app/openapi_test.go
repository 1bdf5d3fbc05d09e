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
	"slipway/internal/scope"
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
	"adjustHullPricing PUT /v1/hulls/{hull_id}/pricing hulls:write 200 Hulls",
	"archiveHull POST /v1/hulls/{hull_id}/archive hulls:write 200 Hulls",
	"assignUserRoles PUT /v1/users/{user_id}/roles admin 200 Dealership",
	"createApiKey POST /v1/api_keys admin 201 Access",
	"createChannel POST /v1/channels hulls:write 201 Hulls",
	"createHull POST /v1/hulls hulls:write 201 Hulls",
	"createHullImport POST /v1/hull_imports hulls:write 202 Hulls",
	"createLocation POST /v1/locations admin 201 Dealership",
	"createRole POST /v1/roles admin 201 Dealership",
	"deactivateUser POST /v1/users/{user_id}/deactivate admin 200 Dealership",
	"decodeHin GET /v1/hins/{hin} hulls:read 200 Hulls",
	"deleteChannel DELETE /v1/channels/{channel_id} hulls:write 204 Hulls",
	"deleteHullPhoto DELETE /v1/hulls/{hull_id}/photos/{photo_id} hulls:write 204 Hulls",
	"deleteLocation DELETE /v1/locations/{location_id} admin 204 Dealership",
	"deleteMfaFactor DELETE /v1/users/{user_id}/mfa_factors/{factor_id} admin 204 Access",
	"deleteRole DELETE /v1/roles/{role_id} admin 204 Dealership",
	"enrolMfaFactor POST /v1/users/{user_id}/mfa_factors admin 201 Access",
	"getApiKey GET /v1/api_keys/{key_id} admin 200 Access",
	"getChannelFeed GET /v1/channels/{channel_id}/feed hulls:read 200 Hulls",
	"getDealership GET /v1/dealership admin 200 Dealership",
	"getHull GET /v1/hulls/{hull_id} hulls:read 200 Hulls",
	"getHullImport GET /v1/hull_imports/{import_id} hulls:read 200 Hulls",
	"getHullPhotoContent GET /v1/hulls/{hull_id}/photos/{photo_id}/content hulls:read 200 Hulls",
	"getHullPricing GET /v1/hulls/{hull_id}/pricing hulls:read 200 Hulls",
	"getHullSpecs GET /v1/hulls/{hull_id}/specs hulls:read 200 Hulls",
	"getLocation GET /v1/locations/{location_id} hulls:read|admin 200 Dealership",
	"getMe GET /v1/me - 200 Access",
	"getUser GET /v1/users/{user_id} admin 200 Dealership",
	"listApiKeys GET /v1/api_keys admin 200 Access",
	"listAudit GET /v1/audit admin 200 Dealership",
	"listChannels GET /v1/channels hulls:read 200 Hulls",
	"listHullHistory GET /v1/hulls/{hull_id}/history hulls:read 200 Hulls",
	"listHullPhotos GET /v1/hulls/{hull_id}/photos hulls:read 200 Hulls",
	"listHullPriceChanges GET /v1/hulls/{hull_id}/price_changes hulls:read 200 Hulls",
	"listHullSyndication GET /v1/hulls/{hull_id}/syndication hulls:read 200 Hulls",
	"listHulls GET /v1/hulls hulls:read 200 Hulls",
	"listLocations GET /v1/locations hulls:read|admin 200 Dealership",
	"listRoles GET /v1/roles admin 200 Dealership",
	"listSessions GET /v1/sessions admin 200 Access",
	"listUsers GET /v1/users admin 200 Dealership",
	"provisionUser POST /v1/users admin 201 Dealership",
	"publishHull PUT /v1/hulls/{hull_id}/syndication/{channel_id} hulls:write 200 Hulls",
	"replaceHullSpecs PUT /v1/hulls/{hull_id}/specs hulls:write 200 Hulls",
	"revokeApiKey POST /v1/api_keys/{key_id}/revoke admin 200 Access",
	"revokeSession DELETE /v1/sessions/{session_id} admin 204 Access",
	"rotateApiKey POST /v1/api_keys/{key_id}/rotate admin 201 Access",
	"transitionHull POST /v1/hulls/{hull_id}/transition hulls:write 200 Hulls",
	"updateDealership PATCH /v1/dealership admin 200 Dealership",
	"updateHull PATCH /v1/hulls/{hull_id} hulls:write 200 Hulls",
	"updateHullPhoto PATCH /v1/hulls/{hull_id}/photos/{photo_id} hulls:write 200 Hulls",
	"updateLocation PATCH /v1/locations/{location_id} admin 200 Dealership",
	"updateRole PATCH /v1/roles/{role_id} admin 200 Dealership",
	"updateUser PATCH /v1/users/{user_id} admin 200 Dealership",
	"uploadHullPhoto POST /v1/hulls/{hull_id}/photos hulls:write 201 Hulls",
	"verifyMfaFactor POST /v1/users/{user_id}/mfa_factors/{factor_id}/verify admin 200 Access",
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
				if !scope.Known(scope.Scope(s)) {
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
