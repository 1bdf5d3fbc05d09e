package imports

import (
	"context"
	"io"
	"maps"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/imports/sheet"
	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
	"slipway/internal/platform/events"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

var (
	read  = auth.Require(auth.HullsRead)
	write = auth.Require(auth.HullsWrite)
)

// API serves the imports of hulls.
type API struct {
	DB    *db.DB
	Jobs  *jobs.Queue
	Blobs *blobs.Files
}

// Mount registers the endpoints.
func (a *API) Mount(r *rest.Router) {
	r = r.Family("Hulls")
	rest.Raw(r, "POST", 202, "/hull_imports", "createHullImport", write, "Import hulls from CSV or NDJSON", a.createImport,
		rest.Describe("Send a file of up to 256 MiB, 100,000 rows and 500 columns as the body or as the form field `file`. CSV files must be UTF-8, with a row of column names, separated by commas, semicolons or tabs. Common names such as Stock #, Manufacturer or Asking Price are recognized. NDJSON files have the fields of a new hull on each line. A row whose stock number exists changes that hull. Empty cells change nothing. A row whose HIN or stock number belongs to a delivered or archived hull is skipped, unless you send `reacquire`. A boat without a condition is new if its model year is this or next year and it has no engine hours. Otherwise it is used. Errors of the whole file are returned immediately. Errors of rows are part of the import."),
		rest.Uploads(maxImportBytes, []string{"text/csv", "application/x-ndjson"}, "mode", "dry_run", "reacquire", "location_id"))
	rest.Get(r, "/hull_imports/{import_id}", "getHullImport", read, "Retrieve an import's progress and row errors", a.getImport)
}

// A row is validated like the request that would do the same.
var (
	validateCreate = rest.Validator[hulls.HullCreate]()
	validatePatch  = rest.Validator[hulls.HullPatch]()
)

func (a *API) createImport(ctx context.Context, in *struct {
	Mode       string `query:"mode" maxLength:"10" doc:"partial imports the valid rows. atomic imports all rows or none. Defaults to partial. Use the query parameters if the body is the file."`
	DryRun     string `query:"dry_run" maxLength:"5" doc:"true to save nothing and see what would happen."`
	Reacquire  string `query:"reacquire" maxLength:"5" doc:"true to add boats again that were delivered or archived. The new hull refers to the earlier one with previous_hull_id."`
	LocationID string `query:"location_id" maxLength:"64" doc:"Default location for rows without one."`
}) (HullImport, error) {
	env := auth.From(ctx).Env
	u := rest.Body(ctx)
	key, err := a.Blobs.Upload(ctx, env, "imports", "file", u)
	if err != nil {
		return HullImport{}, err
	}

	claimed := false
	defer func() {
		if !claimed {
			a.Blobs.Cancel(ctx, env, key)
		}
	}()

	fields, err := u.Fields()
	if err != nil {
		return HullImport{}, err
	}

	values := map[string]string{"mode": in.Mode, "dry_run": in.DryRun, "reacquire": in.Reacquire, "location_id": in.LocationID}
	maps.Copy(values, fields)
	form, err := parseImportForm(values)
	if err != nil {
		return HullImport{}, err
	}
	s, err := a.checkFile(ctx, key, u.Type)
	if err != nil {
		return HullImport{}, err
	}

	i := HullImport{
		State: importQueued, Format: s.Format, Mode: form.mode, DryRun: form.dryRun, Reacquire: form.reacquire, LocationID: form.locationID,
		Bytes: s.Bytes, BytesDone: s.Start, Rows: s.Rows, Blob: key, Errors: []HullImportError{}, SkippedRows: []HullImportSkip{},
		Actor: auth.From(ctx).Actor, RequestID: optional(auth.RequestFrom(ctx).ID),
	}
	i.Columns, i.IgnoredColumns = s.Columns()

	out, err := rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (HullImport, error) {
		claimed = false
		i := i // the transaction might run twice
		if err := checkImport(ctx, tx, form, s); err != nil {
			return i, err
		}
		if err := insertImport(ctx, tx, &i); err != nil {
			return i, err
		}
		if err := a.Jobs.Enqueue(ctx, tx, RunImport{tx.Env, i.ID}, tx.Now); err != nil {
			return i, err
		}
		claimed = true
		return i, events.Emit(ctx, tx, "import.created", i.ID, nil, i)
	})

	claimed = claimed && err == nil
	return out, err
}

// checkFile checks an uploaded file. If the media type is unknown, as in a form,
// it detects the format from the first character.
func (a *API) checkFile(ctx context.Context, key, kind string) (s sheet.Survey, err error) {
	file, err := a.Blobs.Open(ctx, key+"/file")
	if err != nil {
		return s, err
	}
	defer file.Close()

	ndjson := kind == "application/x-ndjson"
	if !ndjson && kind != "text/csv" {
		var first [1]byte
		if _, err := io.ReadFull(file, first[:]); err == nil {
			ndjson = first[0] == '{'
		}
	}
	return sheet.Check(file, ndjson)
}

// checkImport rejects a location that doesn't exist, and a file without the
// columns of new hulls if its first row is a new hull.
func checkImport(ctx context.Context, tx *db.Tx, form importForm, s sheet.Survey) error {
	var bad fault.Fields
	if form.locationID != nil {
		_, err := dealership.FindLocation(ctx, tx, *form.locationID)
		if fault.KindOf(err) == fault.KindNotFound {
			bad.Add("location_id", "not_found", "does not exist")
		} else if err != nil {
			return err
		}
	}

	if missing := s.Missing(form.locationID != nil); len(missing) > 0 {
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

func (a *API) getImport(ctx context.Context, tx *db.Tx, in *struct {
	ImportID string `path:"import_id" example:"imp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
}) (HullImport, error) {
	return findImport(ctx, tx, in.ImportID, maxImportErrors)
}
