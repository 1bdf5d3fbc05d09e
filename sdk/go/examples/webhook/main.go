// Command webhook receives an event. The server must be able to reach this machine: for a server on
// the same machine, set SLIPWAY_ALLOW_PRIVATE_WEBHOOKS.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"slipway.example.com/slipway"
)

// receiver is the handler of your URL.
type receiver struct {
	secret chan string
	events chan *slipway.Event
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 1<<20))
	if err != nil {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		return
	}
	secret := <-r.secret
	r.secret <- secret
	event, err := slipway.ParseWebhook(body, req.Header, secret) // verifies the signature and the time
	if err != nil {
		http.Error(w, "invalid signature", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent) // respond first, then work
	r.events <- event
}

func main() {
	ctx := context.Background()
	c := slipway.New(os.Getenv("SLIPWAY_URL"), os.Getenv("SLIPWAY_KEY"))
	r := &receiver{make(chan string, 1), make(chan *slipway.Event, 10)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal((&http.Server{Handler: r, ReadHeaderTimeout: time.Minute}).Serve(listener)) }()

	address := "http://" + listener.Addr().String()
	webhook, err := c.Webhooks.Create(ctx, slipway.WebhookCreate{URL: address, Events: []string{string(slipway.EventHullPriceChanged)}})
	if err != nil {
		log.Fatal(err)
	}
	r.secret <- webhook.Secret
	for h, err := range c.Hulls.List(ctx, slipway.HullListParams{Limit: 1}, slipway.OnePage(new(slipway.Page))) {
		if err == nil {
			_, err = c.Hulls.AdjustPricing(ctx, h.ID, slipway.HullPricingReplace{PriceUSD: 67500, Reason: slipway.Set("Winter sale")})
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	show(<-r.events)
	if err := c.Webhooks.Delete(ctx, webhook.ID); err != nil {
		log.Fatal(err)
	}
}

func show(event *slipway.Event) {
	object, err := event.Object()
	if err != nil {
		log.Fatal(err)
	}
	switch o := object.(type) {
	case *slipway.Hull:
		fmt.Printf("%s: %s from %s to %d\n", event.Type, o.Model, event.Data.Previous["price_usd"], o.PriceUSD)
	default:
		fmt.Println("Ignored:", event.Type)
	}
}
