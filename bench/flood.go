package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxFlooded limits the p50 of a valid client during a flood of rejected API
// keys, compared with the same flood on a server that rejects all requests
// without checks. The client costs the same in both cases.
const maxFlooded = 1.5

// flooded has the times of a valid client without a flood, and during a flood on
// the service and on the bare server.
type flooded struct {
	database         string
	rate             int
	calm, ours, bare []time.Duration
}

func (f flooded) ratio() float64 {
	return float64(quantile(f.ours, 0.5)) / float64(quantile(f.bare, 0.5))
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

// flood measures a valid client while another client sends a revoked key.
func flood(ctx context.Context, o options, r *report, d database) error {
	d.settings.AddressRate = 50 // the default
	b, err := openHooks(ctx, d)
	if err != nil {
		return err
	}
	defer func() { _ = b.close() }() // the database is discarded

	var k struct{ ID, Key string }
	if err := b.ask(ctx, http.MethodPost, "/v1/api_keys", `{"name": "revoked", "scopes": ["webhooks"]}`, http.StatusCreated, &k); err != nil {
		return err
	}
	if err := b.ask(ctx, http.MethodPost, "/v1/api_keys/"+k.ID+"/revoke", "", http.StatusOK, nil); err != nil {
		return err
	}

	bare, err := b.serve(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"status":429}}`) // the client ignores it
	}))
	if err != nil {
		return err
	}

	f := flooded{database: d.name, rate: 2000}
	progress("%s: flood of %d rejected requests per second", d.name, f.rate)
	good := func(ctx context.Context) error {
		return b.ask(ctx, http.MethodGet, "/v1/webhooks", "", http.StatusOK, nil)
	}

	for range 5 {
		for into, target := range map[*[]time.Duration]string{&f.calm: "", &f.ours: b.api, &f.bare: bare} {
			stop := sendRejected(ctx, target, k.Key, f.rate)
			took, err := load(ctx, 1, time.Duration(o.seconds*float64(time.Second)/5), good)
			stop()
			if err != nil {
				return err
			}
			*into = append(*into, took...)
		}
	}

	r.floods = append(r.floods, f)
	return nil
}

// sendRejected sends requests with a revoked key at a steady rate until stop is called.
func sendRejected(ctx context.Context, base, key string, rate int) (stop func()) {
	if base == "" {
		return func() {}
	}

	ctx, cancel := context.WithCancel(ctx)
	const senders = 8
	stopped := make(chan struct{}, senders)
	for range senders {
		go func() {
			defer func() { stopped <- struct{}{} }()
			for tick := time.Tick(senders * time.Second / time.Duration(rate)); ctx.Err() == nil; <-tick {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/webhooks", nil)
				if err != nil {
					panic(err) // the URL is valid
				}
				req.Header.Set("Authorization", "Bearer "+key)
				if res, err := client.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			}
		}()
	}

	return func() {
		cancel()
		for range senders {
			<-stopped
		}
	}
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

	floods := table{
		title: "Flood of rejected API keys",
		note: fmt.Sprintf("p50 in milliseconds of a valid client while another client sends a revoked key, "+
			"compared with the same flood on a server that rejects all requests without checks. Goal: a ratio of at most %.1f.", maxFlooded),
		columns: []string{"database", "rejected/s", "no flood", "flood", "flood on bare server", "ratio", "goal"},
	}
	for _, f := range r.floods {
		floods.rows = append(floods.rows, []string{
			f.database, fmt.Sprint(f.rate), ms(quantile(f.calm, 0.5)), ms(quantile(f.ours, 0.5)), ms(quantile(f.bare, 0.5)),
			fmt.Sprintf("%.2f", f.ratio()), mark(f.ratio() <= maxFlooded),
		})
	}

	return []table{relay, delay, floods}
}
