package main

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Alphabets of the numbers that the SQL generates.
const (
	decimal   = "0123456789"
	crockford = "0123456789abcdefghjkmnpqrstvwxyz"  // of ULIDs
	serial    = "0123456789ABCDEFGHJKLMNPRSTUVWXYZ" // of HINs: without I, O and Q
)

// interval is the time between the creation of two copies.
const interval = time.Minute

// copyStatements returns the SQL that creates n hulls in the live environment from
// those of the test environment. The i-th hull copies kind i modulo kinds. The other
// values are chosen so that the filters are independent. Every rareth hull differs
// from the others in each filter.
func copyStatements(ctx context.Context, conn *sql.Conn, d database, inv inventory, n int) ([]string, error) {
	columns, err := columnsOf(ctx, conn, "hulls")
	if err != nil {
		return nil, err
	}

	now := time.Now()
	ms := fmt.Sprintf("(%d + i * %d)", createdAt(now, n, 0).UnixMilli(), interval.Milliseconds())
	created := d.stamp(ms)
	own := map[string]string{
		"env":           fmt.Sprint(inv.env),
		"id":            "copy_id",
		"hin":           "copy_hin",
		"stock_number":  "'SN-' || copy_stock",
		"make":          rarely("'"+rareMake+"'", "make"),
		"make_key":      rarely("lower('"+rareMake+"')", "make_key"),
		"price_usd":     "20000 + i * 7919 % 1000000",
		"year":          rarely("1951", "1990 + i * 31 % 35"),
		"length_ft":     rarely("9.5", "12 + i * 17 % 400 / 10.0"),
		"condition":     rarely("'demo'", "CASE i % 3 WHEN 0 THEN 'new' ELSE 'used' END"),
		"category":      rarely("'sail'", "category"),
		"location_id":   rarely(quoted(inv.locations[8]), choose(fmt.Sprintf("i / %d %% 8", kinds*20), inv.locations[:8])),
		"status":        rarely("'not_for_sale'", state("'archived'", "'sold'", "'on_order'", "'available'")),
		"status_before": rarely("NULL", state("'available'", "NULL", "NULL", "NULL")),
		"archived_at":   rarely("NULL", state(created, "NULL", "NULL", "NULL")),
		"sold_at":       rarely("NULL", state("NULL", created, "NULL", "NULL")),
		"created_at":    created,
		"updated_at":    rarely(d.stamp(fmt.Sprint(now.UnixMilli())), created),
	}

	values := make([]string, len(columns))
	for c, name := range columns {
		if values[c] = own[name]; values[c] == "" {
			values[c] = name
		}
	}

	words := func(term, from string) string {
		return fmt.Sprintf("INSERT INTO hull_terms (env, term, id) SELECT %d, %s, copy_id FROM %s", inv.env, term, from)
	}
	return []string{
		fmt.Sprintf(`CREATE TEMP TABLE kinds AS SELECT h.*, ROW_NUMBER() OVER (ORDER BY id) - 1 AS kind FROM hulls h WHERE env <> %d`, inv.env),
		`CREATE TEMP TABLE kind_terms AS SELECT k.kind, t.term FROM kinds k JOIN hull_terms t ON t.env = k.env AND t.id = k.id`,
		// The cast prevents PostgreSQL from counting in 32 bits.
		fmt.Sprintf(`CREATE TEMP TABLE copies AS WITH RECURSIVE numbers (i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < %d)
			SELECT i, i %% %d AS copy_kind, 'hull_' || %s || '000000000000' || %s AS copy_id, 'GRT' || %s || 'H324' AS copy_hin, %s AS copy_stock
			FROM numbers`, n-1, kinds, digits(ms, crockford, 10), digits("i", crockford, 4), digits("i", serial, 5), digits("i", decimal, 7)),
		"INSERT INTO hulls (" + strings.Join(columns, ", ") + ") SELECT " +
			strings.Join(values, ", ") + " FROM copies JOIN kinds ON kind = copy_kind",
		// In order of time, as in production, so that the index pages fill up the same way.
		words("term", "copies JOIN kind_terms ON kind = copy_kind"),
		words("'sn'", "copies"),
		words("copy_stock", "copies"),
		words("'sn' || copy_stock", "copies"),
		words("lower(copy_hin)", "copies"),
		words("lower('"+rareMake+"')", fmt.Sprintf("copies WHERE i %% %d = 0", rareth)),
	}, nil
}

// The rare hulls are a prime number apart, so that they are of all kinds.
const (
	rareth   = 9973
	rareMake = "Hinckley"
)

// createdAt returns when the i-th of n copies was created.
func createdAt(now time.Time, n, i int) time.Time {
	return now.Add(-time.Hour - time.Duration(n-i)*interval)
}

func rarely(rare, common string) string {
	return fmt.Sprintf("CASE WHEN i %% %d = 0 THEN %s ELSE %s END", rareth, rare, common)
}

// state returns an expression with different values for archived, sold and ordered
// hulls, 1 in 20 each, and for all others.
func state(archived, sold, ordered, other string) string {
	return fmt.Sprintf("CASE i / %d %% 20 WHEN 0 THEN %s WHEN 1 THEN %s WHEN 2 THEN %s ELSE %s END", kinds, archived, sold, ordered, other)
}

// choose returns an expression that selects one of several texts by a number.
func choose(number string, texts []string) string {
	cases := "CASE " + number
	for i, text := range texts {
		cases += fmt.Sprintf(" WHEN %d THEN %s", i, quoted(text))
	}
	return cases + " END"
}

func quoted(text string) string { return "'" + text + "'" }

// digits returns an expression that formats a number with count digits of an alphabet.
func digits(number, alphabet string, count int) string {
	parts := make([]string, count)
	for place, unit := count-1, 1; place >= 0; place, unit = place-1, unit*len(alphabet) {
		parts[place] = fmt.Sprintf("substr('%s', CAST(1 + %s / %d %% %d AS INTEGER), 1)", alphabet, number, unit, len(alphabet))
	}
	return strings.Join(parts, " || ")
}

func columnsOf(ctx context.Context, conn *sql.Conn, table string) ([]string, error) {
	rows, err := conn.QueryContext(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	return columns, rows.Err()
}

// indexesOf returns the names and definitions of the indexes.
func indexesOf(ctx context.Context, conn *sql.Conn, d database) (all [][2]string, err error) {
	rows, err := conn.QueryContext(ctx, d.indexes)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var i [2]string
		if err := rows.Scan(&i[0], &i[1]); err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	return all, rows.Err()
}
