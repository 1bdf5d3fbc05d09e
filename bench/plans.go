package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// explain prints the plans of the service's queries. The queries are copies of
// those in internal/hulls.
func (s *stage) explain(ctx context.Context, d database) error {
	list := func(where string) string {
		return withColumns("SELECT {h.cols} FROM hulls h WHERE h.env = $1 AND " + where + " ORDER BY h.id DESC LIMIT 26")
	}
	const active = "h.archived_at IS NULL"
	byTerm := func(term, where string) string {
		return withColumns("SELECT {h.cols} FROM hull_terms t JOIN hulls h ON h.env = t.env AND h.id = t.id WHERE h.env = $1 AND " +
			active + where + " AND t.env = $1 AND t.term = '" + term + "' ORDER BY t.id DESC LIMIT 26")
	}
	within := func(from string) string { return "term >= '" + from + "' AND term < '" + from + "\U0010FFFF'" }
	updated := func(since time.Time) string { return "h.updated_at > " + d.stamp(fmt.Sprint(since.UnixMilli())) }

	for _, q := range []struct{ title, query string }{
		{"first page", list(active)},
		{"last page", list(active + " AND h.id < '" + s.hulls[100] + "'")},
		{"after the last page", "SELECT 1 FROM hulls h WHERE h.env = $1 AND " + active + " AND h.id > '" +
			s.hulls[100] + "' ORDER BY h.id LIMIT 1"},
		{"status", list("h.status = 'on_order'")},
		{"location", list(active + " AND h.location_id = '" + s.locations[3] + "'")},
		{"make", list(active + " AND h.make_key = 'beneteau'")},
		{"location and make", list(active + " AND h.make_key = 'beneteau' AND h.location_id = '" + s.locations[3] + "'")},
		{"updated recently", list(active + " AND " + updated(time.Now().Add(-time.Hour)))},
		{"updated at any time", list(active + " AND " + updated(time.UnixMilli(0)))},
		{"price", list(active + " AND h.price_usd + 0 >= 123456 AND h.price_usd + 0 <= 123456")},
		{"rare price", "SELECT id FROM hulls WHERE env = $1 AND price_usd >= 123456 AND price_usd <= 123456 LIMIT 1001"},
		{"search: blocks of two words", "SELECT env, key, block, positions FROM hull_block_keys WHERE env = $1 AND block >= 0 AND block <= 15 " +
			"AND key IN ('grady', 'whaler')"},
		{"search: candidates", list(active + " AND (SELECT COUNT(*) FROM hull_terms x WHERE x.env = $1 AND x.id = h.id AND x." +
			strings.Replace(within("white"), "AND term", "AND x.term", 1) + ") > 0 AND h.id IN ('" + strings.Join(s.hulls[:16], "', '") + "')")},
		{"search: words of a span", strings.NewReplacer("$2", "'grady'", "$3", "'gradyz'", "$4", "$1", "$5",
			"'gradyz'", "$6", "17").Replace(termsIn)},
		{"search: one word", byTerm("grady", "")},
		{"search: two words", byTerm("grady", " AND EXISTS (SELECT 1 FROM hull_terms x WHERE x.env = $1 AND x.id = h.id AND x."+
			strings.Replace(within("white"), "AND term", "AND x.term", 1)+")")},
		{"search: many words", list(active + " AND h.id IN (SELECT id FROM hull_terms WHERE env = $1 AND " + within("sn05") + ")")},
	} {
		lines, err := s.plan(ctx, d, q.query)
		if err != nil {
			return fmt.Errorf("%s: %w", q.title, err)
		}
		fmt.Printf("\n%s, %s\n  %s\n", d.name, q.title, strings.Join(lines, "\n  "))
	}

	return nil
}

// plan returns the last column of the plan's rows, which is the text on both
// databases.
func (s *stage) plan(ctx context.Context, d database, query string) (lines []string, err error) {
	rows, err := s.raw.QueryContext(ctx, d.explain+query, s.env)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}

	values := make([]any, len(columns))
	var text string
	for i := range values {
		values[i] = new(any)
	}

	values[len(values)-1] = &text
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return nil, err
		}
		lines = append(lines, text)
	}

	return lines, rows.Err()
}
