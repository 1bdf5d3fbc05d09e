package app

import (
	"fmt"
	"maps"
	"sync/atomic"

	"slipway/internal/testkit"
)

func init() { maps.Copy(recipes, consoleRecipes) }

// consoleRecipes are the recipes of what people see in the console.
var consoleRecipes = map[string]recipe{
	"preview.listLeadsV2":  {toList(aLead), nil},
	"preview.getLeadV2":    {aLead, nil},
	"preview.getLeadReach": {aLead, nil},

	"preview.getAwaitingLeads": {},
	"preview.snoozeLead":       {aLead, fixed(`{"until": "2027-05-01T13:00:00Z"}`)},
	"preview.wakeLead":         {aLead, nil},

	"preview.getDealNext": {aDeal, nil},

	"preview.holdHull":    {aHull, fixed(`{"reason": "Deposit on the way"}`)},
	"preview.endHullHold": {aHeldHull, nil},
	"preview.repriceHulls": {nil, func(c *testkit.Client) any {
		price := map[string]any{"hull_id": aHull(c)["hull_id"], "price": map[string]any{"amount": 11950000, "currency": "USD"}, "version": 1}
		return map[string]any{"prices": []any{price}, "reason": "End of season"}
	}},

	"preview.listUnknownMessages":   {toList(anUnknownMessage), nil},
	"preview.getMessaging":          {},
	"preview.resolveUnknownMessage": {anUnknownMessage, fixed(`{"outcome": "sent"}`)},

	"preview.listQuarantinedMessages":   {toList(aQuarantinedMessage), nil},
	"preview.releaseQuarantinedMessage": {aQuarantinedMessage, nil},
	"preview.deleteQuarantinedMessage":  {aQuarantinedMessage, nil},

	"preview.quoteFinance":    {nil, fixed(`{"price": {"amount": 12500000, "currency": "USD"}, "apr_percent": "7.99", "terms": [180, 240]}`)},
	"preview.getUserAccess":   {aUser, nil},
	"preview.getDailySummary": {aUser, nil},
	"preview.setDailySummary": {aUser, fixed(`{"enabled": true, "send_at": "07:30"}`)},
	"preview.listDirectory":   {toList(aUser), nil},
	"preview.getMeV2":         {},
	"preview.search":          {},
	"preview.listNames":       {},
	"preview.listViews":       {toList(aView), nil},
	"preview.createView":      {nil, fixed(viewBody)},
	"preview.updateView":      {aView, fixed(`{"name": "Old stock"}`)},
	"preview.deleteView":      {aView, nil},
	"preview.getAuditChain":   {},
	"preview.checkAuditChain": {},
	"preview.listTimeline":    {toList(aLead), nil},
	"preview.listEventsV2":    {},
	"preview.getEventV2":      {anEvent, nil},

	"preview.getHullImportReading":     {aCheckedImport, nil},
	"preview.replaceHullImportReading": {aCheckedImport, fixed(`{"map": {"Price": "price_usd"}}`)},
	"preview.listHullImportRows":       {aCheckedImport, nil},
	"preview.repairHullImportRow": {aCheckedRow, fixed(`{"cells": ["A", "GRT40912B324", "Grady-White", "Freedom 235", "2024", "23.58", "1", "Annapolis"],
		"fields": {}}`)},
	"preview.startHullImport":             {aCheckedImport, nil},
	"preview.getHullImportReconciliation": {aStartedImport, nil},

	"preview.listHullPlacements":    {aListing, nil},
	"preview.listLeftOutHulls":      {aChannel, nil},
	"preview.getChannelWebsite":     {aWebsite, nil},
	"preview.replaceChannelWebsite": {aWebsiteChannel, func(*testkit.Client) any { return websiteBody() }},
	"preview.deleteChannelWebsite":  {aWebsite, nil},

	"preview.listProposals":   {toList(aProposal), nil},
	"preview.createProposal":  {nil, func(c *testkit.Client) any { return newProposal(c) }},
	"preview.getProposal":     {aProposal, nil},
	"preview.declineProposal": {aProposal, nil},
}

// forPeople is the operation that only people in a browser can call. The tests of its
// package call it.
const forPeople = "preview.approveProposal"

func anUnknownMessage(c *testkit.Client) map[string]string {
	return map[string]string{"message_id": c.UnknownMessage()}
}

func aCheckedImport(c *testkit.Client) map[string]string {
	return map[string]string{"import_id": c.CheckedImport()}
}

func aCheckedRow(c *testkit.Client) map[string]string {
	return map[string]string{"import_id": c.CheckedImport(), "row": "2"}
}

func aStartedImport(c *testkit.Client) map[string]string {
	return map[string]string{"import_id": c.StartedImport()}
}

func aQuarantinedMessage(c *testkit.Client) map[string]string {
	return map[string]string{"message_id": c.QuarantinedMessage()}
}

// newProposal is the body of a proposal to change the price of a hull.
func newProposal(c *testkit.Client) map[string]any {
	return map[string]any{
		"operation_id": "adjustHullPricing", "path": aHull(c), "body": map[string]any{"price_usd": 99000}, "reason": "Similar boats cost less.",
	}
}

func aProposal(c *testkit.Client) map[string]string {
	var p struct{ ID string }
	c.Post("/v2-preview/proposals", newProposal(c), 201, &p)
	return map[string]string{"proposal_id": p.ID}
}

const viewBody = `{"screen": "boats", "name": "Over 90 days", "query": "status=available&sort=-age", "shared": true}`

func aView(c *testkit.Client) map[string]string {
	return map[string]string{"view_id": created(c, "/v2-preview/views", viewBody)}
}

func aWebsiteChannel(c *testkit.Client) map[string]string {
	return map[string]string{"channel_id": c.Channel(map[string]any{"kind": "website"})}
}

var websitesMade atomic.Int64

func websiteBody() map[string]any {
	return map[string]any{"slug": fmt.Sprintf("website-%d", websitesMade.Add(1))}
}

func aWebsite(c *testkit.Client) map[string]string {
	path := aWebsiteChannel(c)
	c.Put("/v2-preview/channels/"+path["channel_id"]+"/website", websiteBody(), 200, nil)
	return path
}
