package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"slipway/internal/app"
	"slipway/internal/vocab/version"
)

// small is the number of hulls for the comparison. They fit into all caches, so
// the difference is in the servers.
const small = 10_000

// operation is a type of request.
type operation struct {
	name, title string
	read        bool
	goal        float64 // smallest ratio to the bare server, or 0
	request     newRequest
	status      int
	newest      newRequest // compared with this on the same server, instead of the bare one
}

type newRequest func(ctx context.Context, base string, s *stage) (*http.Request, error)

var operations = []operation{
	{"get", "GET one hull", true, minRatio, oneHull, http.StatusOK, nil},
	{"list", "list 50 hulls", true, minRatio, fiftyHulls, http.StatusOK, nil},
	{"search", `search "235 grady"`, true, minRatio, get(func(*stage) string { return "/v1/hulls?limit=25&q=235+grady" }), http.StatusOK, nil},
	{"old-get", "GET one hull, first version (bare: newest)", true, minOlder, older(oneHull), http.StatusOK, oneHull},
	{"old-list", "list 50 hulls, first version (bare: newest)", true, minOlder, older(fiftyHulls), http.StatusOK, fiftyHulls},
	{"create", "create with Idempotency-Key", false, 0, create, http.StatusCreated, nil},
}

var (
	oneHull    = get(func(s *stage) string { return "/v1/hulls/" + s.hulls[rand.IntN(len(s.hulls))] })
	fiftyHulls = get(func(*stage) string { return "/v1/hulls?limit=50" })
)

// older returns the same request in the first version of the API.
func older(request newRequest) newRequest {
	return func(ctx context.Context, base string, s *stage) (*http.Request, error) {
		req, err := request(ctx, base, s)
		if err == nil {
			req.Header.Set("Service-Version", version.Published[0].Date)
		}
		return req, err
	}
}

var concurrencies = []int{1, 8} // numbers of concurrent requests

// cellNames returns the names of all numbers of a database, for -only.
func cellNames(prefix string) (names []string) {
	for _, op := range operations {
		for _, n := range concurrencies {
			names = append(names, fmt.Sprintf("%s%s/%d", prefix, op.name, n))
		}
	}
	return names
}

func get(path func(*stage) string) newRequest {
	return func(ctx context.Context, base string, s *stage) (*http.Request, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path(s), nil)
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+s.key)
		}
		return req, err
	}
}

var created atomic.Int64

func create(ctx context.Context, base string, s *stage) (*http.Request, error) {
	n := created.Add(1)
	body := hullBody("Grady-White", "Freedom 235", s.locations[0])
	body["status"], body["hin"], body["stock_number"] = "available", fmt.Sprintf("BNC%05dH324", n), fmt.Sprintf("NEW-%d", n)
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/hulls", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", uuid.NewString())
	return req, nil
}

// stage is the service and the bare server on one filled database.
type stage struct {
	inventory
	ours, bare string // base URLs
	hulls      []string
	raw        *sql.DB
	closers    []func() error
}

func open(ctx context.Context, d database, inv inventory) (s *stage, err error) {
	s = &stage{inventory: inv}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()

	// As in production, except that the log is discarded.
	a, err := app.Open(ctx, d.settings, slog.New(slog.NewJSONHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelInfo})))
	if err != nil {
		return s, err
	}

	s.closers = append(s.closers, a.Close)
	if err := a.Migrate(ctx); err != nil {
		return s, err
	}

	b, err := newBare(ctx, d)
	if err != nil {
		return s, err
	}

	s.closers, s.raw = append(s.closers, b.Close), b.read
	if s.ours, err = s.serve(a.Handler); err != nil {
		return s, err
	}
	if s.bare, err = s.serve(b.handler()); err != nil {
		return s, err
	}

	s.hulls, err = texts(ctx, s.raw, `SELECT id FROM hulls WHERE env = $1 ORDER BY id LIMIT $2`, inv.env, small)
	return s, err
}

// serve starts a server with the limits of the real one.
func (s *stage) serve(h http.Handler) (base string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	go func() { _ = server.Serve(l) }() // ends with Close
	s.closers = append(s.closers, server.Close)
	return "http://" + l.Addr().String(), nil
}

// Close stops the servers, then closes their databases.
func (s *stage) Close() (err error) {
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	return err
}

