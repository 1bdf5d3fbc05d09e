// Package channels publishes hulls to marketplaces and websites.
package channels

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/platform/outbound"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/patch"
)

// maxChannels limits the work for each change of a hull.
const maxChannels = 50

// Channel is a marketplace or a website that shows hulls to the public.
type Channel struct {
	_ struct{} `doc:"A marketplace or website that shows hulls to the public." columns:"id name kind format auto_publish / feed_url push_url created_by.label:BY created_at" privacy:"plain"`

	Env         auth.Env      `json:"-" db:"env"`
	ID          string        `json:"id" db:"id" doc:"Identifies the channel. Starts with chn_." example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name        string        `json:"name" db:"name" doc:"Name of the channel, for your staff." example:"Our website"`
	Kind        Kind          `json:"kind" db:"kind" doc:"Marketplace or website that the channel stands for."`
	Format      Format        `json:"format" db:"format" doc:"Format of the feed and of listings that are sent: schema.org JSON-LD, XML or CSV. With xml, the kind decides: BoatStream for boat_trader, yachtworld and boats_com, and the XML of Slipway for others. openmarine and boatstream are XML for any kind." since:"next openmarine=xml boatstream=xml"`
	PushURL     *string       `json:"push_url" db:"push_url" doc:"URL that listings are sent to. Null for a channel that reads its feed." example:"https://partner.example/listings"`
	Filter      ChannelFilter `json:"filter" db:"filter,json" doc:"Which hulls the channel accepts."`
	Rules       ChannelRules  `json:"rules" db:"rules,json" doc:"What a boat needs before the channel lists it." since:"next"`
	PartyNumber *string       `json:"party_number" db:"party_number" doc:"Your number at the marketplace. Feeds name you by it. Null if feeds use the ID of the dealership." example:"48213" since:"next"`
	AutoPublish bool          `json:"auto_publish" db:"auto_publish" doc:"Whether all hulls that match the filter are published automatically."`
	ListingURL  *string       `json:"listing_url" db:"listing_url" doc:"URL of the page of a boat on your website, with {hull_id} or {stock_number}. Listings link to it. Null if there is none." example:"https://boats.example.com/{stock_number}" since:"next"`

	FeedURL          *string    `json:"feed_url" doc:"Secret URL of the feed. Anyone with this URL can read the feed. It is only in the response that creates it, and null otherwise." example:"https://slipway.example.com/feeds/k3v9..." since:"next" privacy:"secret"`
	FeedURLCreatedAt *time.Time `json:"feed_url_created_at" db:"feed_url_created_at" doc:"When the feed URL was created. Null if there is none." since:"next"`
	SigningSecret    *string    `json:"signing_secret" doc:"Secret that listings are signed with when they are sent to push_url. It is only in the response that creates it, and null otherwise." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" since:"next" privacy:"secret"`
	CredentialHeader *string    `json:"credential_header" db:"credential_header" doc:"Header that the partner's credential is sent in. Null if it is sent as Authorization: Bearer." example:"X-Api-Key" since:"next"`
	CredentialSetAt  *time.Time `json:"credential_set_at" db:"credential_set_at" doc:"When the partner's credential was set. It is never returned. Null if there is none." since:"next"`

	CreatedBy auth.Actor `json:"created_by" db:"created_by,json" doc:"User, API key or app that created the channel, or last changed its push_url. The type is system if that was not recorded." since:"next"`
	Version   int64      `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt time.Time  `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt time.Time  `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	FeedHash  []byte    `json:"-" db:"feed_hash"` // of the token in the feed URL
	Secrets   []byte    `json:"-" db:"secrets"`   // encrypted
	PushAfter time.Time `json:"-" db:"push_after"`
	Failures  int64     `json:"-" db:"failures"`
}

// Format is the format of a feed.
type Format string

var allFormats = enum.Of[Format]("ChannelFormat", "Format of a listing feed. With xml, the kind of the channel decides.",
	"json", "xml", "csv", "openmarine", "boatstream")

func (Format) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allFormats.Describe(s)
}

// Kind is what a channel stands for.
type Kind string

// Website is the kind of a channel that can have pages.
const Website Kind = "website"

var allKinds = enum.Of("ChannelKind", "Marketplace or website that a channel stands for.",
	"boat_trader", "yachtworld", "boats_com", Website, "custom")

func (Kind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allKinds.Describe(s)
}

// Revision returns the version.
func (c Channel) Revision() int64 { return c.Version }

var _ = enum.Part[ChannelFilter]("Statuses", "ListedHullStatus", "Status in which a channel can list a hull.")

// ChannelFilter decides which hulls a channel accepts. Empty and null fields
// match all hulls.
type ChannelFilter struct {
	_ struct{} `doc:"Which hulls a channel accepts. Empty and null fields match all hulls."`

	LocationIDs []string          `json:"location_ids" required:"false" nullable:"false" maxItems:"100" doc:"Only hulls at these locations."`
	Statuses    []hulls.Status    `json:"statuses" required:"false" nullable:"false" maxItems:"3" enum:"available,on_hold,sale_pending" doc:"Only hulls in these statuses. Hulls in other statuses are never listed, except as pre-orders."`
	Conditions  []hulls.Condition `json:"conditions" required:"false" nullable:"false" maxItems:"3" doc:"Only hulls in these conditions."`
	PriceMin    *int64            `json:"price_min" required:"false" minimum:"0" maximum:"1000000000" doc:"Minimum price in whole US dollars."`
	PreOrders   bool              `json:"pre_orders" required:"false" doc:"Whether to list hulls that are on_order or in_transit as pre-orders. Only schema.org JSON-LD, CSV and the XML of Slipway support them. Defaults to false." since:"next"`
}

// ChannelCreate is a new channel.
type ChannelCreate struct {
	_ struct{} `doc:"A new channel."`

	Name        string         `json:"name" minLength:"1" maxLength:"100" doc:"Name of the channel, for your staff." example:"Our website"`
	Kind        Kind           `json:"kind,omitempty" default:"custom" doc:"Marketplace or website that the channel stands for."`
	Format      Format         `json:"format,omitempty" default:"json" doc:"Format of the feed and of listings that are sent: schema.org JSON-LD, XML or CSV. With xml, the kind decides: BoatStream for boat_trader, yachtworld and boats_com, and the XML of Slipway for others. openmarine and boatstream are XML for any kind." since:"next openmarine=xml boatstream=xml"`
	PushURL     *string        `json:"push_url" required:"false" maxLength:"2000" doc:"URL to send listings to. Must use https in the live environment. Omit it for a channel that reads its feed."`
	Filter      *ChannelFilter `json:"filter,omitempty" doc:"Which hulls the channel accepts. Defaults to all hulls."`
	Rules       *ChannelRules  `json:"rules,omitempty" doc:"What a boat needs before the channel lists it, such as photos. Defaults to nothing." since:"next"`
	PartyNumber *string        `json:"party_number" required:"false" maxLength:"50" pattern:"^[!-~]+$" patternDescription:"ASCII characters without spaces" doc:"Your number at the marketplace, for BoatStream and OpenMarine." example:"48213" since:"next"`
	AutoPublish bool           `json:"auto_publish,omitempty" doc:"Whether to publish all hulls that match the filter, now and later. Defaults to false."`
	ListingURL  *string        `json:"listing_url" required:"false" maxLength:"2000" doc:"URL of the page of a boat on your website, with {hull_id} or {stock_number}." example:"https://boats.example.com/{stock_number}" since:"next"`

	Credential       *string `json:"credential" privacy:"secret" required:"false" minLength:"1" maxLength:"2000" pattern:"^[!-~]([ -~]*[!-~])?$" patternDescription:"ASCII characters, without spaces at the ends" doc:"Credential that the partner gave you, such as an API key. It is sent with each listing. It is stored encrypted and never returned. Requires push_url." since:"next"`
	CredentialHeader *string `json:"credential_header" required:"false" pattern:"^[A-Za-z][A-Za-z0-9-]{0,63}$" patternDescription:"the name of a header" doc:"Header to send the credential in. Defaults to Authorization: Bearer." example:"X-Api-Key" since:"next"`
}

func (c ChannelCreate) channel() Channel {
	out := Channel{
		Name: c.Name, Kind: c.Kind, Format: c.Format, PushURL: c.PushURL, AutoPublish: c.AutoPublish, ListingURL: c.ListingURL,
		CredentialHeader: c.CredentialHeader, PartyNumber: c.PartyNumber,
	}
	if c.Rules != nil {
		out.Rules = *c.Rules
	}
	if c.Filter != nil {
		out.Filter = *c.Filter
	}
	out.normalize()
	return out
}

// normalize trims the name and sorts the lists of the filter.
func (c *Channel) normalize() {
	c.Name = strings.TrimSpace(c.Name)
	f := &c.Filter
	f.LocationIDs, f.Statuses, f.Conditions = set(f.LocationIDs), set(f.Statuses), set(f.Conditions)
}

// ChannelPatch is a JSON merge patch of a channel.
type ChannelPatch struct {
	_ struct{} `doc:"Changes to a channel. Fields that you leave out keep their values."`

	Name        patch.Value[string]       `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Name for your staff." example:"Our website"`
	Kind        patch.Value[Kind]         `json:"kind,omitzero" doc:"Marketplace, or website or custom."`
	Format      patch.Value[Format]       `json:"format,omitzero" doc:"Format of the feed and of listings that are sent. After a change, all listings are sent again."`
	PushURL     patch.Null[string]        `json:"push_url,omitzero" maxLength:"2000" doc:"URL that listings are sent to. After a change, all listings are sent again. They are not removed from the old URL."`
	Filter      patch.Null[ChannelFilter] `json:"filter,omitzero" doc:"Replaces the filter. Hulls that no longer match are withdrawn. Null accepts all hulls."`
	Rules       patch.Null[ChannelRules]  `json:"rules,omitzero" doc:"Replaces the rules. Hulls that no longer meet them are withdrawn. Null requires nothing."`
	PartyNumber patch.Null[string]        `json:"party_number,omitzero" maxLength:"50" pattern:"^[!-~]+$" patternDescription:"ASCII characters without spaces" doc:"Your number at the marketplace. Null uses the ID of the dealership." example:"48213"`
	AutoPublish patch.Value[bool]         `json:"auto_publish,omitzero" doc:"Whether all hulls that match the filter are published automatically. If you turn it off, listed hulls stay."`
	ListingURL  patch.Null[string]        `json:"listing_url,omitzero" maxLength:"2000" doc:"URL of the page of a boat on your website, with {hull_id} or {stock_number}. Null removes it." example:"https://boats.example.com/{stock_number}"`

	Credential       patch.Null[string] `json:"credential,omitzero" privacy:"secret" minLength:"1" maxLength:"2000" pattern:"^[!-~]([ -~]*[!-~])?$" patternDescription:"ASCII characters, without spaces at the ends" doc:"Credential that the partner gave you. It is stored encrypted and never returned. Null removes it. If you change push_url to another host, send the credential again. Otherwise it is removed."`
	CredentialHeader patch.Null[string] `json:"credential_header,omitzero" pattern:"^[A-Za-z][A-Za-z0-9-]{0,63}$" patternDescription:"the name of a header" doc:"Header to send the credential in. Null sends it as Authorization: Bearer." example:"X-Api-Key"`
}

