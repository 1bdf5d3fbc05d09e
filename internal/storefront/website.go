// Package storefront is the public website of a dealership: the pages of a channel of the kind
// website, with its boats, the form to ask about them and the alerts about their prices.
//
// The pages only show what the channel lists. They have no cookies and work without scripts.
package storefront

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/platform/front"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/lazy"
	"slipway/internal/vocab/money"
)

// Path is where the websites are, followed by the slug.
const Path = "/b"

// ChannelWebsite is the public pages of a channel.
type ChannelWebsite struct {
	_ struct{} `doc:"The public pages of a channel of the kind website." columns:"channel_id url title color / updated_at version" privacy:"plain"`

	Env        auth.Env          `json:"-" db:"env"`
	ChannelID  string            `json:"channel_id" db:"id" doc:"Channel whose boats the pages show." example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Slug       string            `json:"slug" db:"slug" doc:"Part of the path of the pages. Unique on this server." example:"chesapeake-marine"`
	URL        string            `json:"url" doc:"Address of the first page." example:"https://slipway.example.com/b/chesapeake-marine/" audit:"-"`
	Title      *string           `json:"title" db:"title" doc:"Name that the pages show. Null for the name of the dealership." example:"Chesapeake Marine"`
	Color      *string           `json:"color" db:"color" doc:"Color of buttons and links. Only its hue and its strength are used, so that text stays readable in light and dark. Null for blue." example:"#0b7285"`
	PrivacyURL *string           `json:"privacy_url" db:"privacy_url" doc:"Address of your privacy policy. Null if there is no link to one." example:"https://chesapeakemarine.example.com/privacy"`
	FinePrint  *string           `json:"fine_print" db:"fine_print" doc:"Text at the end of each page, such as what prices don't include. Null if there is none."`
	Locations  []WebsiteLocation `json:"locations" db:"locations,json" nullable:"false" doc:"Locations to show, in this order. Empty for all locations without hours."`
	Estimate   *WebsiteEstimate  `json:"estimate" db:"estimate,json" doc:"How monthly payments are estimated. Null if the pages show none."`
	SeaTrials  *WebsiteSeaTrials `json:"sea_trials" db:"sea_trials,json" doc:"When visitors can ask for a sea trial. Null if they can't choose a time."`
	Version    int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	CreatedAt  time.Time         `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt  time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	EstimateOn *string `json:"-" db:"estimate_on"` // the day of the rate
}

// Revision is the version, for the ETag.
func (w ChannelWebsite) Revision() int64 { return w.Version }

// WebsiteLocation is a location on a website.
type WebsiteLocation struct {
	_ struct{} `doc:"A location on a website."`

	LocationID string  `json:"location_id" minLength:"1" maxLength:"64" doc:"Location to show, with its address and phone number." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Hours      *string `json:"hours" required:"false" maxLength:"200" doc:"When it is open, in your own words." example:"Monday to Saturday, 9 AM to 6 PM"`
}

// WebsiteEstimate is how monthly payments are estimated.
type WebsiteEstimate struct {
	_ struct{} `doc:"How monthly payments are estimated. The pages show all terms with each estimate." nullable:"true"`

	DownPercent int64         `json:"down_percent" minimum:"0" maximum:"90" doc:"Down payment in percent of the price." example:"20"`
	Months      int64         `json:"months" minimum:"12" maximum:"360" doc:"Number of monthly payments." example:"240"`
	APRPercent  money.Percent `json:"apr_percent" maxLength:"10" doc:"Annual percentage rate as a decimal with up to four places. Change it when the rate of your lender changes: the pages show the date of the change." example:"7.99"`
	PriceMinUSD *int64        `json:"price_min_usd" required:"false" minimum:"0" maximum:"1000000000" doc:"Lowest price with an estimate, in whole US dollars. Null for all." example:"40000"`
	AgeMax      *int64        `json:"age_max" required:"false" minimum:"0" maximum:"200" doc:"Highest age of a boat with an estimate, in model years. Null for all." example:"20"`
}

// WebsiteSeaTrials is when visitors can ask for a sea trial.
type WebsiteSeaTrials struct {
	_ struct{} `doc:"When visitors can ask for a sea trial. A time is offered if one of the users and the boat are free." nullable:"true"`

	UserIDs         []string `json:"user_ids" minItems:"1" maxItems:"20" nullable:"false" doc:"Users who keep the appointments." example:"[\"usr_01jcqz8t5n8m2x4v6b7c9d0e1f\"]"`
	Times           []string `json:"times" minItems:"1" maxItems:"12" nullable:"false" doc:"Times of day, as HH:MM at the location of the boat." example:"[\"10:00\", \"13:00\"]"`
	Weekdays        []int64  `json:"weekdays" required:"false" maxItems:"7" nullable:"false" doc:"Days of the week, from 1 for Monday to 7 for Sunday. Defaults to Monday to Saturday."`
	DurationMinutes int64    `json:"duration_minutes,omitempty" minimum:"15" maximum:"480" default:"90" doc:"Length in minutes. Defaults to 90."`
}

// ChannelWebsiteReplace is the settings of a website.
type ChannelWebsiteReplace struct {
	_ struct{} `doc:"Settings of a website. Fields that you leave out are cleared."`

	Slug       string            `json:"slug" minLength:"2" maxLength:"60" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" patternDescription:"lowercase letters, digits and single hyphens" doc:"Part of the path of the pages. Links and search results break if you change it." example:"chesapeake-marine"`
	Title      *string           `json:"title" required:"false" minLength:"1" maxLength:"100" doc:"Name that the pages show. Defaults to the name of the dealership."`
	Color      *string           `json:"color" required:"false" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a color such as #0b7285" doc:"Color of buttons and links." example:"#0b7285"`
	PrivacyURL *string           `json:"privacy_url" required:"false" maxLength:"2000" format:"uri" doc:"Address of your privacy policy. Must use https."`
	FinePrint  *string           `json:"fine_print" required:"false" maxLength:"2000" doc:"Text at the end of each page."`
	Locations  []WebsiteLocation `json:"locations,omitempty" maxItems:"50" nullable:"false" doc:"Locations to show, in this order. Defaults to all."`
	Estimate   *WebsiteEstimate  `json:"estimate" required:"false" doc:"How monthly payments are estimated. Defaults to none."`
	SeaTrials  *WebsiteSeaTrials `json:"sea_trials" required:"false" doc:"When visitors can ask for a sea trial. Defaults to none."`
}

