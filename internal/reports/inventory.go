package reports

import (
	"cmp"
	"slices"

	"slipway/internal/hulls"
)

// InventoryReport is the age and the value of the boats in stock.
type InventoryReport struct {
	_ struct{} `doc:"Age and value of the hulls in stock."`

	Covers
	Total       InventoryValue       `json:"total" doc:"All hulls in stock."`
	MedianDays  *int64               `json:"median_days" doc:"Median of the days in stock. Null if there are no hulls."`
	Buckets     []InventoryBucket    `json:"buckets" nullable:"false" doc:"Hulls in stock by age, newest first."`
	ByStatus    []InventoryStatus    `json:"by_status" nullable:"false" doc:"Hulls in stock by status."`
	ByOwnership []InventoryOwnership `json:"by_ownership" nullable:"false" doc:"Hulls in stock by who owns them, such as those with a floorplan lender."`
	Oldest      []InventoryHull      `json:"oldest" nullable:"false" doc:"The ten hulls that have been in stock longest."`
	Counts      []InventoryCount     `json:"counts" nullable:"false" doc:"Number of hulls with each status, also of those that are not in stock. from and to don't apply."`
	OnTheWay    InventoryValue       `json:"on_the_way" doc:"Hulls that have not arrived, including those that are sold. They are not part of the total."`
	Sold        InventoryValue       `json:"sold" doc:"Hulls that have arrived and are sold and not delivered. They are not part of the total. from and to don't apply."`
}

// InventoryValue is the number and the value of hulls.
type InventoryValue struct {
	_ struct{} `doc:"Number and value of hulls."`

	Hulls       int64  `json:"hulls" doc:"Number of hulls." example:"42"`
	PriceCents  int64  `json:"price_cents" doc:"Sum of the asking prices."`
	CostCents   *int64 `json:"cost_cents" privacy:"cost,hulls:write" doc:"Sum of the known costs. Null without the scope hulls:write."`
	WithoutCost *int64 `json:"without_cost" privacy:"cost,hulls:write" doc:"Number of hulls whose cost is unknown. Null without the scope hulls:write."`
}

// InventoryBucket is the hulls of an age.
type InventoryBucket struct {
	_ struct{} `doc:"Hulls in stock of one age."`

	MinDays int64  `json:"min_days" doc:"Fewest days in stock." example:"31"`
	MaxDays *int64 `json:"max_days" doc:"Most days in stock. Null for the last bucket." example:"60"`
	InventoryValue
}

// InventoryStatus is the hulls with a status.
type InventoryStatus struct {
	_ struct{} `doc:"Hulls in stock with one status."`

	Status hulls.Status `json:"status" doc:"Status of the hulls."`
	InventoryValue
}

// InventoryCount is the number of hulls with a status.
type InventoryCount struct {
	_ struct{} `doc:"Number of hulls with one status."`

	Status hulls.Status `json:"status" db:"status" doc:"Status of the hulls."`
	Hulls  int64        `json:"hulls" db:"hulls" doc:"Number of hulls." example:"42"`
}

// counted are the statuses of hulls in the order of the counts.
var counted = []hulls.Status{
	hulls.OnOrder, hulls.InTransit, hulls.Available, hulls.OnHold, hulls.SalePending, hulls.Sold, hulls.Delivered, hulls.NotForSale,
	hulls.Archived,
}

// counts returns the number of hulls with each status, also if it is 0.
func counts(found []InventoryCount) []InventoryCount {
	all := []InventoryCount{}
	for _, s := range counted {
		c := InventoryCount{Status: s}
		if i := slices.IndexFunc(found, func(f InventoryCount) bool { return f.Status == s }); i >= 0 {
			c = found[i]
		}
		all = append(all, c)
	}
	return all
}

// InventoryOwnership is the hulls of a kind of owner.
type InventoryOwnership struct {
	_ struct{} `doc:"Hulls in stock of one kind of owner."`

	Ownership hulls.Ownership `json:"ownership" doc:"Who owns the hulls."`
	InventoryValue
}

