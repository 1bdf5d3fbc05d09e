package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// maxSlowed limits how much webhooks that hang or fail increase the p99 of a
// working webhook.
const maxSlowed = 1.2

// relayed is the time to deliver events to a number of webhooks.
type relayed struct {
	database   string
	webhooks   int
	deliveries int
	took       time.Duration
}

// delays has the times from commit to receiver: with one webhook, with two other
// working webhooks, and with one that hangs and one that fails.
type delays struct {
	database                string
	alone, working, failing []time.Duration
}

// slowed returns how much slower the p99 is if the two other webhooks fail.
func (d delays) slowed() float64 {
	return float64(quantile(d.failing, 0.99)) / float64(quantile(d.working, 0.99))
}

// hooks measures deliveries on an empty database.
func hooks(ctx context.Context, o options, r *report, d database) (err error) {
	b, err := openHooks(ctx, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, n := range []int{1, 10, 100} {
		progress("%s: deliveries to %d webhooks", d.name, n)
		took, sent, err := b.throughput(ctx, n, o.deliveries())
		if err != nil {
			return err
		}
		r.relayed = append(r.relayed, relayed{d.name, n, sent, took})
	}
	progress("%s: from commit to receiver", d.name)
	measured, err := b.latency(ctx, d.name, o.deliveries()/5)
	r.delays = append(r.delays, measured)
	return err
}

// deliveries returns the number of deliveries to measure.
func (o options) deliveries() int {
	if o.out == "" && o.seconds < 1 {
		return 1000
	}
	return 10_000
}

// hookBench is the service with its relay, and a receiver.
type hookBench struct {
	*app.App
	env      auth.Env
	key      string
	api      string // base URL
	receiver string // base URL
	release  chan struct{}
	closers  []func() error

	mu        sync.Mutex
	got       map[string]int // by path
	onReceive func(path string, at time.Time)
}

func openHooks(ctx context.Context, d database) (b *hookBench, err error) {
	b = &hookBench{got: map[string]int{}, release: make(chan struct{})}
	set := d.settings
	set.AllowPrivate = true
	if b.App, err = app.Open(ctx, set, slog.New(slog.DiscardHandler)); err != nil {
		return b, err
	}

	b.closers = append(b.closers, b.App.Close)
	if err := b.App.Migrate(ctx); err != nil {
		return b, err
	}

	f, err := access.Bootstrap(ctx, b.DB, b.Box, access.NewDealership{Name: "Bench Marine", Owner: "owner@example.com", Plan: dealership.Standard})
	if err != nil {
		return b, err
	}

	_, err = db.Write(ctx, b.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		found, err := dealership.FindEnvironment(ctx, tx, f.DealershipID, auth.Test)
		if err != nil {
			return 0, err
		}
		k, err := access.IssueKey(ctx, tx.In(found.Env), auth.Test,
			access.KeyRequest{Name: "bench", Scopes: []auth.Scope{auth.Webhooks, auth.Admin}})
		b.env, b.key = found.Env, k.Key
		return 0, err
	})
	if err != nil {
		return b, err
	}

	if b.api, err = b.serve(b.App.Handler); err != nil {
		return b, err
	}

	b.receiver, err = b.serve(http.HandlerFunc(b.receive))
	return b, err
}

func (b *hookBench) serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(l) }() // ends with Close
	b.closers = append(b.closers, server.Close)
	return "http://" + l.Addr().String(), nil
}

func (b *hookBench) receive(_ http.ResponseWriter, req *http.Request) {
	at := time.Now()
	_, _ = io.Copy(io.Discard, req.Body) // the body is not used
	if req.URL.Path == "/hang" {
		select {
		case <-b.release:
		case <-req.Context().Done():
		}
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got[req.URL.Path]++
	if b.onReceive != nil {
		b.onReceive(req.URL.Path, at)
	}
}

func (b *hookBench) close() (err error) {
	for i := len(b.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, b.closers[i]())
	}
	return err
}

