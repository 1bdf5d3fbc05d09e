package imports

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"

	"slipway/internal/dealership"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// mountReview registers the endpoints of a checked file: its columns, its rows, and its start.
func (a *API) mountReview(r *rest.Router) {
	of := &endpoints[HullImport]{a, sheet.Hulls, itself}
	rest.Raw(r, http.MethodGet, http.StatusOK, rest.Route{
		Path: "/hull_imports/{import_id}/reading", ID: "getHullImportReading", Needs: write, AllLocations: true, Heavy: true,
		Summary: "Show how the columns of a checked file are read",
		Text:    "For an import with `review`. Each column has samples, sums and unknown words, so that a wrong guess is seen.",
		Assist:  assist.Read,
	}, of.getReading)
	rest.Raw(r, http.MethodPut, http.StatusOK, rest.Route{
		Path: "/hull_imports/{import_id}/reading", ID: "replaceHullImportReading", Needs: write, AllLocations: true, Heavy: true,
		Summary:    "Assign the columns and words of a checked file",
		Text:       "The file is checked again. Repaired rows stay repaired.",
		Assist:     assist.Never(assist.Files),
		Background: "/v1/hull_imports/{id}",
	}, of.replaceReading)
	rest.Get(r, rest.Route{
		Path: "/hull_imports/{import_id}/rows", ID: "listHullImportRows", Needs: write, AllLocations: true,
		Summary: "List the rows of a checked file that need a repair",
		Text:    "Rows with errors and rows that were repaired, with the text of each cell, all errors, and a suggestion if it is certain.",
		Assist:  assist.Read,
	}, of.listRows)
	rest.Raw(r, http.MethodPut, http.StatusOK, rest.Route{
		Path: "/hull_imports/{import_id}/rows/{row}", ID: "repairHullImportRow", Needs: write, AllLocations: true,
		Summary: "Repair a row of a checked file",
		Text:    "Replaces the texts of the row and checks it again. The file stays as it is. You can repair 1,000 rows.",
		Assist:  assist.Never(assist.Files),
	}, of.repairRow)
	rest.Raw(r, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/hull_imports/{import_id}/start", ID: "startHullImport", Needs: write, AllLocations: true,
		Summary:    "Import a checked file",
		Text:       "Imports the file with its repaired rows, and skips the rows that still have errors. How the columns are read is kept for the next file with the same columns.",
		Assist:     assist.Never(assist.Files),
		Background: "/v1/hull_imports/{id}",
	}, of.startImport)
	rest.Get(r, rest.Route{
		Path: "/hull_imports/{import_id}/reconciliation", ID: "getHullImportReconciliation", Needs: write, AllLocations: true,
		Summary: "Compare an imported file with the inventory",
		Text:    "Counts the boats again as they are stored now, for an import with `review` that was started. Each difference names its rows.",
		Assist:  assist.Read,
	}, getReconciliation)
}

// readAsBefore returns the survey of a file that is read like the last one with the same
// columns.
func (a *API) readAsBefore(ctx context.Context, form *importForm, s sheet.Survey,
	check func(map[string]string, sheet.Words) (sheet.Survey, error),
) (sheet.Survey, error) {
	type found struct {
		readingRow
		ok bool
	}
	last, err := rest.Read(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (f found, err error) {
		f.readingRow, f.ok, err = findReading(ctx, tx, s.Header())
		return f, err
	})
	if err != nil || !last.ok {
		return s, err
	}
	form.names, form.words = last.Map, last.Words
	return check(form.names, form.words)
}

// reviewing is a checked import, its open file, and the names of the locations.
type reviewing struct {
	HullImport
	file   io.Closer
	rows   *sheet.Reader
	places []dealership.Location
	before map[int64][]HullImportError
	cells  []string // of the row to repair, as they are now
	repair bool     // the row was repaired before
	known  bool     // the file is read like the last one
}

