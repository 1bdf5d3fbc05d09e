package sales

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/proposals"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

const path = "/v2-preview/proposals"

// browser returns a browser in which a new user with roles uses the console.
func browser(t *testing.T, s *testkit.Server, roles ...string) (*testkit.Browser, *testkit.Person) {
	t.Helper()
	p := s.Person(roles...)
	b := s.Browser()
	v := b.SignIn(b.Open("/console/test/approvals"), p.Email, testkit.Password, "")
	assert.Equal(t, v.StatusCode, 200, v.Text)
	b.Header = http.Header{"Slipway-Mode": {"test"}, "Sec-Fetch-Site": {"same-origin"}}
	return b, p
}

func priceChange(hull string, price int) map[string]any {
	return map[string]any{
		"operation_id": "adjustHullPricing", "path": map[string]string{"hull_id": hull},
		"body": map[string]any{"price_usd": price}, "reason": "Similar boats cost less.",
	}
}

func approve(b *testkit.Browser, id string) testkit.View {
	return b.Send("POST", "/console/api"+path+"/"+id+"/approve", "")
}

// approveAs approves a proposal as it was shown.
func approveAs(b *testkit.Browser, id string, seen proposals.Proposal) testkit.View {
	return approveWith(b, id, map[string]any{"pins": seen.Preview.Pins})
}

func approveWith(b *testkit.Browser, id string, body map[string]any) testkit.View {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return b.Send("POST", "/console/api"+path+"/"+id+"/approve", string(text))
}

// fromTo returns a row of the preview.
func fromTo(p proposals.Proposal, label string) string {
	for _, r := range p.Preview.Rows {
		switch {
		case r.Label == label && r.From != nil:
			return *r.From + " → " + r.To
		case r.Label == label:
			return r.To
		}
	}
	return "no row " + label
}

func priceOf(s *testkit.Server, hull string) int64 {
	var h struct {
		Price int64 `json:"price_usd"`
	}
	s.Test.Get("/v1/hulls/"+hull, 200, &h)
	return h.Price
}

// A program proposes, a person approves, and the operation runs once, as the person.
func TestApprove(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 120000})
		var p, got proposals.Proposal
		s.Test.Post(path, priceChange(hull, 99000), 201, &p)
		assert.Equal(t, p.Status, proposals.Pending)
		assert.Equal(t, p.ProposedBy.Type, "api_key")
		assert.Equal(t, *p.ObjectID, hull)
		assert.Equal(t, fromTo(p, "Price"), "$120,000 → $99,000")
		assert.Equal(t, p.Preview.Path, "/v1/hulls/"+hull+"/pricing")
		assert.Contains(t, p.Preview.Title, "Lower the price of the 2024 Grady-White")
		assert.Contains(t, p.URL, "/console/test/approvals/"+p.ID)
		assert.Equal(t, p.ExpiresAt.Sub(p.CreatedAt), 7*24*time.Hour)

		// Programs can't approve, and people without the scope can't either.
		s.Test.Post(path+"/"+p.ID+"/approve", nil, 403, nil).WantDetail(t, "Authorization", "console_only")
		person := s.Person("manager")
		person.Post(path+"/"+p.ID+"/approve", nil, 403, nil).WantDetail(t, "Authorization", "console_only", "a session without a browser")
		viewer, _ := browser(t, s, "viewer")
		assert.Equal(t, approve(viewer, p.ID).StatusCode, 403, "without the scope")
		assert.Equal(t, priceOf(s, hull), 120000)

		b, manager := browser(t, s, "manager")
		v := approve(b, p.ID)
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, priceOf(s, hull), 99000)
		s.Test.Get(path+"/"+p.ID, 200, &got)
		assert.Equal(t, got.Status, proposals.Approved)
		assert.Equal(t, *got.DecidedBy, manager.ID)
		assert.Equal(t, got.Result.Status, 200)
		actors := testkit.Rows[string](s, `SELECT actor_id FROM audit_entries WHERE action IN ('hull.price_changed', 'proposal.approved') AND target_id IN (?, ?)`, hull, p.ID)
		assert.Equal(t, actors, []string{manager.ID, manager.ID}, "actors of the change and of the approval")
		assert.Equal(t, approve(b, p.ID).StatusCode, 200, "again")
		assert.Equal(t, s.EventTypes(p.ID), []string{"proposal.created", "proposal.approved"})

		other, _ := browser(t, s, "manager")
		assert.Equal(t, approve(other, p.ID).StatusCode, 409, "by another person")
		s.Test.Post(path+"/"+p.ID+"/decline", nil, 409, nil).WantDetail(t, "status", "state")
	})
}

