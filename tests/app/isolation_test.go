package app

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// recipe is a request that succeeds with the right credential. params creates the
// resources in the path and returns their IDs. An operation without a recipe fails
// the test.
type recipe struct {
	params func(c *testkit.Client) map[string]string
	body   func(c *testkit.Client) any
}

var recipes = map[string]recipe{
	"createContact":        {nil, fixed(`{"last_name": "Bell", "email": "ann@example.com"}`)},
	"getContact":           {aContact, nil},
	"listContacts":         {},
	"updateContact":        {aContact, fixed(`{"first_name": "Ann"}`)},
	"assignLead":           {aLead, func(c *testkit.Client) any { return map[string]string{"user_id": c.User(nil)} }},
	"closeLead":            {aLead, fixed(`{"reason": "Bought elsewhere"}`)},
	"createLead":           {nil, fixed(`{"contact": {"last_name": "Bell", "email": "ann@example.com"}}`)},
	"getLead":              {aLead, nil},
	"listLeadAssignments":  {aLead, nil},
	"listLeadSignals":      {aLead, nil},
	"listLeads":            {},
	"recordLeadSignal":     {aLead, fixed(`{"kind": "price_view"}`)},
	"updateLead":           {aLead, fixed(`{"status": "contacted"}`)},
	"eraseContact":         {aContact, nil},
	"exportContact":        {aContact, nil},
	"listContactConsents":  {aContact, nil},
	"listLeadConsents":     {aLead, nil},
	"listLeadMessages":     {aLead, nil},
	"logLeadConsent":       {aLead, fixed(`{"channels": ["sms", "email"], "scope": "all"}`)},
	"mergeContact":         {aContact, func(c *testkit.Client) any { return map[string]string{"duplicate_id": c.Contact(nil)} }},
	"receiveLeadMessage":   {aLead, fixed(`{"channel": "sms", "from": "+14105550123", "body": "Is the boat still available?"}`)},
	"revokeLeadConsent":    {aConsent, nil},
	"sendLeadMessage":      {aLeadWithConsent, fixed(`{"channel": "sms", "purpose": "transactional", "body": "Your boat is ready."}`)},
	"createApiKey":         {nil, fixed(`{"name": "Website", "scopes": ["hulls:read"]}`)},
	"deleteMfaFactor":      {aFactor, nil},
	"enrollMfaFactor":      {aMember, fixed(`{"kind": "totp"}`)},
	"getApiKey":            {aKey, nil},
	"listApiKeys":          {},
	"listAudit":            {},
	"listSessions":         {},
	"revokeApiKey":         {aKey, nil},
	"revokeSession":        {aSession, nil},
	"rotateApiKey":         {aKey, nil},
	"verifyMfaFactor":      {aWebAuthnFactor, nil},
	"assignUserRoles":      {aUser, fixed(`{"role_ids": []}`)},
	"createRole":           {nil, fixed(`{"name": "detailing", "scopes": ["hulls:read"]}`)},
	"deactivateUser":       {aUser, nil},
	"deleteRole":           {aRole, nil},
	"getDealership":        {},
	"getUser":              {aUser, nil},
	"listRoles":            {},
	"listUsers":            {},
	"provisionUser":        {nil, fixed(`{"email": "ben@example.com", "name": "Ben"}`)},
	"updateDealership":     {nil, fixed(`{"name": "Acme Marine and Sons"}`)},
	"updateRole":           {aRole, fixed(`{"name": "rigging"}`)},
	"updateUser":           {aUser, fixed(`{"name": "Benjamin"}`)},
	"adjustHullPricing":    {aHull, fixed(`{"price_usd": 99000}`)},
	"archiveHull":          {aHull, nil},
	"createHull":           {nil, func(c *testkit.Client) any { return testkit.HullBody(c.Location(), nil) }},
	"createLocation":       {nil, fixed(`{"name": "Harbor West"}`)},
	"decodeHin":            {func(*testkit.Client) map[string]string { return map[string]string{"hin": "GRT40912B324"} }, nil},
	"deleteLocation":       {aLocation, nil},
	"getHull":              {aHull, nil},
	"getHullPricing":       {aHull, nil},
	"getHullSpecs":         {aHull, nil},
	"getLocation":          {aLocation, nil},
	"getMe":                {},
	"listHullHistory":      {aHull, nil},
	"listHullPriceChanges": {aHull, nil},
	"listHulls":            {},
	"listLocations":        {},
	"replaceHullSpecs":     {aHull, fixed(`{"beam_ft": 8.5}`)},
	"transitionHull":       {aHull, fixed(`{"to": "not_for_sale"}`)},
	"updateHull":           {aHull, fixed(`{"title": "One owner"}`)},
	"createChannel":        {nil, fixed(`{"name": "Website"}`)},
	"createHullImport":     {nil, func(c *testkit.Client) any { return c.ImportFile() }},
	"deleteChannel":        {aChannel, nil},
	"deleteHullPhoto":      {aPhoto, nil},
	"getChannelFeed":       {aChannel, nil},
	"getHullImport":        {anImport, nil},
	"getHullPhotoContent":  {aPhoto, nil},
	"listChannels":         {},
	"listHullPhotos":       {aHull, nil},
	"listHullSyndication":  {aHull, nil},
	"publishHull":          {aListing, nil},
	"updateHullPhoto":      {aPhoto, fixed(`{"caption": "At the dock"}`)},
	"uploadHullPhoto":      {aHull, func(*testkit.Client) any { return testkit.Picture() }},
	"withdrawHull":         {aListing, nil},
	"createApp":            {nil, fixed(`{"name": "Fleet Sync", "redirect_uris": ["https://example.com/cb"], "scopes": ["hulls:read"]}`)},
	"deleteApp":            {anApp, nil},
	"getApp":               {anApp, nil},
	"listApps":             {},
	"listInstalls":         {},
	"revokeInstall":        {anInstall, nil},
	"rotateAppSecret":      {anApp, nil},
	"updateApp":            {anApp, fixed(`{"name": "Fleet Sync 2"}`)},
	"createSsoConnection":  {nil, aNewConnection},
	"deleteSsoConnection":  {aConnection, nil},
	"getSsoConnection":     {aConnection, nil},
	"listSsoConnections":   {aConnection, nil},
	"updateSsoConnection":  {aConnection, fixed(`{"name": "Acme Okta 2"}`)},
	"updateLocation":       {aLocation, fixed(`{"name": "Harbor North"}`)},
}

