package imports

import (
	"time"

	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/enum"
)

// ContactImport is an import of a file of contacts. It is stored as a HullImport.
type ContactImport struct {
	_ struct{} `doc:"The import of a file of contacts, with its progress and errors." columns:"id state rows created updated unchanged failed skipped / problem created_at finished_at" privacy:"plain"`

	ID                string            `json:"id" doc:"Identifies the import. Starts with imp_." example:"imp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	State             State             `json:"state" doc:"State of the import. An import that is completed can have rejected rows, see failed. An import without a single valid row has failed."`
	Format            Format            `json:"format" doc:"Format of the file, after a workbook was converted."`
	DryRun            bool              `json:"dry_run" doc:"Whether nothing is saved. The counts and errors show what would happen."`
	Review            bool              `json:"review" doc:"Whether a person checks the columns, the duplicates and the rows before the import starts."`
	KeptUntil         *time.Time        `json:"kept_until" doc:"Until when the texts of rows are kept: rejected rows, duplicates, and the file of a check. Null after that."`
	Columns           map[string]string `json:"columns" doc:"Columns that are read, with their fields."`
	IgnoredColumns    []string          `json:"ignored_columns" nullable:"false" doc:"Columns that don't match a field. At most 100."`
	Map               map[string]string `json:"map" doc:"Fields that you assigned to columns."`
	Encoding          sheet.Encoding    `json:"encoding" doc:"Encoding of the file."`
	Duplicates        DuplicateAction   `json:"duplicates" doc:"What happens to rows whose email or phone a contact or an earlier row has, unless you choose for a row."`
	Bytes             int64             `json:"bytes" doc:"Size of the file in bytes, as UTF-8."`
	BytesDone         int64             `json:"bytes_done" doc:"Bytes of the file that are done."`
	ProgressPercent   int64             `json:"progress_percent" doc:"How much of the file is done, from 0 to 100." audit:"-" example:"40"`
	EstimatedFinishAt *time.Time        `json:"estimated_finish_at" doc:"When the import will probably end. Null unless it is running." audit:"-"`
	Rows              int64             `json:"rows" doc:"Rows in the file, without the header. Equals created + updated + unchanged + skipped + failed when the import is completed." example:"2000"`
	Created           int64             `json:"created" doc:"Contacts that were created."`
	Updated           int64             `json:"updated" doc:"Rows that changed an existing contact."`
	Unchanged         int64             `json:"unchanged" doc:"Rows whose contact already was the same."`
	Skipped           int64             `json:"skipped" doc:"Duplicates that were skipped. Only their opt-outs are recorded."`
	Failed            int64             `json:"failed" doc:"Rows that were rejected."`
	Noted             int64             `json:"noted" doc:"Rows that were imported with a note, such as a consent without evidence."`
	DuplicateRows     int64             `json:"duplicate_rows" doc:"Rows whose email or phone a contact or an earlier row has."`
	Consents          int64             `json:"consents" doc:"Consents that were recorded."`
	Unproven          int64             `json:"unproven_consents" doc:"Rows with a consent that was not recorded, because its text, date or source is missing."`
	OptOuts           int64             `json:"opt_outs" doc:"Opt-outs that were recorded."`
	HistoryNotes      int64             `json:"history_notes" doc:"Notes that were added to contacts."`
	Problem           *string           `json:"problem" doc:"Why the import failed. Null unless it failed."`
	Errors            []HullImportError `json:"errors" nullable:"false" doc:"Errors of the rejected rows. At most 1,000." audit:"-"`
	Notes             []HullImportNote  `json:"notes" nullable:"false" doc:"Notes on rows that were imported. At most 1,000." audit:"-"`
	StartedAt         *time.Time        `json:"started_at" doc:"When the first row was read. Null while the import is queued."`
	FinishedAt        *time.Time        `json:"finished_at" doc:"When the import ended. Null until then."`
	Version           int64             `json:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt         time.Time         `json:"created_at" doc:"When the file was uploaded."`
	UpdatedAt         time.Time         `json:"updated_at" doc:"When it last changed."`
}

// Revision returns the version.
func (i ContactImport) Revision() int64 { return i.Version }