// Of many approvals at the same time, one runs the operation.
func TestApproveConcurrently(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		lead := s.Test.Lead(nil)
		var p proposals.Proposal
		s.Test.Post(path, map[string]any{
			"operation_id": "createActivity", "body": map[string]any{"object_id": lead, "kind": "note", "body": "Call her on Monday"}, "reason": "She asked.",
		}, 201, &p)
		first, _ := browser(t, s, "manager")
		second, _ := browser(t, s, "manager")
		testkit.Concurrently(t, 12, func(i int) (*testkit.Response, error) {
			v := approve([]*testkit.Browser{first, second}[i%2], p.ID)
			return &testkit.Response{Response: v.Response, Bytes: []byte(v.Text)}, nil
		})
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM activities`)[0], 1, "notes")
		assert.Equal(t, s.EventTypes(p.ID), []string{"proposal.created", "proposal.approved"})
	})
}

// If something changed after the approver saw it, nothing is done. The proposal shows what
// changed, and waits for another decision.
func TestChangedObject(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), map[string]any{"price_usd": 120000})
		var p, got proposals.Proposal
		s.Test.Post(path, priceChange(hull, 99000), 201, &p)
		s.Test.Put("/v1/hulls/"+hull+"/pricing", `{"price_usd": 110000}`, 200, nil)

		b, _ := browser(t, s, "manager")
		v := approve(b, p.ID)
		assert.Equal(t, v.StatusCode, 409, v.Text)
		assert.Contains(t, v.Text, `"code":"changed"`)
		assert.Equal(t, priceOf(s, hull), 110000)
		s.Test.Get(path+"/"+p.ID, 200, &got)
		assert.Equal(t, got.Status, proposals.Pending)
		assert.Equal(t, fromTo(got, "Price"), "$110,000 → $99,000")
		assert.Equal(t, got.Preview.Changed[0].Label, "Price")
		assert.Equal(t, *got.Preview.Changed[0].From+" "+got.Preview.Changed[0].To, "$120,000 $110,000")
		assert.Equal(t, s.EventTypes(p.ID), []string{"proposal.created"})

		assert.Equal(t, approveAs(b, p.ID, p).StatusCode, 409, "with the pins of the first preview")
		assert.Equal(t, approveAs(b, p.ID, got).StatusCode, 200, "with those of the new one")
		assert.Equal(t, priceOf(s, hull), 99000)
	})
}

func TestDeclineAndExpire(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		var declined, withdrawn, expired, got proposals.Proposal
		s.Test.Post(path, priceChange(hull, 99000), 201, &declined)
		s.Test.Post(path, priceChange(hull, 98000), 201, &withdrawn)
		s.Test.Post(path, priceChange(hull, 97000), 201, &expired)

		b, manager := browser(t, s, "manager")
		v := b.Send("POST", "/console/api"+path+"/"+declined.ID+"/decline", `{"reason": "Too low"}`)
		assert.Equal(t, v.StatusCode, 200, v.Text)
		s.Test.Get(path+"/"+declined.ID, 200, &got)
		assert.Equal(t, got.Status, proposals.Declined)
		assert.Equal(t, *got.DeclineReason, "Too low")
		assert.Equal(t, *got.DecidedBy, manager.ID)
		other := s.As(s.Key(auth.HullsWrite))
		other.Post(path+"/"+withdrawn.ID+"/decline", nil, 403, nil).WantDetail(t, "Authorization", "console_only", "another program")
		s.Test.Post(path+"/"+withdrawn.ID+"/decline", nil, 200, nil)

		ids := func(status string) []string {
			var list page.Page[proposals.Proposal]
			s.Test.Get(path+"?status="+status, 200, &list)
			found := []string{}
			for _, p := range list.Data {
				found = append(found, p.ID)
			}
			return found
		}
		assert.Equal(t, ids("pending"), []string{expired.ID})
		s.Advance(7*24*time.Hour + time.Second)
		assert.Equal(t, ids("pending"), []string{})
		assert.Equal(t, ids("expired"), []string{expired.ID})
		b, _ = browser(t, s, "manager")
		assert.Equal(t, approve(b, expired.ID).StatusCode, 409, "after 7 days")

		api := proposals.API{DB: s.DB, Jobs: s.Jobs, Box: s.Box}
		if err := api.SettleProposal(auth.InEnv(t.Context(), s.TestEnv()), proposals.SettleProposal{Env: s.TestEnv(), ID: expired.ID}); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, s.EventTypes(expired.ID), []string{"proposal.created", "proposal.expired"})
		assert.Equal(t, ids("expired"), []string{expired.ID})

		s.Advance(84 * 24 * time.Hour)
		if _, err := db.Write(t.Context(), s.DB, proposals.DeleteExpired); err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM proposals`)[0], 0, "after 90 days")
	})
}