// InventoryHull is one of the oldest hulls.
type InventoryHull struct {
	_ struct{} `doc:"One of the oldest hulls in stock."`

	HullID      string       `json:"hull_id" db:"id" doc:"ID of the hull." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	StockNumber *string      `json:"stock_number" db:"stock_number" doc:"Stock number of the hull. Null if it has none."`
	Make        string       `json:"make" db:"make" doc:"Make of the boat." example:"Grady-White"`
	Model       string       `json:"model" db:"model" doc:"Model of the boat." example:"Freedom 235"`
	Year        int64        `json:"year" db:"year" doc:"Model year."`
	Status      hulls.Status `json:"status" db:"status" doc:"Status of the hull."`
	LocationID  string       `json:"location_id" db:"location_id" doc:"Location where the boat is."`
	ReceivedOn  string       `json:"received_on" db:"received_on" format:"date" doc:"Date it came into stock."`
	Days        int64        `json:"days" doc:"Days in stock." example:"211"`
	PriceUSD    int64        `json:"price_usd" db:"price_usd" doc:"Asking price."`
	Timezone    string       `json:"-" db:"timezone"`
}

// bucketEnds are the most days of the buckets, except for the last one.
var bucketEnds = []int64{30, 60, 90, 180}

// stockGroup is the number and the value of hulls that are alike.
type stockGroup struct {
	ReceivedOn *string         `db:"received_on"`
	Timezone   string          `db:"timezone"`
	Status     hulls.Status    `db:"status"`
	Ownership  hulls.Ownership `db:"ownership"`
	Hulls      int64           `db:"hulls"`
	PriceUSD   int64           `db:"price_usd"`
	CostCents  int64           `db:"cost_cents"`
	WithCost   int64           `db:"with_cost"`
}

// inventory builds the report. Today returns the date in a time zone.
func inventory(groups []stockGroup, showCost bool, today func(zone string) string) (r InventoryReport) {
	for i := range len(bucketEnds) + 1 {
		b := InventoryBucket{InventoryValue: zeroValue(showCost)}
		if i > 0 {
			b.MinDays = bucketEnds[i-1] + 1
		}
		if i < len(bucketEnds) {
			b.MaxDays = &bucketEnds[i]
		}
		r.Buckets = append(r.Buckets, b)
	}
	r.Total, r.OnTheWay, r.Sold = zeroValue(showCost), zeroValue(showCost), zeroValue(showCost)
	r.ByStatus, r.ByOwnership, r.Oldest = []InventoryStatus{}, []InventoryOwnership{}, []InventoryHull{}

	type aged struct{ days, hulls int64 }
	var ages []aged
	for _, g := range groups {
		if g.Status == hulls.Sold && g.ReceivedOn != nil {
			r.Sold.add(g)
			continue
		}
		if g.Status == hulls.OnOrder || g.Status == hulls.InTransit || g.ReceivedOn == nil {
			r.OnTheWay.add(g)
			continue
		}
		days := daysBetween(*g.ReceivedOn, today(g.Timezone))
		ages = append(ages, aged{days, g.Hulls})
		r.Total.add(g)
		n, _ := slices.BinarySearch(bucketEnds, days)
		r.Buckets[n].add(g)
		r.statusOf(g.Status, showCost).add(g)
		r.ownershipOf(g.Ownership, showCost).add(g)
	}

	slices.SortFunc(ages, func(a, b aged) int { return cmp.Compare(a.days, b.days) })
	for below, i := int64(0), 0; i < len(ages); i++ {
		if below += ages[i].hulls; 2*below >= r.Total.Hulls {
			r.MedianDays = &ages[i].days
			break
		}
	}
	return r
}

func zeroValue(showCost bool) (v InventoryValue) {
	if showCost {
		v.CostCents, v.WithoutCost = new(int64), new(int64)
	}
	return v
}

func (v *InventoryValue) add(g stockGroup) {
	v.Hulls += g.Hulls
	v.PriceCents += g.PriceUSD * 100
	if v.CostCents != nil {
		*v.CostCents += g.CostCents
		*v.WithoutCost += g.Hulls - g.WithCost
	}
}

func (r *InventoryReport) statusOf(s hulls.Status, showCost bool) *InventoryValue {
	i, ok := slices.BinarySearchFunc(r.ByStatus, s, func(x InventoryStatus, s hulls.Status) int { return cmp.Compare(x.Status, s) })
	if !ok {
		r.ByStatus = slices.Insert(r.ByStatus, i, InventoryStatus{Status: s, InventoryValue: zeroValue(showCost)})
	}
	return &r.ByStatus[i].InventoryValue
}

func (r *InventoryReport) ownershipOf(o hulls.Ownership, showCost bool) *InventoryValue {
	i, ok := slices.BinarySearchFunc(r.ByOwnership, o, func(x InventoryOwnership, o hulls.Ownership) int { return cmp.Compare(x.Ownership, o) })
	if !ok {
		r.ByOwnership = slices.Insert(r.ByOwnership, i, InventoryOwnership{Ownership: o, InventoryValue: zeroValue(showCost)})
	}
	return &r.ByOwnership[i].InventoryValue
}

func (r InventoryReport) sheets() []sheet {
	columns := []string{"hulls", "price_usd", "cost_usd", "without_cost"}
	cells := func(v InventoryValue) []string {
		return []string{number(v.Hulls), dollars(v.PriceCents), optionalDollars(v.CostCents), optionalNumber(v.WithoutCost)}
	}
	buckets := sheet{name: "buckets", columns: append([]string{"min_days", "max_days"}, columns...)}
	for _, b := range r.Buckets {
		buckets.add(append([]string{number(b.MinDays), optionalNumber(b.MaxDays)}, cells(b.InventoryValue)...)...)
	}
	statuses := sheet{name: "by_status", columns: append([]string{"status"}, columns...)}
	for _, s := range r.ByStatus {
		statuses.add(append([]string{string(s.Status)}, cells(s.InventoryValue)...)...)
	}
	owners := sheet{name: "by_ownership", columns: append([]string{"ownership"}, columns...)}
	for _, o := range r.ByOwnership {
		owners.add(append([]string{string(o.Ownership)}, cells(o.InventoryValue)...)...)
	}
	oldest := sheet{name: "oldest", columns: []string{"hull_id", "stock_number", "make", "model", "year", "status", "location_id",
		"received_on", "days", "price_usd"}}
	for _, h := range r.Oldest {
		oldest.add(h.HullID, optional(h.StockNumber), text(h.Make), text(h.Model), number(h.Year), string(h.Status), h.LocationID,
			h.ReceivedOn, number(h.Days), dollars(h.PriceUSD*100))
	}
	elsewhere := sheet{name: "not_in_total", columns: append([]string{"group"}, columns...)}
	elsewhere.add(append([]string{"on_the_way"}, cells(r.OnTheWay)...)...)
	elsewhere.add(append([]string{"sold"}, cells(r.Sold)...)...)
	return []sheet{buckets, statuses, owners, oldest, elsewhere}
}