// Check validates what the schema can't.
func (p ChannelPatch) Check(time.Time) error {
	var bad fault.Fields
	if p.Name.Set && strings.TrimSpace(p.Name.V) == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	return bad.Err()
}

func (p ChannelPatch) apply(c *Channel) {
	p.Name.To(&c.Name)
	p.Kind.To(&c.Kind)
	p.Format.To(&c.Format)
	p.PushURL.To(&c.PushURL)
	p.AutoPublish.To(&c.AutoPublish)
	p.ListingURL.To(&c.ListingURL)
	p.CredentialHeader.To(&c.CredentialHeader)
	p.PartyNumber.To(&c.PartyNumber)
	if p.Rules.Set {
		c.Rules = ChannelRules{}
		if p.Rules.V != nil {
			c.Rules = *p.Rules.V
		}
	}
	if p.Filter.Set {
		c.Filter = ChannelFilter{}
		if p.Filter.V != nil {
			c.Filter = *p.Filter.V
		}
	}
	c.normalize()
}

// sendsOther reports whether the channel sends something else than before, or elsewhere.
func (c Channel) sendsOther(before Channel) bool {
	return null.Text(c.PushURL) != null.Text(before.PushURL) ||
		c.PushURL != nil && (c.Format != before.Format || c.Kind != before.Kind || null.Text(c.ListingURL) != null.Text(before.ListingURL) ||
			null.Text(c.PartyNumber) != null.Text(before.PartyNumber))
}