// openReview finds a checked import and opens its file. Close the file.
func (e *endpoints[T]) openReview(ctx context.Context, importID string, row int64) (v reviewing, err error) {
	v, err = rest.Read(ctx, e.DB, func(ctx context.Context, tx *db.Tx) (v reviewing, err error) {
		if v.HullImport, err = findOf(ctx, tx, e.subject, importID, 0); err != nil {
			return v, err
		}
		if err := v.isReviewable(); err != nil {
			return v, err
		}
		if v.places, err = dealership.Locations(ctx, tx); err != nil || row == 0 {
			if err == nil {
				_, v.known, err = findReading(ctx, tx, v.Header)
			}
			return v, err
		}
		repairs, err := findRepairs(ctx, tx, v.ID)
		if err != nil {
			return v, err
		}
		if v.before, err = errorsOfRows(ctx, tx, v.ID, row, row); err != nil {
			return v, err
		}
		if last, ok := repairs[row]; ok {
			v.cells, v.repair = last.Cells, true
			return v, nil
		}
		if len(repairs) >= maxRepairs {
			return v, fault.Conflict("%d rows were repaired. Repair the others in the file and send it again.", maxRepairs).
				Detail("row", "too_many", "is one of more than %d rows", maxRepairs)
		}
		broken, err := findBroken(ctx, tx, v.ID, row)
		if err != nil {
			return v, fault.NotFound("row", strconv.FormatInt(row, 10))
		}
		v.cells = sheet.Cells(broken.Record, v.Header)
		return v, nil
	})
	if err != nil {
		return v, err
	}
	file, err := e.Blobs.Open(ctx, v.Blob+"/file")
	if err != nil {
		return v, err
	}
	v.file = file
	if v.rows, err = sheet.Open(file, v.options()); err != nil {
		file.Close()
	}
	return v, err
}

func (e *endpoints[T]) getReading(ctx context.Context, in *ByImport) (HullImportReading, error) {
	v, err := e.openReview(ctx, in.ImportID, 0)
	if err != nil {
		return HullImportReading{}, err
	}
	defer v.file.Close()
	report, err := sheet.ReportOn(v.rows, v.LocationID != nil, placeNames(v.places))
	return HullImportReading{Columns: report.Columns, MissingFields: append([]string{}, report.Missing...), RowsRead: report.Rows, Remembered: v.known}, err
}

// placeNames returns the names, codes and IDs of locations as words are compared.
func placeNames(all []dealership.Location) map[string]bool {
	names := map[string]bool{}
	for _, l := range all {
		names[sheet.Plain(l.Name)], names[sheet.Plain(l.ID)] = true, true
		if l.Code != nil {
			names[sheet.Plain(*l.Code)] = true
		}
	}
	return names
}

func (e *endpoints[T]) replaceReading(ctx context.Context, in *struct {
	ByImport
	Body HullImportReadingUpdate
}) (T, error) {
	return e.readOtherwise(ctx, in.ImportID, in.Body, "")
}

// readOtherwise reads a file again with other columns. Duplicates is "" for the current value.
func (e *endpoints[T]) readOtherwise(ctx context.Context, importID string, n HullImportReadingUpdate, duplicates DuplicateAction) (none T, err error) {
	v, err := e.openReview(ctx, importID, 0)
	if err != nil {
		return none, err
	}
	defer v.file.Close()

	var bad fault.Fields
	v.Subject.CheckMap(&bad, n.Map)
	sheet.CheckWords(&bad, n.Words)
	if id := n.LocationID; id != nil && !slices.ContainsFunc(v.places, func(l dealership.Location) bool { return l.ID == *id }) {
		bad.Add("location_id", "not_found", "does not exist")
	}
	if err := bad.Err(); err != nil {
		return none, err
	}
	o := v.options()
	if o.Map, o.Words = n.Map, n.Words; o.Map == nil {
		o.Map = map[string]string{}
	}
	if o.Words == nil {
		o.Words = sheet.Words{}
	}
	s, err := e.checkFile(ctx, v.Blob, "text/csv", o)
	if err != nil {
		return none, err
	}
	return e.readAgain(ctx, v.HullImport, s.Start, func(ctx context.Context, tx *db.Tx, i *HullImport) error {
		i.Map, i.Words, i.LocationID, i.Duplicates = o.Map, o.Words, n.LocationID, cmp.Or(duplicates, i.Duplicates)
		i.Columns, i.IgnoredColumns = s.Columns()
		return nil
	})
}

