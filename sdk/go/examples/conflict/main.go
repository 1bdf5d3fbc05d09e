// Command conflict changes a boat that someone else changed in the meantime.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"slipway.example.com/slipway"
)

func main() {
	ctx := context.Background()
	c := slipway.New(os.Getenv("SLIPWAY_URL"), os.Getenv("SLIPWAY_KEY"))
	for h, err := range c.Hulls.List(ctx, slipway.HullListParams{Limit: 1}, slipway.OnePage(new(slipway.Page))) {
		if err != nil {
			log.Fatal(err)
		}
		if err := change(ctx, c, h); err != nil {
			log.Fatal(err)
		}
	}
}

func change(ctx context.Context, c *slipway.Client, h slipway.Hull) error {
	// Someone else changes the boat after you read it.
	if _, err := c.Hulls.Update(ctx, h.ID, slipway.HullPatch{Title: slipway.Set("Second owner")}); err != nil {
		return err
	}

	// IfVersion protects their change.
	patch := slipway.HullPatch{Title: slipway.Set("Winterized"), Description: slipway.Clear[string]()}
	_, err := c.Hulls.Update(ctx, h.ID, patch, slipway.IfVersion(h.Version))
	if !errors.Is(err, slipway.ErrConflict) {
		return err
	}
	current, err := c.Hulls.Get(ctx, h.ID)
	if err != nil {
		return err
	}
	fmt.Println("Someone else changed it. Title:", *current.Title)

	var e *slipway.Error
	_, err = c.Hulls.Update(ctx, h.ID, slipway.HullPatch{LengthFt: slipway.Set(-1.0)}, slipway.IfVersion(current.Version))
	if errors.As(err, &e) {
		fmt.Println("length_ft", e.Field("length_ft"))
	}
	return nil
}
