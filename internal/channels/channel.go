// Package channels publishes hulls to marketplaces and websites.
package channels

import (
	"slices"
	"strings"
	"time"

	"slipway/internal/hulls"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// maxChannels limits the work for each change of a hull.
const maxChannels = 50

// Channel is a marketplace or a website that shows hulls to the public.
type Channel struct {
	Env         auth.Env      `json:"-" db:"env"`
	ID          string        `json:"id" db:"id" doc:"Identifies the channel. Starts with chn_." example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name        string        `json:"name" db:"name" doc:"Name of the channel, for your staff." example:"Our website"`
	Kind        string        `json:"kind" db:"kind" enum:"boat_trader,yachtworld,boats_com,website,custom" doc:"Marketplace or website that the channel stands for."`
	Format      string        `json:"format" db:"format" enum:"json,xml,csv" doc:"Format of the feed: schema.org JSON-LD, XML or CSV."`
	PushURL     *string       `json:"push_url" db:"push_url" doc:"URL that listings are sent to. Null for a channel that reads its feed." example:"https://partner.example/listings"`
	Filter      ChannelFilter `json:"filter" db:"filter,json" doc:"Which hulls the channel accepts."`
	AutoPublish bool          `json:"auto_publish" db:"auto_publish" doc:"Whether all hulls that match the filter are published automatically."`
	Version     int64         `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt   time.Time     `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt   time.Time     `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	PushAfter time.Time `json:"-" db:"push_after"`
	Failures  int64     `json:"-" db:"failures"`
}

// Revision returns the version.
func (c Channel) Revision() int64 { return c.Version }

// ChannelFilter decides which hulls a channel accepts. Empty and null fields
// match all hulls.
type ChannelFilter struct {
	LocationIDs []string       `json:"location_ids" required:"false" nullable:"false" maxItems:"100" doc:"Only hulls at these locations."`
	Statuses    []hulls.Status `json:"statuses" required:"false" nullable:"false" maxItems:"3" enum:"available,on_hold,sale_pending" doc:"Only hulls in these statuses. Hulls in other statuses are never listed."`
	Conditions  []string       `json:"conditions" required:"false" nullable:"false" maxItems:"3" enum:"new,used,demo" doc:"Only hulls in these conditions."`
	PriceMin    *int64         `json:"price_min" required:"false" minimum:"0" maximum:"1000000000" doc:"Minimum price in whole US dollars."`
}

// ChannelCreate is a new channel.
type ChannelCreate struct {
	Name        string         `json:"name" minLength:"1" maxLength:"100" doc:"Name of the channel, for your staff." example:"Our website"`
	Kind        string         `json:"kind,omitempty" enum:"boat_trader,yachtworld,boats_com,website,custom" default:"custom" doc:"Marketplace or website that the channel stands for."`
	Format      string         `json:"format,omitempty" enum:"json,xml,csv" default:"json" doc:"Format of the feed: schema.org JSON-LD, XML or CSV."`
	PushURL     *string        `json:"push_url" required:"false" maxLength:"2000" doc:"URL to send listings to. Must use https in the live environment. Omit it for a channel that reads its feed."`
	Filter      *ChannelFilter `json:"filter,omitempty" doc:"Which hulls the channel accepts. Defaults to all hulls."`
	AutoPublish bool           `json:"auto_publish,omitempty" doc:"Whether to publish all hulls that match the filter, now and later. Defaults to false."`
}

func (c ChannelCreate) channel() Channel {
	out := Channel{Name: c.Name, Kind: c.Kind, Format: c.Format, PushURL: c.PushURL, AutoPublish: c.AutoPublish}
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
	Name        patch.Value[string]       `json:"name,omitzero" minLength:"1" maxLength:"100" doc:"Name for your staff." example:"Our website"`
	Kind        patch.Value[string]       `json:"kind,omitzero" enum:"boat_trader,yachtworld,boats_com,website,custom" doc:"Marketplace, or website or custom."`
	Format      patch.Value[string]       `json:"format,omitzero" enum:"json,xml,csv" doc:"Format of the feed."`
	PushURL     patch.Null[string]        `json:"push_url,omitzero" maxLength:"2000" doc:"URL that listings are sent to. After a change, all listings are sent again. They are not removed from the old URL."`
	Filter      patch.Null[ChannelFilter] `json:"filter,omitzero" doc:"Replaces the filter. Hulls that no longer match are withdrawn. Null accepts all hulls."`
	AutoPublish patch.Value[bool]         `json:"auto_publish,omitzero" doc:"Whether all hulls that match the filter are published automatically. If you turn it off, listed hulls stay."`
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
	if p.Filter.Set {
		c.Filter = ChannelFilter{}
		if p.Filter.V != nil {
			c.Filter = *p.Filter.V
		}
	}
	c.normalize()
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

// rejects returns the field and the reason if a channel doesn't accept a hull, or "".
func (c Channel) rejects(h hulls.Hull) (field, why string) {
	f := c.Filter
	switch {
	case !h.Status.IsForSale():
		return "status", "is " + string(h.Status)
	case len(f.Statuses) > 0 && !slices.Contains(f.Statuses, h.Status):
		return "status", "is " + string(h.Status) + ", which the channel's filter excludes"
	case len(f.LocationIDs) > 0 && !slices.Contains(f.LocationIDs, h.LocationID):
		return "location_id", "is excluded by the channel's filter"
	case len(f.Conditions) > 0 && !slices.Contains(f.Conditions, h.Condition):
		return "condition", "is " + h.Condition + ", which the channel's filter excludes"
	case f.PriceMin != nil && h.PriceUSD < *f.PriceMin:
		return "price_usd", "is below the minimum of the channel's filter"
	}
	return "", ""
}
