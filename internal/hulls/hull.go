// Package hulls is the inventory: boats with their status, specifications,
// prices and history.
package hulls

import (
	"math"
	"strings"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/hin"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/search"
)

// Hull is one boat in inventory.
type Hull struct {
	_ struct{} `doc:"A boat in inventory." columns:"stock_number:STOCK year+make+model:BOAT status location_id days_in_stock:DAYS price_usd / hin condition length_ft:LENGTH photo_count:PHOTOS version updated_at" privacy:"plain"`

	Env               auth.Env          `json:"-" db:"env"`
	ID                string            `json:"id" db:"id" doc:"Identifies the hull. Starts with hull_." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	HIN               *string           `json:"hin" db:"hin" doc:"Hull identification number: 12 characters, without the country code. Null if the boat has none yet." example:"GRT40912B324"`
	Make              string            `json:"make" db:"make" doc:"Manufacturer or brand of the boat." example:"Grady-White"`
	Model             string            `json:"model" db:"model" doc:"Model name, as the manufacturer uses it." example:"Freedom 235"`
	Year              int64             `json:"year" db:"year" doc:"Model year." example:"2024"`
	LengthFt          float64           `json:"length_ft" db:"length_ft" doc:"Length overall in feet." example:"23.58"`
	PriceUSD          int64             `json:"price_usd" db:"price_usd" doc:"Asking price in whole US dollars." example:"124900"`
	Status            Status            `json:"status" db:"status" doc:"Stage between order and delivery. Clients change it with the transition endpoint, and deals change it to sale_pending, sold and delivered."`
	StockState        StockState        `json:"stock_state" db:"stock_state" doc:"Where the boat is. It can be sold before it arrives: then status shows the sale, and this is on_order or in_transit." since:"next"`
	LocationID        string            `json:"location_id" db:"location_id" doc:"Location where the boat is." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	CreatedAt         time.Time         `json:"created_at" db:"created_at" doc:"When the hull was added to the inventory."`
	StockNumber       *string           `json:"stock_number" db:"stock_number" doc:"Your number for the boat. Unique among hulls that are not delivered or archived. Null if it has none." example:"GW-1042"`
	Condition         Condition         `json:"condition" db:"condition" doc:"Whether the boat is new, used, or a demonstration boat."`
	Category          Category          `json:"category" db:"category" doc:"Basic kind of boat. pwc is a personal watercraft."`
	BoatClass         *BoatClass        `json:"boat_class" db:"boat_class" nullable:"true" doc:"Type of boat, as marketplaces name it. Null if unknown."`
	Title             *string           `json:"title" db:"title" doc:"Headline for listings. Null if there is none."`
	Description       *string           `json:"description" db:"description" doc:"Text for listings. Null if there is none." privacy:"personal"`
	Ownership         Ownership         `json:"ownership" db:"ownership" doc:"Who owns the boat: the dealership, the dealership with a floorplan lender, or a customer for whom it is sold (consignment, brokerage)."`
	HINCountry        *string           `json:"hin_country" db:"hin_country" doc:"Country code before the HIN. Null if there was none." example:"US"`
	HINWarnings       []hin.NoteOnHin   `json:"hin_warnings" db:"hin_warnings,json" nullable:"false" doc:"Unusual things about the HIN. They don't block anything."`
	HINAbsentReason   *HINAbsentReason  `json:"hin_absent_reason" db:"hin_absent_reason" doc:"Why the boat has no HIN. Null if it has one, or if none is required yet."`
	PriceType         PriceType         `json:"price_type" db:"price_type" doc:"Same as price_type of the pricing." since:"next"`
	PriceHidden       bool              `json:"price_hidden" db:"price_hidden" doc:"Whether the price is hidden from the public. Feeds and listings then have no price. Hide it on your website, too." since:"next"`
	MSRPUSD           *int64            `json:"msrp_usd" db:"msrp_usd" doc:"Manufacturer's suggested retail price. Null if unknown." since:"next"`
	PhotoCount        int64             `json:"photo_count" db:"photo_count" doc:"Number of photos, including those that are still being processed." example:"12"`
	PrimaryPhotoURL   *string           `json:"primary_photo_url" doc:"Public link to the first photo that is ready. It works for at least a week. The link ends in full.jpg. For a smaller copy, use card.jpg or thumb.jpg." audit:"-"`
	PublishedChannels []string          `json:"published_channels" db:"published_channels,json" nullable:"false" doc:"IDs of the channels that list the hull."`
	Hold              *Hold             `json:"hold" db:"hold,json" doc:"The current hold. Null unless the status is on_hold."`
	OrderNumber       *string           `json:"order_number" db:"order_number" doc:"Order number of the manufacturer. Null if it was not ordered or the number is unknown." example:"GW-2027-11843" since:"next"`
	ExpectedOn        *string           `json:"expected_on" db:"expected_on" format:"date" doc:"Day on which the boat is expected to arrive. Null if unknown." since:"next"`
	Options           []string          `json:"options" db:"options,json" nullable:"false" doc:"Options that were ordered from the factory. Agreements list them." since:"next"`
	ReceivedOn        *string           `json:"received_on" db:"received_on" format:"date" doc:"Date it came into stock, in the time zone of its location. Null before it arrives."`
	SoldAt            *time.Time        `json:"sold_at" db:"sold_at" doc:"When a deal sold the hull. Null if it is not sold."`
	ArchivedAt        *time.Time        `json:"archived_at" db:"archived_at" doc:"When the hull was archived. Null unless the status is archived."`
	DaysInStock       *int64            `json:"days_in_stock" doc:"Days from receipt to sale, archiving or today, in the time zone of its location. Null before receipt." audit:"-"`
	PreviousHullID    *string           `json:"previous_hull_id" db:"previous_hull_id" doc:"Earlier record of the same boat, for example from before it was traded in. Null if there is none."`
	Metadata          map[string]string `json:"metadata" db:"metadata,json" doc:"Your own data: up to 50 pairs."`
	Version           int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag." example:"1"`
	UpdatedAt         time.Time         `json:"updated_at" db:"updated_at" doc:"When the hull last changed."`

	Timezone     string  `json:"-" db:"timezone"`      // of the location
	StatusBefore *Status `json:"-" db:"status_before"` // what an archived hull returns to
	DealID       *string `json:"-" db:"deal_id"`       // the deal that reserved it, from acceptance until it is closed or cancelled
	PrimaryPhoto *string `json:"-" db:"primary_photo"` // the blob key of the first photo that is ready
	CostCents    *int64  `json:"-" db:"cost_cents"`    // total cost, a copy of the pricing for reports; null if unknown
	MakeKey      string  `json:"-" db:"make_key"`
	ModelKey     string  `json:"-" db:"model_key"`
}

