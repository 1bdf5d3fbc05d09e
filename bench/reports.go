package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"slipway/internal/app"
)

// reportGoal is the longest time of a report or a list of the office.
const reportGoal = 300 * time.Millisecond

// summary is the result of one report or list.
type summary struct {
	database, title string
	took            []time.Duration
	cpu             time.Duration // of the service and the client, per request
	bytes           int
	err             error
}

// reached reports whether the median is below the goal.
func (s summary) reached() bool { return s.err == nil && quantile(s.took, 0.5) <= reportGoal }

// summaries measures the reports and the lists of the office.
func summaries(ctx context.Context, o options, r *report, d database) (err error) {
	inv, err := seed(ctx, d, 2*soldBoats)
	if err != nil {
		return err
	}
	if err := seedSales(ctx, d, inv); err != nil {
		return err
	}
	a, err := app.Open(ctx, d.settings, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	web := httptest.NewServer(a.Handler)
	defer web.Close()

	for _, q := range summaryQueries(inv) {
		progress("%s: %s", d.name, q.title)
		r.summaries = append(r.summaries, measureSummary(ctx, d, q, web.URL, inv.key))
	}
	return nil
}

type summaryQuery struct{ title, path, accept string }

// summaryQueries returns each report for its default period, for a year, and for a
// year at one location, and the lists with the filters that could be the slowest.
func summaryQueries(inv inventory) (all []summaryQuery) {
	today := time.Now().UTC()
	year := "date_after=" + today.AddDate(-1, 0, 2).Format(time.DateOnly)
	large, small := "location_id="+inv.locations[3], "location_id="+inv.locations[8]
	for _, name := range []string{"inventory", "gross", "leads", "responses", "pipeline", "funding", "cash", "pricing", "taxes"} {
		path := "/v2-preview/reports/" + name
		if name == "inventory" || name == "funding" {
			all = append(all, summaryQuery{title: name, path: path}, summaryQuery{title: name + ", one location", path: path + "?" + large})
			continue
		}
		all = append(all, summaryQuery{title: name + ", 30 days", path: path}, summaryQuery{title: name + ", a year", path: path + "?" + year},
			summaryQuery{title: name + ", a year, one location", path: path + "?" + year + "&" + large})
	}
	all = append(all, summaryQuery{"gross, a year, CSV", "/v2-preview/reports/gross?" + year, "text/csv"})
	for _, q := range [][2]string{
		{"payments", ""}, {"payments, refunded", "status=refunded"}, {"payments, partially refunded", "status=partially_refunded"},
		{"payments, reversals", "type=reversal"}, {"payments, none", "method=financing"},
		{"payments, an old month", "received_after=2022-06-01&received_before=2022-06-30"},
		{"payments, a large location", large}, {"payments, a small location", small},
		{"fundings", ""}, {"fundings, pending_docs", "status=pending_docs"}, {"fundings, none", "status=charged_back"},
		{"fundings, a large location", large}, {"fundings, a small location", small},
		{"documents", ""}, {"documents, issued", "status=issued"}, {"documents, none", "status=partially_signed"},
		{"documents, a large location", large}, {"documents, a small location", small}, {"documents, 100", "limit=100"},
	} {
		name := q[0]
		for i, c := range name {
			if c == ',' {
				name = name[:i]
				break
			}
		}
		all = append(all, summaryQuery{title: "list " + q[0], path: "/v2-preview/" + name + "?" + q[1]})
	}
	return all
}

// measureSummary sends a request several times. An error is also a result.
func measureSummary(ctx context.Context, d database, q summaryQuery, base, key string) summary {
	s := summary{database: d.name, title: q.title}
	used := cpuTime()
	for start := time.Now(); len(s.took) < 5 || (len(s.took) < 50 && time.Since(start) < 2*time.Second); {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+q.path, nil)
		if err != nil {
			s.err = err
			return s
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Accept", q.accept)
		begin := time.Now()
		body, err := send(req, http.StatusOK)
		if err != nil {
			s.err = err
			return s
		}
		s.took, s.bytes = append(s.took, time.Since(begin)), len(body)
	}
	s.cpu = (cpuTime() - used) / time.Duration(len(s.took))
	return s
}

func (r *report) summaryTable() table {
	t := table{
		title: "Reports and lists of the office",
		note: fmt.Sprintf("Milliseconds on %d hulls and %d deals of five years, one request at a time. "+
			"CPU is the time of the service and the client, without that of PostgreSQL. Goal: a median of at most %d ms.",
			2*soldBoats, soldBoats, reportGoal.Milliseconds()),
		columns: []string{"database", "report or list", "p50", "max", "CPU", "bytes", "goal"},
	}
	for _, s := range r.summaries {
		row := []string{
			s.database, s.title, ms(quantile(s.took, 0.5)), ms(quantile(s.took, 1)), ms(s.cpu), fmt.Sprint(s.bytes), mark(s.reached()),
		}
		if s.err != nil {
			row[2], row[3], row[4], row[5] = "failed", "", "", s.err.Error()
		}
		t.rows = append(t.rows, row)
	}
	return t
}
