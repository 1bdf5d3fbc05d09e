package imports

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"

	"slipway/internal/contacts"
	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/family"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/page"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the imports of hulls and contacts.
type API struct {
	DB     *db.DB
	Jobs   *jobs.Queue
	Blobs  *blobs.Files
	Photos *http.Client // downloads the photos of rows
}

// Hooks are what imports call in app.
type Hooks struct {
	Observe func(outcome string, rows int64) // for metrics
}

// New returns the feature, and attaches its hooks to the database.
func New(a API, h Hooks) API {
	a.DB.AttachHooks(h)
	return a
}

// endpoints are the endpoints of the imports of a subject. T is an import as clients see it.
type endpoints[T any] struct {
	*API
	subject sheet.Subject
	show    func(HullImport) T
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	a.mountContacts(r.Family(family.Contacts).Preview("2026-11-19"))
	r = r.Family(family.Hulls)
	of := &endpoints[HullImport]{a, sheet.Hulls, itself}
	rest.Raw(r, "POST", 202, rest.Route{
		Path: "/hull_imports", ID: "createHullImport", Needs: write, AllLocations: true,
		Summary:    "Import hulls from a CSV, NDJSON or Excel file",
		Text:       "Send a file of up to 256 MiB, 100,000 rows and 500 columns as the body or as the form field `file`. Of an Excel workbook (.xlsx, up to 32 MiB), the first visible sheet with rows is read like a CSV file. CSV files have a row of column names, separated by commas, semicolons, tabs or bars, in UTF-8, UTF-16 or Windows-1252. Common names such as Stock #, Manufacturer or Asking Price are recognized. Use `map` for others. NDJSON files have the fields of a new hull on each line. A row whose stock number exists changes that hull. Empty cells change nothing. A row whose HIN or stock number belongs to a delivered or archived hull is skipped, unless you send `reacquire`. A boat without a condition is new if its model year is this or next year and it has no engine hours. Otherwise it is used. Errors of the whole file are returned immediately. Errors of rows are part of the import. The guide to imports lists all columns and formats.",
		Assist:     assist.Never(assist.Files),
		Accepts:    rest.Files{Most: maxImportBytes, Types: []string{"text/csv", "application/x-ndjson", xlsxType}, Fields: formFields},
		Background: "/v1/hull_imports/{id}",
	}, of.createImport)
	rest.Get(r, rest.Route{
		Path: "/hull_imports/{import_id}", ID: "getHullImport", Needs: read, AllLocations: true,
		Summary: "Retrieve an import's progress and row errors",
		Text:    "Poll this to follow an import. `state` is completed or failed when it has ended. The counts increase after each batch of rows.",
		Assist:  assist.Read,
	}, of.getImport)
	rest.GetOrCSV(r.Preview("2026-11-16"), rest.Route{
		Path: "/hull_imports/{import_id}/errors", ID: "listHullImportErrors", Needs: read, AllLocations: true,
		Summary: "List all errors of an import",
		Text:    "The first rows come first. Send `Accept: text/csv` to get each rejected row as it was in the file, after its row number and its problems. Correct the rows and import that file: the two columns before them are ignored. Cells that a spreadsheet would run as a formula start with a quote.",
		Assist:  assist.Read,
	}, of.listErrors, of.exportErrors)
	a.mountReview(r.Preview("2026-11-19"))
}

// xlsxType is the media type of Excel workbooks.
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// formFields are the options of an import, as fields of a form or parameters.
var formFields = []string{"mode", "dry_run", "reacquire", "location_id", "map", "charset", "missing", "force", "words", "review"}

// A row is validated like the request that would do the same.
var (
	validateCreate  = rest.Validator[hulls.HullCreate]()
	validatePatch   = rest.Validator[hulls.HullPatch]()
	validatePricing = rest.Validator[hulls.HullPricingPatch]()
	validateSpecs   = rest.Validator[hulls.SpecSheet]()
	validateContact = rest.Validator[contacts.ContactCreate]()
)

