package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"slipway/internal/access"
	"slipway/internal/app"
	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/vocab/auth"
)

// mostSlowed is by how much neighbors that hang or are dead may raise the p99
// of a webhook that works.
const mostSlowed = 1.2

// relayed is how fast events reach a number of webhooks.
type relayed struct {
	database   string
	webhooks   int
	deliveries int
	took       time.Duration
}

// delays is how long events take from their commit to the receiver: alone,
// beside two webhooks that work, and beside one that hangs and one that is dead.
type delays struct {
	database            string
	alone, beside, sick []time.Duration
}

// slowed is what it costs that the two neighbors are sick.
func (d delays) slowed() float64 {
	return float64(quantile(d.sick, 0.99)) / float64(quantile(d.beside, 0.99))
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
	found, err := b.latency(ctx, d.name, o.deliveries()/5)
	r.delays = append(r.delays, found)
	return err
}

// deliveries is how many a throughput is taken from.
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

	mu   sync.Mutex
	got  map[string]int // by path
	hear func(path string, at time.Time)
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

	f, err := access.Bootstrap(ctx, b.DB, b.Box, "Bench Marine", "owner@example.com", dealership.Standard)
	if err != nil {
		return b, err
	}

	_, err = db.Write(ctx, b.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
		found, err := dealership.FindEnvironment(ctx, tx, f.DealershipID, auth.Test)
		if err != nil {
			return 0, err
		}
		k, err := access.IssueKey(ctx, tx.In(found.Env), auth.Test, access.KeyRequest{Name: "bench", Scopes: []auth.Scope{auth.Webhooks, auth.Admin}})
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
	if b.hear != nil {
		b.hear(req.URL.Path, at)
	}
}

func (b *hookBench) close() (err error) {
	for i := len(b.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, b.closers[i]())
	}
	return err
}

// subscribe makes a webhook and returns how to remove it.
func (b *hookBench) subscribe(ctx context.Context, url, types string) (func() error, error) {
	var w struct{ ID string }
	if err := b.ask(ctx, http.MethodPost, "/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": [%s]}`, url, types), http.StatusCreated, &w); err != nil {
		return nil, err
	}
	return func() error {
		return b.ask(ctx, http.MethodDelete, "/v1/webhooks/"+w.ID, "", http.StatusNoContent, nil)
	}, nil
}

// emit commits events, some in each transaction.
func (b *hookBench) emit(ctx context.Context, name string, n, each int) error {
	for done := 0; done < n; done += each {
		_, err := db.Write(ctx, b.DB, func(ctx context.Context, tx *db.Tx) (int, error) {
			for range min(each, n-done) {
				if err := events.Emit(ctx, tx.In(b.env), name, tx.NewID("loc"), nil, dealership.Location{Name: "Pier"}); err != nil {
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

// throughput fills the outbox while the relay is stopped, then takes the time from the
// relay's start until every webhook has every event.
func (b *hookBench) throughput(ctx context.Context, webhooks, most int) (took time.Duration, sent int, err error) {
	for i := range webhooks {
		remove, err := b.subscribe(ctx, fmt.Sprintf("%s/%d/%d", b.receiver, webhooks, i), `"location.created"`)
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, remove()) }()
	}

	count := most / webhooks
	if err := b.emit(ctx, "location.created", count, 100); err != nil {
		return 0, 0, err
	}

	left, all := count*webhooks, make(chan struct{})
	b.mu.Lock()
	b.hear = func(string, time.Time) {
		if left--; left == 0 {
			close(all)
		}
	}
	b.mu.Unlock()

	start := time.Now()
	stop := b.relay(ctx)
	select {
	case <-all:
	case <-time.After(5 * time.Minute):
		err = fmt.Errorf("%d deliveries are missing", left)
	}

	took = time.Since(start)
	b.mu.Lock()
	b.hear = nil
	b.mu.Unlock()
	stop()

	return took, count * webhooks, err
}

// relay runs the relay until stop is called.
func (b *hookBench) relay(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.App.Relay.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// latency takes the time from commit to receiver, one event at a time, in turns
// of events that differ in who else wants them.
func (b *hookBench) latency(ctx context.Context, database string, n int) (d delays, err error) {
	d.database = database
	for url, types := range map[string]string{
		b.receiver + "/works": `"location.created", "location.updated", "location.deleted"`,
		b.receiver + "/good":  `"location.updated"`,
		b.receiver + "/fine":  `"location.updated"`,
		b.receiver + "/hang":  `"location.deleted"`,
		"http://127.0.0.1:1":  `"location.deleted"`,
	} {
		if _, err := b.subscribe(ctx, url, types); err != nil {
			return d, err
		}
	}

	heard := make(chan time.Time, 1)
	b.mu.Lock()
	b.hear = func(path string, at time.Time) {
		if path == "/works" {
			heard <- at
		}
	}
	b.mu.Unlock()
	defer b.relay(ctx)()
	defer close(b.release)

	turns := []struct {
		event string
		into  *[]time.Duration
	}{{"location.created", &d.alone}, {"location.updated", &d.beside}, {"location.deleted", &d.sick}}
	for i := range 3 * n {
		turn := turns[i/10%3]
		if err := b.emit(ctx, turn.event, 1, 1); err != nil {
			return d, err
		}
		committed := time.Now()
		select {
		case at := <-heard:
			*turn.into = append(*turn.into, max(0, at.Sub(committed)))
		case <-time.After(time.Minute):
			return d, errors.New("an event was not delivered")
		}
	}

	return d, nil
}