// ofContacts returns an import of contacts as clients see it.
func ofContacts(i HullImport) ContactImport {
	return ContactImport{
		ID: i.ID, State: i.State, Format: i.Format, DryRun: i.DryRun, Review: i.Review, KeptUntil: i.KeptUntil,
		Columns: i.Columns, IgnoredColumns: i.IgnoredColumns, Map: i.Map, Encoding: i.Encoding, Duplicates: i.Duplicates,
		Bytes: i.Bytes, BytesDone: i.BytesDone, ProgressPercent: i.ProgressPercent, EstimatedFinishAt: i.EstimatedFinishAt,
		Rows: i.Rows, Created: i.Created, Updated: i.Updated, Unchanged: i.Unchanged, Skipped: i.Skipped, Failed: i.Failed, Noted: i.Noted,
		DuplicateRows: i.DuplicateCount, Consents: i.ConsentCount, Unproven: i.UnprovenCount, OptOuts: i.OptOutCount, HistoryNotes: i.HistoryCount,
		Problem: i.Problem, Errors: i.Errors, Notes: i.Notes,
		StartedAt: i.StartedAt, FinishedAt: i.FinishedAt, Version: i.Version, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
}

// itself returns an import of hulls as clients see it.
func itself(i HullImport) HullImport { return i }

// event returns the name of an event of the import, and its object.
func (i HullImport) event(what string) (name string, object any) {
	if i.Subject == sheet.Contacts {
		shown := ofContacts(i)
		shown.Errors, shown.Notes = []HullImportError{}, []HullImportNote{} // they quote personal data
		return "contact_import." + what, shown
	}
	return "import." + what, i
}

// DuplicateAction is what happens to a row whose contact exists.
type DuplicateAction string

// The values.
const (
	skipDuplicate   DuplicateAction = "skip"
	updateDuplicate DuplicateAction = "update"
	addDuplicate    DuplicateAction = "new"
)

var allDuplicateActions = enum.Of("ContactImportDuplicates",
	"What an import does with a row whose email or phone a contact or an earlier row has: skip it, update that contact, or create a new one.",
	skipDuplicate, updateDuplicate, addDuplicate)

func (DuplicateAction) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allDuplicateActions.Describe(s)
}

// ContactImportDuplicate is a row whose email or phone a contact or an earlier row has.
type ContactImportDuplicate struct {
	_ struct{} `doc:"A row of a file of contacts whose email or phone a contact or an earlier row has."`

	Row         int64           `json:"row" db:"row_no" doc:"Row number, as in a spreadsheet. The header is row 1." example:"17"`
	Name        string          `json:"name" db:"name" doc:"Name in the row." example:"Ann Bell"`
	Email       *string         `json:"email" db:"email" doc:"Email in the row." example:"ann@example.com"`
	Phone       *string         `json:"phone" db:"phone" doc:"Phone in the row." example:"+14105550123"`
	Matches     []string        `json:"matches" db:"matches,json" nullable:"false" doc:"Which of them is the same: email, phone or both." example:"[\"email\"]"`
	ContactID   *string         `json:"contact_id" db:"contact_id" doc:"Contact that has it. Null if only an earlier row has it." example:"con_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	ContactName *string         `json:"contact_name" doc:"Name of that contact." example:"Ann Bell"`
	SameRow     *int64          `json:"same_row" db:"same_row" doc:"Earlier row of the file that has it. Null if no earlier row does." example:"12"`
	Action      DuplicateAction `json:"action" doc:"What happens to the row."`
	Chosen      bool            `json:"chosen" doc:"Whether the action was chosen for this row. Otherwise, the action of the import applies."`
}

// ContactImportDuplicateUpdate chooses what happens to a duplicate.
type ContactImportDuplicateUpdate struct {
	_ struct{} `doc:"What happens to a row whose email or phone a contact or an earlier row has."`

	Action DuplicateAction `json:"action" doc:"Skip the row, update the contact, or create a new contact."`
}

// ContactImportReadingUpdate says how a file of contacts is read.
type ContactImportReadingUpdate struct {
	_ struct{} `doc:"How a checked file of contacts is read from now on."`

	Map        map[string]string `json:"map" privacy:"plain" doc:"Fields by the names of columns. An empty field ignores the column. Columns that it doesn't have are read by their names."`
	Duplicates DuplicateAction   `json:"duplicates,omitempty" doc:"What happens to rows whose email or phone a contact or an earlier row has. Defaults to the current value."`
}
