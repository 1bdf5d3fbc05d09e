// Package dealership contains the dealership: its environments, settings and
// locations. It also lists the audit log.
package dealership

import (
	"regexp"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

// Plan is the set of features that a dealership can use. The operator chooses it.
type Plan string

// The fleet plan includes single sign-on.
const (
	Standard Plan = "standard"
	Fleet    Plan = "fleet"
)

var plans = enum.Of("DealershipPlan", "Plan of a dealership. The fleet plan includes single sign-on.",
	Standard, Fleet)

func (Plan) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema { return plans.Describe(s) }

// Dealership is one environment of a dealership. Both environments have the same id.
type Dealership struct {
	_ struct{} `doc:"The dealership and the settings of one environment." privacy:"plain"`

	Env           auth.Env  `json:"-" db:"env"`
	ID            string    `json:"id" db:"id" doc:"Identifies the dealership. Same in live and test. Starts with dlr_." example:"dlr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Mode          auth.Mode `json:"environment" db:"mode" doc:"Environment that this record belongs to."`
	Name          string    `json:"name" db:"name" doc:"Name of the dealership, as customers know it." example:"Chesapeake Marine"`
	LegalName     *string   `json:"legal_name" db:"legal_name" doc:"Name of the company, as documents show it. Null if it is the same as the name." example:"Chesapeake Marine Sales, Inc."`
	Plan          Plan      `json:"plan" db:"plan" doc:"The fleet plan includes single sign-on. The operator sets the plan with slipway bootstrap. It can't be changed through the API."`
	PostalAddress *Address  `json:"postal_address" db:"postal_address,json" doc:"Postal address of the dealership. Shown in marketing email, as the law requires. Null if none was set."`
	Timezone      string    `json:"timezone" db:"timezone" doc:"IANA time zone of the dealership, for dates and for locations without their own." example:"America/New_York"`
	LogoSHA256    *string   `json:"logo_sha256" db:"logo_sha256" doc:"SHA-256 hash of the logo in hexadecimal. Null if there is none. Documents show the logo." since:"next"`
	Settings      Settings  `json:"settings" db:"settings,json" doc:"Settings of this environment."`
	Version       int64     `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt     time.Time `json:"created_at" db:"created_at" doc:"When it was created."`
	UpdatedAt     time.Time `json:"updated_at" db:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (d Dealership) Revision() int64 { return d.Version }

// Settings are the settings of a dealership.
type Settings struct {
	_ struct{} `doc:"How this environment of the dealership works." privacy:"plain"`

	StalledAfterHours          int64            `json:"stalled_after_hours" doc:"Hours without activity after which a lead is stalled."`
	ReassignStalled            bool             `json:"reassign_stalled" doc:"Whether a stalled lead is assigned to the next user in turn." since:"next"`
	QualifyAtScore             int64            `json:"qualify_at_score" doc:"Score at which a lead is qualified."`
	DefaultHoldHours           int64            `json:"default_hold_hours" doc:"Default length of a hold, in hours."`
	SoldWhen                   SoldWhen         `json:"sold_when" doc:"Deal status that marks the hull as sold."`
	AllowDeliveryBeforeFunding bool             `json:"allow_delivery_before_funding" doc:"Whether a boat can be delivered before the deal is funded (spot delivery)."`
	QuietHours                 QuietHours       `json:"quiet_hours" doc:"Hours in which marketing text messages and reminders wait, in the recipient's time zone."`
	DefaultTaxRatePercent      string           `json:"default_tax_rate_percent" doc:"Tax rate of new deals, if neither the location nor the dealership has default_taxes." example:"6"`
	DefaultTaxes               TaxRules         `json:"default_taxes" nullable:"false" doc:"Taxes of new deals, unless the location has its own." since:"next"`
	TradeTaxCredit             bool             `json:"trade_tax_credit" doc:"Whether trade-in allowances reduce the taxable amount of new deals, unless the location says otherwise." since:"next"`
	TaxableLines               TaxableLines     `json:"taxable_lines" doc:"Kinds of line items that are taxable unless the line item says otherwise." since:"next"`
	DefaultFees                []FeeRule        `json:"default_fees" nullable:"false" doc:"Fees of new deals, unless the deal is created with line_items. Wholesale deals have none." since:"next"`
	Products                   []CatalogProduct `json:"products" nullable:"false" doc:"Finance and insurance products to choose from." since:"next"`
	AllowedApps                AllowedApps      `json:"allowed_apps" doc:"Which apps users can connect: registered ones, or also apps without registration that an owner has connected first." since:"next"`
	LostReasons                []string         `json:"lost_reasons" nullable:"false" doc:"Reasons to choose from when a lead is closed. Reports count all others as one." example:"Bought elsewhere" since:"next"`
	CampaignMessagesPerWeek    int64            `json:"campaign_messages_per_week" doc:"How many marketing messages an address can get in seven days before campaigns leave it out. Defaults to 2." since:"next"`
	Sender                     Sender           `json:"sender" doc:"Sender of messages."`
	Inbound                    Inbound          `json:"inbound" doc:"Where providers send received messages." since:"next"`
}

// SoldWhen is the status of a deal that marks its hull as sold.
type SoldWhen string

// The values.
const (
	SoldWhenContracted SoldWhen = "contracted"
	SoldWhenFunded     SoldWhen = "funded"
)

var allSoldWhens = enum.Of("SoldWhen", "Deal status that marks a hull as sold.", SoldWhenContracted, SoldWhenFunded)

func (SoldWhen) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSoldWhens.Describe(s)
}

// AllowedApps is which apps users can connect.
type AllowedApps string

// The values.
const (
	OnlyRegistered AllowedApps = "registered"
	OwnerAllowed   AllowedApps = "owner_allowed"
)

var allAllowedApps = enum.Of("AllowedApps", "Which apps users can connect. Apps without registration, such as most AI assistants, require owner_allowed.",
	OnlyRegistered, OwnerAllowed)

func (AllowedApps) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allAllowedApps.Describe(s)
}

// QuietHours is a time range that can include midnight.
type QuietHours struct {
	_ struct{} `doc:"A time of day in which marketing text messages wait. It can include midnight." privacy:"plain"`

	Start string `json:"start" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" patternDescription:"a time such as 21:00" doc:"Start of the quiet hours, as HH:MM in the recipient's time zone." example:"21:00"`
	End   string `json:"end" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" patternDescription:"a time such as 08:00" doc:"End of the quiet hours, as HH:MM in the recipient's time zone." example:"08:00"`
}

// Sender is the sender of messages.
type Sender struct {
	_ struct{} `doc:"Addresses that messages are sent from." privacy:"plain"`

	Email         *string `json:"email" required:"false" format:"email" maxLength:"254" doc:"Used when it is verified. Until then, email is sent from the address of the installation."`
	EmailVerified bool    `json:"email_verified" doc:"Whether the link that was sent to the address was opened." since:"next"`
	SMS           *string `json:"sms" required:"false" maxLength:"40" doc:"Phone number in E.164 format." example:"+14105550123"`
}

// setEmail changes the address. A new one is not verified.
func (s *Sender) setEmail(email patch.Null[string]) {
	before := s.VerifiedEmail()
	email.To(&s.Email)
	s.EmailVerified = s.Email != nil && *s.Email == before
}

// VerifiedEmail returns the address if it is verified, or "".
func (s Sender) VerifiedEmail() string {
	if s.Email == nil || !s.EmailVerified {
		return ""
	}
	return *s.Email
}

// defaultCampaignMessages is how many campaign messages an address gets in a week.
const defaultCampaignMessages = 2

// defaultSettings are the settings of a new dealership.
var defaultSettings = Settings{
	StalledAfterHours: 72, QualifyAtScore: 60, DefaultHoldHours: 48, SoldWhen: SoldWhenContracted, DefaultTaxRatePercent: "0",
	QuietHours: QuietHours{Start: "21:00", End: "08:00"}, DefaultTaxes: TaxRules{},
	TaxableLines: TaxableLines{Accessory: true, Discount: true}, AllowedApps: OnlyRegistered, DefaultFees: []FeeRule{}, Products: []CatalogProduct{},
}

// DealershipPatch changes a dealership.
type DealershipPatch struct {
	_ struct{} `doc:"Changes to the dealership. Omitted fields keep their values."`

	Name          patch.Value[string]        `json:"name,omitzero" minLength:"1" maxLength:"200" doc:"Name of the dealership, as customers know it."`
	LegalName     patch.Null[string]         `json:"legal_name,omitzero" maxLength:"200" doc:"Name of the company, as documents show it. Null removes it."`
	PostalAddress patch.Null[AddressPatch]   `json:"postal_address,omitzero" doc:"Parts of the postal address to change. Null removes the address."`
	Timezone      patch.Value[string]        `json:"timezone,omitzero" maxLength:"64" doc:"IANA time zone of the dealership, for dates and for locations without their own."`
	Settings      patch.Value[SettingsPatch] `json:"settings,omitzero" doc:"Settings to change. Omitted settings keep their values."`
}

// SettingsPatch changes settings.
type SettingsPatch struct {
	StalledAfterHours          patch.Value[int64]             `json:"stalled_after_hours,omitzero" minimum:"1" maximum:"8760" doc:"Hours without activity after which a lead is stalled."`
	ReassignStalled            patch.Value[bool]              `json:"reassign_stalled,omitzero" doc:"Whether a stalled lead is assigned to the next user in turn." since:"next"`
	QualifyAtScore             patch.Value[int64]             `json:"qualify_at_score,omitzero" minimum:"1" maximum:"100" doc:"Score at which a lead is qualified."`
	DefaultHoldHours           patch.Value[int64]             `json:"default_hold_hours,omitzero" minimum:"1" maximum:"8760" doc:"Default length of a hold, in hours."`
	SoldWhen                   patch.Value[SoldWhen]          `json:"sold_when,omitzero" doc:"Deal status that marks the hull as sold."`
	AllowDeliveryBeforeFunding patch.Value[bool]              `json:"allow_delivery_before_funding,omitzero" doc:"Whether a boat can be delivered before the deal is funded (spot delivery)."`
	QuietHours                 patch.Value[QuietHoursPatch]   `json:"quiet_hours,omitzero" doc:"Hours in which marketing text messages wait, in the recipient's time zone."`
	DefaultTaxRatePercent      patch.Value[string]            `json:"default_tax_rate_percent,omitzero" maxLength:"10" doc:"Tax rate of new deals as a decimal, if neither the location nor the dealership has default_taxes."`
	DefaultTaxes               patch.Value[[]TaxRule]         `json:"default_taxes,omitzero" maxItems:"10" doc:"Replaces all taxes." since:"next"`
	TradeTaxCredit             patch.Value[bool]              `json:"trade_tax_credit,omitzero" doc:"Whether trade-in allowances reduce the taxable amount of new deals." since:"next"`
	TaxableLines               patch.Value[TaxableLinesPatch] `json:"taxable_lines,omitzero" doc:"Kinds of line items that are taxable by default." since:"next"`
	DefaultFees                patch.Value[[]FeeRule]         `json:"default_fees,omitzero" maxItems:"20" doc:"Replaces all fees of new deals." since:"next"`
	Products                   patch.Value[[]CatalogProduct]  `json:"products,omitzero" maxItems:"100" doc:"Replaces the catalog of products." since:"next"`
	AllowedApps                patch.Value[AllowedApps]       `json:"allowed_apps,omitzero" doc:"Which apps users can connect. With owner_allowed, an owner connects an app without registration first." since:"next"`
	LostReasons                patch.Value[[]string]          `json:"lost_reasons,omitzero" maxItems:"30" doc:"Reasons to choose from when a lead is closed. Replaces the list." since:"next"`
	CampaignMessagesPerWeek    patch.Value[int64]             `json:"campaign_messages_per_week,omitzero" minimum:"1" maximum:"50" doc:"How many marketing messages an address can get in seven days before campaigns leave it out." since:"next"`
	Sender                     patch.Value[SenderPatch]       `json:"sender,omitzero" doc:"Sender of messages."`
	Inbound                    patch.Value[InboundPatch]      `json:"inbound,omitzero" doc:"Secrets and limits for received messages." since:"next"`
}

// QuietHoursPatch changes the quiet hours.
type QuietHoursPatch struct {
	Start patch.Value[string] `json:"start,omitzero" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" patternDescription:"a time such as 21:00" doc:"Start of the quiet hours, as HH:MM in the recipient's time zone." example:"21:00"`
	End   patch.Value[string] `json:"end,omitzero" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" patternDescription:"a time such as 08:00" doc:"End of the quiet hours, as HH:MM in the recipient's time zone." example:"08:00"`
}

// SenderPatch changes the sender of messages.
type SenderPatch struct {
	Email patch.Null[string] `json:"email,omitzero" format:"email" maxLength:"254" doc:"A new address receives a link to verify it. The link expires after seven days. Send the address again for a new link."`
	SMS   patch.Null[string] `json:"sms,omitzero" maxLength:"40" doc:"Phone number in any common format. If it has no country code, the country of the postal address is used, or the United States." example:"(410) 555-0123"`
}

// percent matches a decimal with up to four places. It is stored as text, because
// a float would change it.
var percent = regexp.MustCompile(`^(100(\.0{1,4})?|[0-9]{1,2}(\.[0-9]{1,4})?)$`)

// Check validates what the schema can't express.
func (p DealershipPatch) Check(time.Time) error {
	var bad fault.Fields
	if p.Timezone.Set {
		checkTimezone(&bad, &p.Timezone.V)
	}
	if rate := p.Settings.V.DefaultTaxRatePercent; rate.Set && !percent.MatchString(rate.V) {
		bad.Add("settings.default_tax_rate_percent", "pattern", `must be a percentage such as "6" or "6.25"`)
	}
	checkTaxes(&bad, "settings.default_taxes", p.Settings.V.DefaultTaxes.V)
	checkReasons(&bad, p.Settings.V.LostReasons.V)
	checkProducts(&bad, p.Settings.V.Products.V)
	p.Settings.V.Inbound.V.check(&bad)
	return bad.Err()
}

func (p DealershipPatch) apply(d *Dealership) error {
	if err := p.Check(d.UpdatedAt); err != nil {
		return err
	}

	p.Name.To(&d.Name)
	p.LegalName.To(&d.LegalName)
	p.Timezone.To(&d.Timezone)

	s := p.Settings.V
	s.StalledAfterHours.To(&d.Settings.StalledAfterHours)
	s.ReassignStalled.To(&d.Settings.ReassignStalled)
	s.QualifyAtScore.To(&d.Settings.QualifyAtScore)
	s.DefaultHoldHours.To(&d.Settings.DefaultHoldHours)
	s.SoldWhen.To(&d.Settings.SoldWhen)
	s.AllowDeliveryBeforeFunding.To(&d.Settings.AllowDeliveryBeforeFunding)
	s.QuietHours.V.Start.To(&d.Settings.QuietHours.Start)
	s.QuietHours.V.End.To(&d.Settings.QuietHours.End)
	s.DefaultTaxRatePercent.To(&d.Settings.DefaultTaxRatePercent)
	if s.DefaultTaxes.Set {
		d.Settings.DefaultTaxes = s.DefaultTaxes.V
	}
	s.TradeTaxCredit.To(&d.Settings.TradeTaxCredit)
	s.TaxableLines.V.apply(&d.Settings.TaxableLines)
	s.DefaultFees.To(&d.Settings.DefaultFees)
	s.Products.To(&d.Settings.Products)
	s.AllowedApps.To(&d.Settings.AllowedApps)
	s.LostReasons.To(&d.Settings.LostReasons)
	s.CampaignMessagesPerWeek.To(&d.Settings.CampaignMessagesPerWeek)
	d.Settings.Sender.setEmail(s.Sender.V.Email)
	s.Sender.V.SMS.To(&d.Settings.Sender.SMS)
	s.Inbound.V.NewSendersPerHour.To(&d.Settings.Inbound.NewSendersPerHour)
	s.Inbound.V.Marketplaces.To(&d.Settings.Inbound.Marketplaces)

	var bad fault.Fields
	applyAddress(&bad, "postal_address", p.PostalAddress, &d.PostalAddress)
	if s.Sender.V.SMS.Set {
		normalizePhone(&bad, "settings.sender.sms", &d.Settings.Sender.SMS, d.PostalAddress)
	}
	return bad.Err()
}
