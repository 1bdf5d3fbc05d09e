package deals

import (
	"context"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/identity/access"
	"slipway/internal/platform/db"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/page"
)

var (
	read    = auth.Require(auth.DealsRead)
	write   = auth.Require(auth.DealsWrite)
	convert = auth.Require(auth.LeadsWrite, auth.DealsWrite)
)

// API serves deals.
type API struct {
	DB   *db.DB
	Jobs *jobs.Queue
}

// Hooks are what deals call in features that depend on them.
type Hooks struct {
	// These run in this order when a deal is cancelled.
	WithdrawFundings, VoidUnsigned, SettlePayments func(ctx context.Context, tx *db.Tx, d *Deal) error
	// These run when a sale is undone.
	UnwindPayments                                func(ctx context.Context, tx *db.Tx, d *Deal, u DealUnwind) error
	UnwindFundings, CancelProducts, VoidDocuments func(ctx context.Context, tx *db.Tx, d *Deal) error
	// Restructured voids what states an earlier payment plan when a contracted deal gets
	// another one. If the total changed, this includes the purchase agreement.
	Restructured func(ctx context.Context, tx *db.Tx, d *Deal, newTotal bool) error
	// OpenTasks counts the open tasks on a hull.
	OpenTasks func(ctx context.Context, tx *db.Tx, hullID string) (int64, error)
	// TellManagers gives the users who can see costs a task on a deal.
	TellManagers func(ctx context.Context, tx *db.Tx, dealID, text string) error
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// release undoes what other features have done for a deal that is cancelled.
func release(ctx context.Context, tx *db.Tx, d *Deal) error {
	h := db.Attached[Hooks](tx)
	for _, undo := range []func(ctx context.Context, tx *db.Tx, d *Deal) error{h.WithdrawFundings, h.VoidUnsigned, h.SettlePayments} {
		if err := undo(ctx, tx, d); err != nil {
			return err
		}
	}
	return nil
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	rest.PostCreated(r.Family(family.Leads), rest.Route{
		Path: "/leads/{lead_id}/convert", ID: "convertLead", Needs: convert,
		Summary: "Convert a lead into a deal",
		Text:    "Creates a deal for the lead's contact with this opening offer and returns it. The status of the lead becomes converted.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(convertEffect),
	}, a.convertLead)

	r = r.Family(family.Deals)
	rest.Get(r, rest.Route{
		Path: "/deals", ID: "listDeals", Needs: read,
		Summary: "List deals, newest first",
		Text:    "Returns the deals that match all filters.",
		Assist:  assist.Read,
	}, a.list)
	rest.PostCreated(r, rest.Route{
		Path: "/deals", ID: "createDeal", Needs: write,
		Summary: "Create a deal with its opening offer",
		Text:    "A hull can have any number of open deals. The first deal with an accepted offer reserves it.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(createEffect),
	}, a.create)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}", ID: "getDeal", Needs: read,
		Summary: "Retrieve a deal with its totals",
		Text:    "Returns the deal with its line items, taxes and calculated totals. The profit and the costs are only returned to keys with the required scopes.",
		Assist:  assist.Read,
	}, a.get)
	rest.Patch(r, rest.Route{
		Path: "/deals/{deal_id}", ID: "updateDeal", Needs: write,
		Summary: "Change a deal's line items, tax or owner",
		Text:    "JSON merge patch: omitted fields keep their values, and null clears a field. After the purchase agreement is signed, you can only change the owner and the metadata.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(updateEffect),
	}, a.update)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/advance", ID: "advanceDeal", Needs: write,
		Summary: "Advance a deal to its next status",
		Text:    "The order is accepted, in_finance, contracted, funded, delivered, closed. contracted requires a signed purchase agreement and, for a finance deal, a selected structure. funded requires a funded funding (finance) or a balance of 0. The dealership's settings decide whether a deal can be delivered before it is funded. With a `write_off_reason`, a deal can be funded or closed although a balance is due. If something is missing, `details` lists it. If a balance is due on delivery, or too much was paid, `warnings` states it.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(advanceEffect),
	}, a.advance)
	rest.Get(r.Preview("2026-11-17"), rest.Route{
		Path: "/deals/{deal_id}/next", ID: "getDealNext", Needs: read,
		Summary: "List what a deal requires to advance",
		Text:    "Returns each later status with what is missing, by the same rules as `advanceDeal`. It changes nothing.",
		Assist:  assist.Read,
	}, a.next)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/cancel", ID: "cancelDeal", Needs: write,
		Summary: "Cancel a deal and release its hull",
		Text:    "You can cancel a deal until it is funded. Later, unwind it. The hull returns to its previous status. Offers and fundings are withdrawn, and documents that are not fully signed are voided. If money was paid, `deposit_outcome` decides what happens to it.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(cancelEffect),
	}, a.cancel)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/history", ID: "listDealHistory", Needs: read,
		Summary: "List a deal's status changes",
		Text:    "Returns each change of the deal's status, with the reason and the user or key that made it. Newest first.",
		Assist:  assist.Read,
	}, a.listHistory)

	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/offers", ID: "listOffers", Needs: read,
		Summary: "List offers",
		Text:    "Returns the offers of both sides, including those that were rejected, replaced or have expired. Newest first.",
		Assist:  assist.Read,
	}, a.listOffers)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/offers", ID: "makeOffer", Needs: write,
		Summary: "Make an offer or a counteroffer",
		Text:    "Replaces the pending offer of the same side, and the offer that it answers (`in_reply_to`).",
		Assist:  assist.Propose,
		Effect:  rest.Describe(makeOfferEffect),
	}, a.makeOffer)
	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/offers/{offer_id}", ID: "getOffer", Needs: read,
		Summary: "Retrieve an offer",
		Text:    "Returns the offer with its current status and the decision about it.",
		Assist:  assist.Read,
	}, a.getOffer)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/offers/{offer_id}/accept", ID: "acceptOffer", Needs: write,
		Summary: "Accept an offer and reserve the hull",
		Text:    "The deal becomes accepted and its hull sale_pending. If the hull is reserved for another deal, the request fails with 409 and the code hull_unavailable. If your key has deals:read, the error includes the ID of that deal. If the hull is on hold, and not for this deal, its lead or its buyer, the code is hull_on_hold. If the price is below the floor_usd of the hull and your key doesn't have hulls:write, the request fails with 403 and the code below_floor.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(acceptEffect),
	}, a.acceptOffer)
	rest.PostOK(r, rest.Route{
		Path: "/deals/{deal_id}/offers/{offer_id}/reject", ID: "rejectOffer", Needs: write,
		Summary: "Reject or withdraw an offer",
		Text:    "If the other side declines the offer, it becomes rejected. If the side that made it takes it back, it becomes withdrawn. Only a pending offer can be rejected.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(rejectEffect),
	}, a.rejectOffer)
	rest.PostOK(r.Preview("2026-11-19"), rest.Route{
		Path: "/deals/{deal_id}/offers/{offer_id}/undo", ID: "undoOffer", Needs: write,
		Summary: "Undo the last step of an offer",
		Text:    "An offer that was made by mistake is withdrawn, and the offers that it replaced are pending again. An accepted, rejected or withdrawn offer is pending again. If it was accepted, the deal is open again, the hull returns to its previous status, and unsigned documents are voided. It fails if anything has happened on the deal since.",
		Assist:  assist.Never(assist.Money),
	}, a.undoOffer)

	rest.Get(r, rest.Route{
		Path: "/deals/{deal_id}/trade_ins", ID: "listTradeIns", Needs: read,
		Summary: "List trade-ins",
		Text:    "Returns the boats that the buyer trades in. Newest first.",
		Assist:  assist.Read,
	}, a.listTradeIns)
	rest.PostCreated(r, rest.Route{
		Path: "/deals/{deal_id}/trade_ins", ID: "addTradeIn", Needs: write,
		Summary: "Add a trade-in",
		Text:    "To change a trade-in, for example when its payoff changes, send the complete trade-in with its ID in `replaces_id`. It keeps its ID. A boat that is in stock can't be traded in.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(addTradeEffect),
	}, a.addTradeIn)
	rest.Delete(r, rest.Route{
		Path: "/deals/{deal_id}/trade_ins/{trade_in_id}", ID: "removeTradeIn", Needs: write,
		Summary: "Remove a trade-in",
		Text:    "The totals of the deal are calculated again without it. You can't remove a trade-in after the purchase agreement is signed.",
		Assist:  assist.Propose,
		Effect:  rest.Describe(removeTradeEffect),
	}, a.removeTradeIn)
}

