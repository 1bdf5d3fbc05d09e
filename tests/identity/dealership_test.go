package identity

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

const harbor = `{"line1": "12 Dock Street", "line2": "Slip 4", "city": "Annapolis", "region": "MD",
	"postal_code": "21401", "country": "US"}`

func TestNewDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var test, live dealership.Dealership
		res := s.Test.Get("/v1/dealership", 200, &test)
		s.Live.Get("/v1/dealership", 200, &live)
		assert.Equal(t, test.ID, live.ID)
		assert.Equal(t, test.Mode, "test")
		assert.Equal(t, live.Mode, "live")
		assert.Equal(t, test.Name, "Acme Marine")
		assert.Equal(t, test.Plan, dealership.Standard)
		assert.Equal(t, res.Header.Get("ETag"), `"1"`)
		want := dealership.Settings{
			StalledAfterHours: 72, QualifyAtScore: 60, DefaultHoldHours: 48, SoldWhen: "contracted", DefaultTaxRatePercent: "0",
			QuietHours: dealership.QuietHours{Start: "21:00", End: "08:00"}, DefaultTaxes: dealership.TaxRules{},
			TaxableLines: dealership.TaxableLines{Accessory: true, Discount: true}, Inbound: test.Settings.Inbound, AllowedApps: dealership.OnlyRegistered,
			LostReasons: test.Settings.LostReasons, DefaultFees: []dealership.FeeRule{}, Products: []dealership.CatalogProduct{},
			CampaignMessagesPerWeek: 2,
		}
		assert.Equal(t, test.Settings, want)
		assert.Equal(t, test.Settings.Inbound.TwilioURL == live.Settings.Inbound.TwilioURL, false, "the same URL in both environments")
		s.Test.Patch("/v1/dealership", `{"name": "Acme Marine, testing", "settings": {"sold_when": "funded"}}`, 200, nil)
		var after dealership.Dealership
		s.Live.Get("/v1/dealership", 200, &after)
		assert.Equal(t, after, live, "the live environment, after a change in the test environment")
	})
}

// The operator chooses the plan at bootstrap. Both environments return it.
// TestInvalidSettings checks that the API rejects a change.
func TestPlan(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		created, err := access.Bootstrap(t.Context(), s.DB, s.Box, access.NewDealership{Name: "Fleet Yachts", Owner: "fleet@example.com", Plan: dealership.Fleet})
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []auth.Mode{auth.Live, auth.Test} {
			key, err := db.Write(t.Context(), s.DB, func(ctx context.Context, tx *db.Tx) (access.IssuedKey, error) {
				env, err := dealership.FindEnvironment(ctx, tx, created.DealershipID, mode)
				if err != nil {
					return access.IssuedKey{}, err
				}
				return access.IssueKey(ctx, tx.In(env.Env), mode, access.KeyRequest{Name: "Plan", Scopes: []auth.Scope{auth.Admin}})
			})
			if err != nil {
				t.Fatal(err)
			}
			var d dealership.Dealership
			s.As(key.Key).Get("/v1/dealership", 200, &d)
			assert.Equal(t, d.Plan, dealership.Fleet, mode)
		}
	})
}

// Patches follow RFC 7396 (JSON merge patch), at any depth.
func TestUpdateDealership(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, patch := range []string{ // each changes the result of the one before
			`{}`,
			`{"name": "Acme & Sons"}`,
			`{"legal_name": "Acme Marine Sales, Inc.", "timezone": "America/Chicago"}`,
			`{"legal_name": null}`,
			`{"postal_address": ` + harbor + `}`,
			`{"postal_address": {"line2": null, "city": "Baltimore"}}`,
			`{"postal_address": null}`,
			`{"postal_address": {"line1": "1 Quay", "city": "Cowes", "country": "GB"}}`,
			`{"settings": {}}`,
			`{"settings": {"stalled_after_hours": 1, "default_hold_hours": 8760}}`,
			`{"settings": {"sold_when": "funded", "allow_delivery_before_funding": true}}`,
			`{"settings": {"quiet_hours": {"start": "22:30"}}}`,
			`{"settings": {"quiet_hours": {"end": "23:59"}}}`,
			`{"settings": {"quiet_hours": {"start": "00:00", "end": "00:00"}}}`,
			`{"settings": {"sender": {"email": "sales@example.com"}}}`,
			`{"settings": {"sender": {"sms": "+14105550123"}}}`,
			`{"settings": {"sender": {"email": null}}}`,
			`{"settings": {"sender": {}}}`,
			`{"settings": {"default_tax_rate_percent": "6.25", "sender": {"email": "boats@example.com", "sms": null}}}`,
		} {
			before := object(t, s.Test.Get("/v1/dealership", 200, nil).Bytes)
			after := object(t, s.Test.Patch("/v1/dealership", patch, 200, nil).Bytes)
			want := merge(before, object(t, []byte(patch))).(map[string]any)
			assert.Equal[any](t, after["version"], before["version"].(float64)+1, patch)
			want["version"], want["updated_at"] = after["version"], after["updated_at"]
			if address, ok := want["postal_address"].(map[string]any); ok {
				addNulls(address, "line2", "region", "postal_code")
			}
			assert.Equal(t, after, want, patch)
			assert.Equal(t, object(t, s.Test.Get("/v1/dealership", 200, nil).Bytes), after, patch, "read again")
		}
	})
}

