package app_test

import "maps"

func init() { maps.Copy(recipes, consoleRecipes) }

// consoleRecipes are the recipes of what people see in the console.
var consoleRecipes = map[string]recipe{
	"preview.listLeads":     {toList(aLead), nil},
	"preview.getLead":       {aLead, nil},
	"preview.getLeadReach":  {aLead, nil},
	"preview.getDealNext":   {aDeal, nil},
	"preview.quoteFinance":  {nil, fixed(`{"price": {"amount": 12500000, "currency": "USD"}, "apr_percent": "7.99", "terms": [180, 240]}`)},
	"preview.listDirectory": {toList(aUser), nil},
	"preview.getMe":         {},
	"preview.search":        {},
	"preview.listTimeline":  {toList(aLead), nil},
	"preview.listEvents":    {},
	"preview.getEvent":      {anEvent, nil},
}
