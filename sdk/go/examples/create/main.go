// Command create adds a boat. It is safe to run again, because the request has a name.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"slipway.example.com/slipway"
)

func main() {
	c := slipway.New(os.Getenv("SLIPWAY_URL"), os.Getenv("SLIPWAY_KEY"))
	boat := slipway.HullCreate{
		Make: "Boston Whaler", Model: "130 Super Sport", Year: 2027, LengthFt: 13.33, PriceUSD: 24900,
		HIN: "BWC13001H627", LocationID: os.Getenv("LOCATION"),
	}

	// The SDK retries a request that got no response, and the server adds the boat once. If your
	// program can stop before it stores the result, name the request with a UUID of your own.
	const order = "4f1d8c52-6a0e-4d0b-8d9e-2b7f3c1a9e10"
	first, err := c.Hulls.Create(context.Background(), boat, slipway.IdempotencyKey(order))
	if err != nil {
		log.Fatal(err)
	}
	again, err := c.Hulls.Create(context.Background(), boat, slipway.IdempotencyKey(order))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Created once:", first.ID == again.ID)
}