func (e *endpoints[T]) startImport(ctx context.Context, in *ByImport) (none T, err error) {
	v, err := e.openReview(ctx, in.ImportID, 0)
	if err != nil {
		return none, err
	}
	defer v.file.Close()
	if v.Failed >= v.Rows {
		return none, fault.Conflict("No row of the file can be imported. Assign its columns or repair a row first.").
			Detail("failed", "state", "is %d of %d rows", v.Failed, v.Rows)
	}
	return e.readAgain(ctx, v.HullImport, v.rows.Offset(), func(ctx context.Context, tx *db.Tx, i *HullImport) error {
		i.DryRun, i.KeptUntil = false, nil
		return keepReading(ctx, tx, *i)
	})
}

// readAgain queues an import that is read from its start, after a change.
func (e *endpoints[T]) readAgain(ctx context.Context, was HullImport, start int64,
	change func(context.Context, *db.Tx, *HullImport) error,
) (none T, err error) {
	return rest.Write(ctx, e.DB, func(ctx context.Context, tx *db.Tx) (T, error) {
		i, err := e.changeReview(ctx, tx, was.ID, "restarted", func(i *HullImport) error {
			if err := change(ctx, tx, i); err != nil {
				return err
			}
			i.restart(start)
			i.Actor = auth.From(ctx).Actor
			if err := deleteLines(ctx, tx, *i); err != nil {
				return err
			}
			return e.Jobs.Enqueue(ctx, tx, RunImport{tx.Env, i.ID}, tx.Now)
		})
		return e.show(i), err
	})
}

// changeReview changes and saves a checked import, and emits the event.
func (e *endpoints[T]) changeReview(ctx context.Context, tx *db.Tx, id, what string, edit func(i *HullImport) error) (HullImport, error) {
	i, err := findOf(ctx, tx, e.subject, id, 0)
	if err != nil {
		return i, err
	}
	if err := rest.CheckIfMatch(ctx, i.Version); err != nil {
		return i, err
	}
	_, before := i.event(what)
	if err := i.isReviewable(); err != nil {
		return i, err
	}
	if err := edit(&i); err != nil {
		return i, err
	}
	if err := saveImport(ctx, tx, &i); err != nil {
		return i, err
	}
	i.deriveProgress(tx.Now)
	event, after := i.event(what)
	return i, events.Emit(ctx, tx, event, i.ID, events.Change{Before: before, After: after})
}

func (e *endpoints[T]) listRows(ctx context.Context, tx *db.Tx, in *ByImport) (HullImportRows, error) {
	out := HullImportRows{Columns: []string{}, Fields: []string{}, Rows: []HullImportRow{}}
	i, err := findOf(ctx, tx, e.subject, in.ImportID, 0)
	if err != nil {
		return out, err
	}
	out.Columns, out.Fields = i.Header, i.fields()
	out.Broken, out.Ready = i.Failed, i.Rows-i.Failed
	broken, err := listBroken(ctx, tx, i.ID, maxShown)
	if err != nil {
		return out, err
	}
	repairs, err := findRepairs(ctx, tx, i.ID)
	if err != nil {
		return out, err
	}
	locations, err := dealership.Locations(ctx, tx)
	if err != nil {
		return out, err
	}
	texts := map[int64][]string{}
	for _, f := range broken {
		texts[f.Row] = sheet.Cells(f.Record, i.Header)
	}
	for row, r := range repairs {
		texts[row] = r.Cells
	}
	numbers := []int64{}
	for row := range texts {
		numbers = append(numbers, row)
	}
	slices.Sort(numbers)
	numbers = numbers[:min(len(numbers), maxShown)]
	if len(numbers) == 0 {
		return out, nil
	}
	errors, err := errorsOfRows(ctx, tx, i.ID, numbers[0], numbers[len(numbers)-1])
	for _, n := range numbers {
		_, repaired := repairs[n]
		row := HullImportRow{Row: n, Cells: texts[n], Fields: repairs[n].Fields, Repaired: repaired}
		row.describe(i, errors[n], locations)
		out.Rows = append(out.Rows, row)
	}
	return out, err
}