// ByDeal are the path parameters of a deal.
type ByDeal struct {
	DealID string `path:"deal_id" doc:"ID of the deal." example:"deal_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (a *API) list(ctx context.Context, tx *db.Tx, in *DealFilter) (page.Page[Deal], error) {
	return List(ctx, tx, *in)
}

func (a *API) create(ctx context.Context, tx *db.Tx, in *struct{ Body DealCreate }) (Deal, error) {
	return Create(ctx, tx, in.Body)
}

// open creates a deal with the defaults of the hull's location and the
// dealership.
func open(ctx context.Context, tx *db.Tx, c DealCreate) (Deal, error) {
	def, err := findDefaults(ctx, tx, c.HullID, c.BuyerID)
	if err != nil {
		return Deal{}, err
	}
	d, trades, err := c.deal(def, auth.From(ctx).Actor, tx.Now)
	if err != nil {
		return d, err
	}

	err = insert(ctx, tx, &d, trades)
	return d, err
}

func (a *API) get(ctx context.Context, tx *db.Tx, in *ByDeal) (Deal, error) {
	return FindVisible(ctx, tx, in.DealID)
}

// change locks a deal, checks If-Match, edits it and saves it. Edit returns the
// event and the reason for the history.
func (a *API) change(
	ctx context.Context, tx *db.Tx, id string, edit func(d *Deal) (event string, reason *string, err error),
) (Deal, error) {
	d, err := rest.Change(ctx, tx, FindForUpdate, id, func(before Deal, d *Deal) error {
		event, reason, err := edit(d)
		if err != nil {
			return err
		}
		return saveAndEmit(ctx, tx, before, d, cause{event: event, reason: reason})
	})
	if err != nil {
		return d, err
	}
	return showOne(ctx, tx, d)
}

func (a *API) update(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body DealPatch
}) (Deal, error) {
	return a.change(ctx, tx, in.DealID, func(d *Deal) (string, *string, error) {
		before := *d
		company, err := dealership.Find(ctx, tx)
		if err != nil {
			return "", nil, err
		}
		if err := in.Body.apply(d, company.Settings); err != nil {
			return "", nil, err
		}
		return "deal.updated", nil, checkFloorAfter(ctx, tx, before, *d)
	})
}

func (a *API) advance(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body *DealAdvance
}) (Deal, error) {
	return a.change(ctx, tx, in.DealID, func(d *Deal) (string, *string, error) {
		var asked DealAdvance
		if in.Body != nil {
			asked = *in.Body
		}
		r, err := findRequirements(ctx, tx, *d)
		if err != nil {
			return "", nil, err
		}
		if asked.WriteOffReason != nil {
			if err := access.CheckDuty(auth.From(ctx), auth.Exception, "write_off_reason"); err != nil {
				return "", nil, err
			}
		}
		if err := d.advance(asked, r, tx.Now); err != nil {
			return "", nil, err
		}

		if d.Status == Delivered {
			if err := deliver(ctx, tx, d, r.hull); err != nil {
				return "", nil, err
			}
		}
		if err := recordWriteOff(ctx, tx, *d, asked); err != nil {
			return "", nil, err
		}
		if asked.StockInTrades {
			if err := stockIn(ctx, tx, *d); err != nil {
				return "", nil, err
			}
		}
		err = moveHull(ctx, tx, *d, r.rules)
		return "deal." + string(d.Status), asked.Reason, err
	})
}

func (a *API) next(ctx context.Context, tx *db.Tx, in *ByDeal) (DealNext, error) {
	d, err := Find(ctx, tx, in.DealID)
	if err != nil {
		return DealNext{}, err
	}
	return FindNext(ctx, tx, d)
}

// findRequirements returns what the steps of a deal depend on.
func findRequirements(ctx context.Context, tx *db.Tx, d Deal) (r requirements, err error) {
	company, err := dealership.Find(ctx, tx)
	if err != nil {
		return r, err
	}
	r.rules = company.Settings
	r.hull, err = hulls.Find(ctx, tx, d.HullID)
	return r, err
}

// moveHull changes the status of the hull to match the new status of the deal.
func moveHull(ctx context.Context, tx *db.Tx, d Deal, rules dealership.Settings) error {
	switch {
	case dealership.SoldWhen(d.Status) == rules.SoldWhen:
		return hulls.MarkSold(ctx, tx, d.HullID)
	case d.Status == Delivered:
		return hulls.MarkDelivered(ctx, tx, d.HullID)
	case d.Status == Closed:
		if err := stockIn(ctx, tx, d); err != nil {
			return err
		}
		return hulls.Settle(ctx, tx, d.HullID)
	}
	return nil
}

func (a *API) cancel(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	Body DealCancel
}) (Deal, error) {
	if err := lockTransfer(ctx, tx, in.DealID, in.Body); err != nil {
		return Deal{}, err
	}
	return a.change(ctx, tx, in.DealID, func(d *Deal) (string, *string, error) {
		if in.Body.refunds() && d.PaidCents > 0 {
			if err := access.CheckDuty(auth.From(ctx), auth.Payout, "deposit_outcome"); err != nil {
				return "", nil, err
			}
		}
		if err := d.cancel(in.Body, tx.Now); err != nil {
			return "", nil, err
		}
		if err := checkTransfer(ctx, tx, *d, in.Body.OverrideBuyer); err != nil {
			return "", nil, err
		}

		if err := endOffers(ctx, tx, *d, Withdrawn, Buyer, Dealer); err != nil {
			return "", nil, err
		}
		if err := release(ctx, tx, d); err != nil {
			return "", nil, err
		}
		if d.HullStatus != nil {
			if err := hulls.Release(ctx, tx, d.HullID, hulls.Earlier{Status: *d.HullStatus, Hold: d.HullHold}, "deal "+d.ID+" cancelled"); err != nil {
				return "", nil, err
			}
		}
		return "deal.cancelled", &in.Body.Reason, nil
	})
}

func (a *API) listHistory(ctx context.Context, tx *db.Tx, in *struct {
	ByDeal
	page.Query
}) (page.Page[DealChange], error) {
	return ListOf(ctx, tx, history, in.DealID, in.Query)
}
