package dealership

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
	"slipway/internal/vocab/phone"
)

// Location is a place where the dealership stores and sells boats.
type Location struct {
	_ struct{} `doc:"A place where the dealership stores and sells boats." columns:"id name code phone timezone / created_at version" privacy:"plain"`

	Env            auth.Env    `json:"-" db:"env"`
	ID             string      `json:"id" db:"id" doc:"Identifies the location. Starts with loc_." example:"loc_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name           string      `json:"name" db:"name" doc:"Name of the location, as customers know it." example:"Harbor East"`
	Code           *string     `json:"code" db:"code" doc:"Short name, unique in the dealership. Null if there is none." example:"HE"`
	Address        *Address    `json:"address" db:"address,json" doc:"Postal address. Null if none was set."`
	Phone          *string     `json:"phone" db:"phone" doc:"Phone number in E.164 format. Null if none was set." example:"+14105550123"`
	Timezone       *string     `json:"timezone" db:"timezone" doc:"IANA time zone. Null if the location uses the dealership's time zone." example:"America/New_York"`
	DefaultTaxes   *TaxRules   `json:"default_taxes" db:"default_taxes,json" nullable:"true" doc:"Taxes of new deals for boats at this location. Null if the location uses those of the dealership." since:"next"`
	BuyerTaxes     *BuyerTaxes `json:"buyer_taxes" db:"buyer_taxes,json" nullable:"true" doc:"What buyers from other regions pay instead. Null if all buyers pay the same." since:"next"`
	TradeTaxCredit *bool       `json:"trade_tax_credit" db:"trade_tax_credit" doc:"Whether trade-in allowances reduce the taxable amount of new deals, as the law of the state says. Null if the location uses the dealership's setting." since:"next"`
	ResponseGoal   *int64      `json:"response_goal_minutes" db:"response_goal_minutes" doc:"Within how many minutes the location wants to answer a new lead. The responses report shows how often it does. Null if there is no goal." example:"15" since:"next"`
	Version        int64       `json:"version" db:"version" doc:"Number of the current version." example:"1"`
	CreatedAt      time.Time   `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt      time.Time   `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (l Location) Revision() int64 { return l.Version }

// Address is a postal address.
type Address struct {
	_          struct{} `doc:"Postal address of the dealership or a location." nullable:"true" privacy:"plain"`
	Line1      string   `json:"line1" maxLength:"200" doc:"Street and number." example:"12 Dock Street"`
	Line2      *string  `json:"line2" required:"false" maxLength:"200" doc:"Suite, building or dock."`
	City       string   `json:"city" maxLength:"100" doc:"City or town." example:"Annapolis"`
	Region     *string  `json:"region" required:"false" maxLength:"100" doc:"State, province or region." example:"MD"`
	PostalCode *string  `json:"postal_code" required:"false" maxLength:"20" doc:"ZIP code or postal code." example:"21401"`
	Country    string   `json:"country" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters (ISO 3166)" doc:"Country as two capital letters (ISO 3166)." example:"US"`
}

// AddressPatch changes an address.
type AddressPatch struct {
	_          struct{}            `nullable:"true"`
	Line1      patch.Value[string] `json:"line1,omitzero" maxLength:"200" doc:"Street and number."`
	Line2      patch.Null[string]  `json:"line2,omitzero" maxLength:"200" doc:"Suite, building or dock."`
	City       patch.Value[string] `json:"city,omitzero" maxLength:"100" doc:"City or town."`
	Region     patch.Null[string]  `json:"region,omitzero" maxLength:"100" doc:"State, province or region."`
	PostalCode patch.Null[string]  `json:"postal_code,omitzero" maxLength:"20" doc:"ZIP code or postal code."`
	Country    patch.Value[string] `json:"country,omitzero" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters (ISO 3166)" doc:"Country as two capital letters (ISO 3166)."`
}

// applyAddress changes or clears an address. A new address must have the
// required fields.
func applyAddress(bad *fault.Fields, field string, p patch.Null[AddressPatch], to **Address) {
	if !p.Set {
		return
	}
	if p.V == nil {
		*to = nil
		return
	}

	var a Address // a copy, because the event contains the old address too
	if *to != nil {
		a = **to
	} else {
		for _, part := range []struct {
			name string
			set  bool
		}{{"line1", p.V.Line1.Set}, {"city", p.V.City.Set}, {"country", p.V.Country.Set}} {
			if !part.set {
				bad.Add(field+"."+part.name, "required", "is required")
			}
		}
	}

	p.V.Line1.To(&a.Line1)
	p.V.Line2.To(&a.Line2)
	p.V.City.To(&a.City)
	p.V.Region.To(&a.Region)
	p.V.PostalCode.To(&a.PostalCode)
	p.V.Country.To(&a.Country)
	*to = &a
}

// LocationCreate is a new location.
type LocationCreate struct {
	_ struct{} `doc:"A new location."`

	Name           string              `json:"name" minLength:"1" maxLength:"200" doc:"Name of the location, as customers know it."`
	Code           *string             `json:"code" required:"false" pattern:"^[A-Za-z0-9_-]{1,20}$" patternDescription:"1 to 20 letters, digits, - or _" doc:"Short name, unique in the dealership."`
	Address        patch.Null[Address] `json:"address,omitzero" doc:"Postal address."`
	Phone          *string             `json:"phone" required:"false" maxLength:"40" doc:"Any common format. If it has no country code, the country of the address is used, or the United States." example:"(410) 555-0123"`
	Timezone       *string             `json:"timezone" required:"false" maxLength:"64" doc:"IANA time zone. Defaults to the dealership's time zone."`
	DefaultTaxes   *TaxRules           `json:"default_taxes" required:"false" nullable:"true" maxItems:"10" doc:"Defaults to the taxes of the dealership." since:"next"`
	BuyerTaxes     *BuyerTaxes         `json:"buyer_taxes" required:"false" nullable:"true" maxItems:"60" doc:"What buyers from other regions pay instead." since:"next"`
	TradeTaxCredit *bool               `json:"trade_tax_credit" required:"false" doc:"Defaults to the dealership's setting." since:"next"`
	ResponseGoal   *int64              `json:"response_goal_minutes" required:"false" minimum:"1" maximum:"10080" doc:"Within how many minutes the location wants to answer a new lead." since:"next"`
}

