package preview

import (
	"context"

	"slipway/internal/deals"
	"slipway/internal/hulls"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
)

// mountListings registers the endpoints of the agreements with the owners of boats. They reveal
// the profit, so reading one requires hulls:write, as costs do.
func mountListings(r *rest.Router) {
	needs := auth.Require(auth.HullsWrite)
	rest.Get(r, rest.Route{
		Path: "/hulls/{hull_id}/listing_agreement", ID: "getListingAgreement", Needs: needs,
		Summary: "Retrieve the agreement with the owner of a boat",
		Text:    "Returns 404 if the boat is not sold for an owner.",
		Assist:  assist.Read,
	}, getListing)
	rest.Put(r, rest.Route{
		Path: "/hulls/{hull_id}/listing_agreement", ID: "replaceListingAgreement", Needs: needs,
		Summary: "Replace the agreement with the owner of a boat",
		Text: "Adds the agreement, or replaces it. The owner is the seller on documents, and your part of the commission is the profit on the boat. " +
			"The ownership of the hull becomes consignment or brokerage. Returns 409 if the hull is delivered.",
		Assist: assist.Never(assist.Money),
	}, replaceListing)
	rest.Delete(r, rest.Route{
		Path: "/hulls/{hull_id}/listing_agreement", ID: "deleteListingAgreement", Needs: needs,
		Summary: "Remove the agreement with the owner of a boat",
		Text:    "The ownership of the hull doesn't change. Returns 409 if the hull is delivered.",
		Assist:  assist.Never(assist.Money),
	}, deleteListing)
}

func getListing(ctx context.Context, tx *db.Tx, in *hulls.ByHull) (deals.ListingAgreement, error) {
	return deals.GetListing(ctx, tx, in.HullID)
}

func replaceListing(ctx context.Context, tx *db.Tx, in *struct {
	hulls.ByHull
	Body deals.ListingAgreementReplace
}) (deals.ListingAgreement, error) {
	return deals.ReplaceListing(ctx, tx, in.HullID, in.Body)
}

func deleteListing(ctx context.Context, tx *db.Tx, in *hulls.ByHull) (rest.None, error) {
	return rest.None{}, deals.DeleteListing(ctx, tx, in.HullID)
}
