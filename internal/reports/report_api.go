package reports

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"slipway/internal/dealership"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/page"
)

// API serves the reports.
type API struct{}

// entered is when the reports entered the preview.
const entered = "2026-11-16"

// Mount registers the endpoints. Each report is served as JSON, or as CSV to requests that prefer it.
func (a *API) Mount(r *rest.Router) {
	r = r.Family(family.Reports).Preview(entered)
	const last30 = " The default is the last 30 days, and a report covers at most 366 days."

	report[InventoryReport]{
		name: "inventory", id: "InventoryReport", need: auth.Require(auth.HullsRead), find: findInventory,
		summary: "Report the age and value of the inventory",
		doc: "Counts the hulls that are in stock now and not sold, by days in stock. Costs require the scope hulls:write. " +
			"`date_after` and `date_before` limit the report to hulls that were received on these days. The default is all hulls.",
	}.mount(r)
	report[GrossReport]{
		name: "gross", id: "GrossReport", need: auth.Require(auth.DealsWrite, auth.HullsWrite), find: findGross, bounded: true, rows: true,
		summary: "Report the profit by deal and by month",
		doc: "Counts the deals whose boat was delivered in the period, with the costs of that day. " +
			"A profit is unknown if one of its costs is. What changes later, such as another bill for the boat, is an adjustment in its own month, " +
			"so the report of an earlier month never changes." + last30,
	}.mount(r)
	report[LeadsReport]{
		name: "leads", id: "LeadsReport", need: auth.Require(auth.LeadsRead), find: findLeads, bounded: true,
		summary: "Report the leads by source, with conversion",
		doc: "Counts the leads that were created in the period by what became of them until now. Leads of erased contacts are counted. " +
			"The location of a lead is its `location_id`." + last30,
	}.mount(r)
	report[ResponsesReport]{
		name: "responses", id: "ResponsesReport", need: auth.Require(auth.LeadsRead), find: findResponses, bounded: true,
		summary: "Report the response times to leads",
		doc: "Measures the time from the creation of a lead to the first message that was sent to it, or the first call or visit, " +
			"whichever is earlier. Automatic replies and reminders don't count. Leads by phone, walk-in and import are left out, " +
			"because someone has already talked to them." + last30,
	}.mount(r)
	report[PipelineReport]{
		name: "pipeline", id: "PipelineReport", need: auth.Require(auth.DealsRead), find: findPipeline, bounded: true,
		summary: "Report the deals by stage",
		doc: "`stages` are all deals that are not closed or cancelled now. `created` are the deals that were created in the period, " +
			"and what became of them. The location of a deal is where its hull is." + last30,
	}.mount(r)
	report[FundingReport]{
		name: "funding", id: "FundingReport", need: auth.Require(auth.DealsRead), find: findFunding, rows: true,
		summary: "Report the contracts in transit",
		doc: "Lists the fundings with a contract that the lender has not paid yet: contract_sent, signed, package_submitted, " +
			"pending_docs and approved_to_fund. `date_after` and `date_before` limit the report to fundings that were submitted on these days. " +
			"The default is all of them.",
	}.mount(r)
	report[TaxReport]{
		name: "taxes", id: "TaxReport", need: auth.Require(auth.DealsRead), find: findTaxes, bounded: true,
		summary: "Report the taxes by jurisdiction",
		doc: "Counts the taxes of the deals whose boat was delivered in the period, with exemptions and their reasons. " +
			"A sale that was undone is taken back in the period in which it was undone." + last30,
	}.mount(r)
	report[CashReport]{
		name: "cash", id: "CashReport", need: auth.Require(auth.DealsRead), find: findCash, bounded: true, rows: true,
		summary: "Report the money received and the deposits held",
		doc: "`rows` is the money by its date of receipt, and refunds by the date they were paid out. Transfers between deals are left out. " +
			"`held` is the deposits of deals that are not delivered or cancelled now." + last30,
	}.mount(r)
	report[PricingReport]{
		name: "pricing", id: "PricingReport", need: auth.Require(auth.HullsRead), find: findPricing, bounded: true,
		summary: "Report price cuts and days to sale",
		doc:     "Counts the price cuts that were made in the period, and the hulls that were sold in it with their days in stock." + last30,
	}.mount(r)
}

// report is a report and how it is served.
type report[R tabular] struct {
	name, id, summary, doc string
	need                   auth.Rule
	bounded                bool // it is about a period, not about now
	rows                   bool // it lists rows, up to a limit
	find                   func(ctx context.Context, tx *db.Tx, p period, listed rows) (R, error)
}

// csvRows is the limit of rows of a CSV file.
const csvRows = 10_000