func (c LocationCreate) location() Location {
	var bad fault.Fields // Check returns them
	normalizePhone(&bad, "phone", &c.Phone, c.Address.V)
	return Location{
		Name: c.Name, Code: c.Code, Address: c.Address.V, Phone: c.Phone, Timezone: c.Timezone,
		DefaultTaxes: c.DefaultTaxes, BuyerTaxes: c.BuyerTaxes, TradeTaxCredit: c.TradeTaxCredit, ResponseGoal: c.ResponseGoal,
	}
}

// normalizePhone changes a phone number to E.164 format.
func normalizePhone(bad *fault.Fields, field string, number **string, address *Address) {
	if *number == nil {
		return
	}
	region := "US"
	if address != nil && address.Country != "" {
		region = address.Country
	}
	e164, ok := phone.Parse(**number, region)
	if !ok {
		bad.Add(field, "format", "must be a phone number, such as +14105550123")
		return
	}
	*number = &e164
}

// Check validates what the schema can't express.
func (c LocationCreate) Check(time.Time) error {
	var bad fault.Fields
	checkTimezone(&bad, c.Timezone)
	normalizePhone(&bad, "phone", &c.Phone, c.Address.V)
	if c.DefaultTaxes != nil {
		checkTaxes(&bad, "default_taxes", *c.DefaultTaxes)
	}
	checkBuyerTaxes(&bad, c.BuyerTaxes)
	return bad.Err()
}

// LocationPatch changes a location.
type LocationPatch struct {
	_ struct{} `doc:"Changes to a location. Omitted fields keep their values, null clears a field."`

	Name           patch.Value[string]      `json:"name,omitzero" minLength:"1" maxLength:"200" doc:"Name of the location, as customers know it."`
	Code           patch.Null[string]       `json:"code,omitzero" pattern:"^[A-Za-z0-9_-]{1,20}$" patternDescription:"1 to 20 letters, digits, - or _" doc:"Short name, unique in the dealership. Null removes it."`
	Address        patch.Null[AddressPatch] `json:"address,omitzero" doc:"Parts of the address to change. Null removes the address."`
	Phone          patch.Null[string]       `json:"phone,omitzero" maxLength:"40" doc:"Phone number in any common format. If it has no country code, the country of the address is used, or the United States. Null removes it." example:"(410) 555-0123"`
	Timezone       patch.Null[string]       `json:"timezone,omitzero" maxLength:"64" doc:"IANA time zone. Null uses the dealership's time zone."`
	DefaultTaxes   patch.Null[TaxRules]     `json:"default_taxes,omitzero" maxItems:"10" doc:"Replaces all taxes of new deals. Null uses those of the dealership." since:"next"`
	BuyerTaxes     patch.Null[BuyerTaxes]   `json:"buyer_taxes,omitzero" maxItems:"60" doc:"Replaces all rules for buyers from other regions. Null removes them." since:"next"`
	TradeTaxCredit patch.Null[bool]         `json:"trade_tax_credit,omitzero" doc:"Whether trade-in allowances reduce the taxable amount of new deals. Null uses the dealership's setting." since:"next"`
	ResponseGoal   patch.Null[int64]        `json:"response_goal_minutes,omitzero" minimum:"1" maximum:"10080" doc:"Within how many minutes the location wants to answer a new lead. Null removes the goal." since:"next"`
}

// Check validates what the schema can't express.
func (p LocationPatch) Check(time.Time) error {
	var bad fault.Fields
	checkTimezone(&bad, p.Timezone.V)
	if p.DefaultTaxes.V != nil {
		checkTaxes(&bad, "default_taxes", *p.DefaultTaxes.V)
	}
	checkBuyerTaxes(&bad, p.BuyerTaxes.V)
	return bad.Err()
}

func (p LocationPatch) apply(l *Location) error {
	if err := p.Check(l.UpdatedAt); err != nil {
		return err
	}

	p.Name.To(&l.Name)
	p.Code.To(&l.Code)
	p.Phone.To(&l.Phone)
	p.Timezone.To(&l.Timezone)
	p.TradeTaxCredit.To(&l.TradeTaxCredit)
	p.ResponseGoal.To(&l.ResponseGoal)
	p.DefaultTaxes.To(&l.DefaultTaxes)
	p.BuyerTaxes.To(&l.BuyerTaxes)

	var bad fault.Fields
	applyAddress(&bad, "address", p.Address, &l.Address)
	if p.Phone.Set {
		normalizePhone(&bad, "phone", &l.Phone, l.Address)
	}
	return bad.Err()
}

func checkTimezone(bad *fault.Fields, zone *string) {
	if zone == nil {
		return
	}
	if _, err := time.LoadLocation(*zone); err != nil || *zone == "" || *zone == "Local" {
		bad.Add("timezone", "enum", "must be an IANA time zone, such as America/New_York")
	}
}
