package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// minLogged is the goal for requests per second with the request log, compared with none.
const minLogged = 0.98

// logged is a type of request with the request log and without it.
type logged struct {
	title         string
	connections   int
	with, without tally
}

// requestLog measures what the request log costs. Two servers with the same hulls take turns.
func requestLog(ctx context.Context, o options, r *report) (err error) {
	var servers [2]*realServer
	for i, set := range [][]string{nil, {"SLIPWAY_REQUEST_LOG_ROWS=0"}} {
		s, failed := openReal(ctx, o, fmt.Sprintf("requestlog-%d", i), false, set...)
		if s != nil && s.process != nil {
			defer func() { err = errors.Join(err, s.stop()) }()
		}
		if failed != nil {
			return failed
		}
		servers[i] = s
	}

	for _, kind := range []struct {
		title   string
		request func(*realServer, context.Context) (*http.Request, error)
	}{{"a normal day", (*realServer).mixed}, {"nine of ten create a hull", (*realServer).writes}} {
		for _, n := range inTable {
			progress("request log: %s, %d connections", kind.title, n)
			var sides []side
			for _, s := range servers {
				sides = append(sides, side{cpu: s.cpu, once: closed(func(ctx context.Context) (*http.Request, error) { return kind.request(s, ctx) })})
			}
			tallies, err := turns(ctx, n, 3*o.length(), sides...)
			if err != nil {
				return err
			}
			r.logged = append(r.logged, logged{kind.title, n, tallies[0], tallies[1]})
		}
	}
	return nil
}

func (r *report) loggedTable() table {
	t := table{
		title: "Request log",
		note: fmt.Sprintf("Requests per second and CPU time of the server's process per request in milliseconds, with the request log and without it. "+
			"SQLite. Goal: a ratio of at least %.2f.", minLogged),
		columns: []string{"requests", "connections", "with/s", "without/s", "ratio", "with CPU", "without CPU", "goal"},
	}
	for _, l := range r.logged {
		by := ratio(l.with, l.without)
		t.rows = append(t.rows, []string{l.title, fmt.Sprint(l.connections), fmt.Sprintf("%.0f", l.with.rate()), fmt.Sprintf("%.0f", l.without.rate()),
			fmt.Sprintf("%.2f", by), ms(l.with.perRequest()), ms(l.without.perRequest()), mark(by >= minLogged)})
	}
	return t
}