// Revision returns the version.
func (h Hull) Revision() int64 { return h.Version }

// Hold is a reservation of a hull without a deal that is accepted.
type Hold struct {
	_         struct{}  `doc:"A reservation of a hull for a limited time." nullable:"true"`
	Reason    *string   `json:"reason" doc:"Reason for the hold. Null if none was given."`
	UserID    *string   `json:"user_id" doc:"User who placed the hold. Null for an API key."`
	DealID    *string   `json:"deal_id" doc:"Deal that the hull is on hold for. Null if there is none."`
	LeadID    *string   `json:"lead_id" doc:"Lead that the hull is on hold for. Null if there is none." since:"next"`
	ContactID *string   `json:"contact_id" doc:"Contact that the hull is on hold for. Null if there is none." since:"next"`
	ExpiresAt time.Time `json:"expires_at" doc:"When the hold expires. The hull then becomes available automatically."`
}

var _ = enum.Part[HullCreate]("Status", "NewHullStatus", "Status that a new hull can have.")

// HullCreate is a new hull.
type HullCreate struct {
	_ struct{} `doc:"A new hull."`

	HIN             *string           `json:"hin" privacy:"plain" required:"false" maxLength:"32" doc:"Required unless the hull is on order or in transit, or you send hin_absent_reason. A country prefix, as in US-GRT40912B324, is stored separately." example:"GRT40912B324"`
	HINAbsentReason *HINAbsentReason  `json:"hin_absent_reason" required:"false" doc:"Why the boat has no HIN. You can't send it together with hin."`
	Make            string            `json:"make" privacy:"plain" minLength:"1" maxLength:"100" doc:"Manufacturer or brand of the boat." example:"Grady-White"`
	Model           string            `json:"model" privacy:"plain" minLength:"1" maxLength:"100" doc:"Model name, as the manufacturer uses it." example:"Freedom 235"`
	Year            int64             `json:"year" minimum:"1900" maximum:"9999" doc:"Model year, up to two years from now." example:"2024"`
	LengthFt        float64           `json:"length_ft" exclusiveMinimum:"0" maximum:"1000" doc:"Length overall in feet, with at most two decimals." example:"23.58"`
	PriceUSD        int64             `json:"price_usd" minimum:"0" maximum:"1000000000" doc:"First asking price in whole US dollars. Change it later with the pricing endpoint." example:"124900"`
	LocationID      string            `json:"location_id" minLength:"1" maxLength:"64" doc:"Location where the boat is, or where it will arrive." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Status          Status            `json:"status,omitempty" enum:"on_order,in_transit,available,not_for_sale" default:"available" doc:"Status of the new hull. Use on_order or in_transit for a boat that has not arrived."`
	StockNumber     *string           `json:"stock_number" privacy:"plain" required:"false" minLength:"1" maxLength:"50" doc:"Your number for the boat. It must not belong to another hull that is not delivered or archived." example:"GW-1042"`
	Condition       Condition         `json:"condition,omitempty" default:"new" doc:"Whether the boat is new, used, or a demonstration boat."`
	Category        *Category         `json:"category" required:"false" doc:"Defaults to the category of the boat class, or to power."`
	BoatClass       *BoatClass        `json:"boat_class" required:"false" nullable:"true" doc:"Type of boat, as marketplaces name it. It must match the category."`
	Title           *string           `json:"title" required:"false" maxLength:"200" doc:"Headline for listings."`
	Description     *string           `json:"description" required:"false" maxLength:"20000" doc:"Text for listings."`
	Ownership       Ownership         `json:"ownership,omitempty" default:"owned" doc:"Who owns the boat: the dealership, the dealership with a floorplan lender, or a customer for whom it is sold (consignment, brokerage)."`
	OrderNumber     *string           `json:"order_number" privacy:"plain" required:"false" minLength:"1" maxLength:"100" doc:"Order number of the manufacturer." example:"GW-2027-11843" since:"next"`
	ExpectedOn      *string           `json:"expected_on" required:"false" format:"date" doc:"Day on which the boat is expected to arrive." since:"next"`
	Options         []string          `json:"options,omitempty" privacy:"plain" maxItems:"100" doc:"Options that were ordered from the factory." since:"next"`
	ReceivedOn      *string           `json:"received_on" required:"false" format:"date" doc:"Defaults to today at the location, unless the hull is on order or in transit. Must not be in the future."`
	PreviousHullID  *string           `json:"previous_hull_id" required:"false" maxLength:"64" doc:"Earlier record of the same boat in this dealership."`
	Metadata        map[string]string `json:"metadata,omitempty" doc:"Up to 50 pairs. Keys have up to 40 characters, values up to 500."`
}

// hull returns the new hull at a location with this time zone, or all errors of
// the request.
func (c HullCreate) hull(now time.Time, zone string) (Hull, error) {
	h := Hull{
		Timezone: zone, PriceType: "asking",
		HIN: c.HIN, HINAbsentReason: c.HINAbsentReason, Make: c.Make, Model: c.Model, Year: c.Year, LengthFt: c.LengthFt,
		PriceUSD: c.PriceUSD, LocationID: c.LocationID, Status: c.Status, StockNumber: c.StockNumber, Condition: c.Condition,
		BoatClass: c.BoatClass, Title: c.Title, Description: c.Description, Ownership: c.Ownership, ReceivedOn: c.ReceivedOn,
		OrderNumber: c.OrderNumber, ExpectedOn: c.ExpectedOn, Options: c.Options,
		PreviousHullID: c.PreviousHullID, Metadata: c.Metadata, PublishedChannels: []string{},
	}

	switch {
	case c.Category != nil:
		h.Category = *c.Category
	case c.BoatClass != nil:
		h.Category = c.BoatClass.category()
	default:
		h.Category = "power"
	}

	if h.Metadata == nil {
		h.Metadata = map[string]string{}
	}
	if h.ReceivedOn == nil && !h.Status.IsComing() {
		h.ReceivedOn = new(h.day(now))
	}

	return h, h.check(now, true)
}

// Check validates what the schema can't, and what doesn't depend on the location.
func (c HullCreate) Check(now time.Time) error {
	_, err := c.hull(now, earliestZone)
	return err
}

// HullPatch changes a hull's descriptive fields or location. Status and price
// have their own endpoints.
type HullPatch struct {
	_ struct{} `doc:"Changes to a hull. Omitted fields keep their values, null clears a field." elsewhere:"price_usd=PUT /v1/hulls/{hull_id}/pricing status=POST /v1/hulls/{hull_id}/transition"`

	HIN             patch.Null[string]             `json:"hin,omitzero" privacy:"plain" maxLength:"32" doc:"New hull identification number. A country prefix, as in US-GRT40912B324, is stored separately. Null removes it."`
	HINAbsentReason patch.Null[HINAbsentReason]    `json:"hin_absent_reason,omitzero" doc:"Why the boat has no HIN. Cleared automatically when you set hin."`
	Make            patch.Value[string]            `json:"make,omitzero" privacy:"plain" minLength:"1" maxLength:"100" doc:"Manufacturer or brand of the boat."`
	Model           patch.Value[string]            `json:"model,omitzero" privacy:"plain" minLength:"1" maxLength:"100" doc:"Model name, as the manufacturer uses it."`
	Year            patch.Value[int64]             `json:"year,omitzero" minimum:"1900" maximum:"9999" doc:"Model year, up to two years from now."`
	LengthFt        patch.Value[float64]           `json:"length_ft,omitzero" exclusiveMinimum:"0" maximum:"1000" doc:"Length overall in feet, with at most two decimals."`
	LocationID      patch.Value[string]            `json:"location_id,omitzero" minLength:"1" maxLength:"64" doc:"Location that the boat moves to. The move is recorded in the history."`
	StockNumber     patch.Null[string]             `json:"stock_number,omitzero" privacy:"plain" minLength:"1" maxLength:"50" doc:"New stock number. It must not belong to another hull that is not delivered or archived. Null removes it."`
	Condition       patch.Value[Condition]         `json:"condition,omitzero" doc:"Whether the boat is new, used, or a demonstration boat."`
	Category        patch.Value[Category]          `json:"category,omitzero" doc:"Basic kind of boat. It must match the boat class."`
	BoatClass       patch.Null[BoatClass]          `json:"boat_class,omitzero" doc:"Type of boat, as marketplaces name it. Null removes it."`
	Title           patch.Null[string]             `json:"title,omitzero" maxLength:"200" doc:"Headline for listings. Null removes it."`
	Description     patch.Null[string]             `json:"description,omitzero" maxLength:"20000" doc:"Text for listings. Null removes it."`
	Ownership       patch.Value[Ownership]         `json:"ownership,omitzero" doc:"Who owns the boat: the dealership, the dealership with a floorplan lender, or a customer for whom it is sold (consignment, brokerage)."`
	OrderNumber     patch.Null[string]             `json:"order_number,omitzero" privacy:"plain" minLength:"1" maxLength:"100" doc:"Order number of the manufacturer. Null removes it." since:"next"`
	ExpectedOn      patch.Null[string]             `json:"expected_on,omitzero" format:"date" doc:"Day on which the boat is expected to arrive. Null removes it." since:"next"`
	Options         patch.Null[[]string]           `json:"options,omitzero" privacy:"plain" maxItems:"100" doc:"Replaces all options. Null removes them." since:"next"`
	ReceivedOn      patch.Null[string]             `json:"received_on,omitzero" format:"date" doc:"Must not be in the future."`
	PreviousHullID  patch.Null[string]             `json:"previous_hull_id,omitzero" maxLength:"64" doc:"Earlier record of the same boat in this dealership. Null removes it."`
	Metadata        patch.Null[map[string]*string] `json:"metadata,omitzero" doc:"Pairs to add or change. A null value removes its key. Null removes all pairs."`
}

// apply changes the hull. If the location changes, zone is its time zone.
func (p HullPatch) apply(h *Hull, now time.Time, zone string) error {
	if p.HIN.Set {
		h.HIN, h.HINCountry = p.HIN.V, nil
	}
	p.HINAbsentReason.To(&h.HINAbsentReason)
	if p.HIN.Set && p.HIN.V != nil && !p.HINAbsentReason.Set {
		h.HINAbsentReason = nil // it is not absent any more
	}

	p.Make.To(&h.Make)
	p.Model.To(&h.Model)
	p.Year.To(&h.Year)
	p.LengthFt.To(&h.LengthFt)
	p.LocationID.To(&h.LocationID)
	p.StockNumber.To(&h.StockNumber)
	p.Condition.To(&h.Condition)
	p.Category.To(&h.Category)
	p.BoatClass.To(&h.BoatClass)
	p.Title.To(&h.Title)
	p.Description.To(&h.Description)
	p.Ownership.To(&h.Ownership)
	p.OrderNumber.To(&h.OrderNumber)
	p.ExpectedOn.To(&h.ExpectedOn)
	if p.Options.Set {
		h.Options = nil
		if p.Options.V != nil {
			h.Options = *p.Options.V
		}
	}
	p.ReceivedOn.To(&h.ReceivedOn)
	p.PreviousHullID.To(&h.PreviousHullID)
	if p.Metadata.Set {
		h.Metadata = patch.MergeMetadata(h.Metadata, p.Metadata.V)
	}

	if zone != "" && zone != h.Timezone {
		h.Timezone = zone
		if today := h.day(now); !p.ReceivedOn.Set && h.ReceivedOn != nil && *h.ReceivedOn > today {
			h.ReceivedOn = &today // where it is now, that day has not started yet
		}
	}
	return h.check(now, p.ReceivedOn.Set)
}

// CheckLength validates a length in feet, which has at most two decimals. It removes the
// difference that binary numbers have.
func CheckLength(bad *fault.Fields, field string, feet *float64) {
	rounded := math.Round(*feet*100) / 100
	switch {
	case rounded <= 0:
		bad.Add(field, "minimum", "must be at least 0.01")
	case math.Abs(rounded-*feet) > 1e-9:
		bad.Add(field, "multiple_of", "must have at most two decimals")
	}
	*feet = rounded
}

// check normalizes the hull and validates what the schema can't. received means
// that the client has set received_on.
func (h *Hull) check(now time.Time, received bool) error {
	var bad fault.Fields
	h.setStockState()
	h.checkOptions(&bad)
	if received && h.ReceivedOn != nil && *h.ReceivedOn > h.day(now) { // both YYYY-MM-DD
		bad.Add("received_on", "maximum", "must not be in the future")
	}
	CheckLength(&bad, "length_ft", &h.LengthFt)
	if last := int64(now.Year()) + 2; h.Year > last {
		bad.Add("year", "maximum", "must be at most %d", last)
	}

	for _, f := range []struct {
		name  string
		value *string
	}{{"make", &h.Make}, {"model", &h.Model}, {"stock_number", h.StockNumber}, {"order_number", h.OrderNumber}} {
		if f.value == nil {
			continue
		}
		if *f.value = strings.TrimSpace(*f.value); *f.value == "" {
			bad.Add(f.name, "too_short", "must not be blank")
		}
	}

	h.MakeKey, h.ModelKey = search.Fold(h.Make), search.Fold(h.Model)
	if h.BoatClass != nil && !h.BoatClass.fits(h.Category) {
		bad.Add("boat_class", "enum", "is not a class of the category %s", h.Category)
	}
	h.checkHIN(&bad, now)
	patch.CheckMetadata(&bad, h.Metadata)

	return bad.Err()
}

// checkHIN decodes the HIN. Only its form can be an error. Unusual numbers get
// warnings, because real boats have them.
func (h *Hull) checkHIN(bad *fault.Fields, now time.Time) {
	h.HINWarnings = []hin.NoteOnHin{}
	if h.HIN == nil {
		h.HINCountry = nil
		if h.HINAbsentReason == nil && !h.StockState.IsComing() {
			bad.Add("hin", "required", "is required unless the hull is on order or in transit, or hin_absent_reason is set")
		}
		return
	}
	if h.HINAbsentReason != nil {
		bad.Add("hin_absent_reason", "exclusive", "can't be combined with hin")
		return
	}

	number := *h.HIN
	if h.HINCountry != nil && !strings.Contains(number, "-") {
		number = *h.HINCountry + "-" + number // stored separately, but decoded together
	}

	d := hin.Decode(number, now)
	if !d.Valid {
		for _, e := range d.Errors {
			bad.Add("hin", e.Code, "is not a valid HIN: %s", strings.TrimSuffix(e.Message, "."))
		}
		return
	}

	h.HIN, h.HINCountry, h.HINWarnings = d.Normalized, d.Country, d.Warnings
	if w, odd := hin.YearWarning(d, int(h.Year)); odd {
		h.HINWarnings = append(h.HINWarnings, w)
	}
}

// derive fills in the fields that depend on the current time.
func (h *Hull) derive(now time.Time) {
	h.DaysInStock = nil
	if h.ReceivedOn == nil {
		return
	}
	received, err := time.Parse(time.DateOnly, *h.ReceivedOn)
	if err != nil {
		return
	}
	until := now
	if h.ArchivedAt != nil {
		until = *h.ArchivedAt
	}
	if h.SoldAt != nil {
		until = *h.SoldAt
	}
	year, month, day := until.In(zoneNamed(h.Timezone)).Date()
	h.DaysInStock = new(max(0, int64(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Sub(received)/(24*time.Hour))))
}
