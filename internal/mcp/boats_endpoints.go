package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"slipway/internal/vocab/null"
)

var boatTools = []tool{
	define(about{"find_boats", "Find boats", reads, readHulls, "Search the inventory. Newest first."}, findBoats),
	define(about{"get_boat", "Get a boat", reads, readHulls, "One boat, by ID, stock number or HIN."}, getBoat),
}

type findBoatsIn struct {
	Q         string  `json:"q,omitempty" doc:"Words of make, model, title, stock number or HIN."`
	Status    string  `json:"status,omitempty" enum:"on_order,in_transit,available,on_hold,sale_pending,sold,delivered,not_for_sale"`
	Condition string  `json:"condition,omitempty" enum:"new,used,demo"`
	PriceMin  int64   `json:"price_min_usd,omitempty"`
	PriceMax  int64   `json:"price_max_usd,omitempty"`
	LengthMin float64 `json:"length_min_ft,omitempty"`
	LengthMax float64 `json:"length_max_ft,omitempty"`
	YearMin   int     `json:"year_min,omitempty"`
	Limit     int     `json:"limit,omitempty" minimum:"1" maximum:"50"`
}

// boat is a boat in a list.
type boat struct {
	ID       string  `json:"id"`
	Title    *text   `json:"title"`
	Stock    string  `json:"stock_number,omitempty"`
	Status   string  `json:"status"`
	PriceUSD int64   `json:"price_usd"`
	Price    string  `json:"price"`
	LengthFT float64 `json:"length_ft"`
	Days     *int64  `json:"days_in_stock,omitempty"`
}

// hull is a boat of the API.
type hull struct {
	ID, Make, Model, Status, Condition, Category string
	Year                                         int
	StockNumber                                  *string `json:"stock_number"`
	HIN                                          *string
	Title, Description                           *string
	PriceUSD                                     int64   `json:"price_usd"`
	LengthFT                                     float64 `json:"length_ft"`
	DaysInStock                                  *int64  `json:"days_in_stock"`
	LocationID                                   string  `json:"location_id"`
	PhotoCount                                   int     `json:"photo_count"`
	Hold                                         *struct {
		ExpiresAt string `json:"expires_at"`
		Reason    *string
	}
}

// title is untrusted, because imports and trade-ins bring makes and models.
func (h hull) title() *text {
	return untrusted(plain(fmt.Sprintf("%d %s %s", h.Year, h.Make, h.Model)))
}

func (h hull) row() boat {
	return boat{
		ID: h.ID, Title: h.title(), Stock: plain(null.Text(h.StockNumber)), Status: h.Status,
		PriceUSD: h.PriceUSD, Price: dollars(h.PriceUSD), LengthFT: h.LengthFT, Days: h.DaysInStock,
	}
}

func findBoats(ctx context.Context, c *Caller, in findBoatsIn) (*list[boat], error) {
	limit := limitOf(in.Limit)
	var found page[hull]
	err := c.get(ctx, "/v1/hulls", params(
		"q", in.Q, "status", in.Status, "condition", in.Condition, "price_min", format(in.PriceMin), "price_max", format(in.PriceMax),
		"length_min", decimal(in.LengthMin), "length_max", decimal(in.LengthMax), "year_min", strconv.Itoa(in.YearMin), "limit", strconv.Itoa(limit),
	), &found)
	if err != nil {
		return nil, err
	}
	var rows []boat
	for _, h := range found.Data {
		rows = append(rows, h.row())
	}
	return newList(rows, limit, found.HasMore, "Add q, status, condition, price, length or year."), nil
}

type getBoatIn struct {
	Boat    string   `json:"boat" doc:"ID, stock number or HIN."`
	Include []string `json:"include,omitempty" enum:"specs,pricing,listings,history"`
}

type boatView struct {
	Boat        boat           `json:"boat"`
	HIN         string         `json:"hin,omitempty"`
	Condition   string         `json:"condition"`
	LocationID  string         `json:"location_id"`
	Headline    *text          `json:"headline,omitempty"`
	Description *text          `json:"description,omitempty"`
	HeldUntil   string         `json:"held_until,omitempty"`
	HeldFor     *text          `json:"held_for,omitempty"`
	Photos      int            `json:"photos"`
	Included    map[string]any `json:"included,omitempty"`
	More        bool           `json:"more,omitempty"`
}

func (v *boatView) shrink() bool {
	v.More = true
	return shrinkJSON(v.Included)
}

// included are the operations of what get_boat can include.
var included = map[string]struct{ id, path string }{
	"specs":    {"getHullSpecs", "/specs"},
	"pricing":  {"getHullPricing", "/pricing"},
	"listings": {"listHullSyndication", "/syndication"},
	"history":  {"listHullHistory", "/history"},
}

func getBoat(ctx context.Context, c *Caller, in getBoatIn) (*boatView, error) {
	h, err := c.findHull(ctx, in.Boat)
	if err != nil {
		return nil, err
	}
	v := &boatView{
		Boat: h.row(), HIN: plain(null.Text(h.HIN)), Condition: h.Condition, LocationID: h.LocationID, Photos: h.PhotoCount,
		Headline: untrusted(null.Text(h.Title)), Description: untrusted(null.Text(h.Description)),
	}
	if h.Hold != nil {
		v.HeldUntil, v.HeldFor = h.Hold.ExpiresAt, untrusted(null.Text(h.Hold.Reason))
	}
	if err := c.addWas(ctx, &v.Boat); err != nil {
		return nil, err
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(in.Include))) {
		what, err := c.show(ctx, included[name].id, "/v1/hulls/"+h.ID+included[name].path, nil)
		if err != nil {
			return nil, err
		}
		if v.Included == nil {
			v.Included = map[string]any{}
		}
		v.Included[name] = what
	}
	return v, nil
}

// addWas adds the price before the last change.
func (c *Caller) addWas(ctx context.Context, b *boat) error {
	var changes page[struct {
		Old *int64 `json:"old_price_usd"`
	}]
	if err := c.get(ctx, "/v1/hulls/"+b.ID+"/price_changes", params("limit", "1"), &changes); err != nil {
		return err
	}
	if len(changes.Data) > 0 && changes.Data[0].Old != nil && *changes.Data[0].Old != b.PriceUSD {
		b.Price += ", was " + dollars(*changes.Data[0].Old)
	}
	return nil
}

// findHull finds a boat by its ID, stock number or HIN.
func (c *Caller) findHull(ctx context.Context, name string) (h hull, err error) {
	if plainID.MatchString(name) {
		return h, c.get(ctx, "/v1/hulls/"+url.PathEscape(name), nil, &h)
	}
	var found page[hull]
	if err := c.get(ctx, "/v1/hulls", params("q", name, "limit", "20"), &found); err != nil {
		return h, err
	}
	for _, one := range found.Data {
		if strings.EqualFold(null.Text(one.StockNumber), name) || strings.EqualFold(null.Text(one.HIN), name) {
			return one, nil
		}
	}
	return h, fmt.Errorf("no boat has the ID, stock number or HIN %q; search with find_boats", plain(name))
}

func format(n int64) string { return strconv.FormatInt(n, 10) }

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// dollars formats whole dollars, such as $131,600.
func dollars(n int64) string {
	digits := format(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + "$" + digits
}
