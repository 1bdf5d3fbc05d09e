package main

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The sales of the reports: five years of a large group of dealerships.
const (
	soldBoats   = 50_000
	salesPeriod = 5 * 365 * 24 * time.Hour
)

// sales writes the SQL that adds deals, payments, fundings, documents, leads and
// messages to the hulls of seed. All values depend on the number of a row, so that
// both databases have the same ones.
type sales struct {
	d     database
	inv   inventory
	start time.Time // of the first deal
	sql   []string
}

// seedSales adds the sales to a database with twice as many hulls as soldBoats.
func seedSales(ctx context.Context, d database, inv inventory) error {
	progress("%s: %d deals", d.name, soldBoats)
	write, read, err := d.open()
	if err != nil {
		return err
	}
	defer write.Close()
	defer read.Close()
	conn, err := write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()

	s := &sales{d: d, inv: inv, start: time.Now().Add(-salesPeriod)}
	s.numbers()
	s.stock()
	s.deals()
	s.money()
	s.crm()
	for _, statement := range slices.Concat(d.bulk, s.sql, analyzed[d.name]) {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return check(ctx, conn, inv)
}

// analyzed is what PostgreSQL does automatically after a while.
var analyzed = map[string][]string{"postgres": {`VACUUM ANALYZE`, `CHECKPOINT`}}

// check fails if the data set is not what the report says.
func check(ctx context.Context, conn *sql.Conn, inv inventory) error {
	for table, want := range map[string]int{"deals": soldBoats, "hulls": 2 * soldBoats, "leads": 2 * soldBoats, "documents": 2 * soldBoats} {
		var n int
		if err := conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT COUNT(*) FROM %s WHERE env = %d`, table, inv.env)).Scan(&n); err != nil {
			return err
		}
		if n != want {
			return fmt.Errorf("%d %s, want %d", n, table, want)
		}
	}
	return nil
}

func (s *sales) add(format string, args ...any) { s.sql = append(s.sql, fmt.Sprintf(format, args...)) }

// insert adds rows. Values are pairs of a column and an expression.
func (s *sales) insert(table, from string, values ...string) {
	var columns, exprs []string
	for i := 0; i < len(values); i += 2 {
		columns, exprs = append(columns, values[i]), append(exprs, values[i+1])
	}
	s.add("INSERT INTO %s (env, %s) SELECT %d, %s FROM %s", table, strings.Join(columns, ", "), s.inv.env, strings.Join(exprs, ", "), from)
}

// after returns a time column's value, some days after the deal was created.
func (s *sales) after(days string) string { return s.d.stamp("(ms + (" + days + ") * 86400000)") }

// key returns an expression with an ID.
func key(prefix, ms, n string) string {
	return "'" + prefix + "_' || " + digits(ms, crockford, 10) + " || '000000000000' || " + digits(n, crockford, 4)
}

// numbers creates the table of the boats: i counts the hulls, and n the deals, which
// every second hull has. ms is when the deal was created.
func (s *sales) numbers() {
	step := (salesPeriod / soldBoats).Milliseconds()
	s.add(`CREATE TEMP TABLE boats AS SELECT id AS hull, i, i / 2 AS n, %d + i / 2 * %d AS ms, CASE
		WHEN i %% 2 = 1 THEN 'none'
		WHEN i / 2 < %d THEN CASE i / 2 %% 4 WHEN 0 THEN 'cancelled' ELSE 'closed' END
		ELSE CASE i / 2 %% 10 WHEN 4 THEN 'accepted' WHEN 5 THEN 'in_finance' WHEN 6 THEN 'contracted' WHEN 7 THEN 'funded'
			WHEN 8 THEN 'delivered' WHEN 9 THEN 'closed' ELSE 'open' END END AS stage
		FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id) - 1 AS i FROM hulls WHERE env = %d) AS counted`,
		s.start.UnixMilli(), step, soldBoats*4/5, s.inv.env)
	s.add(`CREATE INDEX boats_hull ON boats (hull)`)
	s.add(`CREATE TEMP TABLE sales AS SELECT b.*, %s AS deal FROM boats b WHERE i %% 2 = 0`, key("deal", "ms", "n"))
}

// stock gives the hulls their prices, costs, and dates of receipt and sale.
func (s *sales) stock() {
	now := fmt.Sprint(time.Now().UnixMilli())
	s.add(`UPDATE hulls SET cost_cents = price_usd * 80, received_on = %s, sold_at = NULL, archived_at = NULL,
		status = CASE WHEN status IN ('archived', 'sold') THEN 'available' ELSE status END WHERE env = %d`,
		s.d.day("("+now+" - CAST(price_usd % 400 AS BIGINT) * 86400000)"), s.inv.env)
	sold := fmt.Sprintf(`(SELECT %%s FROM boats WHERE hull = hulls.id AND stage IN ('contracted', 'funded', 'delivered', 'closed'))`)
	s.add(`UPDATE hulls SET sold_at = %s, received_on = %s, status = %s WHERE env = %d
		AND id IN (SELECT hull FROM boats WHERE stage IN ('contracted', 'funded', 'delivered', 'closed'))`,
		fmt.Sprintf(sold, s.after("3")), fmt.Sprintf(sold, s.d.day("(ms - i % 300 * 86400000)")),
		fmt.Sprintf(sold, "CASE WHEN stage IN ('contracted', 'funded') THEN 'sold' ELSE 'delivered' END"), s.inv.env)
	s.insert("hull_pricing", fmt.Sprintf("hulls WHERE env = %d", s.inv.env), "id", "id", "price_usd", "price_usd", "original_price_usd",
		"price_usd + 5000", "price_hidden", "FALSE", "price_type", "'asking'", "effective_at", "created_at", "version", "1",
		"updated_at", "created_at",
		"cost", `'{"invoice_cents":8000000}'`)
	for _, c := range []struct{ old, new, when, where string }{
		{"NULL", "25000", "0", "TRUE"}, {"25000", "24000", "1", "i % 3 = 0"}, {"24000", "23000", "2", "i % 6 = 0"},
	} {
		s.insert("hull_price_changes", "boats WHERE "+c.where, "id", key("prc", "(ms + "+c.when+" * 86400000)", "n"), "hull_id", "hull",
			"old_price_usd", c.old, "new_price_usd", c.new, "actor", `'{}'`, "at", s.after(c.when))
	}
}

const lineItems = `[{"kind":"fee","code":"doc","description":"Documentation fee","amount_cents":49900,` +
	`"cost_cents":0,"taxable":true,"side":"front"},` +
	`{"kind":"product","code":"esc","description":"Service contract","amount_cents":249900,` +
	`"cost_cents":120000,"taxable":false,"side":"back"},` +
	`{"kind":"accessory","code":null,"description":"Trailer","amount_cents":399900,"cost_cents":310000,"taxable":true,"side":"front"}]`

func (s *sales) deals() {
	reached := func(days string, stages ...string) string {
		return "CASE WHEN stage IN ('" + strings.Join(stages, "', '") + "') THEN " + s.after(days) + " END"
	}
	s.insert("deals", "sales", "id", "deal", "hull_id", "hull", "buyer_id", "'con_bench'", "sale_type", "'retail'", "deal_type", "'cash'",
		"status", "stage", "offer_usd", "90000", "price_usd", "90000 + n % 1000", "line_items", "'"+lineItems+"'", "trade_tax_credit", "TRUE",
		"trade_allowance_cents", "0", "trade_equity_cents", "0", "over_allowance_cents", "0", "paid_cents", "100000", "products_cents", "0",
		"products_cost_cents", "0", "funding_state", "'not_required'", "revision", "1", "metadata", `'{"lot":"B-17"}'`,
		"taxes", `'[{"name":"Sales tax","rate_percent":"6","base":"deal","base_cap_cents":null,"cap_cents":null,`+
			`"exempt_reason":null,"amount_cents":0}]'`,
		"accepted_at", reached("1", "accepted", "in_finance", "contracted", "funded", "delivered", "closed"),
		"contracted_at", reached("3", "contracted", "funded", "delivered", "closed"), "funded_at", reached("5", "funded", "delivered", "closed"),
		"delivered_at", reached("7", "delivered", "closed"), "closed_at", reached("9", "closed"), "cancelled_at", reached("9", "cancelled"),
		"version", "1", "created_at", s.after("0"), "updated_at", s.after("9"), "owner_id", "'usr_' || (n % 20)")
	s.insert("deal_history", "sales", "id", key("hst", "ms", "n"), "deal_id", "deal", "to_status", "'open'", "actor", "'{}'",
		"at", s.after("0"))
	s.insert("deal_history", "sales WHERE stage <> 'open'", "id", key("hst", "(ms + 2 * 86400000)", "n"), "deal_id", "deal", "to_status",
		"'in_finance'", "actor", "'{}'", "at", s.after("2"))
}