// merge applies a patch with the algorithm of section 2 of RFC 7396.
func merge(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	merged := map[string]any{}
	if old, ok := target.(map[string]any); ok {
		for name, value := range old {
			merged[name] = value
		}
	}
	for name, value := range changes {
		if value == nil {
			merged[name] = nil // responses show a removed field as null
			continue
		}
		merged[name] = merge(merged[name], value)
	}
	return merged
}

// addNulls adds nulls for missing fields, because responses contain each
// documented field.
func addNulls(o map[string]any, fields ...string) {
	for _, name := range fields {
		if _, ok := o[name]; !ok {
			o[name] = nil
		}
	}
}

func object(t *testing.T, text []byte) (o map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return o
}

func TestInvalidSettings(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		before := s.Test.Get("/v1/dealership", 200, nil)
		for patch, c := range map[string]struct {
			status  int
			details []string // field and code
		}{
			`{"timezone": ""}`:                                                 {422, []string{"timezone enum"}},
			`{"timezone": "Local"}`:                                            {422, []string{"timezone enum"}},
			`{"timezone": "Mars/Olympus_Mons"}`:                                {422, []string{"timezone enum"}},
			`{"timezone": "../../etc/passwd"}`:                                 {422, []string{"timezone enum"}},
			`{"timezone": null}`:                                               {400, []string{"timezone type"}},
			`{"name": ""}`:                                                     {422, []string{"name too_short"}},
			`{"name": null}`:                                                   {400, nil},
			`{"plan": "fleet"}`:                                                {422, []string{"plan unknown_field"}},
			`{"settings": null}`:                                               {400, nil},
			`{"settings": {"anchor": 1}}`:                                      {422, []string{"settings.anchor unknown_field"}},
			`{"settings": {"stalled_after_hours": 0}}`:                         {422, []string{"settings.stalled_after_hours minimum"}},
			`{"settings": {"default_hold_hours": 8761}}`:                       {422, []string{"settings.default_hold_hours maximum"}},
			`{"settings": {"default_hold_hours": 1.5}}`:                        {400, []string{"settings.default_hold_hours type"}},
			`{"settings": {"sold_when": "delivered"}}`:                         {422, []string{"settings.sold_when enum"}},
			`{"settings": {"quiet_hours": {"start": "24:00"}}}`:                {422, []string{"settings.quiet_hours.start pattern"}},
			`{"settings": {"quiet_hours": {"start": "9:00"}}}`:                 {422, []string{"settings.quiet_hours.start pattern"}},
			`{"settings": {"quiet_hours": {"end": "08:60"}}}`:                  {422, []string{"settings.quiet_hours.end pattern"}},
			`{"settings": {"quiet_hours": {"end": null}}}`:                     {400, nil},
			`{"settings": {"sender": {"email": "sales"}}}`:                     {422, []string{"settings.sender.email format"}},
			`{"settings": {"sender": {"sms": "0123"}}}`:                        {422, []string{"settings.sender.sms format"}},
			`{"postal_address": {"city": "Annapolis"}}`:                        {400, []string{"postal_address.line1 required", "postal_address.country required"}},
			`{"postal_address": {"country": "usa"}}`:                           {422, []string{"postal_address.country pattern"}},
			`{"timezone": "X", "settings": {"sold_when": "x"}, "name": ""}`:    {422, []string{"timezone enum", "settings.sold_when enum", "name too_short"}},
			`{"timezone": "X", "settings": {"default_tax_rate_percent": "x"}}`: {422, []string{"timezone enum", "settings.default_tax_rate_percent pattern"}},
		} {
			f := s.Test.Patch("/v1/dealership", patch, c.status, nil).Fault(t)
			for _, d := range c.details {
				field, code, _ := strings.Cut(d, " ")
				f.WantDetail(t, field, code, patch)
			}
		}
		assert.Equal(t, string(s.Test.Get("/v1/dealership", 200, nil).Bytes), string(before.Bytes), "after the rejected changes")
	})
}

// A tax rate has up to four decimals and is stored exactly as sent.
func TestTaxRate(t *testing.T) {
	s := testkit.OnSQLite(t)
	for rate, status := range map[string]int{
		"0": 200, "6": 200, "6.25": 200, "06": 200, "0.0001": 200, "99.9999": 200, "100": 200, "100.0000": 200,
		"": 422, "-1": 422, "+6": 422, "100.0001": 422, "101": 422, "6.12345": 422, "6.": 422, ".5": 422,
		"6,25": 422, "1e1": 422, " 6": 422, "six": 422, "٦": 422,
	} {
		res := s.Test.Patch("/v1/dealership", map[string]any{"settings": map[string]any{"default_tax_rate_percent": rate}}, status, nil)
		if status == 422 {
			res.WantDetail(t, "settings.default_tax_rate_percent", "pattern", rate)
			continue
		}
		var d dealership.Dealership
		s.Test.Get("/v1/dealership", 200, &d)
		assert.Equal(t, d.Settings.DefaultTaxRatePercent, rate)
	}
}

func TestDealershipIfMatch(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, c := range []struct {
			match  string
			status int
		}{{`"1"`, 200}, {`"1"`, 409}, {`"3"`, 409}, {`"2"`, 200}, {`*`, 200}, {`2`, 400}} {
			res := s.Test.With("If-Match", c.match).Patch("/v1/dealership", `{"name": "Acme"}`, c.status, nil)
			if c.status == 409 && !res.Fault(t).HasDetail("If-Match", "stale") {
				t.Errorf("%s: got %s, want the detail If-Match stale", c.match, res.Bytes)
			}
		}
		assert.Equal(t, s.Test.Get("/v1/dealership", 200, nil).Header.Get("ETag"), `"4"`, "after three changes")
	})
}
