package hulls

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// StockState is where a hull is. The status says it too until a deal reserves the hull. Then the
// status shows the sale, and a hull that has not arrived is followed by its stock state.
type StockState string

// The stock states of a hull.
const (
	StockOnOrder   StockState = "on_order"
	StockInTransit StockState = "in_transit"
	InStock        StockState = "in_stock"
	Released       StockState = "released"
)

var allStockStates = enum.Of("HullStockState", "Where a hull is: ordered, on its way, at the dealership, or with its buyer.",
	StockOnOrder, StockInTransit, InStock, Released)

func (StockState) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStockStates.Describe(s)
}

// IsComing reports whether a hull in this state has not arrived.
func (s StockState) IsComing() bool { return s == StockOnOrder || s == StockInTransit }

// stockStateOf returns the stock state of a hull that a client gave a status.
func stockStateOf(s Status) StockState {
	switch s {
	case OnOrder:
		return StockOnOrder
	case InTransit:
		return StockInTransit
	case Delivered:
		return Released
	}
	return InStock
}

// forSale is the status of a hull in this stock state that no deal has reserved.
func (s StockState) forSale() Status {
	switch s {
	case StockOnOrder:
		return OnOrder
	case StockInTransit:
		return InTransit
	}
	return Available
}

// setStockState follows the status. It stays for a hull that a deal has reserved, or that is archived.
func (h *Hull) setStockState() {
	if h.StockState == "" || h.Status != SalePending && h.Status != Sold && h.Status != Archived {
		h.StockState = stockStateOf(h.Status)
	}
}

// isFollowed reports whether a deal has reserved the hull before it arrived.
func (h Hull) isFollowed() bool {
	return h.DealID != nil && (h.Status == SalePending || h.Status == Sold) && h.StockState.IsComing()
}

// follow changes where a hull is that a deal has reserved. The status stays that of the sale.
func (h *Hull) follow(t HullTransition, now time.Time) error {
	allowed := next[h.StockState.forSale()]
	if !slices.Contains(allowed, t.To) {
		return fault.Conflict("The hull is %s, and %s for a deal. You can't change the status to %s.", h.StockState, h.Status, t.To).
			Detail("to", "state", "must be one of %s", list(allowed))
	}
	if err := t.check(h.StockState.forSale(), now); err != nil {
		return err
	}
	if h.StockState = stockStateOf(t.To); h.StockState == InStock && h.ReceivedOn == nil {
		h.ReceivedOn = new(h.day(now))
	}
	return h.check(now, false) // a hull that arrives must have a HIN
}

// checkOptions normalizes the options of a factory order.
func (h *Hull) checkOptions(bad *fault.Fields) {
	options := []string{}
	for i, o := range h.Options {
		o = strings.TrimSpace(o)
		if o == "" || len([]rune(o)) > 200 {
			bad.Add(fmt.Sprintf("options[%d]", i), "too_long", "must have 1 to 200 characters")
		}
		options = append(options, o)
	}
	h.Options = options
}
