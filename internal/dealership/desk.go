package dealership

import (
	"fmt"
	"strings"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// FeeRule is a fee that new deals have.
type FeeRule struct {
	_ struct{} `doc:"A fee that new deals have." privacy:"plain"`

	Description string  `json:"description" minLength:"1" maxLength:"200" doc:"Name of the fee, as documents show it." example:"Documentation fee"`
	Code        *string `json:"code" required:"false" maxLength:"50" doc:"Your code for the fee, such as for accounting. Null if there is none." example:"doc"`
	AmountCents int64   `json:"amount_cents" minimum:"0" maximum:"100000000000" doc:"Amount in cents." example:"49900"`
	CostCents   *int64  `json:"cost_cents" privacy:"cost,deals:write" required:"false" minimum:"0" maximum:"100000000000" doc:"Cost to the dealership. Null if it is unknown, or if your key does not have deals:write." example:"0"`
	Taxable     *bool   `json:"taxable" required:"false" doc:"Whether the fee is taxable. Null uses settings.taxable_lines.fee."`
}

// CatalogProduct is a finance or insurance product that the dealership sells.
type CatalogProduct struct {
	_ struct{} `doc:"A finance or insurance product that the dealership sells." privacy:"plain"`

	Name       string      `json:"name" minLength:"1" maxLength:"100" doc:"Your name for the product. Each product has a different one." example:"Engine warranty, 5 years"`
	Kind       ProductKind `json:"kind" doc:"Type of product."`
	Provider   *string     `json:"provider" required:"false" maxLength:"200" doc:"Company that provides the product. Null if there is none." example:"Harbor Warranty"`
	PriceCents int64       `json:"price_cents" minimum:"0" maximum:"100000000000" doc:"Price to the buyer in cents." example:"249500"`
	CostCents  *int64      `json:"cost_cents" privacy:"cost,deals:write" required:"false" minimum:"0" maximum:"100000000000" doc:"Cost to the dealership. Null if it is unknown, or if your key does not have deals:write." example:"140000"`
	TermMonths *int64      `json:"term_months" required:"false" minimum:"1" maximum:"480" doc:"How long the product lasts, in months. Null if it has no term." example:"60"`
	Taxable    *bool       `json:"taxable" required:"false" doc:"Whether the taxes of the deal apply to it. Null uses settings.taxable_lines.product."`
}

// ProductKind is the type of a finance or insurance product.
type ProductKind string

var allProductKinds = enum.Of[ProductKind]("FinanceProductKind", "Type of finance or insurance product.",
	"service_contract", "gap", "gelcoat_protection", "hull_protection", "tire_wheel", "prop_protection", "credit_life",
	"disability", "key", "prepaid_maintenance", "theft", "other")

func (ProductKind) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allProductKinds.Describe(s)
}

// checkProducts checks that people can tell the products of the catalog apart.
func checkProducts(bad *fault.Fields, all []CatalogProduct) {
	seen := map[string]bool{}
	for i, p := range all {
		name := strings.ToLower(strings.TrimSpace(p.Name))
		if seen[name] {
			bad.Add(fmt.Sprintf("settings.products[%d].name", i), "duplicate", "is the name of another product")
		}
		seen[name] = true
	}
}
