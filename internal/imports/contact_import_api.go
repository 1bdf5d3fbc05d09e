package imports

import (
	"context"
	"net/http"
	"strconv"

	"slipway/internal/imports/sheet"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/assist"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

var (
	readContacts  = auth.Require(auth.LeadsRead)
	writeContacts = auth.Require(auth.LeadsWrite)
)

// mountContacts registers the endpoints of imports of contacts.
func (a *API) mountContacts(r *rest.Router) {
	of := &endpoints[ContactImport]{a, sheet.Contacts, ofContacts}
	rest.Raw(r, http.MethodPost, http.StatusAccepted, rest.Route{
		Path: "/contact_imports", ID: "createContactImport", Needs: writeContacts, AllLocations: true,
		Summary: "Import contacts from a CSV or Excel file",
		Text: "Send a file of up to 256 MiB, 100,000 rows and 500 columns as the body or as the form field `file`. Common names of columns, such as Cell Phone or Zip, are recognized. Use `map` for others. " +
			"A row whose email or phone belongs to a contact, or to an earlier row, is a duplicate: `duplicates` says what happens to it. With `review`, you see the duplicates and choose for each before anything is saved. " +
			"A consent is only recorded with its text, date and source, and is transactional unless the file says marketing. Opt-outs are always recorded, also of rows that are skipped. " +
			"An email or a phone that can't be read is left out, with a note. The guide to imports lists all columns.",
		Assist:     assist.Never(assist.Files),
		Accepts:    rest.Files{Most: maxImportBytes, Types: []string{"text/csv", xlsxType}, Fields: contactFormFields},
		Background: "/v2-preview/contact_imports/{id}",
	}, of.createContactImport)
	rest.Get(r, rest.Route{
		Path: "/contact_imports/{import_id}", ID: "getContactImport", Needs: readContacts, AllLocations: true,
		Summary: "Retrieve the progress of an import of contacts",
		Text:    "Poll this to follow an import. `state` is completed or failed when it has ended. The counts increase after each batch of rows.",
		Assist:  assist.Read,
	}, of.getImport)
	rest.GetOrCSV(r, rest.Route{
		Path: "/contact_imports/{import_id}/errors", ID: "listContactImportErrors", Needs: readContacts, AllLocations: true,
		Summary: "List all errors of an import of contacts",
		Text:    "The first rows come first. Send `Accept: text/csv` to get each rejected row as it was in the file, after its row number and its problems. Correct the rows and import that file. Rejected rows are kept for 30 days.",
		Assist:  assist.Read,
	}, of.listErrors, of.exportErrors)
	rest.Raw(r, http.MethodGet, http.StatusOK, rest.Route{
		Path: "/contact_imports/{import_id}/reading", ID: "getContactImportReading", Needs: writeContacts, AllLocations: true, Heavy: true,
		Summary: "Show how the columns of a checked file of contacts are read",
		Text:    "For an import with `review`. Each column has samples and how they are read, so that a wrong guess is seen.",
		Assist:  assist.Read,
	}, of.getReading)
	rest.Raw(r, http.MethodPut, http.StatusOK, rest.Route{
		Path: "/contact_imports/{import_id}/reading", ID: "replaceContactImportReading", Needs: writeContacts, AllLocations: true, Heavy: true,
		Summary:    "Assign the columns of a checked file of contacts",
		Text:       "The file is checked again. Repaired rows stay repaired, and what you chose for duplicates stays.",
		Assist:     assist.Never(assist.Files),
		Background: "/v2-preview/contact_imports/{id}",
	}, of.replaceContactReading)
	rest.Get(r, rest.Route{
		Path: "/contact_imports/{import_id}/rows", ID: "listContactImportRows", Needs: writeContacts, AllLocations: true,
		Summary: "List the rows of a checked file of contacts that need a repair",
		Text:    "Rows with errors and rows that were repaired, with the text of each cell and all errors.",
		Assist:  assist.Read,
	}, of.listRows)
	rest.Raw(r, http.MethodPut, http.StatusOK, rest.Route{
		Path: "/contact_imports/{import_id}/rows/{row}", ID: "repairContactImportRow", Needs: writeContacts, AllLocations: true,
		Summary: "Repair a row of a checked file of contacts",
		Text:    "Replaces the texts of the row and checks it again. The file stays as it is. You can repair 1,000 rows.",
		Assist:  assist.Never(assist.Files),
	}, of.repairRow)
	rest.Get(r, rest.Route{
		Path: "/contact_imports/{import_id}/duplicates", ID: "listContactImportDuplicates", Needs: readContacts, AllLocations: true,
		Summary: "List the duplicates of an import of contacts",
		Text:    "Rows whose email or phone a contact or an earlier row has, in the order of the file, with the contact and what happens to the row.",
		Assist:  assist.Read,
	}, of.listDuplicates)
	rest.Put(r, rest.Route{
		Path: "/contact_imports/{import_id}/duplicates/{row}", ID: "updateContactImportDuplicate", Needs: writeContacts, AllLocations: true,
		Summary: "Choose what happens to a duplicate",
		Text:    "For a checked file. It replaces the action of the import for this row.",
		Assist:  assist.Never(assist.Files),
	}, of.updateDuplicate)
	rest.Raw(r, http.MethodPost, http.StatusOK, rest.Route{
		Path: "/contact_imports/{import_id}/start", ID: "startContactImport", Needs: writeContacts, AllLocations: true,
		Summary:    "Import a checked file of contacts",
		Text:       "Imports the file with its repaired rows and what you chose for duplicates, and skips the rows that still have errors. How the columns are read is kept for the next file with the same columns.",
		Assist:     assist.Never(assist.Files),
		Background: "/v2-preview/contact_imports/{id}",
	}, of.startImport)
}

// contactFormFields are the options of an import of contacts.
var contactFormFields = []string{"dry_run", "map", "charset", "review", "duplicates"}

func (e *endpoints[T]) createContactImport(ctx context.Context, in *struct {
	DryRun     string `query:"dry_run" maxLength:"5" doc:"true to save nothing and see what would happen."`
	Map        string `query:"map" maxLength:"10000" doc:"Fields of columns whose names are not recognized, as pairs or as a JSON object. An empty field ignores the column." example:"Cust Mail:email,Cell:phone"`
	Charset    string `query:"charset" maxLength:"40" doc:"Encoding of the file, if it has no byte order mark: utf-8, utf-16, windows-1252, iso-8859-1 or macintosh. Defaults to the charset of the content type. Otherwise it is detected."`
	Review     string `query:"review" maxLength:"5" doc:"true to check the file first: dry_run is true, and the file is kept for 30 days. Then assign columns, repair rows, choose for duplicates and start the import."`
	Duplicates string `query:"duplicates" maxLength:"10" doc:"What happens to a row whose email or phone a contact or an earlier row has: skip, update or new. Defaults to skip."`
}) (T, error) {
	return e.create(ctx, map[string]string{
		"dry_run": in.DryRun, "map": in.Map, "charset": in.Charset, "review": in.Review, "duplicates": in.Duplicates,
	})
}

func (e *endpoints[T]) replaceContactReading(ctx context.Context, in *struct {
	ByImport
	Body ContactImportReadingUpdate
}) (T, error) {
	return e.readOtherwise(ctx, in.ImportID, HullImportReadingUpdate{Map: in.Body.Map}, in.Body.Duplicates)
}

func (e *endpoints[T]) listDuplicates(ctx context.Context, tx *db.Tx, in *struct {
	ByImport
	page.Query
}) (page.Page[ContactImportDuplicate], error) {
	i, err := findOf(ctx, tx, e.subject, in.ImportID, 0)
	if err != nil {
		return page.Page[ContactImportDuplicate]{}, err
	}
	return pageOfDuplicates(ctx, tx, i, in.Query)
}

func (e *endpoints[T]) updateDuplicate(ctx context.Context, tx *db.Tx, in *struct {
	ByImport
	Row  string `path:"row" doc:"Row number, as in a spreadsheet." example:"17"`
	Body ContactImportDuplicateUpdate
}) (d ContactImportDuplicate, err error) {
	number, err := strconv.ParseInt(in.Row, 10, 64)
	if err != nil {
		number = -1 // not found
	}
	_, err = e.changeReview(ctx, tx, in.ImportID, "repaired", func(i *HullImport) error {
		if d, err = findDuplicate(ctx, tx, *i, number); err != nil {
			return err
		}
		i.choose(d, in.Body.Action)
		d.Action, d.Chosen = in.Body.Action, true
		return saveChoice(ctx, tx, *i, d)
	})
	return d, err
}
