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

// mostFlooded is by how much a flood of refused credentials may raise the p50
// of a caller with a good one, beside what the same flood does to a server that
// refuses without looking: the client's share of the machine is the same.
const mostFlooded = 1.5

// flooded is a good caller beside a flood, by whom the flood meets.
type flooded struct {
	database         string
	rate             int
	calm, ours, bare []time.Duration
}

func (f flooded) ratio() float64 {
	return float64(quantile(f.ours, 0.5)) / float64(quantile(f.bare, 0.5))
}

// ask sends a request of the service's API.
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

// flood measures a good caller while a revoked key knocks.
func flood(ctx context.Context, o options, r *report, d database) error {
	d.settings.AddressRate = 50 // as it comes
	b, err := openHooks(ctx, d)
	if err != nil {
		return err
	}
	defer func() { _ = b.close() }() // measured, and thrown away

	var k struct{ ID, Key string }
	if err := b.ask(ctx, http.MethodPost, "/v1/api_keys", `{"name": "gone", "scopes": ["webhooks"]}`, http.StatusCreated, &k); err != nil {
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
	progress("%s: a flood of %d refused requests a second", d.name, f.rate)
	good := func(ctx context.Context) error {
		return b.ask(ctx, http.MethodGet, "/v1/webhooks", "", http.StatusOK, nil)
	}

	for range 5 {
		for into, target := range map[*[]time.Duration]string{&f.calm: "", &f.ours: b.api, &f.bare: bare} {
			stop := knock(ctx, target, k.Key, f.rate)
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

// knock sends requests with a bad key at a steady rate until stop is called.
func knock(ctx context.Context, base, key string, rate int) (stop func()) {
	if base == "" {
		return func() {}
	}

	ctx, cancel := context.WithCancel(ctx)
	const hands = 8
	ended := make(chan struct{}, hands)
	for range hands {
		go func() {
			defer func() { ended <- struct{}{} }()
			for tick := time.Tick(hands * time.Second / time.Duration(rate)); ctx.Err() == nil; <-tick {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/webhooks", nil)
				if err != nil {
					panic(err) // the address is ours
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
		for range hands {
			<-ended
		}
	}
}

func (r *report) relayTables() []table {
	relay := table{
		title: "Webhooks: deliveries", note: "From a full outbox to a receiver on the same machine, everything recorded.",
		columns: []string{"database", "webhooks", "deliveries", "deliveries/s"},
	}
	for _, d := range r.relayed {
		relay.rows = append(relay.rows, []string{d.database, fmt.Sprint(d.webhooks), fmt.Sprint(d.deliveries), fmt.Sprintf("%.0f", float64(d.deliveries)/d.took.Seconds())})
	}

	delay := table{
		title: "Webhooks: from commit to receiver",
		note: fmt.Sprintf("Milliseconds, one event at a time: alone, beside two webhooks that work, and beside one that hangs and one that is dead. "+
			"Goals: p50 under 1000, on PostgreSQL under 100; sick neighbors raise the p99 at most %.1f times.", mostSlowed),
		columns: []string{"database", "p50 alone", "p99 alone", "p50 beside two", "p99 beside two", "p50 beside sick", "p99 beside sick", "ratio of p99", "goal"},
	}

	for _, d := range r.delays {
		bound := time.Second
		if d.database == "postgres" {
			bound = 100 * time.Millisecond
		}
		delay.rows = append(delay.rows, []string{
			d.database, ms(quantile(d.alone, 0.5)), ms(quantile(d.alone, 0.99)), ms(quantile(d.beside, 0.5)), ms(quantile(d.beside, 0.99)),
			ms(quantile(d.sick, 0.5)), ms(quantile(d.sick, 0.99)), fmt.Sprintf("%.2f", d.slowed()), mark(d.slowed() <= mostSlowed && quantile(d.alone, 0.5) < bound),
		})
	}

	floods := table{
		title: "A flood of refused credentials",
		note: fmt.Sprintf("p50 in milliseconds of a good caller while a revoked key knocks, beside the same flood at a server that refuses without looking. "+
			"Goal: at most %.1f times.", mostFlooded),
		columns: []string{"database", "refused/s", "calm", "flooded", "bare flooded", "ratio", "goal"},
	}
	for _, f := range r.floods {
		floods.rows = append(floods.rows, []string{
			f.database, fmt.Sprint(f.rate), ms(quantile(f.calm, 0.5)), ms(quantile(f.ours, 0.5)), ms(quantile(f.bare, 0.5)), fmt.Sprintf("%.2f", f.ratio()), mark(f.ratio() <= mostFlooded),
		})
	}

	return []table{relay, delay, floods}
}