// webhookRecipes are the recipes of webhooks and events.
var webhookRecipes = map[string]recipe{
	"createWebhook":       {nil, fixed(`{"url": "https://example.com/hook", "events": ["*"]}`)},
	"deleteWebhook":       {aWebhook, nil},
	"drainDeadLetters":    {aWebhook, fixed(`{"action": "discard"}`)},
	"getDelivery":         {aDelivery, nil},
	"getEvent":            {anEvent, nil},
	"getWebhook":          {aWebhook, nil},
	"listDeadLetters":     {aWebhook, nil},
	"listDeliveries":      {aWebhook, nil},
	"listEvents":          {},
	"listWebhooks":        {},
	"replayEvents":        {aWebhook, fixed(`{"since": "2026-01-01T00:00:00Z"}`)},
	"retryDelivery":       {aDelivery, nil},
	"rotateWebhookSecret": {aWebhook, nil},
	"testWebhook":         {aWebhook, nil},
	"updateWebhook":       {aWebhook, fixed(`{"events": ["hull.*"]}`)},
}

// previewRecipes are the recipes of the preview.
var previewRecipes = map[string]recipe{
	"preview.listHullsV2":             {},
	"preview.createHullV2":            {nil, aPreviewHull},
	"preview.getHullV2":               {aHull, nil},
	"preview.updateHullV2":            {aHull, fixed(`{"title": "One owner"}`)},
	"preview.getHullPricingV2":        {aHull, nil},
	"preview.updateHullPricing":       {aHull, fixed(`{"price": {"amount": 9900000, "currency": "USD"}}`)},
	"preview.getListingAgreement":     {aListedHull, nil},
	"preview.replaceListingAgreement": {aHull, anAgreement},
	"preview.deleteListingAgreement":  {aListedHull, nil},
	"preview.listDealsV2":             {},
	"preview.createDealV2":            {nil, aPreviewDeal},
	"preview.getDealV2":               {aDeal, nil},
	"preview.streamEvents":            {},
	"preview.updateTradeIn":           {aTradeIn, fixed(`{"payoff": {"amount": 100, "currency": "USD"}}`)},
	"preview.getScim":                 {aSCIMConnection, nil},
	"preview.createScimToken":         {aConnection, aProof},
	"preview.deleteScimToken":         {aSCIMConnection, nil},
	"preview.updateChannel":           {aChannel, fixed(`{"name": "Our website"}`)},
	"preview.rotateChannelFeedUrl":    {aChannel, nil},
	"preview.revokeChannelFeedUrl":    {aChannel, nil},
	"preview.rotateChannelSecret":     {aChannel, nil},
	"preview.uploadDocument":          {aDeal, aScan},
	"preview.replaceLogo":             {aLogo, func(*testkit.Client) any { return testkit.Picture() }},
	"preview.getLogo":                 {aLogo, nil},
	"preview.deleteLogo":              {aLogo, nil},
	"preview.getExecutedDocument":     {aSignedDocument, nil},
	"preview.listHullImportErrors":    {anImport, nil},
	"preview.triggerEvent":            {nil, fixed(`{"type": "deal.accepted"}`)},
	"preview.receiveMessage": {nil, fixed(`{"channel": "sms", "from": "+14105550123", "body": "Is the boat still available?",
		"provider_message_id": "SM1"}`)},
}

