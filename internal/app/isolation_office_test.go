package app_test

import (
	"maps"

	"slipway/internal/testkit"
)

func init() {
	maps.Copy(recipes, map[string]recipe{
		"preview.listPayments":  {toList(aPayment), nil},
		"preview.listFundings":  {toList(aFunding), nil},
		"preview.listDocuments": {toList(aDocument), nil},
	})
}

// toList creates what a list without path parameters contains.
func toList(create func(*testkit.Client) map[string]string) func(*testkit.Client) map[string]string {
	return func(c *testkit.Client) map[string]string {
		create(c)
		return nil
	}
}
