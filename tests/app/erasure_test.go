package app

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// quill is written in every text about a contact.
const quill = "Quillfeather"

// fillContact creates a contact with records of every kind. Each text contains the name.
func fillContact(s *testkit.Server) (contact, deal string) {
	c := s.Test
	contact = c.Contact(map[string]any{
		"first_name": quill, "last_name": quill, "company_name": quill, "email": quill + "@example.com", "phone": "+14105550123",
		"address": map[string]any{"line1": quill + " Street"}, "tags": []string{quill}, "metadata": map[string]any{"n": quill},
	})
	lead := "/v1/leads/" + c.Lead(map[string]any{
		"contact_id": contact, "source_detail": quill, "interest": quill, "message": quill, "timeline": quill,
		"metadata": map[string]any{"n": quill},
	})
	c.Post(lead+"/consents", map[string]any{
		"channels": []string{"sms", "email"}, "scope": "all", "basis": "express_written", "person_name": quill,
		"consent_text": "I, " + quill + ", agree", "consent_text_version": quill, "source": quill,
		"source_url": "https://example.com/" + quill,
		"method":     quill, "captured_by": quill, "user_agent": quill, "evidence": map[string]any{"n": quill}, "raw_text": quill,
	}, 201, nil)
	c.Post(lead+"/signals", map[string]any{"kind": "call", "source": quill}, 201, nil)
	c.Post(lead+"/assign", map[string]any{"user_id": c.User(nil), "reason": quill}, 200, nil)
	c.Post(lead+"/messages", map[string]any{"channel": "email", "purpose": "transactional", "subject": quill, "body": quill}, 202, nil)
	c.Post(lead+"/inbound_messages", map[string]any{
		"channel": "sms", "from": "+14105550123", "body": "It is " + quill, "provider_message_id": quill,
	}, 201, nil)
	c.Post(lead+"/close", map[string]any{"reason": quill}, 200, nil)

	hull := c.Hull(c.Location(), nil)
	id := c.Deal(map[string]any{"hull_id": hull, "buyer_id": contact, "deal_type": "finance", "metadata": map[string]any{"n": quill}})
	deal = "/v1/deals/" + id
	c.Post("/v1/hulls/"+hull+"/transition", map[string]any{"to": "on_hold", "deal_id": id, "reason": quill}, 200, nil)
	c.Patch(deal, map[string]any{"line_items": []map[string]any{
		{"kind": "accessory", "code": quill, "description": "Cushions for " + quill, "amount_cents": 100},
	}, "taxes": []map[string]any{{"name": quill, "rate_percent": "6", "exempt_reason": quill}}}, 200, nil)
	c.Post(deal+"/trade_ins", map[string]any{
		"description": quill, "hin": quill, "make": quill, "model": quill, "lienholder": quill, "allowance_cents": 100000,
	}, 201, nil)
	c.Post(deal+"/offers", map[string]any{"amount_usd": 119000, "made_by": "dealer", "note": quill}, 201, nil)
	c.Post(deal+"/offers/"+c.OpeningOffer(id)+"/accept", nil, 200, nil)
	fillAppointments(c, contact, strings.TrimPrefix(lead, "/v1/leads/"), deal)
	return contact, deal
}

// fillFinance adds the finance of a deal to what fillContact created.
func fillFinance(s *testkit.Server, deal string) {
	c := s.Test
	var structure, funding, stipulation struct{ ID string }
	c.Post(deal+"/finance_structures",
		map[string]any{"name": quill, "apr_percent": "7.49", "term_months": 240, "cash_down_cents": 100}, 201, &structure)
	c.Post(deal+"/finance_structures/"+structure.ID+"/select", nil, 200, nil)
	c.Post(deal+"/fundings", map[string]any{"lender": "Bay Federal", "reference": quill}, 201, &funding)
	path := deal + "/fundings/" + funding.ID
	c.Post(path+"/advance", map[string]any{
		"to": "conditional", "reason": quill, "decision": map[string]any{"tier": quill, "conditions": "The spouse of " + quill + " must sign"},
	}, 200, nil)
	c.Post(path+"/stipulations", map[string]any{"kind": "other", "description": quill}, 201, &stipulation)
	c.Post(path+"/stipulations/"+stipulation.ID+"/resolve", map[string]any{"status": "received", "note": quill}, 200, nil)
	var payment struct{ ID string }
	c.Post(deal+"/payments", map[string]any{"kind": "deposit", "method": "check", "amount_cents": 5000, "reference": quill}, 201, &payment)
	c.Post(deal+"/payments/"+payment.ID+"/refund", map[string]any{"amount_cents": 100, "reason": quill, "reference": quill}, 201, nil)
	var document struct{ ID string }
	c.Post(deal+"/documents", map[string]any{"kind": "purchase_agreement", "title": "Agreement with " + quill}, 201, &document)
	c.Post(deal+"/documents/"+document.ID+"/sign", map[string]any{"signer_role": "buyer", "signer_name": quill}, 200, nil)
	c.Post(deal+"/documents/"+document.ID+"/void", map[string]any{"reason": quill}, 200, nil)
}