var (
	clock    = lazy.Regexp(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
	weekdays = []int64{1, 2, 3, 4, 5, 6}
)

// Check validates what the schema can't express.
func (n ChannelWebsiteReplace) Check(time.Time) error {
	var bad fault.Fields
	if n.Title != nil && strings.TrimSpace(*n.Title) == "" {
		bad.Add("title", "too_short", "must not be blank")
	}
	if n.PrivacyURL != nil && !strings.HasPrefix(*n.PrivacyURL, "https://") {
		bad.Add("privacy_url", "format", "must start with https://")
	}
	if n.Estimate != nil {
		n.Estimate.APRPercent.Check(&bad, "estimate.apr_percent")
	}
	if n.SeaTrials != nil {
		for _, t := range n.SeaTrials.Times {
			if !clock().MatchString(t) {
				bad.Add("sea_trials.times", "format", "must be times such as 10:00")
				break
			}
		}
		if slices.ContainsFunc(n.SeaTrials.Weekdays, func(d int64) bool { return d < 1 || d > 7 }) {
			bad.Add("sea_trials.weekdays", "enum", "must be numbers from 1 for Monday to 7 for Sunday")
		}
	}
	return bad.Err()
}

// apply sets the settings of a website.
func (n ChannelWebsiteReplace) apply(w *ChannelWebsite, today string) {
	w.Slug, w.Title, w.Color, w.PrivacyURL, w.FinePrint = n.Slug, n.Title, n.Color, n.PrivacyURL, n.FinePrint
	w.Locations = append([]WebsiteLocation{}, n.Locations...)
	if n.Estimate == nil {
		w.EstimateOn = nil
	} else if w.Estimate == nil || w.Estimate.APRPercent != n.Estimate.APRPercent {
		w.EstimateOn = &today
	}
	w.Estimate = n.Estimate
	w.SeaTrials = nil
	if s := n.SeaTrials; s != nil {
		trials := *s
		slices.Sort(trials.Times)
		trials.Times = slices.Compact(trials.Times)
		if len(trials.Weekdays) == 0 {
			trials.Weekdays = weekdays
		}
		if trials.DurationMinutes == 0 {
			trials.DurationMinutes = 90
		}
		w.SeaTrials = &trials
	}
}

// home is the path of the first page.
func (w ChannelWebsite) home() string { return Path + "/" + w.Slug + "/" }

// brand is the color of the pages.
func (w ChannelWebsite) brand() front.Brand {
	if w.Color != nil {
		if b, ok := front.BrandOf(*w.Color); ok {
			return b
		}
	}
	return front.Brand{Hue: 240, Chroma: .085}
}
