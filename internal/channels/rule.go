package channels

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"slipway/internal/hulls"
	"slipway/internal/vocab/null"
)

// ChannelRules are what a boat needs before a channel lists it.
type ChannelRules struct {
	_ struct{} `doc:"What a boat needs before the channel lists it. Empty and null fields require nothing."`

	PhotosMin      *int64 `json:"photos_min" required:"false" minimum:"1" maximum:"50" doc:"Minimum number of photos." example:"3"`
	DescriptionMin *int64 `json:"description_min" required:"false" minimum:"1" maximum:"5000" doc:"Minimum length of the description, in characters." example:"200"`
	Price          bool   `json:"price" required:"false" doc:"Whether the boat needs a price above 0."`
	HIN            bool   `json:"hin" required:"false" doc:"Whether the boat needs a HIN."`
	BoatClass      bool   `json:"boat_class" required:"false" doc:"Whether the boat needs a class, such as power-center."`
}

// problem is why a channel doesn't accept a hull: a field and the rest of a sentence about it.
type problem struct{ field, code, why string }

// problems returns what a hull misses.
func (r ChannelRules) problems(h hulls.Hull) (all []problem) {
	add := func(field, format string, args ...any) {
		all = append(all, problem{field, "rule", fmt.Sprintf(format, args...)})
	}
	if r.PhotosMin != nil && h.PhotoCount < *r.PhotosMin {
		add("photo_count", "is %d, but the channel requires at least %d", h.PhotoCount, *r.PhotosMin)
	}
	if length := int64(utf8.RuneCountInString(strings.TrimSpace(null.Text(h.Description)))); r.DescriptionMin != nil && length < *r.DescriptionMin {
		add("description", "has %d characters, but the channel requires at least %d", length, *r.DescriptionMin)
	}
	if r.Price && h.PriceUSD == 0 {
		add("price_usd", "is 0, but the channel requires a price")
	}
	if r.HIN && h.HIN == nil {
		add("hin", "is missing, but the channel requires it")
	}
	if r.BoatClass && h.BoatClass == nil {
		add("boat_class", "is missing, but the channel requires it")
	}
	return all
}

// problems returns why a channel doesn't accept a hull: its status, the filter and the rules.
func (c Channel) problems(h hulls.Hull) (all []problem) {
	f := c.Filter
	add := func(field, why string) { all = append(all, problem{field, "filter", why}) }
	preOrder := h.Status.IsComing() && f.PreOrders
	switch {
	case preOrder && !c.format().preOrders:
		add("status", "is "+string(h.Status)+", which the channel's format doesn't support")
	case !h.Status.IsForSale() && !preOrder:
		add("status", "is "+string(h.Status))
	case !preOrder && len(f.Statuses) > 0 && !slices.Contains(f.Statuses, h.Status):
		add("status", "is "+string(h.Status)+", which the channel's filter excludes")
	}
	if len(f.LocationIDs) > 0 && !slices.Contains(f.LocationIDs, h.LocationID) {
		add("location_id", "is excluded by the channel's filter")
	}
	if len(f.Conditions) > 0 && !slices.Contains(f.Conditions, h.Condition) {
		add("condition", "is "+string(h.Condition)+", which the channel's filter excludes")
	}
	if f.PriceMin != nil && h.PriceUSD < *f.PriceMin {
		add("price_usd", "is below the minimum of the channel's filter")
	}
	return append(all, c.Rules.problems(h)...)
}

// rejects returns the field and the reason if a channel doesn't accept a hull, or "".
func (c Channel) rejects(h hulls.Hull) (field, why string) {
	if all := c.problems(h); len(all) > 0 {
		return all[0].field, all[0].why
	}
	return "", ""
}

// ChannelReason is why a channel doesn't list a hull.
type ChannelReason struct {
	_ struct{} `doc:"Why a channel doesn't list a hull." privacy:"plain"`

	Field   *string `json:"field" doc:"Field of the hull that is the reason. Null if it isn't a field." example:"photo_count"`
	Code    string  `json:"code" doc:"Kind of reason: rule, filter, paused, withdrawn, pending or a code of the partner." example:"rule"`
	Message string  `json:"message" doc:"The reason. Completes a sentence that starts with the field, or is a sentence." example:"is 1, but the channel requires at least 3"`
}

// HullOnChannel is whether a channel lists a hull, and why not.
type HullOnChannel struct {
	_ struct{} `doc:"Whether a channel lists a hull, and why not." columns:"channel_id hull_id title state reasons"`

	HullID      string           `json:"hull_id" doc:"Hull that the entry is about." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Title       string           `json:"title" doc:"Year, make and model of the hull." example:"2024 Grady-White Freedom 235"`
	StockNumber *string          `json:"stock_number" doc:"Its stock number. Null if it has none." example:"GW-1042"`
	ChannelID   string           `json:"channel_id" doc:"Channel that the entry is about." example:"chn_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ChannelName string           `json:"channel_name" doc:"Name of the channel." example:"Boat Trader"`
	Listed      bool             `json:"listed" doc:"Whether the hull is in the feed, or listed by the partner."`
	State       SyndicationState `json:"state" doc:"State of the hull on the channel."`
	Reasons     []ChannelReason  `json:"reasons" nullable:"false" doc:"All reasons why it isn't listed. Empty if it is."`
}

// on returns whether the channel lists a hull, and why not.
func (c Channel) on(h hulls.Hull, l HullSyndication) HullOnChannel {
	o := HullOnChannel{
		HullID: h.ID, Title: listing{Hull: h}.headline(), StockNumber: h.StockNumber, ChannelID: c.ID, ChannelName: c.Name,
		Listed: l.Listed, State: l.State, Reasons: []ChannelReason{},
	}
	if l.Listed {
		return o
	}
	for _, p := range c.problems(h) {
		o.Reasons = append(o.Reasons, ChannelReason{Field: &p.field, Code: p.code, Message: p.why})
	}
	add := func(code, message string) { o.Reasons = append(o.Reasons, ChannelReason{Code: code, Message: message}) }
	switch {
	case l.State == rejected:
		add(null.Text(l.Code), null.Text(l.Message))
	case l.State == queued:
		add("pending", "The listing is being sent to the partner.")
	case l.Revision > 0 && !l.Wanted:
		add("withdrawn", "It was withdrawn from this channel. Publish it again to list it.")
	case l.Revision == 0 && !c.AutoPublish:
		add("paused", "The channel doesn't list boats automatically. Publish it to list it.")
	case len(o.Reasons) == 0:
		add("pending", "It is going to be listed soon.")
	}
	return o
}
