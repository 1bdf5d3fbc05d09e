package app

import (
	"maps"

	"slipway/internal/testkit"
)

func init() { maps.Copy(recipes, campaignRecipes) }

// campaignRecipes are the recipes of messages to many people.
var campaignRecipes = map[string]recipe{
	"preview.listMessageTemplates":  {toList(aTemplate), nil},
	"preview.createMessageTemplate": {nil, fixed(templateBody)},
	"preview.getMessageTemplate":    {aTemplate, nil},
	"preview.updateMessageTemplate": {aTemplate, fixed(`{"body": "Hi {first_name|there}, the sale ends on Sunday."}`)},
	"preview.deleteMessageTemplate": {aTemplate, nil},

	"preview.listLeadSegments":  {toList(aSegment), nil},
	"preview.createLeadSegment": {nil, fixed(segmentBody)},
	"preview.getLeadSegment":    {aSegment, nil},
	"preview.updateLeadSegment": {aSegment, fixed(`{"filter": {"sources": ["web"], "budget_min": {"amount": 8000000, "currency": "USD"}}}`)},
	"preview.deleteLeadSegment": {aSegment, nil},

	"preview.listCampaigns":          {toList(aCampaign), nil},
	"preview.createCampaign":         {nil, func(c *testkit.Client) any { return campaignBody(c) }},
	"preview.getCampaign":            {aCampaign, nil},
	"preview.updateCampaign":         {aCampaign, fixed(`{"name": "Summer sale"}`)},
	"preview.deleteCampaign":         {aCampaign, nil},
	"preview.previewCampaign":        {aCampaign, nil},
	"preview.startCampaign":          {aCampaign, fixed(`{}`)},
	"preview.stopCampaign":           {aStartedCampaign, nil},
	"preview.getCampaignResults":     {aStartedCampaign, nil},
	"preview.listCampaignRecipients": {aStartedCampaign, nil},

	"preview.listFollowUpPlans":  {toList(aPlan), nil},
	"preview.createFollowUpPlan": {nil, fixed(planBody)},
	"preview.getFollowUpPlan":    {aPlan, nil},
	"preview.updateFollowUpPlan": {aPlan, fixed(`{"active": false}`)},
	"preview.deleteFollowUpPlan": {aPlan, nil},
	"preview.listLeadPlans":      {aLead, nil},
	"preview.startLeadPlan":      {aLead, func(c *testkit.Client) any { return aPlan(c) }},
	"preview.stopLeadPlan":       {aLeadPlan, nil},

	"preview.listSnippets":    {toList(aSnippet), nil},
	"preview.createSnippet":   {nil, fixed(`{"name": "sold", "body": "The {boat} is sold."}`)},
	"preview.updateSnippet":   {aSnippet, fixed(`{"body": "The {boat} is sold."}`)},
	"preview.deleteSnippet":   {aSnippet, nil},
	"preview.getLeadSnippets": {aLead, nil},

	"preview.listDoNotCallLists":  {toList(aDoNotCallList), nil},
	"preview.createDoNotCallList": {nil, func(*testkit.Client) any { return testkit.File{Type: "text/csv", Bytes: []byte("410,5550123\n")} }},
	"preview.deleteDoNotCallList": {aDoNotCallList, nil},

	"preview.listContactsV2": {toList(aContact), nil},
	"preview.createContactImport": {nil, func(*testkit.Client) any {
		return testkit.File{Type: "text/csv", Bytes: []byte("Name,Email\nAnn Bell,ann@example.com\n")}
	}},
	"preview.getContactImport":             {aContactImport, nil},
	"preview.listContactImportErrors":      {aContactImport, nil},
	"preview.getContactImportReading":      {aContactImport, nil},
	"preview.replaceContactImportReading":  {aContactImport, fixed(`{"map": {"Zip": "postal_code"}, "duplicates": "update"}`)},
	"preview.listContactImportRows":        {aContactImport, nil},
	"preview.repairContactImportRow":       {aContactImportRow("2"), fixed(`{"cells": ["Cole", "ben@example.com", "21401"], "fields": {}}`)},
	"preview.listContactImportDuplicates":  {aContactImport, nil},
	"preview.updateContactImportDuplicate": {aContactImportRow("3"), fixed(`{"action": "update"}`)},
	"preview.startContactImport":           {aContactImport, nil},
}

const (
	templateBody = `{"name": "Spring sale", "channel": "sms", "body": "Hi {first_name|there}, our spring sale starts on Saturday."}`
	segmentBody  = `{"name": "Quiet for a month", "filter": {"statuses": ["new", "contacted"], "no_contact_for_days": 30}}`
)

// aSnippet returns the snippet of the environment. Names are unique.
func aSnippet(c *testkit.Client) map[string]string {
	var all struct{ Data []struct{ ID, Name string } }
	c.Get("/v2-preview/snippets", 200, &all)
	for _, s := range all.Data {
		if s.Name == "still-here" {
			return map[string]string{"snippet_id": s.ID}
		}
	}
	return map[string]string{"snippet_id": created(c, "/v2-preview/snippets", `{"name": "still-here", "body": "Hi {first_name|there}, the {boat} is still here."}`)}
}

const planBody = `{"name": "Referrals", "sources": ["referral"], "steps": [{"day": 0, "kind": "task", "body": "Call {first_name|the customer}"},
	{"day": 3, "kind": "email", "subject": "Your boat", "body": "Hi {first_name|there}, are you still looking?"}]}`

func aPlan(c *testkit.Client) map[string]string {
	return map[string]string{"plan_id": created(c, "/v2-preview/follow_up_plans", planBody)}
}

func aLeadPlan(c *testkit.Client) map[string]string {
	return map[string]string{"lead_plan_id": created(c, "/v2-preview/leads/"+aLead(c)["lead_id"]+"/plans", aPlan(c))}
}

func aTemplate(c *testkit.Client) map[string]string {
	return map[string]string{"template_id": created(c, "/v2-preview/message_templates", templateBody)}
}

func aSegment(c *testkit.Client) map[string]string {
	return map[string]string{"segment_id": created(c, "/v2-preview/lead_segments", segmentBody)}
}

func campaignBody(c *testkit.Client) map[string]string {
	return map[string]string{"name": "Spring sale", "segment_id": aSegment(c)["segment_id"], "template_id": aTemplate(c)["template_id"]}
}

func aCampaign(c *testkit.Client) map[string]string {
	return map[string]string{"campaign_id": created(c, "/v2-preview/campaigns", campaignBody(c))}
}

func aStartedCampaign(c *testkit.Client) map[string]string {
	p := aCampaign(c)
	c.Post("/v2-preview/campaigns/"+p["campaign_id"]+"/start", `{"send_at": "2027-05-01T13:00:00Z"}`, 200, nil)
	return p
}

func aDoNotCallList(c *testkit.Client) map[string]string {
	return map[string]string{"list_id": created(c, "/v2-preview/do_not_call_lists?name=Registry", testkit.File{Type: "text/csv", Bytes: []byte("410,5550123\n")})}
}

// created creates an object and returns its ID.
func created(c *testkit.Client, path string, body any) string {
	var o struct{ ID string }
	c.Post(path, body, 201, &o)
	return o.ID
}

func aContactImport(c *testkit.Client) map[string]string {
	return map[string]string{"import_id": c.CheckedContactImport()}
}

func aContactImportRow(row string) func(*testkit.Client) map[string]string {
	return func(c *testkit.Client) map[string]string {
		return map[string]string{"import_id": c.CheckedContactImport(), "row": row}
	}
}
