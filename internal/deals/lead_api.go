package deals

import (
	"context"
	"time"

	"slipway/internal/leads"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/fault"
)

// LeadConvert is the request body for converting a lead into a deal.
type LeadConvert struct {
	_ struct{} `doc:"The deal that a lead is converted into."`

	OfferUSD int64    `json:"offer_usd" minimum:"0" maximum:"1000000000" doc:"Buyer's opening offer in whole US dollars." example:"118000"`
	HullID   *string  `json:"hull_id" required:"false" maxLength:"64" doc:"Defaults to the hull of the lead."`
	SaleType SaleType `json:"sale_type,omitempty" default:"retail" doc:"Kind of sale: to a customer (retail), to another dealer (wholesale), or for an owner (brokerage)." since:"next"`
	DealTerms
}

// Check validates what the schema can't express.
func (c LeadConvert) Check(now time.Time) error { return DealCreate{DealTerms: c.DealTerms}.Check(now) }

// convertLead is in this package because deals depend on leads.
func (a *API) convertLead(ctx context.Context, tx *db.Tx, in *struct {
	LeadID string `path:"lead_id" doc:"ID of the lead." example:"lead_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Body   LeadConvert
}) (Deal, error) {
	lead, err := leads.Find(ctx, tx, in.LeadID)
	if err != nil {
		return Deal{}, err
	}
	if err := rest.CheckIfMatch(ctx, lead.Version); err != nil {
		return Deal{}, err
	}

	hull := in.Body.HullID
	if hull == nil {
		hull = lead.HullID
	}
	if hull == nil {
		return Deal{}, errNoHull()
	}

	d, err := open(ctx, tx, DealCreate{
		HullID: *hull, BuyerID: lead.ContactID, OfferUSD: in.Body.OfferUSD, LeadID: &lead.ID, OwnerID: lead.OwnerID,
		SaleType: in.Body.SaleType, DealTerms: in.Body.DealTerms,
	})
	if err != nil {
		return d, err
	}
	if err := leads.Convert(ctx, tx, &lead, d.ID); err != nil {
		return d, err
	}
	return showOne(ctx, tx, d)
}

func errNoHull() error {
	var bad fault.Fields
	bad.Add("hull_id", "required", "is required because the lead has no hull")
	return bad.Err()
}