// Check validates what the schema can't.
func (c ChannelCreate) Check(time.Time) error {
	var bad fault.Fields
	if strings.TrimSpace(c.Name) == "" {
		bad.Add("name", "too_short", "must not be blank")
	}
	return bad.Err()
}

// set returns a sorted list without duplicates. It is never nil.
func set[T ~string](values []T) []T {
	values = append([]T{}, values...)
	slices.Sort(values)
	return slices.Compact(values)
}

// Headers that Slipway sets, and those of the connection.
var (
	ownHeaders  = []string{"host", "connection", "transfer-encoding", "te", "trailer", "upgrade", "user-agent"}
	ownPrefixes = []string{"content-", "webhook-", "slipway-", "proxy-"}
)

// check validates what depends on other fields or on the environment.
func (c Channel) check(live bool) error {
	var bad fault.Fields
	if c.PushURL != nil {
		outbound.CheckURL(&bad, "push_url", *c.PushURL, live)
	}

	if c.ListingURL != nil {
		sample := strings.NewReplacer("{hull_id}", "1", "{stock_number}", "1").Replace(*c.ListingURL)
		u, err := url.Parse(sample)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.String() != sample || sample == *c.ListingURL {
			bad.Add("listing_url", "format", "must be a URL with {hull_id} or {stock_number}")
		}
	}

	header := strings.ToLower(null.Text(c.CredentialHeader))
	if slices.Contains(ownHeaders, header) ||
		slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(header, prefix) }) {
		bad.Add("credential_header", "format", "must not be a header that Slipway sets")
	}
	return bad.Err()
}

// page returns the URL of the page of a hull on the dealer's website, or "" if it has none.
func (c Channel) page(h hulls.Hull) string {
	if c.ListingURL == nil || strings.Contains(*c.ListingURL, "{stock_number}") && h.StockNumber == nil {
		return ""
	}
	return strings.NewReplacer("{hull_id}", h.ID, "{stock_number}", url.PathEscape(null.Text(h.StockNumber))).Replace(*c.ListingURL)
}