func anAgreement(c *testkit.Client) any {
	return map[string]any{"owner_contact_id": c.Contact(nil), "kind": "exclusive", "commission_percent": "10"}
}

func aListedHull(c *testkit.Client) map[string]string {
	path := aHull(c)
	c.Put("/v2-preview/hulls/"+path["hull_id"]+"/listing_agreement", anAgreement(c), 200, nil)
	return path
}

func aPreviewHull(c *testkit.Client) any {
	body := testkit.HullBody(c.Location(), nil)
	delete(body, "price_usd")
	body["price"] = map[string]any{"amount": 12490000, "currency": "USD"}
	return body
}

func aPreviewDeal(c *testkit.Client) any {
	body := c.DealBody(nil)
	delete(body, "offer_usd")
	body["offer"] = map[string]any{"amount": 11800000, "currency": "USD"}
	return body
}

func init() {
	maps.Copy(recipes, webhookRecipes)
	maps.Copy(recipes, previewRecipes)
}

func aConnection(c *testkit.Client) map[string]string {
	return map[string]string{"connection_id": c.SSOConnection(map[string]any{"issuer": "https://acme.example.com"}).ID}
}

// aProof is a body with nothing else.
func aProof(c *testkit.Client) any { return map[string]any{"mfa_token": c.Proof()} }

// aSCIMConnection has a token.
func aSCIMConnection(c *testkit.Client) map[string]string {
	params := aConnection(c)
	c.Post("/v2-preview/sso_connections/"+params["connection_id"]+"/scim_token", aProof(c), 200, nil)
	return params
}

// aNewConnection is the body of a connection. It is only for the fleet plan.
func aNewConnection(c *testkit.Client) any {
	c.Fleet()
	return `{"name": "Acme Okta", "issuer": "https://acme.example.com", "client_id": "1", "client_secret": "2"}`
}

func aWebhook(c *testkit.Client) map[string]string {
	var w struct{ ID string }
	c.Post("/v1/webhooks", `{"url": "https://example.com/hook", "events": ["*"]}`, 201, &w)
	return map[string]string{"webhook_id": w.ID}
}

func aDelivery(c *testkit.Client) map[string]string {
	params := aWebhook(c)
	var d struct{ ID string }
	c.Post("/v1/webhooks/"+params["webhook_id"]+"/test", nil, 202, &d)
	params["delivery_id"] = d.ID
	return params
}

func anEvent(c *testkit.Client) map[string]string {
	var d struct {
		EventID string `json:"event_id"`
	}
	c.Post("/v1/webhooks/"+aWebhook(c)["webhook_id"]+"/test", nil, 202, &d)
	return map[string]string{"event_id": d.EventID}
}

// shared are operations whose parameters don't refer to an environment.
var shared = []string{"decodeHin"}

func aHull(c *testkit.Client) map[string]string {
	return map[string]string{"hull_id": c.Hull(c.Location(), nil)}
}

// aHeldHull returns a hull on hold.
func aHeldHull(c *testkit.Client) map[string]string {
	hull := aHull(c)
	c.Post("/v1/hulls/"+hull["hull_id"]+"/transition", `{"to": "on_hold"}`, 200, nil)
	return hull
}

func aContact(c *testkit.Client) map[string]string {
	return map[string]string{"contact_id": c.Contact(nil)}
}

func aLead(c *testkit.Client) map[string]string {
	return map[string]string{"lead_id": c.Lead(nil)}
}