// Text about a contact is written in each field of the API. It must not be in the
// audit log, and after the contact is erased it must not be anywhere.
func TestErasureLeavesNoText(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		stop := s.RunRelay()
		contact, deal := fillContact(s)
		fillFinance(s, deal)
		s.WaitForRelay()
		stop() // the events of the rest are in the outbox
		s.Test.Post(deal+"/cancel", map[string]any{"reason": quill, "deposit_outcome": "refund"}, 200, nil)
		for _, changes := range testkit.Rows[string](s, `SELECT action || ' ' || changes FROM audit_entries`) {
			assert.Excludes(t, strings.ToLower(changes), strings.ToLower(quill), "audit log")
		}

		s.Test.Delete("/v1/contacts/"+contact, 204)
		if s.DB.SQLite() {
			searchFile(t, filepath.Join(s.Data, "slipway.db"))
			return
		}
		for _, table := range testkit.Rows[string](s, `SELECT table_name FROM information_schema.tables
			WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`) {
			for _, row := range testkit.Rows[string](s, `SELECT CAST(t AS TEXT) FROM `+table+` t`) {
				assert.Excludes(t, strings.ToLower(row), strings.ToLower(quill), table)
			}
		}
	})
}

// searchFile fails if the file of a SQLite database contains the name, even in
// deleted rows.
func searchFile(t *testing.T, file string) {
	t.Helper()
	d, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lower := bytes.ToLower(text)
	if at := bytes.Index(lower, []byte(strings.ToLower(quill))); at >= 0 {
		t.Errorf("the database file contains the name: %q", text[max(0, at-200):min(len(text), at+200)])
	}
}

// The contact of a sale is erased. The law requires the documents, the amounts
// and the line items of the sale, but not what lenders and users wrote.
func TestErasureOfASaleKeepsItsBooks(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		contact, deal := fillContact(s)
		fillFinance(s, deal)
		s.Exec(`UPDATE deals SET status = 'closed'`)
		s.Test.Delete("/v1/contacts/"+contact, 204)

		for _, path := range []string{"/fundings", "/finance_structures", "/offers", "/history", "/trade_ins"} {
			text := strings.ReplaceAll(string(s.Test.Get(deal+path, 200, nil).Bytes), `"make":"`+quill+`"`, "")
			text = strings.ReplaceAll(strings.ReplaceAll(text, `"model":"`+quill+`"`, ""), `"hin":"`+quill+`"`, "")
			assert.Excludes(t, strings.ReplaceAll(text, `"lienholder":"`+quill+`"`, ""), quill, path)
		}
		assert.Contains(t, s.Test.Get(deal, 200, nil).Bytes, "Cushions for "+quill, "the line items")
		assert.Contains(t, s.Test.Get(deal+"/payments", 200, nil).Bytes, `"reference":"`+quill+`"`, "the payments")
		for _, id := range testkit.Rows[string](s, `SELECT id FROM documents`) {
			s.Test.Get(deal+"/documents/"+id+"/content", 200, nil)
		}
		for _, data := range testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE type NOT LIKE 'deal.%'`) {
			assert.Excludes(t, data, quill, "events")
		}
	})
}

// An event that the relay is moving from the outbox to the feed is also
// redacted.
func TestErasureDuringRelay(t *testing.T) {
	s := testkit.OnPostgres(t)
	contact := s.Test.Contact(map[string]any{"first_name": quill})
	env := testkit.Rows[auth.Env](s, `SELECT env FROM contacts`)[0]
	moved, finish, relayed, erased := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := db.Write(context.Background(), s.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			_, err := events.Publish(ctx, tx, 100, []auth.Env{env})
			close(moved)
			<-finish
			return 0, err
		})
		relayed <- err
	}()
	<-moved
	go func() {
		_, err := db.Write(context.Background(), s.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			return 0, events.Redact(ctx, tx.In(env), contact)
		})
		erased <- err
	}()
	assert.Eventually(t, "the erasure waits", func() bool {
		return testkit.Rows[int64](s, `SELECT COUNT(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND datname = current_database()`)[0] > 0
	})
	close(finish)
	for _, done := range []chan error{relayed, erased} {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	for _, data := range testkit.Rows[string](s, `SELECT data FROM events`) {
		assert.Excludes(t, data, quill)
	}
}

// A hold for a contact is replaced by the deal of another buyer, which remembers it. After
// the contact is erased, the text of the hold is nowhere.
func TestErasureOfAHoldThatADealReplaced(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		c := s.Test
		contact, hull := c.Contact(nil), c.Hull(c.Location(), nil)
		c.Post("/v1/hulls/"+hull+"/transition", map[string]any{"to": "on_hold", "contact_id": contact, "reason": "For " + quill}, 200, nil)
		deal := c.Deal(map[string]any{"hull_id": hull})
		c.Post("/v1/deals/"+deal+"/offers/"+c.OpeningOffer(deal)+"/accept", map[string]any{"override_hold": true}, 200, nil)
		assert.Contains(t, testkit.Rows[string](s, `SELECT hull_hold FROM deals WHERE id = ?`, deal)[0], quill, "the hold that the deal replaced")

		c.Delete("/v1/contacts/"+contact, 204)
		for _, table := range tables(s) {
			for _, row := range rowsOf(s, table) {
				assert.Excludes(t, row, quill, table)
			}
		}
	})
}