// query is a filter, and the table of a CSV file.
type query struct {
	Filter
	Table string `query:"table" maxLength:"64" doc:"Table of the CSV file. The description of the operation lists them. Requires Accept: text/csv." example:"months"`
}

// listed is a query of a report with rows.
type listed struct {
	query
	Limit         int    `query:"limit" minimum:"1" maximum:"100" default:"100" doc:"Maximum number of rows to list. Sums always include all rows."`
	StartingAfter string `query:"starting_after" maxLength:"64" doc:"Cursor. Lists the rows after it."`
}

func (s report[R]) mount(r *rest.Router) {
	is := rest.Route{
		Path: "/reports/" + s.name, ID: "get" + s.id, Needs: s.need,
		Summary: s.summary,
		Text: s.doc + " Send `Accept: text/csv` to get a table for spreadsheets, with amounts in dollars. " + s.tables() +
			"A table has at most 10,000 rows. Cells that a spreadsheet would run as a formula start with a quote.",
		Assist: assist.Read,
		Heavy:  true,
	}
	export := func(ctx context.Context, in query) (*rest.Content, error) {
		return rest.Read(ctx, r.DB, func(ctx context.Context, tx *db.Tx) (*rest.Content, error) { return s.export(ctx, tx, in) })
	}
	if !s.rows {
		rest.GetOrCSV(r, is,
			func(ctx context.Context, tx *db.Tx, in *query) (R, error) { return s.show(ctx, tx, *in, rows{}) },
			func(ctx context.Context, in *query) (*rest.Content, error) { return export(ctx, *in) })
		return
	}
	rest.GetOrCSV(r, is,
		func(ctx context.Context, tx *db.Tx, in *listed) (R, error) {
			after, err := page.Query{StartingAfter: in.StartingAfter}.Position(s.name, anyRow)
			if err != nil {
				var none R
				return none, err
			}
			return s.show(ctx, tx, in.query, rows{in.Limit, after})
		},
		func(ctx context.Context, in *listed) (*rest.Content, error) { return export(ctx, in.query) })
}

// show returns the report as JSON, which has all tables.
func (s report[R]) show(ctx context.Context, tx *db.Tx, in query, listed rows) (r R, err error) {
	if in.Table != "" {
		var bad fault.Fields
		bad.Add("table", "exclusive", "requires the header Accept: text/csv")
		return r, rejected(bad)
	}
	return s.run(ctx, tx, in.Filter, listed)
}

// tables describes the tables of the report.
func (s report[R]) tables() string {
	var none R
	var names []string
	for _, t := range none.sheets() {
		names = append(names, "`"+t.name+"`")
	}
	if len(names) == 1 {
		return "The table is " + names[0] + ". "
	}
	return "The tables are " + strings.Join(names, ", ") + ". The default is " + names[0] + ". "
}

func (s report[R]) run(ctx context.Context, tx *db.Tx, f Filter, listed rows) (r R, err error) {
	zone, err := f.zone(ctx, tx)
	if err != nil {
		return r, err
	}
	p, err := f.days(zoneNamed(zone), tx.Now, s.bounded)
	if err != nil {
		return r, err
	}
	return s.find(ctx, tx, p, listed)
}

// zone returns the time zone that the locations have in common, or of the dealership.
func (f Filter) zone(ctx context.Context, tx *db.Tx) (string, error) {
	company, err := dealership.Find(ctx, tx)
	if err != nil || f.LocationID == "" {
		return company.Timezone, err
	}
	var zones []string
	for _, id := range strings.Split(f.LocationID, ",") {
		zone, err := dealership.ZoneOf(ctx, tx, id)
		if fault.KindOf(err) == fault.KindNotFound {
			var bad fault.Fields
			bad.Add("location_id", "not_found", "does not exist")
			return "", rejected(bad)
		}
		if err != nil {
			return "", err
		}
		zones = append(zones, zone)
	}
	if len(slices.Compact(zones)) > 1 {
		return company.Timezone, nil
	}
	return zones[0], nil
}

func (s report[R]) export(ctx context.Context, tx *db.Tx, in query) (*rest.Content, error) {
	var none R
	if _, err := sheetNamed(none, in.Table); err != nil {
		return nil, err
	}
	r, err := s.run(ctx, tx, in.Filter, rows{limit: csvRows})
	if err != nil {
		return nil, err
	}
	table, err := sheetNamed(r, in.Table)
	if err != nil {
		return nil, err
	}
	data, err := table.csv()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return &rest.Content{
		Type: "text/csv; charset=utf-8", Name: s.name + "-" + table.name + ".csv", ETag: hex.EncodeToString(sum[:16]),
		File: file{bytes.NewReader(data)},
	}, nil
}

// file adds a Close method to a reader.
type file struct{ *bytes.Reader }

func (file) Close() error { return nil }