func (e *endpoints[T]) createImport(ctx context.Context, in *struct {
	Mode       string `query:"mode" maxLength:"10" doc:"partial imports the valid rows. atomic imports all rows or none. Defaults to partial. Use the query parameters if the body is the file."`
	DryRun     string `query:"dry_run" maxLength:"5" doc:"true to save nothing and see what would happen."`
	Reacquire  string `query:"reacquire" maxLength:"5" doc:"true to add boats again that were delivered or archived. The new hull refers to the earlier one with previous_hull_id."`
	LocationID string `query:"location_id" maxLength:"64" doc:"Default location for rows without one."`
	Map        string `query:"map" maxLength:"10000" doc:"Fields of columns whose names are not recognized, as pairs or as a JSON object. An empty field ignores the column." example:"Mfg:make,WebPrice:price_usd" since:"next"`
	Charset    string `query:"charset" maxLength:"40" doc:"Encoding of the file, if it has no byte order mark: utf-8, utf-16, windows-1252, iso-8859-1 or macintosh. Defaults to the charset of the content type. Otherwise it is detected." since:"next"`
	Missing    string `query:"missing" maxLength:"10" doc:"What happens to hulls that are not in the file, for files with all boats of a location. ignore does nothing. report lists them. archive also archives them. Defaults to ignore. If more than 30 % are missing, nothing is imported." since:"next"`
	Words      string `query:"words" maxLength:"20000" doc:"What words of status, condition, ownership, engine_fuel and location_id mean, as a JSON object. An empty meaning ignores the word." example:"{\"status\":{\"Dock\":\"available\"}}" since:"next"`
	Review     string `query:"review" maxLength:"5" doc:"true to check the file first: dry_run is true, columns can be missing, and the file is kept for 30 days. Then assign columns, repair rows and start the import. Without map and words, a file with the same columns as the last one is read like it." since:"next"`
	Force      string `query:"force" maxLength:"5" doc:"true to import a file even if more than 30 % of the hulls are missing from it." since:"next"`
}) (T, error) {
	return e.create(ctx, map[string]string{
		"mode": in.Mode, "dry_run": in.DryRun, "reacquire": in.Reacquire, "location_id": in.LocationID,
		"map": in.Map, "charset": in.Charset, "missing": in.Missing, "force": in.Force, "words": in.Words, "review": in.Review,
	})
}

// create stores an uploaded file and queues its import. Values are the options of the query.
func (e *endpoints[T]) create(ctx context.Context, values map[string]string) (none T, err error) {
	env := auth.From(ctx).Env
	u := rest.Body(ctx)
	detector := &sheet.Detector{}
	key, err := e.Blobs.Upload(ctx, env, "imports", "file", io.TeeReader(u, detector))
	if err != nil {
		return none, err
	}

	claimed := false
	defer func() {
		if !claimed {
			e.Blobs.Cancel(ctx, env, key)
		}
	}()

	fields, err := u.Fields()
	if err != nil {
		return none, err
	}
	if detector.IsWorkbook() {
		if key, err = e.convertWorkbook(ctx, key); err != nil {
			return none, err
		}
		u.Type = "text/csv"
	}

	values["charset"] = cmp.Or(values["charset"], u.Charset)
	maps.Copy(values, fields)
	form, err := parseImportForm(e.subject, values)
	if err != nil {
		return none, err
	}
	o := sheet.Options{Subject: e.subject, Map: form.names, Words: form.words, Review: form.review}
	if o.Encoding, err = detector.Encoding(form.charset); err != nil {
		return none, err
	}
	if o.DayFirst, err = rest.Read(ctx, e.DB, writesDayFirst); err != nil {
		return none, err
	}
	s, err := e.checkFile(ctx, key, u.Type, o)
	if err != nil {
		return none, err
	}
	if form.review && len(form.names)+len(form.words) == 0 {
		if s, err = e.readAsBefore(ctx, &form, s, func(names map[string]string, words sheet.Words) (sheet.Survey, error) {
			o.Map, o.Words = names, words
			return e.checkFile(ctx, key, u.Type, o)
		}); err != nil {
			return none, err
		}
	}

	i := HullImport{
		State: importQueued, Stage: stageRows, Format: Format(s.Format), Mode: form.mode, DryRun: form.dryRun, Reacquire: form.reacquire,
		LocationID: form.locationID, Map: form.names, Words: form.words, Review: form.review, Encoding: o.Encoding, DayFirst: o.DayFirst, Missing: form.missing, Force: form.force,
		Bytes: s.Bytes, BytesDone: s.Start, Rows: s.Rows, Blob: key, Header: s.Header(),
		Errors: []HullImportError{}, SkippedRows: []HullImportSkip{}, Notes: []HullImportNote{}, MissingHulls: []HullImportHull{},
		Actor: auth.From(ctx).Actor, RequestID: null.From(auth.RequestFrom(ctx).ID), Subject: e.subject, Duplicates: form.duplicates,
	}
	i.Columns, i.IgnoredColumns = s.Columns()

	out, err := rest.Write(ctx, e.DB, func(ctx context.Context, tx *db.Tx) (T, error) {
		claimed = false
		i := i // the transaction might run twice
		if err := checkImport(ctx, tx, form, s); err != nil {
			return none, err
		}
		if err := insertImport(ctx, tx, &i); err != nil {
			return none, err
		}
		if err := e.Jobs.Enqueue(ctx, tx, RunImport{tx.Env, i.ID}, tx.Now); err != nil {
			return none, err
		}
		claimed = true
		event, object := i.event("created")
		return e.show(i), events.Emit(ctx, tx, event, i.ID, events.Change{After: object})
	})

	claimed = claimed && err == nil
	return out, err
}