// byRow are the parameters of the repair of a row.
type byRow struct {
	ByImport
	Row  string `path:"row" doc:"Row number, as in a spreadsheet." example:"17"`
	Body HullImportRowUpdate
}

func (e *endpoints[T]) repairRow(ctx context.Context, in *byRow) (HullImportRow, error) {
	number, err := strconv.ParseInt(in.Row, 10, 64)
	if err != nil || number < 1 {
		number = -1 // not found, like the row of an import that doesn't exist
	}
	v, err := e.openReview(ctx, in.ImportID, number)
	if err != nil {
		return HullImportRow{}, err
	}
	defer v.file.Close()
	var bad fault.Fields
	if len(in.Body.Cells) != len(v.Header) {
		bad.Add("cells", "columns", "must have %d texts, one for each column", len(v.Header))
	}
	for name := range in.Body.Fields {
		if !v.Subject.IsField(name) {
			bad.Add("fields", "enum", "has %q, which is not a field of an import", sheet.Clip(name, 100))
		}
	}
	if err := bad.Err(); err != nil {
		return HullImportRow{}, err
	}

	row := v.rows.Repaired(number, sheet.Repair{Cells: in.Body.Cells, Fields: in.Body.Fields})
	out, _, err := e.rehearse(ctx, v.HullImport, []sheet.Row{row})
	if err != nil {
		return HullImportRow{}, err
	}
	found := out.errors
	for _, e := range keepDuplicates(v.before[number], v.cells, in.Body.Cells, v.fields()) {
		if !slices.ContainsFunc(found, func(f HullImportError) bool { return f.Field == e.Field }) {
			found = append(found, e)
		}
	}
	result := HullImportRow{Row: number, Cells: in.Body.Cells, Fields: in.Body.Fields, Repaired: true}
	result.describe(v.HullImport, found, v.places)

	return rest.Write(ctx, e.DB, func(ctx context.Context, tx *db.Tx) (HullImportRow, error) {
		_, err := e.changeReview(ctx, tx, v.ID, "repaired", func(i *HullImport) error {
			switch wasBroken, isBroken := len(v.before[number]) > 0, len(found) > 0; {
			case wasBroken && !isBroken:
				i.Failed--
				i.count(out)
			case !wasBroken && isBroken:
				i.Failed++
			}
			r := repairRow{tx.Env, i.ID, number, in.Body.Cells, in.Body.Fields}
			if r.Fields == nil {
				r.Fields = map[string]string{}
			}
			if err := saveDuplicates(ctx, tx, *i, number, out.duplicates); err != nil {
				return err
			}
			return saveRepair(ctx, tx, *i, r, found)
		})
		return result, err
	})
}

// fields returns the field of each column, "" for one that is ignored.
func (i HullImport) fields() []string {
	fields := []string{}
	for _, name := range i.Header {
		fields = append(fields, i.Columns[name])
	}
	return fields
}

// describe fills in the errors of a row, with suggestions.
func (r *HullImportRow) describe(i HullImport, errors []HullImportError, locations []dealership.Location) {
	r.Errors = []HullImportRepair{}
	if r.Fields == nil {
		r.Fields = map[string]string{}
	}
	places := []string{}
	for _, l := range locations {
		places = append(places, l.Name)
	}
	fields := i.fields()
	for _, e := range errors {
		repair := HullImportRepair{Field: e.Field, Code: e.Code, Message: e.Message}
		if text, at := textOf(e.Field, fields, r.Cells); at >= 0 {
			if better := suggest(e.Field, text, places); better != "" {
				repair.Suggestion = &better
			}
		}
		r.Errors = append(r.Errors, repair)
	}
}