// subscribe creates a webhook and returns a function that deletes it.
func (b *hookBench) subscribe(ctx context.Context, url, types string) (func() error, error) {
	var w struct{ ID string }
	if err := b.ask(ctx, http.MethodPost, "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": [%s]}`, url, types),
		http.StatusCreated, &w); err != nil {
		return nil, err
	}
	return func() error {
		return b.ask(ctx, http.MethodDelete, "/v1/webhooks/"+w.ID, "", http.StatusNoContent, nil)
	}, nil
}

// emit commits n events, with a number of them in each transaction.
func (b *hookBench) emit(ctx context.Context, name string, n, each int) error {
	for done := 0; done < n; done += each {
		_, err := db.Write(ctx, b.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			for range min(each, n-done) {
				if err := events.Emit(ctx, tx.In(b.env), name, tx.NewID("loc"), events.Change{After: dealership.Location{Name: "Pier"}}); err != nil {
					return 0, err
				}
			}
			return 0, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// throughput fills the outbox while the relay is stopped. Then it measures the time
// from the start of the relay until every webhook has received every event.
func (b *hookBench) throughput(ctx context.Context, webhooks, limit int) (took time.Duration, sent int, err error) {
	for i := range webhooks {
		remove, err := b.subscribe(ctx, fmt.Sprintf("%s/%d/%d", b.receiver, webhooks, i), `"location.created"`)
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}

	count := limit / webhooks
	if err := b.emit(ctx, "location.created", count, 100); err != nil {
		return 0, 0, err
	}

	remaining, all := count*webhooks, make(chan struct{})
	b.mu.Lock()
	b.onReceive = func(string, time.Time) {
		if remaining--; remaining == 0 {
			close(all)
		}
	}
	b.mu.Unlock()

	start := time.Now()
	stop := b.relay(ctx)
	select {
	case <-all:
	case <-time.After(5 * time.Minute):
		err = fmt.Errorf("%d deliveries are missing", remaining)
	}

	took = time.Since(start)
	b.mu.Lock()
	b.onReceive = nil
	b.mu.Unlock()
	stop()

	return took, count * webhooks, err
}

// relay runs the relay until stop is called.
func (b *hookBench) relay(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		b.App.Relay.Run(ctx)
	}()
	return func() {
		cancel()
		<-stopped
	}
}

// latency measures the time from commit to receiver, one event at a time. It
// alternates between event types that different webhooks subscribe to.
func (b *hookBench) latency(ctx context.Context, database string, n int) (d delays, err error) {
	d.database = database
	closed, _, err := freeAddresses()
	if err != nil {
		return d, err
	}
	for url, types := range map[string]string{
		b.receiver + "/works": `"location.created", "location.updated", "location.deleted"`,
		b.receiver + "/good":  `"location.updated"`,
		b.receiver + "/fine":  `"location.updated"`,
		b.receiver + "/hang":  `"location.deleted"`,
		"http://" + closed:    `"location.deleted"`,
	} {
		if _, err := b.subscribe(ctx, url, types); err != nil {
			return d, err
		}
	}

	received := make(chan time.Time, 1)
	b.mu.Lock()
	b.onReceive = func(path string, at time.Time) {
		if path == "/works" {
			received <- at
		}
	}
	b.mu.Unlock()
	defer b.relay(ctx)()
	defer close(b.release)

	turns := []struct {
		event string
		into  *[]time.Duration
	}{{"location.created", &d.alone}, {"location.updated", &d.working}, {"location.deleted", &d.failing}}
	for i := range 3 * n {
		turn := turns[i/10%3]
		if err := b.emit(ctx, turn.event, 1, 1); err != nil {
			return d, err
		}
		committed := time.Now()
		select {
		case at := <-received:
			*turn.into = append(*turn.into, max(0, at.Sub(committed)))
		case <-time.After(time.Minute):
			return d, errors.New("an event was not delivered")
		}
	}

	return d, nil
}

// ask sends a request to the API of the service.
func (b *hookBench) ask(ctx context.Context, method, path, body string, want int, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, b.api+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+b.key)
	req.Header.Set("Content-Type", "application/json")
	text, err := send(req, want)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(text, out)
}

func (r *report) relayTables() []table {
	relay := table{
		title: "Webhooks: deliveries", note: "From a full outbox to a receiver on the same machine, with all attempts recorded.",
		columns: []string{"database", "webhooks", "deliveries", "deliveries/s"},
	}
	for _, d := range r.relayed {
		relay.rows = append(relay.rows, []string{d.database, fmt.Sprint(d.webhooks), fmt.Sprint(d.deliveries),
			fmt.Sprintf("%.0f", float64(d.deliveries)/d.took.Seconds())})
	}

	delay := table{
		title: "Webhooks: from commit to receiver",
		note: fmt.Sprintf("Milliseconds, one event at a time: one webhook, with two other working webhooks, "+
			"and with one that hangs and one that fails. "+
			"Goals: p50 under 1000, on PostgreSQL under 100. Failing webhooks increase the p99 by a factor of at most %.1f.", maxSlowed),
		columns: []string{"database", "p50 alone", "p99 alone", "p50 with working", "p99 with working", "p50 with failing",
			"p99 with failing", "p99 ratio", "goal"},
	}

	for _, d := range r.delays {
		bound := time.Second
		if d.database == "postgres" {
			bound = 100 * time.Millisecond
		}
		delay.rows = append(delay.rows, []string{
			d.database, ms(quantile(d.alone, 0.5)), ms(quantile(d.alone, 0.99)), ms(quantile(d.working, 0.5)), ms(quantile(d.working, 0.99)),
			ms(quantile(d.failing, 0.5)), ms(quantile(d.failing, 0.99)), fmt.Sprintf("%.2f", d.slowed()),
			mark(d.slowed() <= maxSlowed && quantile(d.alone, 0.5) < bound),
		})
	}

	return []table{relay, delay}
}