// convertWorkbook replaces an uploaded workbook with its rows as CSV, so that its import is
// like each other: it can continue after a crash and return the rejected rows.
func (a *API) convertWorkbook(ctx context.Context, workbook string) (key string, err error) {
	env := auth.From(ctx).Env
	file, err := a.Blobs.Open(ctx, workbook+"/file")
	if err != nil {
		return workbook, err
	}
	defer file.Close()

	rows, to := io.Pipe()
	go func() { _ = to.CloseWithError(sheet.FromWorkbook(ctx, file, to)) }()
	key, err = a.Blobs.Upload(ctx, env, "imports", "file", rows)
	_ = rows.CloseWithError(err) // ends the reader of the workbook, if the store failed
	if err != nil {
		return workbook, err
	}
	a.Blobs.Cancel(ctx, env, workbook)
	return key, nil
}

// writesDayFirst reports whether the dealership writes the day before the month.
// Dealerships are in the United States unless their address is elsewhere.
func writesDayFirst(ctx context.Context, tx *db.Tx) (bool, error) {
	d, err := dealership.Find(ctx, tx)
	return d.PostalAddress != nil && d.PostalAddress.Country != "" && d.PostalAddress.Country != "US", err
}

// checkFile checks an uploaded file. If the media type is unknown, as in a form,
// it detects the format from the first character.
func (a *API) checkFile(ctx context.Context, key, kind string, o sheet.Options) (s sheet.Survey, err error) {
	file, err := a.Blobs.Open(ctx, key+"/file")
	if err != nil {
		return s, err
	}
	defer file.Close()

	o.NDJSON = kind == "application/x-ndjson"
	if !o.NDJSON && kind != "text/csv" {
		var first [1]byte
		if _, err := io.ReadFull(file, first[:]); err == nil {
			o.NDJSON = first[0] == '{'
		}
	}
	return sheet.Check(file, o)
}

// checkImport rejects a location that doesn't exist, and a file without the
// columns of new hulls if its first row is a new hull.
func checkImport(ctx context.Context, tx *db.Tx, form importForm, s sheet.Survey) error {
	var bad fault.Fields
	if form.review && s.Format == string(ndjsonFormat) {
		bad.Add("review", "format", "requires a CSV file or an Excel workbook")
	}
	if form.locationID != nil {
		_, err := dealership.FindLocation(ctx, tx, *form.locationID)
		if err := bad.AddNotFound("location_id", err); err != nil {
			return err
		}
	}

	if form.subject == sheet.Contacts && s.Format == string(ndjsonFormat) {
		bad.Add("file", "format", "must be a CSV file or an Excel workbook")
	}

	missing := s.Missing(form.locationID != nil)
	switch {
	case len(missing) == 0 || form.review:
	case form.subject == sheet.Contacts:
		bad.Add("file", "required", "has no column for a name, an email address or a phone number")
	default:
		known, err := findHulls(ctx, tx, []sheet.Row{s.First})
		if err != nil {
			return err
		}
		if known.isNew(s.First, form.reacquire) {
			for _, name := range missing {
				bad.Add("file", "required", "has no column for %s, which is required for a new hull", name)
			}
		}
	}

	return bad.Err()
}

// ByImport is the path parameter of an import.
type ByImport struct {
	ImportID string `path:"import_id" doc:"ID of the import." example:"imp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}

func (e *endpoints[T]) getImport(ctx context.Context, tx *db.Tx, in *ByImport) (T, error) {
	i, err := findOf(ctx, tx, e.subject, in.ImportID, maxLines)
	return e.show(i), err
}

// listingErrors is a page of the errors of an import.
type listingErrors struct {
	ByImport
	page.Query
}

func (e *endpoints[T]) listErrors(ctx context.Context, tx *db.Tx, in *listingErrors) (page.Page[HullImportError], error) {
	i, err := findOf(ctx, tx, e.subject, in.ImportID, 0)
	if err != nil {
		return page.Page[HullImportError]{}, err
	}
	return pageOfErrors(ctx, tx, i, in.Query)
}

// exportErrors streams the rejected rows, so that its memory doesn't grow with them.
func (e *endpoints[T]) exportErrors(ctx context.Context, in *listingErrors) (*rest.Content, error) {
	i, err := rest.Read(ctx, e.DB, func(ctx context.Context, tx *db.Tx) (HullImport, error) {
		return findOf(ctx, tx, e.subject, in.ImportID, 0)
	})
	if err != nil {
		return nil, err
	}
	return &rest.Content{
		Type: "text/csv; charset=utf-8", Name: i.ID + "-errors.csv", ETag: fmt.Sprintf("%s-%d", i.ID, i.Version),
		Headers: map[string]string{"Cache-Control": "private, no-cache"}, // revalidate each time with the ETag
		Stream:  func(w io.Writer) error { return writeFailures(ctx, e.DB, i, w) },
	}, nil
}
