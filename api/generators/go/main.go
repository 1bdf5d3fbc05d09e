// Program main uses the client of oapi-codegen. It is only compiled.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"slipway/generators/client"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, key string) error {
	c, err := client.NewClientWithResponses(url, client.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	if err := listHulls(ctx, c); err != nil {
		return err
	}

	res, err := c.ListEventsWithResponse(ctx, nil)
	if err != nil || res.JSON200 == nil {
		return err
	}
	for _, e := range res.JSON200.Data {
		text, err := describe(e)
		if err != nil {
			return err
		}
		fmt.Println(text)
	}
	return nil
}

// listHulls reads all pages of a list, with a named enum as a filter.
func listHulls(ctx context.Context, c *client.ClientWithResponses) error {
	status := client.HullStatusAvailable
	params := &client.ListHullsParams{Status: &status}
	for {
		res, err := c.ListHullsWithResponse(ctx, params)
		if err != nil || res.JSON200 == nil {
			return err
		}
		for _, h := range res.JSON200.Data {
			fmt.Println(h.Make, h.Status == client.HullStatusAvailable)
		}
		if params.StartingAfter = res.JSON200.NextCursor; params.StartingAfter == nil {
			return nil
		}
	}
}

// describe selects the type of an event.
func describe(e client.Event) (string, error) {
	value, err := e.ValueByDiscriminator()
	switch event := value.(type) {
	case client.HullCreatedEvent:
		return event.Data.Object.Make, err
	case client.DealCancelledEvent:
		return event.Data.Object.Id, err
	}
	return "", err
}
