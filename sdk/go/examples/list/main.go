// Command list prints the boats of a make, and shows how to get one page.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"slipway.example.com/slipway"
)

func main() {
	ctx := context.Background()
	c := slipway.New(os.Getenv("SLIPWAY_URL"), os.Getenv("SLIPWAY_KEY"))

	// The SDK requests the pages while you iterate. If you stop early, it sends no more requests.
	for h, err := range c.Hulls.List(ctx, slipway.HullListParams{Make: "Boston Whaler", Status: slipway.HullStatusAvailable}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(h.Year, h.Model, h.PriceUSD)
	}

	// One page, for example to show it in a table.
	var page slipway.Page
	for _, err := range c.Hulls.List(ctx, slipway.HullListParams{Limit: 1}, slipway.OnePage(&page)) {
		if err != nil {
			log.Fatal(err)
		}
	}
	if page.NextCursor != nil {
		fmt.Println("Next page:", *page.NextCursor)
	}
}
