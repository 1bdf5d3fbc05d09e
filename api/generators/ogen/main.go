// Program main uses the client of ogen. It is only compiled.
package main

import (
	"context"
	"fmt"
	"os"

	"slipway/generators/ogen/client"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// key is an API key.
type key string

func (k key) Bearer(context.Context, client.OperationName) (client.Bearer, error) {
	return client.Bearer{Token: string(k)}, nil
}

func (key) OAuth2(context.Context, client.OperationName) (client.OAuth2, error) {
	return client.OAuth2{}, nil
}

// run lists hulls and events. The type of an event determines the type of its object.
func run(ctx context.Context, url, token string) error {
	c, err := client.NewClient(url, key(token))
	if err != nil {
		return err
	}
	hulls, err := c.ListHulls(ctx, client.ListHullsParams{Status: client.NewOptHullStatus(client.HullStatusAvailable)})
	if err != nil {
		return err
	}
	if page, ok := hulls.(*client.PageHullHeaders); ok {
		for _, h := range page.Response.Data {
			fmt.Println(h.Make, h.PriceUsd)
		}
	}

	events, err := c.ListEvents(ctx, client.ListEventsParams{})
	if err != nil {
		return err
	}
	if page, ok := events.(*client.PageEventHeaders); ok {
		for _, e := range page.Response.Data {
			if sold, ok := e.GetHullSoldEvent(); ok {
				fmt.Println(sold.ID, sold.Data.Object.Make)
			}
		}
	}
	return nil
}
