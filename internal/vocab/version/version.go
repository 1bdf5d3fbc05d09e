// Package version lists the versions of the API and serves older ones.
//
// A version is a date. Versions only add things. A field that a later version added
// has the tag since, with the date of that version:
//
//	Taxes []DealTax `json:"taxes" since:"next"`
//
// A value that was added to an enum is listed with the value that older versions
// show instead of it:
//
//	Status string `json:"status" since:"next reversed=refunded"`
//
// null is a value too. What older versions show instead of it is JSON, or a question mark
// if the type calculates it in OlderValue:
//
//	Taxable *bool `json:"taxable" since:"next null=false"`
//
// A caller of an older version doesn't see what was added since then, and can't send
// it. So a strict decoder keeps working.
package version

import (
	"slices"
	"time"

	"slipway/internal/vocab/fault"
)

// Version is a published version of the API.
type Version struct {
	Date string   // YYYY-MM-DD, the day of its release
	Adds []string // what the version added, for the changelog

	// Was are dates that the version had before it was released. Credentials that were
	// issued under one of them keep the version.
	Was []string
}

// Next names the newest version in tags until it is released. Until then, its date is the
// day on which the last change of it landed, so that no client can pin a date before it
// and miss it. A release puts the date into the tags.
const Next = "next"

// Extension says in a description since when something exists.
const Extension = "x-since"

// Published lists all versions. The oldest is first.
var Published = []Version{
	{Date: "2026-11-15", Adds: []string{"First version."}},
	{Date: "2026-11-19", Was: []string{"2026-11-18", "2026-12-01"}, Adds: []string{
		"Deals have `taxes` with caps and exemptions, and warnings. You can send trade-ins, line items and taxes when you create a deal.",
		"Deals can be closed with a write-off, and a deposit can be transferred to another deal.",
		"Finance structures have balloon payments, odd days, the dealer reserve and the disclosed APR.",
		"Fundings list how the lender's decision differs from the structure.",
		"Trade-ins have a payoff date and a daily rate, and can be replaced.",
		"Holds belong to a deal, a lead or a contact.",
		"Leads keep the contact as it was submitted, and take consents when they are created.",
		"Locations and the dealership have default taxes.",
		"Users have `takes_leads` and `pending_email`.",
		"Webhooks show the scopes that they were created with.",
		"Webhooks and channels show `created_by`, and API keys the user of `slipway login` as `user_id`.",
		"Deactivating a user ends what acts for them, or hands it over with `hand_over`. To keep it, send `revoke_keys: false`, which older versions default to.",
		"Hulls show `price_hidden`, `price_type` and `msrp_usd`. Imports skip boats that were delivered, unless you send `reacquire`.",
		"The dealership's settings have `inbound`, for text messages and email that other services receive. Leads can come from `sms` and `email`.",
		"Apps, installs and SSO connections, and events about them. The dealership's settings have `allowed_apps`.",
		"Channels have a secret `feed_url`, a `listing_url`, pre-orders, the formats `openmarine` and `boatstream`, and for partners a `signing_secret` and a `credential`.",
		"Events about appointments and activities, which are in the preview.",
		"Hulls have `stock_state`, `order_number`, `expected_on` and `options`. Roles have `manager` and `own_locations`.",
		"Leads have `awaiting`, `awaiting_since`, `snoozed_until`, `unrecorded_consents` and `reopen_at`. Messages have `sent_by`.",
		"The dealership's settings have `lost_reasons` and `inbound.marketplaces`.",
		"Messages that might have been sent are `unknown`. Older versions show them as `queued`.",
	}},
}

// Latest returns the date of the newest version.
func Latest() string { return Published[len(Published)-1].Date }

// DateOf returns the date of a version that a tag names.
func DateOf(since string) string {
	if since == Next {
		return Latest()
	}
	return since
}

// After returns the versions that are newer than a version. The oldest is first.
func After(date string) []Version {
	return slices.DeleteFunc(slices.Clone(Published), func(v Version) bool { return v.Date <= date })
}

// Pinned returns the version of a date that was stored with a credential or a webhook.
func Pinned(date string) string {
	v, err := Resolve(date)
	if err != nil { // it has none
		return Latest()
	}
	return v
}

// Resolve returns the newest version on or before a date. For a date before the
// first version, it returns the first version.
func Resolve(date string) (string, error) {
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return "", fault.BadRequest("Service-Version must be a date such as %s.", Latest()).
			Detail("Service-Version", "pattern", "must have the form YYYY-MM-DD")
	}
	for _, v := range Published {
		if slices.Contains(v.Was, date) {
			return v.Date, nil
		}
	}
	for _, v := range slices.Backward(Published) {
		if v.Date <= date {
			return v.Date, nil
		}
	}
	return Published[0].Date, nil
}
