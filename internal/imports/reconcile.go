package imports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/auth"
)

// HullImportReconciliation compares an imported file with the inventory.
type HullImportReconciliation struct {
	_ struct{} `doc:"A comparison of an imported file with the boats as they are stored now." privacy:"plain"`

	Agrees      bool                   `json:"agrees" doc:"Whether the boats and the prices are the same."`
	Boats       HullImportCount        `json:"boats" doc:"Rows of the file, and boats that have them."`
	Prices      HullImportAmount       `json:"prices" doc:"Asking prices in the file, and of these boats."`
	Costs       HullImportAmount       `json:"costs" doc:"Costs in the file, and of these boats."`
	HINs        HullImportCount        `json:"hins" doc:"Rows with a hull identification number, and boats that have it."`
	Statuses    []HullImportCount      `json:"statuses" nullable:"false" doc:"Rows by status, and boats that have it."`
	Locations   []HullImportCount      `json:"locations" nullable:"false" doc:"Rows by location, and boats that are there."`
	Differences []HullImportDifference `json:"differences" nullable:"false" doc:"Rows that differ from their boats, or that have none. The first 200."`
}

// HullImportCount is a number of rows and boats.
type HullImportCount struct {
	_ struct{} `doc:"How many rows a file has, and how many boats are the same." privacy:"plain"`

	Name    string `json:"name" doc:"What is counted: boats, hins, a status or the ID of a location." example:"available"`
	File    int64  `json:"file" doc:"Rows in the file." example:"412"`
	Slipway int64  `json:"slipway" doc:"Boats that agree with them." example:"412"`
}

// HullImportAmount is a sum of rows and of boats.
type HullImportAmount struct {
	_ struct{} `doc:"The sum of a file, and of the same boats." privacy:"plain"`

	FileCents    int64 `json:"file_cents" doc:"Sum of the rows, in cents."`
	SlipwayCents int64 `json:"slipway_cents" doc:"Sum of the boats, in cents."`
}

// HullImportDifference is a row that differs from its boat.
type HullImportDifference struct {
	_ struct{} `doc:"A row of an imported file that differs from its boat." privacy:"plain"`

	Row     int64   `json:"row" doc:"Row number, as in a spreadsheet." example:"17"`
	HullID  *string `json:"hull_id" doc:"Boat of the row. Null if the row was rejected or skipped."`
	Field   string  `json:"field" doc:"Field that differs, or row if there is no boat." example:"status"`
	File    string  `json:"file" doc:"Value in the file." example:"sold"`
	Slipway string  `json:"slipway" doc:"Value of the boat." example:"available"`
}

// figure is what a row says.
type figure struct {
	Env        auth.Env `db:"env"`
	ImportID   string   `db:"import_id"`
	Row        int64    `db:"row_no"`
	HullID     *string  `db:"hull_id"`
	PriceUSD   *int64   `db:"price_usd"`
	CostCents  *int64   `db:"cost_cents"`
	Status     *string  `db:"status"`
	LocationID *string  `db:"location_id"`
	HIN        *string  `db:"hin"`
}

// figureOf returns what a row says.
func figureOf(i HullImport, r sheet.Row, hullID *string) figure {
	f := figure{Env: i.Env, ImportID: i.ID, Row: r.Number, HullID: hullID}
	text := func(name string) *string {
		if s := r.Text(name); s != "" {
			return &s
		}
		return nil
	}
	f.Status, f.LocationID = text("status"), text("location_id")
	if number := r.HIN(); number != "" {
		f.HIN = &number
	}
	if price, ok := r.Fields["price_usd"].(float64); ok && price >= 0 && price < 1e13 {
		f.PriceUSD = new(int64(price))
	}
	for name := range costFields {
		if cost, ok := r.Fields[name].(float64); ok && math.Abs(cost) < 1e12 {
			sum := int64(math.Round(cost * 100))
			if f.CostCents != nil {
				sum += *f.CostCents
			}
			f.CostCents = &sum
		}
	}
	return f
}

// reconcile compares what the rows of a file say with the boats as they are now.
func reconcile(rows []figure, boats map[string]hulls.Figures) HullImportReconciliation {
	c := &comparison{statuses: map[string]*HullImportCount{}, locations: map[string]*HullImportCount{}}
	c.Boats.Name, c.HINs.Name = "boats", "hins"
	c.Differences = []HullImportDifference{}
	for _, r := range rows {
		var boat *hulls.Figures
		if r.HullID != nil {
			if b, ok := boats[*r.HullID]; ok {
				boat = &b
			}
		}
		c.add(r, boat)
	}
	c.Statuses, c.Locations = sorted(c.statuses), sorted(c.locations)
	c.Agrees = c.Boats.File == c.Boats.Slipway && c.Prices.FileCents == c.Prices.SlipwayCents
	c.Differences = c.Differences[:min(len(c.Differences), maxShown)]
	return c.HullImportReconciliation
}

// comparison is a reconciliation while its rows are added.
type comparison struct {
	HullImportReconciliation
	statuses, locations map[string]*HullImportCount
}

func (c *comparison) add(r figure, boat *hulls.Figures) {
	c.Boats.File++
	if boat == nil {
		boat = &hulls.Figures{}
		c.Differences = append(c.Differences, HullImportDifference{Row: r.Row, Field: "row"})
		r.HullID = nil
	} else {
		c.Boats.Slipway++
	}
	if r.PriceUSD != nil {
		c.Prices.FileCents, c.Prices.SlipwayCents = c.Prices.FileCents+*r.PriceUSD*100, c.Prices.SlipwayCents+boat.PriceUSD*100
		c.differ(r, "price_usd", dollars(*r.PriceUSD*100), dollars(boat.PriceUSD*100))
	}
	if r.CostCents != nil {
		c.Costs.FileCents, c.Costs.SlipwayCents = c.Costs.FileCents+*r.CostCents, c.Costs.SlipwayCents+boat.CostCents
		c.differ(r, "cost", dollars(*r.CostCents), dollars(boat.CostCents))
	}
	c.count(c.statuses, r.Status, string(boat.Status))
	c.count(c.locations, r.LocationID, boat.LocationID)
	if r.Status != nil {
		c.differ(r, "status", *r.Status, string(boat.Status))
	}
	if r.LocationID != nil {
		c.differ(r, "location_id", *r.LocationID, boat.LocationID)
	}
	if r.HIN != nil {
		c.HINs.File++
		if boat.HIN != nil && *boat.HIN == *r.HIN {
			c.HINs.Slipway++
		} else {
			c.differ(r, "hin", *r.HIN, "")
		}
	}
}

// count counts a row by a value, and its boat if it has the same value.
func (c *comparison) count(by map[string]*HullImportCount, file *string, slipway string) {
	if file == nil {
		return
	}
	if by[*file] == nil {
		by[*file] = &HullImportCount{Name: *file}
	}
	by[*file].File++
	if *file == slipway {
		by[*file].Slipway++
	}
}

// differ adds a difference of a row that has a boat.
func (c *comparison) differ(r figure, field, file, slipway string) {
	if r.HullID != nil && file != slipway {
		c.Differences = append(c.Differences, HullImportDifference{Row: r.Row, HullID: r.HullID, Field: field, File: file, Slipway: slipway})
	}
}

func sorted(by map[string]*HullImportCount) []HullImportCount {
	all := []HullImportCount{}
	for _, c := range by {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b HullImportCount) int {
		return cmp.Or(cmp.Compare(b.File, a.File), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func dollars(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
