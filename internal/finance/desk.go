package finance

import "slipway/internal/dealership"

// DealDesk is what people choose from on a deal.
type DealDesk struct {
	_ struct{} `doc:"What people choose from on a deal: fees, products and lenders."`

	DefaultFees []dealership.FeeRule        `json:"default_fees" nullable:"false" doc:"Fees of new deals."`
	Products    []dealership.CatalogProduct `json:"products" nullable:"false" doc:"Catalog of finance and insurance products."`
	Lenders     []string                    `json:"lenders" nullable:"false" privacy:"plain" doc:"Names of the lenders of deals, the most recent one first. At most 50." example:"Bay Federal"`
}