// aLeadWithConsent returns a lead who can receive text messages.
func aLeadWithConsent(c *testkit.Client) map[string]string {
	lead := c.Lead(nil)
	c.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms"], "scope": "all"}`, 201, nil)
	return map[string]string{"lead_id": lead}
}

func aConsent(c *testkit.Client) map[string]string {
	lead := c.Lead(nil)
	var created struct{ ID string }
	c.Post("/v1/leads/"+lead+"/consents", `{"channels": ["sms"], "scope": "all"}`, 201, &created)
	return map[string]string{"lead_id": lead, "consent_id": created.ID}
}

// aLogo uploads the logo of the dealership, which has no ID.
func aLogo(c *testkit.Client) map[string]string {
	c.Do("PUT", "/v2-preview/dealership/logo", testkit.Picture(), 200, nil)
	return nil
}

// aScan is a form with a file to upload as a document.
func aScan(*testkit.Client) any {
	const form = "--x\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nsurvey\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"scan.pdf\"\r\n\r\n%PDF-1.7\r\n--x--\r\n"
	return testkit.File{Type: "multipart/form-data; boundary=x", Bytes: []byte(form)}
}

func aPhoto(c *testkit.Client) map[string]string {
	hull := c.Hull(c.Location(), nil)
	return map[string]string{"hull_id": hull, "photo_id": c.Photo(hull)}
}

func aChannel(c *testkit.Client) map[string]string {
	return map[string]string{"channel_id": c.Channel(nil)}
}

func aListing(c *testkit.Client) map[string]string {
	return map[string]string{"hull_id": c.Hull(c.Location(), nil), "channel_id": c.Channel(nil)}
}

func anImport(c *testkit.Client) map[string]string {
	var i struct{ ID string }
	c.Post("/v1/hull_imports", c.ImportFile(), 202, &i)
	return map[string]string{"import_id": i.ID}
}

func aLocation(c *testkit.Client) map[string]string {
	return map[string]string{"location_id": c.Location()}
}

func aUser(c *testkit.Client) map[string]string {
	return map[string]string{"user_id": c.User(nil)}
}

func aRole(c *testkit.Client) map[string]string {
	return map[string]string{"role_id": c.Role("hulls:read")}
}

func aKey(c *testkit.Client) map[string]string {
	var k struct{ ID string }
	c.Post("/v1/api_keys", `{"name": "Website", "scopes": ["hulls:read"]}`, 201, &k)
	return map[string]string{"key_id": k.ID}
}

func anApp(c *testkit.Client) map[string]string {
	return map[string]string{"app_id": c.App(nil).ID}
}

func anInstall(c *testkit.Client) map[string]string {
	return map[string]string{"install_id": c.Install(c.App(nil).ID)}
}

func aFactor(c *testkit.Client) map[string]string { return factor(c, "totp") }

func aWebAuthnFactor(c *testkit.Client) map[string]string { return factor(c, "webauthn") }

func factor(c *testkit.Client, kind string) map[string]string {
	p := c.Person()
	var f struct{ ID string }
	p.Post("/v1/users/"+p.ID+"/mfa_factors", map[string]string{"kind": kind}, 201, &f)
	return map[string]string{"user_id": p.ID, "factor_id": f.ID}
}

// aMember is a user who can sign in.
func aMember(c *testkit.Client) map[string]string {
	return map[string]string{"user_id": c.Person().ID}
}

// selfService are the operations that only the user in the path can call. The scope
// is not enough.
var selfService = []string{"enrollMfaFactor", "verifyMfaFactor"}

// callerOf is the client whose request to an operation succeeds.
func callerOf(s *testkit.Server, o *huma.Operation, params map[string]string) *testkit.Client {
	if !slices.Contains(selfService, o.OperationID) {
		return s.Test
	}
	return s.As(s.Token(testkit.Rows[string](s, `SELECT email FROM users WHERE id = ?`, params["user_id"])[0]))
}

func aSession(c *testkit.Client) map[string]string {
	return map[string]string{"session_id": c.Session()}
}

func fixed(body string) func(*testkit.Client) any { return func(*testkit.Client) any { return body } }

