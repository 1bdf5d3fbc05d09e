package app

import (
	"maps"

	"slipway/internal/testkit"
)

func init() {
	maps.Copy(recipes, map[string]recipe{
		"preview.listAllPayments":  {toList(aPayment), nil},
		"preview.listAllFundings":  {toList(aFunding), nil},
		"preview.listAllDocuments": {toList(aDocument), nil},
	})
	for _, name := range []string{"Inventory", "Gross", "Leads", "Responses", "Pipeline", "Funding", "Cash", "Pricing", "Tax"} {
		recipes["preview.get"+name+"Report"] = recipe{}
		recipes["preview.export"+name+"Report"] = recipe{}
	}
}

// toList creates what a list without path parameters contains.
func toList(create func(*testkit.Client) map[string]string) func(*testkit.Client) map[string]string {
	return func(c *testkit.Client) map[string]string {
		create(c)
		return nil
	}
}
