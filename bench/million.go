package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// searchGoal is the maximum p50 of the searches that would read many hulls without
// counting what each condition matches.
const searchGoal = 50 * time.Millisecond

// largeGroup is the inventory of a large group of dealerships. See decision 31.
const largeGroup = 50_000

// probe is a list or search on the large inventory.
type probe struct {
	title string
	query url.Values
	goal  time.Duration // 0 if it has none
}

// probes returns common queries, and those that could be the slowest.
func (s *stage) probes(n int) []probe {
	ago := func(i int) string { return createdAt(time.Now(), n, n-i).UTC().Format(time.RFC3339) }
	q := func(words string) url.Values { return url.Values{"q": {words}} }
	many, few := s.locations[3], s.locations[8]
	common := searchGoal
	if n > largeGroup {
		common = 0
	}
	return []probe{
		{"search: a common word, 1 in 8", q("grady"), 0},
		{"search: a word that all hulls have", q("hours"), 0},
		{"search: a rare word, 1 in 10,000", q(rareMake), 0},
		{"search: one stock number", q(fmt.Sprintf("SN-%07d", n/2+77)), 0},
		{"search: start of a stock number, 1 in 10", q(fmt.Sprintf("sn0%d", n/2/100_000)), 0},
		{"search: start of every stock number", q("sn"), 0},
		{"search: two words, 1 in 8", q("grady white"), 0},
		{"search: two words that all hulls have", q("low hours"), 0},
		{"search: two common words, no hull has both", q("grady whaler"), common},
		{"search: three common words, no hull has all", q("grady white whaler"), common},
		{"search: a common and a rare word", q("grady " + rareMake), 0},
		{"search: a common word, at a large location", url.Values{"q": {"grady"}, "location_id": {many}}, 0},
		{"search: a common word, at a small location", url.Values{"q": {"grady"}, "location_id": {few}}, searchGoal},
		{"filter: status, most", url.Values{"status": {"available"}}, 0},
		{"filter: status, 1 in 20", url.Values{"status": {"on_order"}}, 0},
		{"filter: status, 1 in 10,000", url.Values{"status": {"not_for_sale"}}, 0},
		{"filter: status, none", url.Values{"status": {"on_hold"}}, 0},
		{"filter: archived, 1 in 20", url.Values{"archived": {"true"}}, 0},
		{"filter: location, 1 in 8", url.Values{"location_id": {many}}, 0},
		{"filter: location, 1 in 10,000", url.Values{"location_id": {few}}, 0},
		{"filter: make, 1 in 8", url.Values{"make": {"beneteau"}}, 0},
		{"filter: make, 1 in 10,000", url.Values{"make": {rareMake}}, 0},
		{"filter: make and model, 1 in 40", url.Values{"make": {"beneteau"}, "model": {"first 27"}}, 0},
		{"filter: large location and common make", url.Values{"location_id": {many}, "make": {"beneteau"}}, 0},
		{"filter: small location and common make", url.Values{"location_id": {few}, "make": {"beneteau"}}, searchGoal},
		{"filter: updated recently, 1 in 10,000, of all ages", url.Values{"updated_after": {ago(0)}}, 0},
		{"filter: updated recently, the newest 1 in 10", url.Values{"updated_after": {ago(n / 10)}}, 0},
		{"filter: updated at any time", url.Values{"updated_after": {ago(n + 1)}}, 0},
		{"filter: price, 1 in 10", url.Values{"price_min": {"100000"}, "price_max": {"199999"}}, 0},
		{"filter: price, 1 in a million", url.Values{"price_min": {"123456"}, "price_max": {"123456"}}, searchGoal},
		{"filter: year, 1 in 35", url.Values{"year_min": {"2010"}, "year_max": {"2010"}}, 0},
		{"filter: years, 1 in 10,000", url.Values{"year_max": {"1960"}}, searchGoal},
		{"filter: length, 1 in 40", url.Values{"length_min": {"20"}, "length_max": {"20.9"}}, 0},
		{"filter: length, 1 in 10,000", url.Values{"length_max": {"10"}}, searchGoal},
		{"filter: condition, 1 in 3", url.Values{"condition": {"new"}}, 0},
		{"filter: condition, 1 in 10,000", url.Values{"condition": {"demo"}}, searchGoal},
		{"filter: category, 1 in 10,000", url.Values{"category": {"sail"}}, searchGoal},
		{"filter: category, none", url.Values{"category": {"pwc"}}, searchGoal},
		{"filter: created on one day", url.Values{"created_after": {ago(2 * n / 3)}, "created_before": {ago(2*n/3 - 1440)}}, 0},
	}
}

// million measures lists and searches on a large inventory.
func million(ctx context.Context, o options, r *report, d database) (err error) {
	start := time.Now()
	inv, err := seed(ctx, d, o.hulls)
	if err != nil {
		return err
	}

	progress("%s: filled in %s", d.name, time.Since(start).Round(time.Second))
	s, err := open(ctx, d, inv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := r.addVersion(ctx, d, s.raw); err != nil {
		return err
	}

	depth := deep{database: d.name, hulls: o.hulls}
	ask := func(query url.Values) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := s.ask(ctx, query)
			return err
		}
	}
	first := url.Values{"limit": {"50"}}
	last := url.Values{"limit": {"50"}, "starting_after": {s.hulls[100]}} // s.hulls are the oldest
	if depth.first, depth.last, err = takeTurns(ctx, 1, time.Duration(o.seconds*float64(time.Second)), ask(first), ask(last)); err != nil {
		return err
	}

	r.depths = append(r.depths, depth)
	for _, p := range s.probes(o.hulls) {
		progress("%s: %s", d.name, p.title)
		r.found = append(r.found, s.try(ctx, d, p))
	}

	return nil
}

// answer is the result of a probe.
type answer struct {
	database, title string
	goal            time.Duration
	took            []time.Duration
	rows            int
	more            bool
	err             error
}

// try sends a query several times, or fewer times if it is slow. An error is also
// a result: the service cancels a query that takes too long.
func (s *stage) try(ctx context.Context, d database, p probe) answer {
	a := answer{database: d.name, title: p.title, goal: p.goal}
	for start := time.Now(); len(a.took) < 3 || (len(a.took) < 50 && time.Since(start) < time.Second); {
		begin := time.Now()
		page, err := s.ask(ctx, p.query)
		if a.err = err; err != nil {
			return a
		}
		a.took = append(a.took, time.Since(begin))
		a.rows, a.more = len(page.Data), page.HasMore
	}
	return a
}

type pageOfHulls struct {
	Data    []struct{ ID string }
	HasMore bool `json:"has_more"`
}

func (s *stage) ask(ctx context.Context, query url.Values) (p pageOfHulls, err error) {
	req, err := get(func(*stage) string { return "/v1/hulls?" + query.Encode() })(ctx, s.ours, s)
	if err != nil {
		return p, err
	}
	body, err := send(req, http.StatusOK)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(body, &p)
}