// Each operation returns 401 without a credential and 403 without the scope. With a
// key of the other mode or of another dealership, it returns the same 404 as for an
// unknown ID. With the right key, it succeeds.
func TestIsolation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, o := range operations() {
			r, ok := recipes[o.OperationID]
			if !ok {
				t.Errorf("%s has no recipe. Add one to recipes.", o.OperationID)
				continue
			}
			t.Run(o.OperationID, func(t *testing.T) { checkIsolation(t, s, o, r) })
		}
	})
}

func checkIsolation(t *testing.T, s *testkit.Server, o *huma.Operation, r recipe) {
	s = s.In(t)
	path, unknown := o.Path, o.Path
	var params map[string]string
	if r.params != nil {
		params = r.params(s.Test)
		for name, value := range params {
			path = strings.ReplaceAll(path, "{"+name+"}", value)
			prefix, _, _ := strings.Cut(value, "_")
			unknown = strings.ReplaceAll(unknown, "{"+name+"}", prefix+"_00000000000000000000000000")
		}
	}
	if strings.Contains(path, "{") {
		t.Fatalf("got path %s, want a recipe with all path parameters", path)
	}
	var body any
	if r.body != nil {
		body = r.body(s.Test)
	}
	s.As("").Do(o.Method, path, body, 401, nil)
	s.As(mistyped(s.Test.Key)).Do(o.Method, path, body, 401, nil)

	need := scopesOf(o)
	if need != "-" {
		for _, missing := range strings.FieldsFunc(need, func(r rune) bool { return r == '+' }) {
			f := s.As(s.Key(scopesWithout(missing)...)).Do(o.Method, path, body, 403, nil).Fault(t)
			assert.Contains(t, f.Message, strings.Split(missing, "|")[0], "message of the 403")
		}
	}
	if strings.Contains(o.Path, "{") && !slices.Contains(shared, o.OperationID) {
		for who, c := range map[string]*testkit.Client{"live": s.Live, "another dealership": s.Other} {
			existing := c.Do(o.Method, path, body, 404, nil)
			missing := c.Do(o.Method, unknown, body, 404, nil)
			assert.Equal(t, withoutIDs(existing.Bytes), withoutIDs(missing.Bytes), who)
		}
	}
	want := 200
	if success := successOf(o); success != "200" {
		want = map[string]int{"201": 201, "202": 202, "204": 204}[success]
	}
	callerOf(s, o, params).Do(o.Method, path, body, want, nil)
	if strings.HasPrefix(o.OperationID, "list") && !strings.Contains(o.Path, "{") {
		checkList(t, s, path)
	}
}

// checkList fails if a list contains rows of another environment.
func checkList(t *testing.T, s *testkit.Server, path string) {
	type list struct{ Data []struct{ ID string } }
	var ours list
	s.Test.Get(path, 200, &ours)
	for who, c := range map[string]*testkit.Client{"live": s.Live, "another dealership": s.Other} {
		var theirs list
		c.Get(path, 200, &theirs)
		for _, row := range theirs.Data {
			if slices.Contains(ours.Data, row) {
				t.Errorf("%s: got %s of the test environment", who, row.ID)
			}
		}
	}
}

// mistyped changes the last character.
func mistyped(key string) string {
	last := key[len(key)-1]
	if last == 'a' {
		return key[:len(key)-1] + "b"
	}
	return key[:len(key)-1] + "a"
}

// scopesWithout returns all scopes except some, which are separated by |.
func scopesWithout(missing string) (scopes []auth.Scope) {
	for _, s := range auth.Scopes {
		if !slices.Contains(strings.Split(missing, "|"), string(s.Scope)) {
			scopes = append(scopes, s.Scope)
		}
	}
	return scopes
}

// withoutIDs removes the IDs from an error.
func withoutIDs(body []byte) string {
	text := string(body)
	for _, prefix := range []string{"req_", "hull_", "loc_", "usr_", "role_", "key_", "mfa_", "ses_", "con_", "lead_", "cns_",
		"deal_", "off_", "trd_", "fin_", "fund_", "stip_", "doc_", "pay_", "pho_", "chn_", "imp_", "whk_", "dlv_", "evt_", "app_", "inst_",
		"sso_", "apt_", "act_", "prp_", "msg_", "qtn_",
		"tpl_", "seg_", "cmp_", "dnc_", "plan_", "lpn_", "snip_", "view_"} {
		for {
			i := strings.Index(text, prefix)
			if i < 0 || i+len(prefix)+26 > len(text) {
				break
			}
			text = text[:i] + text[i+len(prefix)+26:]
		}
	}
	return text
}
