package rest

import (
	"testing"

	"slipway/internal/testkit/assert"
)

func TestClosest(t *testing.T) {
	known := []string{"id", "location", "make", "model", "model_year", "price_usd", "starting_after", "status"}
	for name, want := range map[string]string{
		"pric_usd":       "price_usd",
		"priceUsd":       "price_usd",
		"Price-USD":      "price_usd",
		"price":          "price_usd",
		"year":           "model_year",
		"maek":           "make",
		"mode":           "model",
		"locations":      "location",
		"startingAfter":  "starting_after",
		"started_after":  "starting_after",
		"color":          "",
		"x":              "",
		"":               "",
		"ID":             "id",
		"to":             "",
		"_":              "",
		"usd":            "price_usd",
		"💥":              "",
		"status[in]":     "status",
		"statuses":       "status",
		"a_name_that_is": "",
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, closest(name, known), want)
		})
	}
}