// A claim of a server that stopped ends after five minutes.
func TestServerStops(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		var p proposals.Proposal
		s.Test.Post(path, priceChange(hull, 99000), 201, &p)
		b, manager := browser(t, s, "manager")

		// It stopped before the operation.
		s.Exec(`UPDATE proposals SET status = 'running', claimed_by = ?, claimed_at = ? WHERE id = ?`, manager.ID, s.DB.Now().UTC(), p.ID)
		assert.Equal(t, approve(b, p.ID).StatusCode, 409, "while it might still run")
		s.Advance(6 * time.Minute)
		v := approve(b, p.ID)
		assert.Equal(t, v.StatusCode, 200, v.Text)
		assert.Equal(t, priceOf(s, hull), 99000)

		changes := func() int64 {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM hull_price_changes WHERE hull_id = ?`, hull)[0]
		}
		before := changes()

		// It stopped after the operation. Another person tries again, and it doesn't run twice.
		s.Exec(`UPDATE proposals SET status = 'running', decided_by = NULL, decided_at = NULL, result = NULL, claimed_at = ? WHERE id = ?`, s.DB.Now().UTC(), p.ID)
		s.Advance(6 * time.Minute)
		second, _ := browser(t, s, "manager")
		assert.Equal(t, approve(second, p.ID).StatusCode, 200)
		assert.Equal(t, changes(), before, "price changes")
		assert.Equal(t, testkit.Rows[string](s, `SELECT decided_by FROM proposals WHERE id = ?`, p.ID)[0], manager.ID)
	})
}

// The server stops after it has run a DELETE. The approval succeeds when it is tried again,
// although what was deleted no longer exists.
func TestServerStopsAfterDelete(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		deal := s.Test.Deal(nil)
		var trade struct{ ID string }
		s.Test.Post("/v1/deals/"+deal+"/trade_ins", `{"make":"Boston Whaler","model":"170 Montauk","year":2015,"allowance_cents":1200000}`, 201, &trade)
		var p, got proposals.Proposal
		s.Test.Post(path, map[string]any{
			"operation_id": "removeTradeIn", "path": map[string]string{"deal_id": deal, "trade_in_id": trade.ID}, "reason": "She keeps it.",
		}, 201, &p)
		b, manager := browser(t, s, "manager")
		v := approve(b, p.ID)
		assert.Equal(t, v.StatusCode, 200, v.Text)
		s.Test.Get(path+"/"+p.ID, 200, &got)
		assert.Equal(t, got.Result.Status, 204)

		s.Exec(`UPDATE proposals SET status = 'running', decided_by = NULL, decided_at = NULL, result = NULL, claimed_at = ? WHERE id = ?`, s.DB.Now().UTC(), p.ID)
		s.Advance(6 * time.Minute)
		second, _ := browser(t, s, "manager")
		v = approve(second, p.ID)
		assert.Equal(t, v.StatusCode, 200, v.Text)
		s.Test.Get(path+"/"+p.ID, 200, &got)
		assert.Equal(t, got.Status, proposals.Approved)
		assert.Equal(t, *got.DecidedBy, manager.ID)
	})
}

// What is wrong is reported when it is proposed.
func TestInvalidProposals(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		change := func(edit func(p map[string]any)) map[string]any {
			p := priceChange(hull, 99000)
			edit(p)
			return p
		}
		for name, c := range map[string]struct {
			body        map[string]any
			status      int
			field, code string
		}{
			"an unknown operation": {change(func(p map[string]any) { p["operation_id"] = "sinkHull" }), 422, "operation_id", "not_found"},
			"a read":               {change(func(p map[string]any) { p["operation_id"] = "getHull" }), 422, "operation_id", "not_proposable"},
			"a credential":         {change(func(p map[string]any) { p["operation_id"] = "createApiKey" }), 422, "operation_id", "not_proposable"},
			"a payment":            {change(func(p map[string]any) { p["operation_id"] = "refundPayment" }), 422, "operation_id", "not_proposable"},
			"a proposal":           {change(func(p map[string]any) { p["operation_id"] = "approveProposal" }), 422, "operation_id", "not_proposable"},
			"no path parameter":    {change(func(p map[string]any) { delete(p, "path") }), 400, "path.hull_id", "required"},
			"another path":         {change(func(p map[string]any) { p["path"] = map[string]any{"hull_id": "../users"} }), 422, "path.hull_id", "format"},
			"an unknown parameter": {change(func(p map[string]any) { p["query"] = map[string]any{"x": "1"} }), 422, "query.x", "unknown_parameter"},
			"no body":              {change(func(p map[string]any) { delete(p, "body") }), 400, "body", "required"},
			"an invalid value":     {change(func(p map[string]any) { p["body"] = map[string]any{"price_usd": -1} }), 422, "body.price_usd", "minimum"},
			"an unknown field":     {change(func(p map[string]any) { p["body"] = map[string]any{"price_usd": 1, "x": 1} }), 422, "body.x", "unknown_field"},
			"an unknown object":    {priceChange("hull_00000000000000000000000000", 1), 422, "path.hull_id", "not_found"},
			"no reason":            {change(func(p map[string]any) { p["reason"] = "" }), 422, "reason", "too_short"},
		} {
			s.Test.Post(path, c.body, c.status, nil).WantDetail(t, c.field, c.code, name)
		}
		s.As(s.Key(auth.LeadsWrite)).Post(path, priceChange(hull, 99000), 403, nil).WantDetail(t, "Authorization", "scope")
		s.Live.Post(path, priceChange(hull, 99000), 422, nil).WantDetail(t, "path.hull_id", "not_found", "another environment")
		assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM proposals`)[0], 0)
	})
}