// money adds two payments and two documents to each deal, and a funding with two
// stipulations to most.
func (s *sales) money() {
	for i, kind := range []string{"deposit", "balance"} {
		ms := fmt.Sprintf("(ms + %d * 86400000)", i*5)
		s.insert("payments", "sales", "id", key("pay", ms, "n"), "deal_id", "deal", "kind", "'"+kind+"'",
			"method", "CASE n % 3 WHEN 0 THEN 'card' WHEN 1 THEN 'wire' ELSE 'check' END", "type", "'payment'", "amount_cents", "100000 + n % 977",
			"received_on", s.d.day(ms), "created_at", s.after(fmt.Sprint(i*5)))
	}
	s.insert("payments", "sales WHERE n % 50 = 0", "id", key("pay", "(ms + 6 * 86400000)", "n"), "deal_id", "deal", "kind", "'deposit'",
		"method", "'card'", "type", "CASE n % 100 WHEN 0 THEN 'refund' ELSE 'reversal' END", "amount_cents", "50000", "received_on",
		s.d.day("(ms + 6 * 86400000)"), "created_at", s.after("6"), "refunds_payment_id", key("pay", "(ms + 0 * 86400000)", "n"),
		"reason", "'Too much'")
	for i, kind := range []string{"purchase_agreement", "bill_of_sale"} {
		s.insert("documents", "sales", "id", key("doc", fmt.Sprintf("(ms + %d * 86400000)", i), "n"), "deal_id", "deal", "kind", "'"+kind+"'",
			"title", "'Purchase Agreement'", "status", "CASE n % 500 WHEN 0 THEN 'voided' WHEN 1 THEN 'issued' ELSE 'signed' END",
			"required_signers", `'["buyer","dealer"]'`, "signatures",
			`'[{"signer_role":"buyer","signer_name":"Sam Hill","signed_at":"2026-01-01T00:00:00.000Z","ip":null}]'`,
			"sha256", "'"+strings.Repeat("a", 64)+"'",
			"size_bytes", "40000", "page_count", "3", "issued_by", `'{"type":"user","id":"usr_1","label":"Ann"}'`, "version", "1",
			"created_at", s.after(fmt.Sprint(i)), "updated_at", s.after(fmt.Sprint(i)))
	}

	funding := key("fund", "(ms + 1 * 86400000)", "n")
	s.insert("fundings", "sales WHERE n % 5 < 4", "id", funding, "deal_id", "deal", "lender", "'Lender ' || (n % 30)", "structure_id", "'fin_1'",
		"status", `CASE stage WHEN 'closed' THEN 'funded' WHEN 'cancelled' THEN 'withdrawn' WHEN 'contracted' THEN 'pending_docs'
			WHEN 'funded' THEN 'approved_to_fund' WHEN 'delivered' THEN 'package_submitted' WHEN 'in_finance' THEN 'contract_sent'
			WHEN 'accepted' THEN 'approved' ELSE 'submitted' END`,
		"requested_cents", "8000000", "amount_cents", "8000000", "version", "1", "created_at", s.after("1"), "updated_at", s.after("2"))
	for i, kind := range []string{"survey", "insurance_binder"} {
		s.insert("stipulations", "sales WHERE n % 5 < 4", "id", key("stip", fmt.Sprintf("(ms + %d * 86400000)", i), "n"), "deal_id", "deal",
			"funding_id", funding, "kind", "'"+kind+"'", "status", "CASE WHEN stage IN ('closed', 'cancelled') THEN 'accepted' ELSE 'requested' END",
			"version", "1", "created_at", s.after("1"), "updated_at", s.after("1"))
	}
}