// compare measures the operations on one database, and then deals.
func compare(ctx context.Context, o options, r *report, d database) (err error) {
	inv, err := seed(ctx, d, small)
	if err != nil {
		return err
	}

	s, err := open(ctx, d, inv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := r.addVersion(ctx, d, s.raw); err != nil {
		return err
	}
	if err := s.checkSame(ctx); err != nil {
		return fmt.Errorf("the two servers behave differently: %w", err)
	}

	for _, op := range operations {
		for _, n := range concurrencies {
			if name := fmt.Sprintf("%s/%s/%d", d.name, op.name, n); !o.only.MatchString(name) {
				continue
			}
			c, err := s.measure(ctx, o, d, op, n)
			if err != nil {
				return err
			}
			r.cells = append(r.cells, c)
		}
	}

	return nil
}

func (s *stage) measure(ctx context.Context, o options, d database, op operation, workers int) (c cell, err error) {
	progress("%s: %s, %d concurrent", d.name, op.title, workers)
	once := func(base string, request newRequest) func(context.Context) error {
		return func(ctx context.Context) error {
			req, err := request(ctx, base, s)
			if err == nil {
				_, err = send(req, op.status)
			}
			return err
		}
	}

	ours, bare := once(s.ours, op.request), once(s.bare, op.request)
	if op.newest != nil {
		bare = once(s.ours, op.newest)
	}
	for _, warm := range []func(context.Context) error{ours, bare} {
		if _, err := load(ctx, workers, 200*time.Millisecond, warm); err != nil {
			return c, err
		}
	}

	length := time.Duration(o.seconds * float64(time.Second))
	c = cell{database: d.name, operation: op, workers: workers}
	if c.ours, c.bare, err = takeTurns(ctx, workers, length, ours, bare); err != nil || o.cpuProfile == "" {
		return c, err
	}

	return c, profile(filepath.Join(o.cpuProfile, fmt.Sprintf("%s-%s-%d.pprof", d.name, op.name, workers)), func() error {
		_, err := load(ctx, workers, length, ours)
		return err
	})
}

// profile writes a CPU profile of do. It includes the client, which runs in the
// same process.
func profile(path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = do()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}

// checkSame fails unless both servers return the same responses to reads and write
// the same rows for a new hull.
func (s *stage) checkSame(ctx context.Context) error {
	ask := func(base string, op operation) ([]byte, error) {
		req, err := op.request(ctx, base, s)
		if err != nil {
			return nil, err
		}
		return send(req, op.status)
	}
	full := s.hulls
	s.hulls = full[:1] // the same for both

	for _, op := range operations {
		if !op.read || op.newest != nil {
			continue
		}
		ours, err := ask(s.ours, op)
		if err != nil {
			return err
		}
		bare, err := ask(s.bare, op)
		if err != nil {
			return err
		}
		if !bytes.Equal(ours, bare) {
			return fmt.Errorf("%s:\n%s\n%s", op.title, ours, bare)
		}
	}

	s.hulls = full
	return s.checkSameCreate(ctx, ask)
}

func (s *stage) checkSameCreate(ctx context.Context, ask func(string, operation) ([]byte, error)) error {
	op := operations[len(operations)-1]
	var added [2][]string
	for i, base := range []string{s.ours, s.bare} {
		before, err := s.count(ctx)
		if err != nil {
			return err
		}

		response, err := ask(base, op)
		if err != nil {
			return err
		}

		after, err := s.count(ctx)
		if err != nil {
			return err
		}

		for t := range after {
			added[i] = append(added[i], fmt.Sprint(after[t]-before[t]))
		}

		// The service returns the new hull of either server with the same bytes.
		var made struct{ ID string }
		if err := json.Unmarshal(response, &made); err != nil {
			return err
		}

		seen, err := ask(s.ours, operation{request: get(func(*stage) string { return "/v1/hulls/" + made.ID }), status: http.StatusOK})
		if err != nil {
			return err
		}

		if !bytes.Equal(response, seen) {
			return fmt.Errorf("create returned\n%s\nbut stored\n%s", response, seen)
		}
	}

	if ours, bare := strings.Join(added[0], " "), strings.Join(added[1], " "); ours != bare {
		return fmt.Errorf("create added rows %s and %s", ours, bare)
	}
	return nil
}

// count returns the number of rows in each table that a new hull is written to.
func (s *stage) count(ctx context.Context) ([]int64, error) {
	var all []int64
	for _, table := range []string{
		"hulls", "hull_terms", "hull_pricing", "hull_price_changes", "hull_history", "audit_entries",
		"event_sequences", "outbox", "events", "idempotency_keys",
	} {
		var n int64
		if err := s.raw.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// texts returns the single column of a query.
func texts(ctx context.Context, pool *sql.DB, query string, args ...any) (all []string, err error) {
	rows, err := pool.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}