// The preview only has what the caller can read. Others see proposals that they could run.
func TestVisibility(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		hull := s.Test.Hull(s.Test.Location(), nil)
		var p proposals.Proposal
		s.As(s.Key(auth.HullsWrite)).Post(path, priceChange(hull, 99000), 201, &p)
		assert.Equal(t, len(p.Preview.Rows), 0, "rows that the caller can't read")
		assert.Equal(t, p.Preview.Title, p.Preview.Summary)

		sales := s.As(s.Key(auth.LeadsWrite))
		var list page.Page[proposals.Proposal]
		sales.Get(path, 200, &list)
		assert.Len(t, list.Data, 0)
		sales.Get(path+"/"+p.ID, 403, nil)
		s.Test.Get(path, 200, &list)
		assert.Len(t, list.Data, 1)
	})
}

// The content of a message is sealed, shows the send check, and is deleted with the contact.
func TestMessage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact := s.Test.Contact(nil)
		lead := s.Test.Lead(map[string]any{"contact_id": contact})
		var p proposals.Proposal
		s.Test.Post(path, map[string]any{
			"operation_id": "sendLeadMessage", "path": map[string]string{"lead_id": lead},
			"body":   map[string]any{"channel": "sms", "purpose": "transactional", "body": "PLAINTEXT"},
			"reason": "REASONTEXT",
		}, 201, &p)
		assert.Equal(t, p.Preview.Warnings[0].Code, "consent_missing")

		stored := string(testkit.Rows[[]byte](s, `SELECT sealed FROM proposals WHERE id = ?`, p.ID)[0])
		entries := strings.Join(testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE target_id = ?`, p.ID), " ")
		for _, text := range []string{"PLAINTEXT", "REASONTEXT"} {
			assert.Excludes(t, stored, text)
			assert.Excludes(t, entries, text)
		}

		b, _ := browser(t, s, "manager")
		v := approve(b, p.ID)
		assert.Equal(t, v.StatusCode, 409, v.Text)
		assert.Contains(t, v.Text, "consent_missing")

		var export map[string]json.RawMessage
		s.Test.Get("/v1/contacts/"+contact+"/export", 200, &export)
		assert.Contains(t, string(export["proposals"]), "PLAINTEXT")
		s.Test.Delete("/v1/contacts/"+contact, 204)
		s.Test.Get(path+"/"+p.ID, 404, nil)
	})
}