// crm adds a lead for each hull. Most leads got a message, and some a call.
func (s *sales) crm() {
	lead := key("lead", "(ms + i % 2 * 3600000)", "i")
	s.insert("contacts", "(SELECT 1 AS one) AS once", "id", "'con_bench'", "kind", "'person'", "tags", "'[]'", "metadata", "'{}'",
		"version", "1", "created_at", s.d.stamp("0"), "updated_at", s.d.stamp("0"))
	s.add(`CREATE TEMP TABLE callers AS SELECT b.*, %s AS lead, h.location_id AS location
		FROM boats b JOIN hulls h ON h.env = %d AND h.id = b.hull`,
		lead, s.inv.env)
	s.insert("leads", "callers", "id", "lead", "contact_id", "'con_bench'", "source", choose("i % 10", []string{
		"web", "email", "sms", "phone", "walk_in", "referral", "marketplace", "event", "import", "other"}),
		"status", "CASE WHEN i % 2 = 0 AND n % 3 = 0 THEN 'converted' ELSE "+choose("i % 7", []string{
			"new", "working", "lost", "lost", "lost", "lost", "lost"})+" END",
		"location_id", "location", "message", "'Is the boat still available? "+strings.Repeat("We would like to see it. ", 8)+"'",
		"score_sum", "0", "score_at", s.after("0"), "needs_review", "FALSE", "touched_at", s.after("0"), "last_activity_at", s.after("0"),
		"stalled_at", s.after("5"),
		"metadata", "'{}'", "version", "1", "created_at", s.d.stamp("(ms + i % 2 * 3600000)"), "updated_at", s.after("0"),
		"owner_id", "'usr_' || (i % 20)", "deal_id", "CASE WHEN i % 2 = 0 AND n % 3 = 0 THEN "+key("deal", "ms", "n")+" END")
	for i, direction := range []string{"outbound", "inbound", "outbound"} {
		sent := s.d.stamp(fmt.Sprintf("(ms + 3600000 + i * 37 %% 100000 * 1000 + %d)", i))
		s.insert("messages", "callers WHERE i % 5 > 0", "id", key("msg", fmt.Sprintf("(ms + %d)", i), "i"), "lead_id", "lead", "contact_id",
			"'con_bench'", "channel", "'email'", "direction", "'"+direction+"'", "automatic", fmt.Sprint(i == 2), "status", "'sent'",
			"body", "'"+strings.Repeat("She is back from service. ", 8)+"'", "attempts", "1", "needs_review", "FALSE",
			"sent_at", "CASE WHEN '"+direction+"' = 'outbound' THEN "+sent+" END", "version", "1",
			"created_at", s.after("0"), "updated_at", s.after("0"))
	}
	s.insert("activities", "callers WHERE i % 5 = 0", "id", key("act", "ms", "i"), "object_type", "'lead'", "object_id", "lead",
		"kind", "'call'", "author", `'{}'`, "occurred_at", s.after("1"), "version", "1", "created_at", s.after("1"), "updated_at", s.after("1"))
}
